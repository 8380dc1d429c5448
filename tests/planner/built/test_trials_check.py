"""Trials that cannot have been measured are refused, with what is possible."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from environments import Environment
from planner.built.trial import NOTHING, BendTest, Growth, MeasuredPoint, MeasurementErrors, Trials, design_digest
from planner.built.trials_check import UNLIMITED, bend_at, check_trials
from planner.built.trials_file import InvalidTrials
from planner.design.design import Design
from planner.design.schedule import Schedule
from planner.uncertainty.deviations import SectionErrors, WorldErrors, measured_bends

POINT = MeasuredPoint("polygon 1", (0.3, -0.4), (0.31, -0.4))


@pytest.fixture
def trials(design: Design) -> Trials:
    """Measurements that are possible; the room's goal has radius 0.1 m around (0.8, 0.3)."""
    growths = (
        Growth(True, (0.8, 0.3), 0.95, None, None, ""),
        Growth(False, (0.6, -0.5), 0.9, (20e3, 0.0), None, ""),
        replace(NOTHING, recording="bench.json"),
        replace(NOTHING, length=1.02),
        replace(NOTHING, tip=(-0.05, 1.0)),
    )
    bends = (BendTest(1, 25e3, 0.5), BendTest(2, 10e3, 0.2), BendTest(2, 0.0, -0.03))
    points = (
        POINT,
        MeasuredPoint("circle 1", (0.6, 0.401), (0.6, 0.45)),
        MeasuredPoint("wall 1", (1.2, -0.7), (1.2, -0.7)),
    )
    return Trials(design_digest(design), MeasurementErrors(), growths, bends, points)


def test_what_can_be_measured_is_accepted(trials: Trials, design: Design, room: Environment) -> None:
    """Also the least and the most that the errors explain; also nothing at all."""
    assert check_trials(trials, design, room) == []
    assert check_trials(Trials(trials.design), design, room) == []


REFUSED: list[tuple[Callable[[Trials], Trials], str]] = [
    (lambda one: replace(one, design="0" * 16), "design = '0000000000000000' is another design, or one that was changed: this one is"),
    (lambda one: replace(one, bends=(BendTest(3, 1e3, 0.1),)), "bends[0].section = 3 is not there; actuators of this design: 1 to 2"),
    (lambda one: replace(one, bends=(*one.bends, BendTest(2, 36e3, 0.1))), "bends[3].pressure_kpa = 36 must be from 0 to 35, the limit"),
    (
        lambda one: replace(one, bends=(BendTest(2, 20e3, -0.2),)),
        "bends[0].bend_deg = -11.46 is to the other side than that of actuator 2, which bends to the right: a bend to its own side is",
    ),
    (
        lambda one: replace(one, bends=(BendTest(1, 25e3, 3.0),)),
        "bends[0].bend_deg = 171.9 is more than fully contracted cells bend actuator 1",
    ),
    (lambda one: replace(one, growths=(NOTHING,)), "growths[0] says nothing: give at least one of reached, tip_mm, length_mm and"),
    (lambda one: replace(one, growths=(replace(NOTHING, note="x", pressures=(1e3, 1e3)),)), "growths[0] says nothing"),
    (lambda one: replace(one, growths=(replace(NOTHING, length=1.04),)), "growths[0].length_mm = 1040 is more than the tube has, 1000 mm"),
    (
        lambda one: replace(one, growths=(replace(NOTHING, reached=True, pressures=(1e3,)),)),
        "growths[0].pressures_kpa has 1 pressure; this design has 2 actuators",
    ),
    (
        lambda one: replace(one, growths=(replace(NOTHING, reached=True, pressures=(1e3, 40e3)),)),
        "growths[0].pressures_kpa[1] = 40 must be from 0 to 35",
    ),
    (
        lambda one: replace(one, growths=(replace(NOTHING, tip=(1.2, 0.0)),)),
        "growths[0].tip_mm = [1200, 0] is 1200 mm from the start, farther than the 1000 mm of tube reach, by more than 82 mm",
    ),
    (
        lambda one: replace(one, growths=(replace(NOTHING, tip=(0.9, 0.0), length=0.7),)),
        "is 900 mm from the start, farther than the 730 mm of tube reach",
    ),
    (
        lambda one: replace(one, growths=(Growth(True, None, 0.5, None, None, ""),)),
        "growths[0].reached = true, but its length_mm = 500 is less than the distance from the start to the goal, 754 mm",
    ),
    (
        lambda one: replace(one, growths=(Growth(False, (0.79, 0.3), None, None, None, ""),)),
        "growths[0].reached = false, but its tip_mm is 90 mm inside the goal",
    ),
    (
        lambda one: replace(one, points=(replace(POINT, obstacle="polygon 2"),)),
        "points[0].obstacle = 'polygon 2' is not there (did you mean polygon 1?); those of this environment: polygon 1, circle 1, wall 1",
    ),
    (
        lambda one: replace(one, points=(replace(POINT, planned=(0.29, -0.4)),)),
        "points[0].planned_mm is 10 mm from polygon 1; it must be on it",
    ),
    (
        lambda one: replace(one, points=(replace(POINT, measured=(1.2, -0.4)),)),
        "points[0].measured_mm is 900 mm from planned_mm; at most 750 mm",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("change", "words"), REFUSED, ids=[words[:40] for _, words in REFUSED])
def test_what_cannot_be_measured_is_refused(
    trials: Trials, design: Design, room: Environment, change: Callable[[Trials], Trials], words: str
) -> None:
    """One line with file, key, value and limit."""
    with pytest.raises(InvalidTrials) as error:
        check_trials(change(trials), design, room)
    assert str(error.value).startswith("trials.toml: ")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_tip_outside_the_bounds_is_refused(trials: Trials, design: Design, room: Environment) -> None:
    """By more than its error and the tube's diameter."""
    near = replace(room, bounds=np.array([-1.0, -0.5, 2.0, 0.5]))
    of_it = replace(design, sha256=near.sha256)
    one = replace(trials, design=design_digest(of_it), points=(), growths=(replace(NOTHING, tip=(0.5, 0.57)),))
    assert check_trials(one, of_it, near) == []
    with pytest.raises(InvalidTrials, match=r"growths\[0\]\.tip_mm = \[500, 590\] is 90 mm outside the bounds"):
        check_trials(replace(one, growths=(replace(NOTHING, tip=(0.5, 0.59)),)), of_it, near)


def test_a_tip_that_left_the_goal_is_a_note(trials: Trials, design: Design, room: Environment) -> None:
    """The goal counts on the way; within the errors nothing is said."""
    left = Growth(True, (0.8, 0.45), 0.95, None, None, "")
    edge = Growth(True, (0.8, 0.41), 0.95, None, None, "")
    (note,) = check_trials(replace(trials, growths=(edge, left)), design, room)
    assert note.startswith("trials.toml: growths[1].reached = true, but its tip ends 50 mm outside the goal")


def test_another_environment_is_refused(trials: Trials, design: Design, room: Environment) -> None:
    """Measured obstacles are points, not another file."""
    with pytest.raises(InvalidTrials, match="the environment room is not the one of the design"):
        check_trials(trials, design, replace(room, goal=np.array([0.7, 0.3, 0.1])))


def test_edges_that_are_walls_can_be_measured(design: Design, room: Environment) -> None:
    """By the name that messages give them."""
    walled = replace(room, edge="wall")
    of_it = replace(design, sha256=walled.sha256)
    point = MeasuredPoint("wall at the bounds, left", (-1.0, 0.0), (-1.01, 0.0))
    assert check_trials(Trials(design_digest(of_it), points=(point,)), of_it, walled) == []


def test_pressures_of_a_schedule_are_refused(design: Design, room: Environment) -> None:
    """They change while it grows."""
    steered = design.scheduled(Schedule(np.array([0.0, 0.5]), np.array([[25e3, 0.0], [25e3, 20e3]])))
    growth = replace(NOTHING, reached=True, pressures=(25e3, 20e3))
    with pytest.raises(InvalidTrials, match="follow a schedule"):
        check_trials(Trials(design_digest(steered), growths=(growth,)), steered, room)


def test_more_than_is_planned_is_possible(design: Design, room: Environment) -> None:
    """A tube may grow beyond the length at which the plan stops it, and a set point above the usual limit is one."""
    first, second = design.actuated
    sections = tuple(replace(one, pressure=40e3) if one is second else one for one in design.sections)
    other = replace(design, stop=0.6, sections=sections)
    growth = replace(NOTHING, length=0.98, tip=(0.9, 0.0), pressures=(first.pressure, 40e3))
    assert (
        check_trials(Trials(design_digest(other), growths=(growth,), bends=(BendTest(2, 40e3, 0.2),)), other, room)
        == []
    )
    with pytest.raises(InvalidTrials, match=r"pressures_kpa\[0\] = 40 must be from 0 to 35"):
        check_trials(Trials(design_digest(other), growths=(replace(growth, pressures=(40e3, 0.0)),)), other, room)


def test_the_largest_bend_is_that_of_the_model(design: Design) -> None:
    """No pressure bends further, and that of the set points, as in the acceptance test, is less."""
    errors = SectionErrors.none(1, 2), WorldErrors.none(Environment("", "", [0, 0, 1, 1], [0, 0, 0], [1, 1, 0.1]), 1)
    planned = measured_bends(design, *errors)[0]
    for section, bend in zip(design.actuated, planned, strict=True):
        assert bend_at(section.pressure, section, design) == pytest.approx(bend)
        rising = [bend_at(pressure, section, design) for pressure in (0.0, section.pressure, 1e6, 1e8, UNLIMITED)]
        assert rising == sorted({*rising})
        assert rising[-2] == pytest.approx(rising[-1], rel=1e-3)
        assert rising[-1] < math.pi
