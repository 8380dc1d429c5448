"""Schedules of pressure on the command line: simulate, robustness and plan, and the files that they write."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from planner.design.design import Design, InvalidDesign
from planner.design.design_file import design_content, load_design, parse_design
from planner.design.schedule import InvalidSchedule, Schedule
from planner.design.schedule_file import read_schedule
from planner.output.folder import write_json
from planner.uncertainty.sensitivity import parameters

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
CSV = "grown_mm,time_s,body_kpa,A1_kpa,A2_kpa,everted\n0,0,10,25,20,\n650,6.5,10,25,20,A1\n650,6.5,10,0,20,A1\n1000,10,10,0,10,A1 A2\n"


@pytest.fixture
def files(design: Design, tmp_path: Path) -> tuple[Path, Path]:
    """A design file with two actuators, and a table of pressures for it."""
    write_json(tmp_path / "design.json", design_content(design))
    (tmp_path / "pressures.csv").write_text(CSV)
    return tmp_path / "design.json", tmp_path / "pressures.csv"


def test_a_table_of_pressures_is_read(files: tuple[Path, Path], design: Design) -> None:
    """Lengths and pressures by their columns, in metres and pascals; other columns are ignored."""
    schedule = read_schedule(files[1], design)
    np.testing.assert_allclose(schedule.lengths, [0, 0.65, 0.65, 1.0])
    np.testing.assert_allclose(schedule.pressures, [[25e3, 20e3], [25e3, 20e3], [0, 20e3], [0, 10e3]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the first line must name the columns, one of them grown_mm"),
        ("length,A1_kpa\n0,1\n", "the first line must name the columns"),
        ("grown_mm,A1_kpa,A2_kpa\n", "has no row"),
        ("grown_mm,A1_kpa,A2_kpa\n0,1\n", "line 2 must have a number in each of 3 columns"),
        ("grown_mm,A1_kpa,A2_kpa\n0,1,x\n", "line 2 must have a number"),
        ("grown_mm,A1_kpa\n0,1\n", "row 0 has 1 pressures; the design has 2 actuators"),
        ("grown_mm,A1_kpa,A2_kpa\n0,1,nan\n", "every pressure must be finite"),
        ("grown_mm,A1_kpa,A2_kpa\n5,1,1\n0,1,1\n", "must not be before row 1"),
    ],
)
def test_a_table_that_is_none_is_refused(files: tuple[Path, Path], design: Design, text: str, message: str) -> None:
    """Each with the file and the line or row."""
    files[1].write_text(text)
    with pytest.raises(InvalidSchedule, match=rf"pressures\.csv: .*{message}"):
        read_schedule(files[1], design)


def test_a_design_keeps_its_schedule_in_its_file(design: Design) -> None:
    """Written and read again it is the same; a pressure of a section that is not the highest of its schedule is refused."""
    steered = design.scheduled(Schedule([0.5, 0.5, 0.9], [[25e3, 20e3], [0, 20e3], [12.5e3, 30e3]]))
    content = json.loads(json.dumps(design_content(steered)))
    again = parse_design(content, "x").schedule
    assert again is not None
    assert steered.schedule is not None
    np.testing.assert_allclose(again.lengths, steered.schedule.lengths)
    np.testing.assert_allclose(again.pressures, steered.schedule.pressures)
    assert "schedule" not in design_content(design)
    for change, message in (
        ({"pressure_kpa": [[25, 20], [0, 20], [12.5, 29]]}, r"sections\[3\]\.pressure_kpa = 30 must be the highest"),
        ({"pressure_kpa": [[25], [0], [12]]}, r"schedule\.pressure_kpa\[0\] has 1 pressures; the design has 2"),
        ({"length_mm": [500, 400, 900]}, "row 2 of the schedule"),
        ({"length_mm": [500, 500]}, "one length and one row"),
    ):
        with pytest.raises(InvalidDesign, match=message):
            parse_design({**content, "schedule": {**content["schedule"], **change}}, "x")


def test_simulate_follows_a_table(files: tuple[Path, Path], vinewright: Vinewright) -> None:
    """The tube ends elsewhere than with constant pressures, and the changes are told; a table that does not fit is refused."""
    _, out, _ = vinewright("simulate", "plus", files[0], "--json")
    constant = json.loads(out)
    _, out, err = vinewright("simulate", "plus", files[0], "--schedule", files[1], "--json")
    steered = json.loads(out)
    assert constant["tip_mm"] != steered["tip_mm"]
    assert "held at 650 mm: actuator 1 from 25 to 0 kPa" in err
    assert "from 650 to 1000 mm: actuator 2 from 20 to 10 kPa" in err
    files[1].write_text("grown_mm,A1_kpa,A2_kpa\n0,0,20\n")
    code, out, err = vinewright("simulate", "plus", files[0], "--schedule", files[1])
    assert code == 2
    assert "actuator 1 never has pressure in the schedule" in err
    code, out, err = vinewright("simulate", "plus", files[0], "--schedule", "missing.csv")
    assert code == 2
    assert "missing.csv" in err


@pytest.mark.slow
def test_robustness_tries_the_steered_tube(
    files: tuple[Path, Path], vinewright: Vinewright, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a table the trials are those of the steered tube: another share reaches the goal of an environment that only it reaches."""
    monkeypatch.setattr("vinewright.commands.robustness.DRAWN", 2)
    # One margin is enough.
    monkeypatch.setattr("planner.uncertainty.sensitivity.parameters", lambda *given: parameters(*given)[:1])
    options = ("--trials", 6, "--no-sources", "--force", "--json")
    results = []
    for more in ((), ("--schedule", files[1])):
        code, out, err = vinewright("robustness", "plus", files[0], *options, *more)
        assert code in (0, 3), err
        results.append(json.loads(out))
    assert results[0] != results[1]


def test_a_plan_with_steering_is_a_run(vinewright: Vinewright, tmp_path: Path) -> None:
    """It writes designs that load, whose steered ones have a schedule."""
    code, _, err = vinewright("plan", "divider", "--steer", 1, "--fast", "--iterations", 6, "--seed", 2)
    assert code == 0, err
    solutions = json.loads((tmp_path / "runs/divider/solutions.json").read_text())["solutions"]
    found = [load_design(tmp_path / "runs/divider", k + 1) for k in range(len(solutions))]
    assert any(one.schedule for one in found)


def test_a_plan_with_steering_refuses_other_planners(vinewright: Vinewright) -> None:
    """Options that cannot be combined with it are named in one line; exit code 2."""
    for option in (("--planner", "rrt"), ("--particles", 3)):
        code, _, err = vinewright("plan", "divider", "--steer", 1, *option)
        assert code == 2
        assert "steer = 1 is for the planner sst-star, without particles" in err
