"""Trials: what differs, by how much, and that nothing differs where nothing should."""

from dataclasses import fields, replace

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.design import Design, Section
from planner.replay import grow_designs
from planner.robustness.trials import HANDMADE, Deviations, Outcome, Spread, grow_trials, reach_of

PARAMS = VineParams()
SECTIONS = (
    Section(0.0, 0.2, "none", 0.0, 0.0, 0.0),
    Section(0.2, 0.6, "left", 2.0, 0.04, 25e3),
    Section(0.6, 0.7, "none", 0.0, 0.0, 0.0),
    Section(0.7, 1.0, "right", 1.5, 0.03, 20e3),
)
MANY = range(4000)


@pytest.fixture(scope="module")
def room() -> Environment:
    """A wide room with a block and a disc beside the way, and a thin wall."""
    obstacles = Obstacles(
        (box_corners(0.3, -0.4, 0.4, -0.2),), [[0.6, 0.6, 0.2]], [[1.2, -1.0, 1.2, -0.5, 0.01]], ends="round"
    )
    bounds, goal = np.array([-1.0, -1.5, 2.0, 1.5]), np.array([0.8, 0.3, 0.1])
    return Environment("room", "", bounds, np.zeros(3), goal, obstacles)


@pytest.fixture(scope="module")
def design(room: Environment) -> Design:
    return Design("room", room.sha256, PARAMS, SECTIONS, np.zeros(3), np.zeros((1, 2)))


def test_nothing_differs_without_spread(design: Design, room: Environment) -> None:
    """Trials without spread grow in the environment itself, to the tip that the design itself grows to, to the bit."""
    outcome = grow_trials(design, room, Deviations.drawn(design, room, Spread(), range(30), seed=0))
    assert all(environment is room for environment in outcome.environments)
    tip = grow_designs([design], room, QuasiStatic(room, PARAMS))[0].design.tip[:2]
    ends = outcome.joints[:, 40]
    assert (ends == ends[0]).all()
    assert ends[0] == pytest.approx(tip, abs=1e-12)


def test_draws_have_the_spread_that_is_asked_for(design: Design, room: Environment) -> None:
    """Over 4 000 trials mean and standard deviation of every part are those of the normal distribution, within 4 sigma."""
    spread = Spread(obstacles=0.1, pressure=0.05, cell=0.07, turn=0.02, start=0.01, heading=0.03)
    drawn = Deviations.drawn(design, room, spread, MANY, seed=3)
    width = [0.1, 0.4, 2 * PARAMS.radius]  # the wall's own width is less than the tube's
    assert reach_of(room, design) == pytest.approx(width)
    expected = {
        "pressure": 0.05,
        "cell": 0.07,
        "turn": 0.02,
        "start": np.array([0.01, 0.01, 0.03]),
        "size": 0.1,
        "shift": 0.1 * np.array(width)[:, None],
    }
    for name, scale in expected.items():
        standard = getattr(drawn, name) / scale
        assert abs(standard.mean(axis=0)).max() < 4 / np.sqrt(len(MANY)), name
        assert abs(standard.std(axis=0) - 1).max() < 4 / np.sqrt(2 * len(MANY)), name


def test_parts_are_independent(design: Design, room: Environment) -> None:
    """No two numbers that are drawn have to do with each other: correlations under 5 sigma of chance."""
    drawn = Deviations.drawn(design, room, Spread(0.1, 0.1, 0.1, 0.001, 0.1, 0.1, 0.1), MANY, seed=1)
    parts = drawn.pressure, drawn.cell, drawn.turn, drawn.stretch, drawn.start, drawn.size, drawn.shift
    every = np.concatenate([part.reshape(len(MANY), -1) for part in parts], axis=1)
    off = np.corrcoef(every.T) - np.eye(every.shape[1])
    assert abs(off).max() < 5 / np.sqrt(len(MANY))


def test_lengths_move_what_comes_after(design: Design, room: Environment) -> None:
    """A section begins where the ones before it end: the spread of its place is that of a sum of their lengths."""
    drawn = Deviations.drawn(design, room, Spread(length=1e-3), MANY, seed=2)
    assert drawn.place.std(axis=0) == pytest.approx([1e-3, np.sqrt(3) * 1e-3], rel=0.06)
    assert drawn.stretch.std(axis=0) == pytest.approx([1e-3, 1e-3], rel=0.06)
    assert not drawn.size.any()


def test_the_same_trials_at_every_level(design: Design, room: Environment) -> None:
    """A trial is known by its number and the seed: at twice the level it differs by twice as much, whichever trials grow with it."""
    one = Deviations.drawn(design, room, Spread.of_levels(0.1, 0.05), range(5), seed=4)
    other = Deviations.drawn(design, room, Spread.of_levels(0.2, 0.1), [3], seed=4)
    for field in fields(Deviations):
        assert getattr(other, field.name)[0] == pytest.approx(2 * getattr(one, field.name)[3])
    elsewhere = Deviations.drawn(design, room, Spread.of_levels(0.1, 0.05), range(5), seed=5)
    assert (elsewhere.pressure != one.pressure).all()


def free_turn(design: Design, deviations: Deviations) -> np.ndarray:
    """Turn of each trial in free space [rad], shape (trials,)."""
    carried = deviations.actuation(design)
    lengths = np.where(carried.pressure, carried.l_0, 0.02)
    turn: np.ndarray = free_curvature(joint_moments(PARAMS), carried.pressure, lengths).sum(axis=1)
    return turn * PARAMS.segment_length


def test_deviations_do_what_they_say(design: Design, room: Environment) -> None:
    """One at a time: pressure, cells, stretch and turn change the turn in free space as the model says, position does not."""
    rows = Deviations.none(design, room, 6)
    rows.pressure[1, 0], rows.cell[2, 0], rows.stretch[3, 1], rows.turn[4, 1] = 0.1, -0.1, 0.013, 0.05
    rows.place[5, 0] = -0.037
    joint = joint_moments(PARAMS)
    left, right = free_curvature(joint, 25e3, 0.04), free_curvature(joint, 20e3, 0.03)
    planned = 0.4 * left - 0.3 * right
    stronger = 0.4 * free_curvature(joint, 27.5e3, 0.04) - 0.3 * right
    shorter = 0.9 * 0.4 * free_curvature(joint, 25e3, 0.036) - 0.3 * right
    # The second section ends with the tube, so a longer one is no longer; what is shorter is.
    expected = [planned, stronger, shorter, planned, planned - 0.05, planned]
    assert free_turn(design, rows) == pytest.approx(expected, abs=1e-9)
    rows.stretch[3, 1] = -0.013
    assert free_turn(design, rows)[3] == pytest.approx(0.4 * left - 0.287 * right, abs=1e-9)


def test_environments_differ_as_drawn(design: Design, room: Environment) -> None:
    """Obstacles and start are where the deviations put them; no obstacle gets smaller than a tenth."""
    rows = Deviations.none(design, room, 3)
    rows.size[0], rows.shift[0, 0], rows.start[1] = [0.5, -7.0, 0.0], [0.01, 0.02], [0.1, 0.2, 0.3]
    first, second, third = rows.environments(room)
    assert first.obstacles.polygons[0] == pytest.approx(box_corners(0.285, -0.43, 0.435, -0.13))
    assert first.obstacles.circles[0] == pytest.approx([0.6, 0.6, 0.02])
    assert second.start == pytest.approx([0.1, 0.2, 0.3])
    assert third is room


def test_success_is_a_tip_in_the_goal_and_failures_are_counted(design: Design, room: Environment) -> None:
    """Where the start is blocked, the bounds are near or the goal is elsewhere, no trial succeeds, and it is said why."""
    tip = grow_designs([design], room, QuasiStatic(room, PARAMS))[0].design.tip[:2]
    cases = {
        "reached": replace(room, goal=np.array([*tip, 0.05])),
        "ended elsewhere": replace(room, goal=np.array([-0.8, 0.0, 0.05])),
        "left the bounds": replace(room, bounds=np.array([-1.0, -1.5, 0.5, 1.5]), goal=np.array([1.0, 1.0, 0.05])),
        "stalled": replace(room, obstacles=Obstacles((box_corners(0.1, -1.0, 0.2, 1.0),))),
    }
    for way, environment in cases.items():
        counts = grow_trials(design, environment, Deviations.none(design, environment, 3)).counts()
        assert counts[way] == 3, (way, counts)
        assert sum(counts.values()) == 3


def test_every_status_of_a_trial_is_counted() -> None:
    """A trial that missed the goal is in one column, whichever way its growth ended."""
    for status in set(Status) - {Status.COILED, Status.AMBIGUOUS}:  # these the propagator of trials does not return
        outcome = Outcome(np.zeros(1, bool), np.array([status]), np.zeros((1, 2, 2)), [], {})
        assert sum(outcome.counts().values()) == 1, status


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_trials_that_break_down_say_where(design: Design, room: Environment) -> None:
    """A tube whose moments overflow succeeds in no trial; each is counted as not finite, with step and segment."""
    absurd = replace(design, params=replace(PARAMS, growth_pressure=1e200))
    outcome = grow_trials(absurd, room, Deviations.none(absurd, room, 2))
    assert outcome.counts()["not finite"] == 2
    assert [*outcome.broken] == [0, 1]
    assert outcome.broken[0].startswith("not finite at step 0, segment 0: ")


@pytest.mark.parametrize("size", [0.05, 0.5])
def test_a_base_in_an_obstacle_has_no_room(design: Design, room: Environment, size: float) -> None:
    """Where an obstacle lies on the base nothing grows, however deep the base is in it."""
    beside = replace(room, obstacles=Obstacles((box_corners(-0.7 - size, -size, -0.7 + size, size),)))
    rows = Deviations.none(design, beside, 2)
    rows.shift[1, 0, 0] = 0.7
    outcome = grow_trials(design, beside, rows)
    assert outcome.counts()["no room"] == 1
    assert np.isnan(outcome.joints[1]).all()


def test_a_mounted_base_always_has_room_at_its_mount(design: Design, room: Environment) -> None:
    """Errors of the base by millimetres and degrees, and moved pieces of the mount, leave it mounted; other obstacles still count."""
    wall = Obstacles(boxes=((-0.3, -0.4, 0.0, 0.0), (-0.3, 0.0, 0.0, 0.4)))  # the start is at the joint of two pieces
    mounted = replace(room, obstacles=wall, mount="wall", bounds=np.array([0.0, -1.5, 2.0, 1.5]))
    short = replace(design, sections=SECTIONS[:1])
    spread = Spread(obstacles=0.02, start=4e-3, heading=0.05)
    drawn = Deviations.drawn(short, mounted, spread, range(12), seed=2)
    drawn.start[:6, :2] *= 2  # by up to half a radius
    drawn.size[6:], drawn.shift[6:] = 0, 0
    outcome = grow_trials(short, mounted, drawn)
    assert (outcome.status == Status.GROWN).all()
    free = grow_trials(short, replace(mounted, mount="free"), drawn)
    assert free.counts()["no room"] == 12
    near = Obstacles((*wall.polygons, box_corners(0.0, 0.42, 0.2, 0.5)))
    drawn = Deviations.none(short, replace(mounted, obstacles=near), 2)
    drawn.shift[1, 2, 1] = -0.4
    assert grow_trials(short, replace(mounted, obstacles=near), drawn).counts()["no room"] == 1


def test_hand_made_errors_are_those_of_the_literature() -> None:
    """0.12 degrees and 0.36 mm per section, and nothing else."""
    assert (np.degrees(HANDMADE.turn), 1e3 * HANDMADE.length) == pytest.approx((0.12, 0.36))
    assert replace(HANDMADE, turn=0.0, length=0.0) == Spread()


def test_a_design_without_actuators_can_be_tried(room: Environment) -> None:
    """A bare tube has nothing to bend it: only environment and start make a difference."""
    bare = Design("room", "", PARAMS, SECTIONS[:1], np.zeros(3), np.zeros((1, 2)))
    outcome = grow_trials(bare, room, Deviations.drawn(bare, room, Spread.of_levels(0.0, 0.2), range(3), seed=0))
    assert outcome.joints[:, 8] == pytest.approx(np.array([[0.2, 0.0]] * 3), abs=1e-9)


def test_a_tube_of_any_length_bends_to_its_tip(room: Environment) -> None:
    """A tube of 1010 mm whose actuator is very slightly shorter than planned bends at its tip like one that is not, almost exactly."""
    sections = Section(0.0, 0.5, "none", 0, 0, 0), Section(0.5, 1.01, "left", 2.0, 0.04, 35e3)
    odd = Design("room", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))
    rows = Deviations.none(odd, room, 2)
    rows.cell[1, 0] = -1e-6
    carried = rows.actuation(odd)
    assert carried.pressure[0, -1] == 35e3
    assert carried.pressure[1, -1] == pytest.approx(35e3, rel=0.01)


def test_errors_of_turn_are_bounded_near_full_contraction(room: Environment) -> None:
    """Where no pressure bends the tube further an error of turn asks for twice the pressure at most, and can be grown."""
    tight = Design("room", "", PARAMS, (Section(0.0, 0.08, "left", 4.0, 0.08, 200e3),), np.zeros(3), np.zeros((1, 2)))
    rows = Deviations.drawn(tight, room, Spread(turn=0.05), range(200), seed=0)
    pressure = rows.actuation(tight).pressure
    assert np.isfinite(pressure).all()
    assert pressure.max() == pytest.approx(400e3)
    assert len(grow_trials(tight, room, rows).reached) == 200


def test_designs_meet_the_same_environments(design: Design, room: Environment) -> None:
    """In trials of one number obstacles and start are the same for designs of different sections: they are compared in pairs."""
    bare = replace(design, sections=SECTIONS[:1])
    spread = Spread(obstacles=0.1, cell=0.1, start=0.01, heading=0.01)
    one, other = (Deviations.drawn(some, room, spread, range(3), seed=0) for some in (design, bare))
    for part in ("start", "size", "shift"):
        assert (getattr(one, part) == getattr(other, part)).all()
