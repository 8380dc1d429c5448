"""The long test of planning: what its checks find, and what its report says."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, load_environment
from studies.random_environments import SOAK_DENSITIES, SOAK_SIZES
from studies.reliability.checks import Checked, check_tubes
from studies.reliability.report import InvalidCounts, fit_memory, fuzz_lines, report, success
from studies.reliability.study import ReliabilityCase, ReliabilityRecord, cases, record_death, run_case
from vinewright.cli import main
from vinewright.console.study import Study, run_cases

MakeEnvironment = Callable[..., Environment]
RADIUS, TOLERANCE = 0.03, 1e-3


def evaluated(
    environment: Environment, *lines: list[list[float]], tips: list[list[float]] | None = None
) -> tuple[float, list[str]]:
    """Report of `check_tubes` on tubes given by their centrelines; tips are the lines' ends if not given."""
    ends = tips or [[*line[-1], 0.0] for line in lines]
    return check_tubes(
        environment.obstacles, environment.bounds, [np.array(line) for line in lines], np.array(ends), RADIUS, TOLERANCE
    )


@pytest.mark.parametrize(
    "solid", [{"boxes": [[1.0, 0.0, 2.0, 1.0]]}, {"circles": [[1.5, -1.0, 2.0]]}], ids=["box", "circle"]
)
@pytest.mark.parametrize(("depth", "wrong"), [(-0.01, False), (0.0009, False), (0.0011, True), (0.02, True)])
def test_evaluate_measures_depth(
    environment: MakeEnvironment, solid: dict[str, list[list[float]]], depth: float, wrong: bool
) -> None:
    """A tube that lies over a solid whose top is at y = 1 is as deep in it as it was laid."""
    height = 1.0 + RADIUS - depth
    deepest, faults = evaluated(
        environment(**solid, bounds=(-4.0, -4.0, 4.0, 4.0)), [[0.2, height], [1.5, height], [2.5, height]]
    )
    assert deepest == pytest.approx(max(depth, 0.0), abs=1e-12)
    assert [("1 of 1 states are too deep" in fault) for fault in faults] == [True] * wrong


def test_evaluate_finds_what_is_not_finite_not_inside_and_not_at_its_end(environment: MakeEnvironment) -> None:
    """NaN in one of two tubes, a tube beyond the bounds, and a tip that is said to be elsewhere: each is reported separately."""
    workspace = environment(bounds=(-4.0, -4.0, 4.0, 4.0))
    sound = [[0.0, 0.0], [0.5, 0.0]]
    assert evaluated(workspace, sound) == (0.0, [])
    assert evaluated(workspace, sound, [[0.0, 0.0], [np.nan, 0.0]])[1] == [
        "1 of 2 states hold numbers that are not finite"
    ]
    assert evaluated(workspace, sound, tips=[[0.5, 0.0, np.inf]])[1] == [
        "1 of 1 states hold numbers that are not finite"
    ]
    assert evaluated(workspace, sound, [[0.0, 0.0], [4.25, 0.0]])[1] == ["a tube lies 250 mm outside the bounds"]
    assert evaluated(workspace, sound, tips=[[0.5, 0.002, 0.0]])[1] == [
        "a tip lies 2 mm from the end of its centreline"
    ]


def test_cases_mix_densities_and_sizes() -> None:
    """In 1 000 environments every density meets every size, within one as often as any other, each with a seed of its own."""
    every = cases(1000, 2.0)
    met = [(case.density, case.size) for case in every]
    counts = {pair: met.count(pair) for pair in met}
    assert len(counts) == len(SOAK_DENSITIES) * len(SOAK_SIZES)
    assert max(counts.values()) - min(counts.values()) <= 1
    assert len({case.seed for case in every}) == 1000


def test_the_commands_of_a_fault_make_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of the report to see a fault again makes the very environment."""
    case = ReliabilityCase(5, 0.3, (2.5, 1.5), 2.0)
    new, again = case.replayed_by.split(" && ")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", new.split())
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert load_environment(tmp_path / again.split()[2]).sha256 == case.environment().sha256


def test_memory_is_a_line_after_warm_up() -> None:
    """Memory that jumps about at first and then grows by 0.02 MB a run grows by 2 MB in 100 runs, exactly."""
    found = fit_memory([300.0, 100.0] * 5 + [200.0 + 0.02 * run for run in range(40)])
    assert found
    assert (found.runs, found.slope) == (40, pytest.approx(2.0))
    assert found.error == pytest.approx(0.0, abs=1e-6)
    assert fit_memory([200.0] * 15) is None


def test_walled_in_environments_are_no_failures(tmp_path: Path) -> None:
    """They count as environments, not as attempts; faults are listed with how to see them again; fuzzing's counts are taken up."""
    case = ReliabilityCase(7, 0.2, (1.5, 1.5), 2.0)
    solved = ReliabilityRecord(case, actuators=2, checked=Checked(10, 0.0004, []), process=1, resident_mb=200.0)
    deep = replace(solved, actuators=None, checked=Checked(10, 0.002, ["3 of 10 states are too deep"]))
    records = [
        solved,
        solved,
        deep,
        ReliabilityRecord(case, walled_in=True),
        ReliabilityRecord(case, crash="ValueError: x (sst.py, line 1)"),
    ]
    estimate = success(records)
    assert estimate
    assert (estimate.reached, estimate.trials) == (2, 4)
    (tmp_path / "fuzz.json").write_text(json.dumps({"schema": 1, "kinds": {"designs": {"0": 3, "2": 39}}}))
    made = report(records, fuzz_lines(tmp_path / "fuzz.json"))
    text, content = made.text, made.content
    assert "| all | 5 | 1 | 2 | 50.0 (15.0 ... 85.0) | 30 | 2.0000 | 2 |" in text  # Wilson, by hand
    assert f"- 3 of 10 states are too deep: `{case.replayed_by}`" in text
    assert "- ValueError: x (sst.py, line 1): `" in text
    assert "| designs | 42 | 3 | 39 |" in text
    assert len(content["runs"]) == 5


@pytest.mark.parametrize("text", ["{}", "[]", "no JSON", '{"kinds": {"designs": 3}}'])
def test_counts_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    """Before any environment is planned, with the command that writes them."""
    (tmp_path / "fuzz.json").write_text(text)
    with pytest.raises(
        InvalidCounts, match=r"fuzz.json contains no fuzzing counts; delete it, or create it with pytest"
    ):
        fuzz_lines(tmp_path / "fuzz.json")


def test_an_error_is_a_result() -> None:
    """A run that ends in an error names it; the soak goes on."""
    record = run_case(ReliabilityCase(0, 0.9, (1.5, 1.5), 0.1))  # no clutter is as dense
    assert record.crash.startswith("ValueError: density = 0.9 must be from 0 to 0.6 (generate.py, line ")
    assert record.faults == [record.crash]


def die(case: ReliabilityCase) -> ReliabilityRecord:
    """Stands for `run_case` in a process that is ended from outside for one of the cases."""
    if case.seed == 1:
        os.abort()
    return ReliabilityRecord(case)


@pytest.mark.slow
def test_a_process_that_dies_is_one_crash() -> None:
    """One of four cases kills its process: three are done and one has crashed."""
    study = Study(
        "soak",
        cases(4, 0.1),
        partial(map, die),
        lambda _: report([], None),
        parallel=True,
        died=record_death,
        module="",
    )
    records = [record for _, record in sorted(run_cases(study, None), key=lambda found: found[0])]
    assert [record.crash for record in records] == ["", "the process died", "", ""]


@pytest.mark.slow
def test_a_short_soak_finds_nothing_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three environments end with tables, data and a picture; no state breaks a rule."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["vinewright", "reproduce", "soak", "--count", "3", "--time-budget", "0.2"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert sorted(os.listdir("runs/reliability")) == ["README.md", "data.json", "reliability.png"]
    runs = json.loads(Path("runs/reliability/data.json").read_text())["runs"]
    assert len(runs) == 3
    for run in runs:
        assert run["checked"]["states"] > 0
        assert run["checked"]["deepest"] <= VineParams().penetration_tolerance
        assert run["checked"]["faults"] == []
