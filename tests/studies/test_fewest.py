"""The study of the fewest actuators."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.design.design import Design, Section
from planner.search.solutions import Solution
from studies.fewest.exhaustive import BestFound, Coverage
from studies.fewest.plots import save_map
from studies.fewest.report import report
from studies.fewest.study import FewestCase, FewestOutcome, list_missed, run_case
from tests.conftest import Vinewright

NEAREST = np.array([[0.0, 1.5, -0.02], [0.4, -2.5, 0.3]])
NOTHING = BestFound(None, 0, 0)


def solution(actuators: int) -> Solution:
    """A design with some actuators, of 100 mm each."""
    sections = [Section(0.1 * k, 0.1 * (k + 1), "left", 2.0, 0.04, 25e3) for k in range(actuators)]
    sections += [Section(0.1 * actuators, 0.1 * (actuators + 1), "none", 0.0, 0.0, 0.0)]
    design = Design("maze", "", VineParams(), tuple(sections), np.zeros(3), np.zeros((2, 2)))
    return Solution(design, actuators + 0.01, np.zeros(1, np.int32))


def outcome(planned: int | None, found: int | None, doubtful: int = 0, name: str = "maze") -> FewestOutcome:
    """An outcome where the exhaustive search found a design with no or one actuator, or none."""
    straight, one = (BestFound(solution(k), 0, 0) if found == k else NOTHING for k in (0, 1))
    doubt = 1.5 if doubtful else 0.5
    coverage = Coverage(straight, one, 120, 3400, 4, 0.25, doubt, doubtful, 0.125, NEAREST)
    return FewestOutcome(FewestCase(name, 5000), planned, coverage, 0.025, 12.4)


@pytest.mark.parametrize(
    ("planned", "found", "doubtful", "verdict"),
    [
        (0, 0, 0, "proven: 0 is the fewest"),
        (1, 1, 9, "proven: 1 is the fewest"),
        (1, None, 9, "proven: 1 is the fewest"),
        (2, None, 0, "proven: 2 is the fewest"),
        (4, None, 0, "4 found; at least 2 needed"),
        (2, None, 3, "2 found; no fewer on the grid, which leaves doubt"),
        (None, None, 3, "no design found; no fewer on the grid, which leaves doubt"),
        (None, None, 0, "no design found; at least 2 needed"),
        (2, 1, 0, "fewer exist: 1, the plan found 2"),
        (1, 0, 0, "fewer exist: 0, the plan found 1"),
        (None, 1, 0, "fewer exist: 1, the plan found no solution"),
    ],
)
def test_the_verdict_follows_from_what_was_found(
    planned: int | None, found: int | None, doubtful: int, verdict: str
) -> None:
    """With no design found, doubtful boxes leave it open; with one actuator planned only the single straight vine counts."""
    one = outcome(planned, found, doubtful)
    assert one.verdict == verdict
    assert one.missed == verdict.startswith("fewer")
    assert list_missed([one]) == (f"maze: {verdict}" if one.missed else "")


def test_what_came_of_states_in_the_goal_is_said() -> None:
    """Confirmed, none, all rejected over ambiguous snaps, or some because the replay misses the goal."""
    words = [
        BestFound(solution(1), 2, 2).words,
        NOTHING.words,
        BestFound(None, 3, 3).words,
        BestFound(None, 3, 2).words,
    ]
    assert words == ["yes", "no", "only over ambiguous snaps", "only until replayed"]


def test_the_report_says_what_proven_means() -> None:
    """A row for each environment; a design that the planner missed stands out."""
    outcomes = [outcome(4, None, 3, "long"), outcome(2, None), outcome(2, 1, name="plus")]
    made = report(outcomes, 5000)
    rows = [line.split(" | ") for line in made.lines if line.startswith(("| long", "| maze", "| plus"))]
    assert [row[0] for row in rows] == ["| long", "| maze", "| plus"]
    assert rows[0][4:] == [
        *(
            "4 found; no fewer on the grid, which leaves doubt",
            "120",
            "3400",
            "100",
            "0.25",
            "1.50",
            "3",
            "12.50 %",
            "12 |",
        )
    ]
    assert rows[1][1:5] == ["2", "no", "no", "proven: 2 is the fewest"]
    assert rows[2][9:11] == ["-", "-"]
    assert "no theorem" in made.text
    assert "**plus: the planner missed a design" in made.text
    assert "maze: the planner missed" not in made.text
    content = made.content["environments"]
    assert json.dumps(content)
    assert content[2]["design"]["cost"]["actuators"] == 1
    assert content[1]["design"] is None
    assert content[0]["nearest"][0] == {"start_mm": 0.0, "curvature_per_m": 1.5, "nearest_mm": -20.0}
    endless = replace(outcomes[1], coverage=replace(outcomes[1].coverage, doubt=math.inf, doubtful=1))
    assert "| in the goal | 1 |" in report([endless], 5000).text
    assert endless.content()["largest_doubt"] is None


def test_the_map_is_drawn(tmp_path: Path) -> None:
    """A panel for each environment, also where nothing was grown."""
    empty = outcome(2, None)
    empty = replace(empty, coverage=replace(empty.coverage, nearest=np.empty((0, 3))))
    save_map(tmp_path / "map.png", [outcome(1, 1), empty])
    assert (tmp_path / "map.png").read_bytes()[:4] == b"\x89PNG"


def test_an_environment_is_planned_and_searched(small_file: Path) -> None:
    """The plan's design has no fewer actuators than the exhaustive search finds; both are repeatable."""
    first, again = (run_case(FewestCase(str(small_file), 2000, iterations=4)) for _ in range(2))
    assert first.environment == "small"
    assert first.planned is not None
    assert first.least is not None
    assert first.least <= first.planned
    assert first.coverage.steps >= 2000 / 8
    assert first.content() | {"seconds": 0} == again.content() | {"seconds": 0}


@pytest.mark.slow
def test_the_command_writes_the_study(vinewright: Vinewright, small_file: Path, tmp_path: Path) -> None:
    """Report, data and map; the exit code is 3 only if the planner missed a design."""
    code, printed, _ = vinewright("reproduce", "fewest", "--env", small_file, "--steps", 2000, "--out", "new")
    folder = tmp_path / "new" / "fewest"
    assert sorted(file.name for file in folder.iterdir()) == ["README.md", "data.json", "fewest.png"]
    (found,) = json.loads((folder / "data.json").read_text())["environments"]
    assert code == (3 if found["verdict"].startswith("fewer") else 0)
    assert found["verdict"] in printed
