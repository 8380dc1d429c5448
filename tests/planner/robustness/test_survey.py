"""Surveys: rates with their intervals, the grid, and the tables."""

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
from planner.robustness.sensitivity import Margin
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
    """Percent and interval of each cell stand in the table, the counts in the data, and a dash where nothing was tried."""
    margins = [Margin("section 1: pressure", "%", 3.0, 20.0), Margin("start: heading", "deg", 0.5, 1.0)]
    lines, content = robustness_report(survey, margins, LEVELS)
    table = "\n".join(lines)
    for name in survey.spreads:
        estimate = survey.estimate(name)
        assert estimate
        low, high = estimate.interval
        assert f"{100 * estimate.rate:.1f} ({100 * low:.1f} ... {100 * high:.1f})" in table
    assert content["counts"] == survey.counts
    assert content["spreads"]["made by hand"]["length"] == HANDMADE.length
    assert table.index("start: heading") < table.index("section 1: pressure")  # the lesser share comes first
    assert "-3 % | +20 % or more" in table
    started = Survey.of(survey.design, survey.environment, LEVELS, 150)
    next(started.run())
    assert "| **10 %** | - | - |" in robustness_report(started, [], LEVELS)[0]


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
    save_sensitivity(tmp_path / "c.png", [Margin("start: heading", "deg", 0.0, 10.0)])
    for name in "abc":
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
    assert len(list(tmp_path.iterdir())) == 3
