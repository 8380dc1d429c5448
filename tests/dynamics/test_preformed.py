"""Preformed bends: every propagator has them or refuses, and a tube springs back to them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.actuation import actuation_along
from dynamics.moment import (
    centerline_curvature,
    free_curvature,
    joint_moments,
    linearise,
    new_actuated_vine,
    restoring_moment,
    total_moment,
)
from dynamics.preformed import largest_turn, turn_of_film
from dynamics.propagator import CannotRun
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines
from environments import Environment
from surrogate.force_table import cell
from tests.dynamics.test_propagator import (
    MAKERS,
    SEGMENTS,
    START,
    EveryPropagator,
    EveryQuickPropagator,
    Make,
    capabilities,
    last_state,
    passive,
    same,
)

MakeEnvironment = Callable[..., Environment]

LENGTH = 0.34
GROWN = 14
"""Segments of a vine of that length."""
TURNS = np.array([0.0, 0.8, 3.0, -1.5, 2.2])
"""Angle per length of film, in groups of three segments [1/m]."""


def formed(*turns: float) -> Actuation:
    """Vines that are preformed in groups of three segments, one for each factor on `TURNS`."""
    rest = np.repeat(np.array(turns)[:, None] * np.append(TURNS, 0.0), [3, 3, 3, 3, 3, 1], axis=1)
    return replace(passive(len(turns)), rest=rest)


def films(params: VineParams) -> np.ndarray:
    return np.append(np.full(GROWN - 1, params.segment_length), LENGTH - (GROWN - 1) * params.segment_length)


@pytest.fixture(scope="module")
def free(environment: MakeEnvironment) -> Environment:
    return environment(start=START)


@EveryQuickPropagator
def test_takes_its_shape_in_free_space_or_refuses(make: Make, free: Environment, params: VineParams) -> None:
    """Grown and at rest, each segment bends by turn times film, also the short last one; the joints are those of a chain of links that the
    outer wall turns about, and a mirrored tube is the mirror image."""
    propagator, carried = make(free, params), formed(1.0, -1.0, 0.5)
    if not capabilities(make).preformed:
        with pytest.raises(CannotRun, match="preformed=False"):
            propagator.grow(propagator.start(3, SEGMENTS), carried, LENGTH, LENGTH)
        return
    grown = propagator.grow(propagator.start(3, SEGMENTS), carried, LENGTH, LENGTH)
    assert (grown.status == Status.GROWN).all()
    held = propagator.grow(last_state(grown), carried, 0.0, 0.05)
    state = last_state(held)
    assert carried.rest is not None
    expected = carried.rest[:, :GROWN] * films(params)
    np.testing.assert_allclose(state.angles[:, :GROWN], expected, atol=2e-5)
    np.testing.assert_allclose(state.angles[1], -state.angles[0], atol=1e-6)
    bends = expected[0]
    tight = np.abs(bends) * params.radius > 0.02 * films(params)
    length = films(params) - params.radius * np.abs(bends)
    joints = centerlines(state, np.array(START), params)
    found = np.hypot(*np.diff(joints[0, : GROWN + 1], axis=0).T)
    np.testing.assert_allclose(found[tight], length[tight], atol=2e-6)
    np.testing.assert_allclose(held.tips[:, 0, :2], joints[:, GROWN], atol=1e-9)
    heading = START[2] + np.cumsum(bends)
    tip = START[:2] + (found[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=1)).sum(axis=0)
    np.testing.assert_allclose(joints[0, GROWN], tip, atol=1e-5)


@EveryQuickPropagator
def test_springs_back_from_either_side(make: Make, free: Environment, params: VineParams) -> None:
    """Held straight or bent too far, a tube goes to its preformed bend, as a straight tube goes straight."""
    if not capabilities(make).preformed:
        return
    propagator, carried = make(free, params), formed(1.0, 1.0, -1.0)
    assert carried.rest is not None
    expected = carried.rest[:, :GROWN] * films(params)
    angles = np.zeros((3, SEGMENTS))
    angles[:, :GROWN] = np.array([0.0, 1.6, 0.4])[:, None] * expected
    state = VineState(angles, np.full(3, GROWN), np.full(3, films(params)[-1]))
    held = propagator.grow(state, carried, 0.0, 0.05)
    assert (held.status == Status.GROWN).all()
    np.testing.assert_allclose(last_state(held).angles[:, :GROWN], expected, atol=2e-3)


def test_penalty_takes_its_shape(free: Environment, params: VineParams) -> None:
    """A short tube, which is quick in PyTorch, grows to its rest too, and from straight it springs back to it."""
    propagator, rest = MAKERS["penalty"](free, params), np.array([[0.0, 4.0, -3.0, 2.0]])
    carried, h = replace(passive(1, 4), rest=rest), params.segment_length
    grown = propagator.grow(propagator.start(1, 4), carried, 4 * h, 4 * h)
    np.testing.assert_allclose(last_state(grown).angles, rest * h, atol=2e-3)
    straight = VineState(np.zeros((1, 4)), np.array([4]), np.array([h]))
    held = propagator.grow(straight, carried, 0.0, h)
    np.testing.assert_allclose(last_state(held).angles, rest * h, atol=1e-3)
    joints = centerlines(last_state(held), np.array(START), params)[0]
    np.testing.assert_allclose(np.hypot(*np.diff(joints, axis=0).T), h - params.radius * np.abs(rest[0]) * h, atol=1e-4)
    np.testing.assert_allclose(held.tips[0, 0, :2], joints[-1], atol=1e-9)


@EveryPropagator
def test_nothing_preformed_is_a_straight_tube(make: Make, environment: MakeEnvironment, params: VineParams) -> None:
    """Turns of 0 give the same bytes as none, with and without actuators."""
    propagator = make(environment(start=START), params)
    pressure = np.full((2, SEGMENTS), 18e3) * [[0.0], [1.0]]
    plain = Actuation(pressure, np.full_like(pressure, 0.04))
    zero = replace(plain, rest=np.zeros_like(pressure))
    one, other = (propagator.grow(propagator.start(2, SEGMENTS), each, 0.1, 0.05) for each in (plain, zero))
    assert same(one, other)


@EveryPropagator
@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1.001, -1.001])
def test_refuses_bends_that_cannot_be_folded(make: Make, free: Environment, params: VineParams, wrong: float) -> None:
    """A turn above 1 / (3 R), or one that is no number, is refused by name."""
    propagator = make(free, params)
    carried = replace(passive(1), rest=np.full((1, SEGMENTS), wrong / (3 * params.radius)))
    with pytest.raises(ValueError, match=r"actuation\.rest must be from"):
        propagator.grow(propagator.start(1, SEGMENTS), carried, 0.1, 0.05)


@EveryPropagator
def test_refuses_turns_of_another_shape(make: Make, free: Environment, params: VineParams) -> None:
    """Turns that do not fit the vines raise a ValueError that speaks of their shape."""
    propagator = make(free, params)
    carried = replace(passive(1), rest=np.zeros((1, SEGMENTS + 1)))
    with pytest.raises(ValueError, match="rest has the shape"):
        propagator.grow(propagator.start(1, SEGMENTS), carried, 0.1, 0.05)


def pressed_on_a_wall(make: Make, environment: MakeEnvironment, params: VineParams, rest: float) -> Rollout:
    """A tube that bends by itself along a wall which it would have to pass to take its shape."""
    walled = environment(start=(0, 0, 0), boxes=[[0.1, 0.06, 0.9, 0.2]], bounds=(-1, -1, 2, 1))
    propagator = make(walled, params)
    carried = replace(passive(1, 20), rest=np.full((1, 20), rest))
    return propagator.grow(propagator.start(1, 20), carried, 0.5, 0.05)


@pytest.mark.parametrize("name", ["impulse", pytest.param("penalty", marks=pytest.mark.slow)])
def test_propagators_agree_on_a_bend_that_a_wall_opens(
    name: str, environment: MakeEnvironment, params: VineParams
) -> None:
    """Pressed on a wall by its preformed bend, the tube ends within 5 mm of where the exact propagator ends, and is pressed on."""
    exact = pressed_on_a_wall(MAKERS["quasistatic"], environment, params, 1.2)
    other = pressed_on_a_wall(MAKERS[name], environment, params, 1.2)
    last = exact.records[0] - 1
    assert exact.status[0] == other.status[0] == Status.GROWN
    np.testing.assert_allclose(other.tips[0, last, :2], exact.tips[0, last, :2], atol=5e-3)
    opened = exact.tips[0, last, 2]
    assert -0.05 < opened < 0.3 < 1.2 * 0.5
    assert exact.contact_force[0, last].sum() > 0.5


def test_a_preformed_tube_needs_the_force_of_a_straight_one_to_be_bent_from_its_rest(params: VineParams) -> None:
    """The moment is that of the bend beyond the preformed one, and is zero there; an actuator adds its own bend."""
    joint, count = joint_moments(params), 9
    rest, beyond = np.linspace(-4, 4, count), np.linspace(-0.2, 0.2, count)
    h, cells = params.segment_length, np.full(count, 0.04)
    angles = rest * h + beyond
    moment, slope = np.empty((2, count))
    first = np.zeros(count, np.int64)
    vine = new_actuated_vine(joint, angles, np.zeros(count), cells, rest, first)
    linearise(joint, vine, count, 1.0, angles[-1], moment, slope)
    np.testing.assert_allclose(moment, restoring_moment(beyond, params), atol=1e-4)
    np.testing.assert_array_equal(np.sign(moment.round(12)), np.sign(beyond.round(12)))
    pressure = np.full(count, 20e3)
    linearise(
        joint, new_actuated_vine(joint, angles, pressure, cells, rest, first), count, 1.0, angles[-1], moment, slope
    )
    found = [total_moment(joint, bend, 20e3, cell(joint.tables, 0, 0.04))[0] for bend in beyond]
    np.testing.assert_allclose(moment, found, atol=1e-12)


def test_sections_share_segments_in_proportion(params: VineParams, free: Environment) -> None:
    """A bend that ends within a segment gives it its share; beside an actuator both bend it, and the total turn is exact."""
    h, cell_length, pressure = params.segment_length, 0.04, 20e3
    ends = np.array([0.0, 4.4 * h, 7.3 * h, 9.0 * h])
    start, end = ends[None, :-1], ends[None, 1:]
    rest = np.array([[2.0, 0.0, -3.0]])
    bends = Actuation(np.array([[0.0, pressure, 0.0]]), np.array([[0.0, cell_length, 0.0]]), rest)
    carried = actuation_along(start, end, bends, 9 * h, params, 10)
    assert carried.rest is not None
    np.testing.assert_allclose(carried.rest[0], [2, 2, 2, 2, 0.8, 0, 0, -2.1, -3, 0], atol=1e-12)
    exact = QuasiStatic(free, params)
    grown = exact.grow(exact.start(1, 10), carried, 9 * h, 9 * h)
    actuator = float(free_curvature(joint_moments(params), pressure, cell_length)) * 2.9 * h
    wanted = 2.0 * 4.4 * h + actuator - 3.0 * 1.7 * h
    assert grown.tips[0, 0, 2] - START[2] == pytest.approx(wanted, abs=2e-3)
    thrice = Actuation(np.zeros((3, 3)), np.zeros((3, 3)), np.repeat(rest, 3, 0) * [[1], [0], [-1]])
    many = actuation_along(np.repeat(start, 3, 0), np.repeat(end, 3, 0), thrice, 9 * h, params, 10)
    assert many.rest is not None
    np.testing.assert_allclose(many.rest[0] + many.rest[2], 0.0)
    np.testing.assert_array_equal(many.sides[0], many.rest[0])


def test_overlapping_bends_turn_no_more_than_the_tighter_one(params: VineParams) -> None:
    """Where errors lay one bend over another, a segment turns by both, up to the tighter of them; opposite ones cancel."""
    h = params.segment_length
    start, end = h * np.array([[0.0, 1.0, 3.0]]), h * np.array([[2.0, 3.0, 4.0]])
    start[0, 1] = 0.5 * h
    zero, turns = np.zeros((1, 3)), np.array([[2.0, 3.0, -1.0]])
    carried = actuation_along(start, end, Actuation(zero, zero, turns), 4 * h, params, 4)
    assert carried.rest is not None
    np.testing.assert_allclose(carried.rest[0], [3.0, 3.0, 3.0, -1.0])
    opposite = actuation_along(start, end, Actuation(zero, zero, turns * [[1, -1, 1]]), 4 * h, params, 4)
    assert opposite.rest is not None
    np.testing.assert_allclose(opposite.rest[0], [0.5, -1.0, -3.0, -1.0])


def test_batches_with_and_without_bends_join() -> None:
    """Joined, selected and padded, each vine keeps its own turns; without any there is no array."""
    plain, bent = passive(1, 2), replace(passive(1, 2), rest=np.array([[1.0, -1.0]]))
    both = Actuation.joined([plain, bent])
    assert both.rest is not None
    np.testing.assert_array_equal(both.rest, [[0, 0], [1, -1]])
    chosen = both.of(np.array([1, 0, 1]))
    assert chosen.rest is not None
    np.testing.assert_array_equal(chosen.rest, [[1, -1], [0, 0], [1, -1]])
    wide = bent.padded(3)
    assert wide.rest is not None
    np.testing.assert_array_equal(wide.rest, [[1, -1, 0]])
    assert Actuation.joined([plain, plain]).rest is plain.of([0]).rest is plain.padded(4).rest is None
    np.testing.assert_array_equal(replace(bent, pressure=np.array([[-5.0, 0.0]])).sides, [[-5.0, -1.0]])


def test_film_turns_less_than_the_centreline_is_curved(params: VineParams) -> None:
    """Turn per length of film and curvature of the centreline undo each other; the tightest bend has the radius 2 R."""
    turns = np.linspace(-largest_turn(params), largest_turn(params), 11)
    curvature = centerline_curvature(turns, params)
    np.testing.assert_allclose(turn_of_film(curvature, params), turns, rtol=1e-12)
    assert curvature[-1] == pytest.approx(1 / (2 * params.radius))
    published = replace(params, physics="published")
    assert turn_of_film(3.0, published) == 3.0
