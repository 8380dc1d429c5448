"""Surveys: all errors together, each source alone, the grid, and the tables."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.learnt_errors import LearntErrors
from environments.obstacles import box_corners
from environments.uncertainty import HANDMADE, WORKSHOP, ObstacleError, Uncertainty
from planner.design.design import Design, Section
from planner.design.estimate import Estimate
from planner.design.replay import grow_designs
from planner.drawing.robustness import robustness_figure, save_robustness, save_sensitivity
from planner.uncertainty.report import robustness_report
from planner.uncertainty.sensitivity import Margin
from planner.uncertainty.survey import ALL, Survey, cell_name, sources
from planner.uncertainty.trials import grow_trials

PARAMS = VineParams()
LEVELS = [0.0, 0.1]
ERRORS = Uncertainty(start_position=4e-3, section_turn=0.05, friction=(0.0, 0.1))


@pytest.fixture(scope="module")
def survey() -> Survey:
    """A bent tube beside a block, with a goal at its tip; all trials grown."""
    obstacles = Obstacles((box_corners(0.3, -0.4, 0.4, -0.2),))
    section = Section(0.0, 0.4, "left", 2.0, 0.04, 25e3)
    environment = Environment("room $x$", "", np.array([-0.2, -0.5, 0.8, 0.5]), np.zeros(3), np.zeros(3), obstacles)
    design = Design("room", "", PARAMS, (section,), np.zeros(3), np.zeros((1, 2)))
    design = grow_designs([design], environment, QuasiStatic(environment, PARAMS))[0].design
    environment = replace(environment, goal=np.array([*design.tip[:2], 0.02]))
    made = Survey.of(design, environment, ERRORS, 150, 7, LEVELS)
    assert sum(made.run()) == 150 * len(made.uncertainties) == 150 * 8
    return made


@pytest.mark.parametrize(("reached", "trials"), [(0, 10), (7, 10), (10, 10), (900, 1000)])
def test_intervals_are_wilsons(reached: int, trials: int) -> None:
    """The interval is the closed form of Wilson (1927), within 0 and 1."""
    z, p = 1.959963984540054, reached / trials
    middle = (p + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = z * np.sqrt(p * (1 - p) / trials + z**2 / (4 * trials**2)) / (1 + z**2 / trials)
    assert Estimate(reached, trials).interval == pytest.approx((middle - half, middle + half), abs=1e-9)


def test_a_survey_holds_all_errors_each_alone_and_the_grid(survey: Survey) -> None:
    """The whole uncertainty comes first, then each error of it with its figure, then the cells of the levels."""
    assert [*survey.uncertainties.items()] == [
        (ALL, ERRORS),
        ("start position 4 mm", Uncertainty(start_position=4e-3)),
        ("section turn 2.86479 deg", Uncertainty(section_turn=0.05)),
        ("friction 0 to 0.1", Uncertainty(friction=(0.0, 0.1))),
        *((cell_name(a, b), Uncertainty.of_levels(a, b)) for a in LEVELS for b in LEVELS),
    ]
    assert survey.uncertainties["10 % / 0 %"] == Uncertainty(obstacle_share=0.1)
    assert (len(survey.reached), survey.reached.sum()) == (150, survey.counts[ALL]["reached"])
    plain = Survey.of(survey.design, survey.environment, ERRORS, 1, alone=False)
    assert plain.uncertainties == {ALL: ERRORS}


def test_sources_are_those_of_the_uncertainty() -> None:
    """A preset is taken apart into all that it has, and nothing else; a single error is not repeated."""
    names = [*sources(WORKSHOP)]
    assert names == [
        "obstacle position 3 mm", "obstacle rotation 0.3 deg", "obstacle size 0.5 mm", "start position 4 mm",
        "start heading 1.5 deg", "pressure 0.7 kPa", "cell 1 mm", "cell common 0.3 mm", "section position 3 mm",
        "section length 2 mm", "curvature 5 %", "preformed position 3 mm", "preformed turn 2 deg", "friction 0 to 0.1",
    ]  # fmt: skip
    content = [pair for one in sources(WORKSHOP).values() for pair in one.content().items()]
    assert dict(content) == WORKSHOP.content()
    assert len(content) == 14
    made_by_hand = ["section length 0.36 mm", "section turn 0.12 deg"]
    assert [*sources(HANDMADE)] == [*made_by_hand, "preformed position 0.36 mm", "preformed turn 0.12 deg"]
    single = ObstacleError(2, "obstacle_position", 9e-3)
    errors = Uncertainty(obstacle_position=1e-3, cell=1e-3, of_obstacles=(single,))
    assert sources(errors) == {
        "obstacle position 1 mm, some obstacles differ": replace(errors, cell=0.0),
        "cell 1 mm": Uncertainty(cell=1e-3),
    }
    learnt = LearntErrors("", ("base: x [mm]", "base: y [mm]"), (1.0, 2.0), (1.0, 1.0), ((1.0, 0.0), (0.0, 1.0)))
    assert sources(Uncertainty(cell=1e-3, learnt=learnt)) == {
        "cell 1 mm": Uncertainty(cell=1e-3),
        "2 errors learnt": Uncertainty(learnt=learnt),
    }
    assert sources(Uncertainty(cell=1e-3)) == sources(Uncertainty()) == {}


def test_trials_are_all_counted_and_the_same_again(survey: Survey) -> None:
    """Counts add up to the trials, are those of all trials grown at once, and without errors all reach the goal."""
    for name, counts in survey.counts.items():
        assert sum(counts.values()) == 150
        assert counts == grow_trials(survey.design, survey.worlds(name, range(150))).counts()
    planned = survey.estimate(cell_name(0.0, 0.0))
    assert planned
    assert planned.rate == 1.0
    bent = survey.estimate(cell_name(0.0, 0.1))
    every, turned = survey.estimate(ALL), survey.estimate("section turn 2.86479 deg")
    assert bent
    assert every
    assert turned
    assert 0.2 < bent.rate < 1.0
    assert every.rate <= turned.rate < 1.0
    assert survey.estimate("no such uncertainty") is None


def test_tables_hold_every_figure(survey: Survey) -> None:
    """Percent and interval of each row and cell stand in the table, the counts in the data with the units of files."""
    margins = [
        Margin("section 1: pressure", "%", 3.0, 20.0, (3.5, None)),
        Margin("start: heading", "deg", 0.5, 1.0, (0.75, 1.25)),
    ]
    lines, content = robustness_report(survey, margins, 2, LEVELS)
    table = "\n".join(lines)
    for name in survey.uncertainties:
        estimate = survey.estimate(name)
        assert estimate
        low, high = estimate.interval
        assert f"{100 * estimate.rate:.1f} ({100 * low:.1f} ... {100 * high:.1f})" in table
    assert f"| **{ALL}** |" in table
    assert content["counts"] == survey.counts
    assert content["spreads"][ALL] == {"start_position_mm": 4, "section_turn_deg": 2.86478897565, "friction": [0, 0.1]}
    assert content["spreads"]["start position 4 mm"] == {"start_position_mm": 4}
    assert content["spreads"][cell_name(0.1, 0.0)] == {"obstacle_percent": 10}
    assert table.index("start: heading |") < table.index("section 1: pressure |")  # the lesser share comes first
    assert "-3 % | +20 % or more" in table
    assert "misses the goal: start: heading, 0.75 deg less." in table


def test_without_levels_there_is_no_grid(survey: Survey) -> None:
    """Neither a table nor a verdict on levels, and the first row is that of all errors."""
    made = Survey.of(survey.design, survey.environment, ERRORS, 150, seed=7)
    for name in made.uncertainties:
        made.counts[name], made.seconds[name] = survey.counts[name], 1.0
    lines, content = robustness_report(made, [], 0)
    table = "\n".join(lines)
    assert "Obstacles and bending together" not in table
    assert "variation" not in table
    assert content["levels"] == []
    assert content["interrupted"] is False
    rows = [line for line in lines if line.startswith("| ")]
    assert [row.split(" | ")[0].strip("|* ") for row in rows[1:]] == [*made.uncertainties]


def test_a_survey_that_was_interrupted_says_what_is_missing(survey: Survey) -> None:
    """Cells with few or no trials say so, verdicts are given for complete cells only, and text and data say interrupted."""
    started = Survey.of(survey.design, survey.environment, ERRORS, 150, 7, LEVELS, alone=False)
    batches = started.run()
    for _ in range(5):
        next(batches)  # all errors and the first cell have all their 150 trials, the second cell the first 100
    lines, content = robustness_report(started, [], 6, LEVELS)
    few = grow_trials(survey.design, started.worlds(cell_name(0.0, 0.1), range(100))).counts()["reached"]
    table = "\n".join(lines)
    assert lines[0] == "**Interrupted** after 400 of 750 trials and 0 of 6 margins."
    assert re.search(rf"\| \*\*0 %\*\* \| 100.0 \(97.5 ... 100.0\) \| {few:.1f} \([^)]*\), 100 of 150 trials \|", table)
    assert "| **10 %** | not evaluated | not evaluated |" in table
    assert "in 150 trials: at least up to 0 % of obstacles variation (from 10 % on, not all trials are done)" in table
    assert "at no level" not in table
    assert "0 of 6 margins were measured" in table
    assert (content["interrupted"], content["trials_done"], content["trials_asked"]) == (True, 400, 750)
    assert content["success"][cell_name(0.0, 0.1)]["complete"] is False
    assert content["success"][cell_name(0.1, 0.0)] is None
    none = Survey.of(survey.design, survey.environment, ERRORS, 150, 0, LEVELS)
    none.counts, none.seconds = {"0 % / 0 %": {"reached": 10, "stalled": 0}}, {"0 % / 0 %": 1.0}  # 10 of 150
    words = "\n".join(robustness_report(none, [], 6, LEVELS)[0])
    assert "no verdict on obstacles variation, because its trials are not all done" in words
    assert "at no level" not in words


def test_a_whole_survey_is_not_called_interrupted(survey: Survey) -> None:
    """All trials and all margins: no word of an interruption in text or data."""
    varied = [Margin("start: heading", "deg", 1.0, 1.0)] * 3
    lines, content = robustness_report(survey, varied, 3, LEVELS)
    assert not re.search("nterrupted|not evaluated|not all", "\n".join(lines))
    assert content["interrupted"] is False
    assert content["trials_done"] == content["trials_asked"] == 1200


def test_the_verdict_is_the_highest_level_that_holds(survey: Survey) -> None:
    """At least 90 % up to a level means at every level up to it."""
    levels = [0.0, 0.05, 0.1, 0.15]
    made = Survey.of(survey.design, survey.environment, ERRORS, 10, 0, levels)
    rates = {(0.0, 0.0): 10, (0.05, 0.0): 9, (0.1, 0.0): 8, (0.15, 0.0): 10, (0.0, 0.05): 8}
    for cell, reached in rates.items():
        made.counts[cell_name(*cell)] = {"reached": reached, "stalled": 10 - reached}
        made.seconds[cell_name(*cell)] = 1.0
    table = "\n".join(robustness_report(made, [], 0, levels)[0])
    assert "up to 5 % of obstacles variation" in table
    assert "up to 0 % of bending variation" in table


def test_pictures_are_drawn(survey: Survey, tmp_path: Path) -> None:
    """Pictures are written whole, with and without a grid, also where trials are missing and the name has dollars."""
    worlds = survey.worlds(ALL, range(12))
    shown = grow_trials(survey.design, worlds), worlds, "workshop errors"
    save_robustness(tmp_path / "a.png", survey, LEVELS, *shown)
    started = Survey.of(survey.design, survey.environment, ERRORS, 150, 0, LEVELS)
    save_robustness(tmp_path / "b.png", started, LEVELS, *shown)
    save_robustness(tmp_path / "c.png", Survey.of(survey.design, survey.environment, ERRORS, 150), [], *shown)
    save_sensitivity(tmp_path / "d.png", [Margin("start: heading", "deg", 0.0, 10.0)], 6)
    for name in "abcd":
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
    assert len(list(tmp_path.iterdir())) == 4


def test_obstacles_have_their_names_in_the_picture(survey: Survey) -> None:
    """The name of the block lies within its outline, and gives way to vines that are drawn across its middle."""
    worlds = survey.worlds(ALL, range(12))
    trials = grow_trials(survey.design, worlds)
    trials = replace(trials, joints=trials.joints + np.array([0.35, -0.3]) - trials.joints[0, 5])
    figure = robustness_figure(survey, LEVELS, trials, worlds, "workshop errors")
    axes = figure.axes[-1]
    (name,) = [text for text in axes.texts if text.get_gid() == "name"]
    assert name.get_text().replace("\n", " ") == survey.environment.obstacles.name(0) == "polygon 1"
    figure.draw_without_rendering()
    corners = axes.transData.inverted().transform(name.get_window_extent().get_points())
    area = shapely.box(*corners.ravel())
    lines = [shapely.LineString(1e3 * line[~np.isnan(line[:, 0])]) for line in trials.joints]
    assert not area.intersects(shapely.MultiLineString(lines))
    block = shapely.box(300, -400, 400, -200)
    assert area.intersection(block).area > 0.9 * area.area


def test_trials_in_a_large_map_are_shown_large(survey: Survey) -> None:
    """The drawing of trials holds all of them and little else; the last one is the map, with this part of it."""
    large = replace(survey, environment=replace(survey.environment, bounds=np.array([-10.0, -9.0, 20.0, 11.0])))
    worlds = large.worlds(ALL, range(12))
    trials = grow_trials(large.design, worlds)
    trials.joints[3] -= [0.0, 0.6]
    figure = robustness_figure(large, LEVELS, trials, worlds, "workshop errors")
    overlay, whole = figure.axes[-2:]
    left, right = overlay.get_xlim()
    low, high = overlay.get_ylim()
    grown = trials.joints.reshape(-1, 2)
    lines = shapely.MultiPoint(1e3 * grown[~np.isnan(grown[:, 0])])
    assert shapely.box(left, low, right, high).contains(lines)
    assert right - left < 1500
    (window,) = [patch for patch in whole.patches if patch.get_gid() == "window"]
    assert window.get_bbox().extents == pytest.approx([left, low, right, high])
    assert whole.get_title(loc="left") == "the map: 30 x 20 m"
    assert len(figure.axes) == len(robustness_figure(survey, LEVELS, trials, worlds, "workshop errors").axes) + 1
