"""Deviations: what is drawn, by how much, and what it does to the actuators."""

from dataclasses import fields, replace

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from environments.uncertainty import HANDMADE, Uncertainty
from planner.design.design import Design, Section
from planner.uncertainty.deviations import SectionErrors, WorldErrors, actuation_of, widths_of

PARAMS = VineParams()
MANY = range(4000)
EVERY = Uncertainty(
    obstacle_position=3e-3,
    obstacle_rotation=0.01,
    obstacle_size=1e-3,
    obstacle_share=0.02,
    start_position=0.01,
    start_heading=0.03,
    pressure=700.0,
    pressure_share=0.05,
    cell=1e-3,
    cell_common=0.3e-3,
    cell_share=0.07,
    section_position=3e-3,
    section_length=2e-3,
    section_turn=0.02,
    curvature_share=0.04,
    growth_pressure=500.0,
    moment_share=0.06,
    contact_share=0.2,
    friction=(0.1, 0.3),
)
"""An error of every kind."""


def sigmas(drawn: np.ndarray, scale: object) -> tuple[float, float]:
    """How far mean and standard deviation of a part are from 0 and `scale`, in standard deviations of chance."""
    standard = drawn / np.asarray(scale)
    return (
        float(abs(standard.mean(axis=0)).max() * np.sqrt(len(drawn))),
        float(abs(standard.std(axis=0) - 1).max() * np.sqrt(2 * len(drawn))),
    )


def test_worlds_have_the_errors_that_are_asked_for(room: Environment) -> None:
    """Over 4 000 trials mean and standard deviation of every part are those of the normal distribution, within 4 sigma."""
    drawn = WorldErrors.draw(room, PARAMS, EVERY, MANY, seed=3)
    width = np.array([0.1, 0.4, 2 * PARAMS.radius])  # the wall's own width is less than the tube's
    assert widths_of(room, PARAMS) == pytest.approx(width)
    expected = {
        "start": [0.01, 0.01, 0.03],
        "shift": np.sqrt(3e-3**2 + (0.02 * width) ** 2)[:, None],
        "rotation": 0.01,
        "size": 1e-3,
        "share": 0.02,
        "growth_pressure": 500.0,
        "moment": 0.06,
        "compliance": 0.2,
        "cell": 0.3e-3,
    }
    assert {field.name for field in fields(WorldErrors)} == {*expected, "friction"}
    for name, scale in expected.items():
        mean, deviation = sigmas(getattr(drawn, name), scale)
        assert mean < 4, name
        assert deviation < 4, name
    assert drawn.friction.min() >= 0.1
    assert drawn.friction.max() <= 0.3
    assert drawn.friction.mean() == pytest.approx(0.2, abs=4 * 0.2 / np.sqrt(12 * len(MANY)))
    assert drawn.friction.std() == pytest.approx(0.2 / np.sqrt(12), rel=0.04)


def test_sections_have_the_errors_that_are_asked_for() -> None:
    """Actuators have their errors too; a section begins where those before it end, so their lengths add to the error of its place."""
    drawn = SectionErrors.draw(3, EVERY, MANY, seed=3)
    expected = {
        "pressure": 700.0,
        "pressure_share": 0.05,
        "cell": 1e-3,
        "cell_share": 0.07,
        "stretch": 2e-3,
        "place": np.hypot(3e-3, 2e-3 * np.sqrt([0, 1, 2])),
        "turn": 0.02,
        "curvature": 0.04,
    }
    assert {field.name for field in fields(SectionErrors)} == expected.keys() | {"bend_place", "bend_turn"}
    for name, scale in expected.items():
        mean, deviation = sigmas(getattr(drawn, name), scale)
        assert mean < 4, name
        assert deviation < 4, name
    before = np.cumsum(drawn.stretch, axis=1) - drawn.stretch
    mean, deviation = sigmas(drawn.place - before, 3e-3)
    assert mean < 4
    assert deviation < 4


def test_parts_are_independent(room: Environment) -> None:
    """No two numbers that are drawn have to do with each other: correlations under 5 sigma of chance."""
    world = WorldErrors.draw(room, PARAMS, EVERY, MANY, seed=1)
    sections = SectionErrors.draw(2, EVERY, MANY, seed=1)
    sections.place[:] -= np.cumsum(sections.stretch, axis=1) - sections.stretch
    parts = [getattr(errors, field.name) for errors in (world, sections) for field in fields(errors)]
    every = np.concatenate([part.reshape(len(MANY), -1) for part in parts], axis=1)
    assert every.shape[1] == 3 + 3 * 5 + 5 + 2 * 8
    off = np.corrcoef(every.T) - np.eye(every.shape[1])
    assert abs(off).max() < 5 / np.sqrt(len(MANY))


def test_the_same_trials_at_every_level(room: Environment) -> None:
    """A trial is known by its number and the seed: at twice the level it differs by twice as much, whichever trials grow with it."""
    known, twice = replace(EVERY, friction=None), replace(EVERY, friction=None).scaled(2)
    one, other = WorldErrors.draw(room, PARAMS, known, range(5), 4), WorldErrors.draw(room, PARAMS, twice, [3], 4)
    some, more = SectionErrors.draw(2, known, range(5), 4), SectionErrors.draw(2, twice, [3], 4)
    for few, many in ((one, other), (some, more)):
        for field in fields(few):
            changed = getattr(many, field.name)[0]
            assert changed == pytest.approx(2 * getattr(few, field.name)[3], nan_ok=True), field.name
    assert np.isnan(one.friction).all()
    # A range of friction draws a number that leaves all others as they are.
    with_friction = WorldErrors.draw(room, PARAMS, EVERY, range(5), 4)
    for field in fields(one):
        if field.name != "friction":
            assert (getattr(with_friction, field.name) == getattr(one, field.name)).all(), field.name
    elsewhere = WorldErrors.draw(room, PARAMS, EVERY, range(5), seed=5)
    assert (elsewhere.start != one.start).all()
    assert (SectionErrors.draw(2, EVERY, range(5), 5).pressure != some.pressure).all()


def test_more_objects_or_actuators_change_no_earlier_draw(room: Environment) -> None:
    """The first objects and the first actuators of a trial have the same errors however many follow."""
    solids = room.obstacles
    more = Obstacles(solids.polygons, solids.circles, [*solids.walls, [-0.8, 0.5, -0.8, 1.0, 0.02]], ends="round")
    few = WorldErrors.draw(room, PARAMS, EVERY, range(6), 2)
    many = WorldErrors.draw(replace(room, obstacles=more), PARAMS, EVERY, range(6), 2)
    assert (few.rotation.shape[1], many.rotation.shape[1]) == (3, 4)
    for field in fields(few):
        drawn = getattr(few, field.name)
        kept = getattr(many, field.name)
        assert (kept[:, :3] == drawn if field.name in ("shift", "rotation", "size", "share") else kept == drawn).all()
    two, five = SectionErrors.draw(2, EVERY, range(6), 2), SectionErrors.draw(5, EVERY, range(6), 2)
    for field in fields(two):
        assert (getattr(five, field.name)[:, :2] == getattr(two, field.name)).all(), field.name


def free_turn(design: Design, sections: SectionErrors, world: WorldErrors) -> np.ndarray:
    """Turn of each trial in free space [rad], shape (trials,)."""
    carried = actuation_of(design, sections, world)
    lengths = np.where(carried.pressure, carried.l_0, 0.02)
    turn: np.ndarray = free_curvature(joint_moments(PARAMS), carried.pressure, lengths).sum(axis=1)
    return turn * PARAMS.segment_length


def test_deviations_do_what_they_say(design: Design, room: Environment) -> None:
    """One at a time, each changes the turn in free space as the model says; the position of a section does not."""
    rows, world = SectionErrors.none(10, 2), WorldErrors.none(room, 10)
    rows.pressure_share[1, 0], rows.cell_share[2, 0], rows.stretch[3, 1], rows.turn[4, 1] = 0.1, -0.1, 0.013, 0.05
    rows.place[5, 0] = -0.037
    rows.pressure[6, 0], rows.cell[7, 0], rows.curvature[8, 1], world.cell[9] = 2.5e3, -4e-3, 0.1, 1e-3
    joint = joint_moments(PARAMS)
    left, right = (0.4 * free_curvature(joint, 25e3, 0.04), -0.3 * free_curvature(joint, 20e3, 0.03))
    planned = left + right
    expected = [
        planned,
        0.4 * free_curvature(joint, 27.5e3, 0.04) + right,
        0.9 * 0.4 * free_curvature(joint, 25e3, 0.036) + right,
        # The second section ends with the tube, so a longer one is no longer; what is shorter is.
        planned,
        planned - 0.05,
        planned,
        0.4 * free_curvature(joint, 27.5e3, 0.04) + right,
        0.4 * free_curvature(joint, 25e3, 0.036) + right,
        left + 1.1 * right,
        0.4 * free_curvature(joint, 25e3, 0.041) - 0.3 * free_curvature(joint, 20e3, 0.031),
    ]
    assert free_turn(design, rows, world) == pytest.approx(expected, abs=1e-9)
    rows.stretch[3, 1] = -0.013
    assert free_turn(design, rows, world)[3] == pytest.approx(left + right * 0.287 / 0.3, abs=1e-9)


def test_a_section_is_shifted_towards_the_tip(design: Design, room: Environment) -> None:
    """A positive error of its place moves the begin and the end of an actuator away from the base."""
    rows = SectionErrors.none(3, 2)
    rows.place[1, 0], rows.place[2, 0] = 0.05, -0.05
    pressed = actuation_of(design, rows, WorldErrors.none(room, 3)).pressure > 0
    starts, ends = pressed.argmax(axis=1), pressed.shape[1] - pressed[:, ::-1].argmax(axis=1)
    assert (starts * 25).tolist() == [200, 250, 150]
    assert (ends * 25).tolist() == [600, 650, 550]


def test_hand_made_errors_are_those_of_the_literature() -> None:
    """0.12 degrees and 0.36 mm per section or preformed bend, and nothing else."""
    assert (np.degrees(HANDMADE.section_turn), 1e3 * HANDMADE.section_length) == pytest.approx((0.12, 0.36))
    assert (np.degrees(HANDMADE.preformed_turn), 1e3 * HANDMADE.preformed_position) == pytest.approx((0.12, 0.36))
    rest = replace(HANDMADE, section_turn=0.0, section_length=0.0, preformed_turn=0.0, preformed_position=0.0)
    assert rest == Uncertainty()


def test_a_tube_of_any_length_bends_to_its_tip(room: Environment) -> None:
    """A tube of 1010 mm whose actuator is very slightly shorter than planned bends at its tip like one that is not, almost exactly."""
    sections = Section(0.0, 0.5, "none", 0, 0, 0), Section(0.5, 1.01, "left", 2.0, 0.04, 35e3)
    odd = Design("room", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))
    rows = SectionErrors.none(2, 1)
    rows.cell_share[1, 0] = -1e-6
    carried = actuation_of(odd, rows, WorldErrors.none(room, 2))
    assert carried.pressure[0, -1] == 35e3
    assert carried.pressure[1, -1] == pytest.approx(35e3, rel=0.01)


@pytest.mark.parametrize("uncertainty", [Uncertainty(section_turn=0.05), Uncertainty(curvature_share=0.5)])
def test_errors_of_turn_are_bounded_near_full_contraction(room: Environment, uncertainty: Uncertainty) -> None:
    """Where no pressure bends the tube further an error of turn or curvature asks for twice the pressure at most."""
    tight = Design("room", "", PARAMS, (Section(0.0, 0.08, "left", 4.0, 0.08, 200e3),), np.zeros(3), np.zeros((1, 2)))
    rows = SectionErrors.draw(1, uncertainty, range(200), 0)
    pressure = actuation_of(tight, rows, WorldErrors.none(room, 200)).pressure
    assert np.isfinite(pressure).all()
    assert pressure.max() == pytest.approx(400e3)
    assert pressure.min() >= 20e3 * (1 - 1e-12)


def test_touching_obstacles_have_one_error() -> None:
    """Two boxes that touch are one object, as wide as the narrower of them; one apart is another."""
    boxes = (box_corners(0.3, 0.3, 0.4, 0.8), box_corners(0.4, 0.3, 0.7, 0.6), box_corners(0.3, -0.9, 0.7, -0.6))
    bounds, goal = np.array([-1.0, -1.5, 2.0, 1.5]), np.array([0.8, 0.0, 0.1])
    bench = Environment("bench", "", bounds, np.zeros(3), goal, Obstacles(boxes))
    assert WorldErrors.draw(bench, PARAMS, EVERY, range(2), 0).shift.shape == (2, 2, 2)
    assert widths_of(bench, PARAMS) == pytest.approx([0.1, 0.3])
