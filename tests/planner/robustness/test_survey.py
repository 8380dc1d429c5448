"""Surveys: rates with their intervals, the grid, and the tables."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.design import Design, Section
from planner.replay import grow_designs
from planner.robustness.plots import save_robustness, save_sensitivity
from planner.robustness.report import robustness_report
from planner.robustness.sensitivity import Margin, parameters
from planner.robustness.survey import Estimate, Survey, cell_name
from planner.robustness.trials import HANDMADE, Spread

PARAMS = VineParams()
LEVELS = [0.0, 0.1]


@pytest.fixture(scope="module")
def survey() -> Survey:
    """A bent tube beside a block, with a goal at its tip; all trials grown."""
    obstacles = Obstacles((box_corners(0.3, -0.4, 0.4, -0.2),))
    section = Section(0.0, 0.4, "left", 2.0, 0.04, 25e3)
    environment = Environment("room $x$", "", np.array([-0.2, -0.5, 0.8, 0.5]), np.zeros(3), np.zeros(3), obstacles)
    design = Design("room", "", PARAMS, (section,), np.zeros(3), np.zeros((1, 2)))
    design = grow_designs([design], environment, QuasiStatic(environment, PARAMS))[0].design
    environment = replace(environment, goal=np.array([*design.tip[:2], 0.02]))
    made = Survey.of(design, environment, LEVELS, trials=150, seed=7)
    assert sum(made.run()) == 150 * len(made.spreads)
    return made


@pytest.mark.parametrize(("reached", "trials"), [(0, 10), (7, 10), (10, 10), (900, 1000)])
def test_intervals_are_wilsons(reached: int, trials: int) -> None:
    """The interval is the closed form of Wilson (1927), within 0 and 1."""
    z, p = 1.959963984540054, reached / trials
    middle = (p + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = z * np.sqrt(p * (1 - p) / trials + z**2 / (4 * trials**2)) / (1 + z**2 / trials)
    assert Estimate(reached, trials).interval == pytest.approx((middle - half, middle + half), abs=1e-9)


def test_a_survey_holds_the_grid_and_each_source_alone(survey: Survey) -> None:
    """Each cell has the spread of its levels; alone are obstacles, pressure, cells, start, heading and the hand-made."""
    assert survey.spreads[cell_name(0.1, 0.0)] == Spread(obstacles=0.1)
    assert survey.spreads[cell_name(0.0, 0.1)] == Spread(pressure=0.1, cell=0.1)
    alone = [spread for name, spread in survey.spreads.items() if "/" not in name]
    assert alone == [
        Spread(obstacles=0.1),
        Spread(pressure=0.1),
        Spread(cell=0.1),
        Spread(start=5e-3),
        Spread(heading=np.radians(1.0)),
        HANDMADE,
    ]
    for none in (None, Spread()):  # no tolerances in every trial: those of the last source stay
        assert Survey.of(survey.design, survey.environment, LEVELS, 1, tolerances=none).spreads == survey.spreads
    kept = Survey.of(survey.design, survey.environment, LEVELS, 1, tolerances=HANDMADE)
    assert kept.spreads[cell_name(0.1, 0.0)] == Spread(obstacles=0.1, length=HANDMADE.length, turn=HANDMADE.turn)


def test_trials_are_all_counted_and_the_same_again(survey: Survey) -> None:
    """Counts add up to the trials, are those of all trials grown at once, and without spread all reach the goal or none."""
    for name, counts in survey.counts.items():
        assert sum(counts.values()) == 150
        assert counts == survey.outcome(survey.spreads[name], range(150)).counts()
    planned = survey.estimate(cell_name(0.0, 0.0))
    assert planned
    assert planned.rate == 1.0
    bent = survey.estimate(cell_name(0.0, 0.1))
    assert bent
    assert 0.2 < bent.rate < 1.0
    assert survey.estimate("no such spread") is None


def test_tables_hold_every_figure(survey: Survey) -> None:
    """Percent and interval of each cell stand in the table, the counts in the data with the units of files."""
    margins = [Margin("section 1: pressure", "%", 3.0, 20.0), Margin("start: heading", "deg", 0.5, 1.0)]
    lines, content = robustness_report(survey, margins, LEVELS)
    table = "\n".join(lines)
    for name in survey.spreads:
        estimate = survey.estimate(name)
        assert estimate
        low, high = estimate.interval
        assert f"{100 * estimate.rate:.1f} ({100 * low:.1f} ... {100 * high:.1f})" in table
    assert content["counts"] == survey.counts
    made = {
        "length_mm": 0.36,
        "turn_deg": 0.12,
        "start_mm": 0,
        "heading_deg": 0,
        "obstacles": 0,
        "pressure": 0,
        "cell": 0,
    }
    assert content["spreads"]["made by hand"] == made
    assert (content["spreads"]["start 5 mm"]["start_mm"], content["spreads"]["heading 1 deg"]["heading_deg"]) == (5, 1)
    assert table.index("start: heading") < table.index("section 1: pressure")  # the lesser share comes first
    assert "-3 % | +20 % or more" in table


def test_a_survey_that_was_interrupted_says_what_is_missing(survey: Survey) -> None:
    """Cells with few or no trials say so, verdicts are given for complete cells only, and text and data say interrupted."""
    started = Survey.of(survey.design, survey.environment, LEVELS, 150, seed=7, alone={})
    batches = started.run()
    for _ in range(3):
        next(batches)  # the first cell has all its 150 trials, the second the first 100
    lines, content = robustness_report(started, [], LEVELS)
    few = survey.outcome(started.spreads[cell_name(0.0, 0.1)], range(100)).counts()["reached"]
    table = "\n".join(lines)
    assert lines[0] == "**Interrupted** after 250 of 600 trials and 0 of 6 margins."
    assert re.search(rf"\| \*\*0 %\*\* \| 100.0 \(97.5 ... 100.0\) \| {few:.1f} \([^)]*\), 100 of 150 trials \|", table)
    assert "| **10 %** | not evaluated | not evaluated |" in table
    assert "in 150 trials: at least up to 0 % of obstacles variation (from 10 % on, not all trials are done)" in table
    assert "at no level" not in table
    assert "0 of 6 margins were measured" in table
    assert (content["interrupted"], content["trials_done"], content["trials_asked"]) == (True, 250, 600)
    assert content["success"][cell_name(0.0, 0.1)]["complete"] is False
    assert content["success"][cell_name(0.1, 0.0)] is None
    none = Survey.of(survey.design, survey.environment, LEVELS, 150, alone={})
    none.counts, none.seconds = {"0 % / 0 %": {"reached": 10, "stalled": 0}}, {"0 % / 0 %": 1.0}  # 10 of 150
    words = "\n".join(robustness_report(none, [], LEVELS)[0])
    assert "no verdict on obstacles variation, because its trials are not all done" in words
    assert "at no level" not in words


def test_a_whole_survey_is_not_called_interrupted(survey: Survey) -> None:
    """All trials and all margins: no word of an interruption in text or data."""
    varied = parameters(survey.design, survey.environment)
    lines, content = robustness_report(survey, [Margin(one.name, one.unit, 1.0, 1.0) for one in varied], LEVELS)
    assert not re.search("nterrupted|not evaluated|not all", "\n".join(lines))
    assert content["interrupted"] is False
    assert content["trials_done"] == content["trials_asked"] == 1500


def test_the_verdict_is_the_highest_level_that_holds(survey: Survey) -> None:
    """At least 90 % up to a level means at every level up to it."""
    made = Survey.of(survey.design, survey.environment, [0.0, 0.05, 0.1, 0.15], 10)
    rates = {(0.0, 0.0): 10, (0.05, 0.0): 9, (0.1, 0.0): 8, (0.15, 0.0): 10, (0.0, 0.05): 8}
    for cell, reached in rates.items():
        made.counts[cell_name(*cell)] = {"reached": reached, "stalled": 10 - reached}
        made.seconds[cell_name(*cell)] = 1.0
    table = "\n".join(robustness_report(made, [], [0.0, 0.05, 0.1, 0.15])[0])
    assert "up to 5 % of obstacles variation" in table
    assert "up to 0 % of bending variation" in table


def test_pictures_are_drawn(survey: Survey, tmp_path: Path) -> None:
    """Both pictures are written whole, also where trials are missing and the name has dollars."""
    shown = survey.outcome(Spread.of_levels(0.1, 0.1), range(12))
    save_robustness(tmp_path / "a.png", survey, LEVELS, shown, "10 % of both")
    started = Survey.of(survey.design, survey.environment, LEVELS, 150)
    save_robustness(tmp_path / "b.png", started, LEVELS, shown, "10 % of both")
    save_sensitivity(tmp_path / "c.png", [Margin("start: heading", "deg", 0.0, 10.0)], 6)
    for name in "abc":
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
    assert len(list(tmp_path.iterdir())) == 3
