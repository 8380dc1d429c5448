"""Promises of every propagator, for any model: one test body for all entries of the registry."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module

import numpy as np
import pytest

from dynamics.propagator import CannotRun, Capabilities, Propagator
from dynamics.registry import load_propagator, propagators
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines, grown_length
from environments import Environment, Obstacles

MakeEnvironment = Callable[..., Environment]
Reference = Callable[[str], dict[str, np.ndarray]]

START = (0.3, -0.2, 2.0)
BATCH, SEGMENTS, PROXIMAL = 5, 16, 8

Make = Callable[[Environment, VineParams], Propagator]


def on_the_cpu(name: str) -> Make:
    """A propagator whose rollouts are arrays on the host, also where there is a GPU; PyTorch is slow: in longer steps."""
    model: Callable[..., Propagator] = load_propagator(name)
    return partial(model, device="cpu", step=25e-3 / 2) if name == "penalty" else model


def capabilities(make: Make) -> Capabilities:
    return (make.func if isinstance(make, partial) else make).capabilities


def own() -> type[Propagator] | None:
    """The class that the variable names, as module:Class, to be tested instead of the registry."""
    module, _, name = os.environ.get("VINEWRIGHT_PROPAGATOR", "").partition(":")
    return getattr(import_module(module), name) if module else None


MAKERS: dict[str, Make] = (
    {model.__name__: model} if (model := own()) else {name: on_the_cpu(name) for name in propagators()}
)
TOUCHING = {name: make for name, make in MAKERS.items() if capabilities(make).contact}
EveryPropagator = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
SLOW = {"penalty": pytest.mark.slow}
"""Steps are slow in PyTorch: tests that take many of them, as vines that come to rest, are slow there."""
EveryQuickPropagator = pytest.mark.parametrize(
    "make", [pytest.param(make, marks=SLOW.get(name, ()), id=name) for name, make in MAKERS.items()]
)
EveryTouchingPropagator = pytest.mark.parametrize("make", TOUCHING.values(), ids=TOUCHING)


def in_place(make: Make, environment: Environment, params: VineParams) -> Propagator:
    """A propagator in a place; without its obstacles, if it knows no contact."""
    known = environment if capabilities(make).contact else replace(environment, obstacles=Obstacles())
    return make(known, params)


def passive(batch: int = BATCH, segments: int = SEGMENTS) -> Actuation:
    return Actuation(np.zeros((batch, segments)), np.full((batch, segments), 0.04))


def steered(propagator: Propagator, *distal_kpa: float) -> Actuation:
    """Vines steered to the left with 25 kPa in their proximal part, and as given beyond it: one vine a number.

    For a propagator that knows no sections, as given all along.
    """
    pressure = np.repeat(np.array(distal_kpa)[:, None] * 1e3, SEGMENTS, axis=1)
    if propagator.capabilities.sections:
        pressure[:, :PROXIMAL] = 25e3
    return Actuation(pressure, np.full_like(pressure, 0.042))


def last_state(rollout: Rollout) -> VineState:
    return rollout.state(np.arange(len(rollout.records)), rollout.records - 1)


def rested(propagator: Propagator, state: VineState, actuation: Actuation) -> VineState:
    """The vines at rest under what they carry: with inertia they still swing a little when they have grown."""
    return last_state(propagator.grow(state, actuation, 0.0, 0.05)) if propagator.capabilities.inertia else state


def same(one: Rollout, other: Rollout) -> bool:
    """Whether two rollouts agree in every byte."""
    pairs = [(getattr(one, name), getattr(other, name)) for name in Rollout.__slots__]
    return all(a is b is None or a.tobytes() == b.tobytes() for a, b in pairs)


@pytest.fixture(scope="module")
def free(environment: MakeEnvironment) -> Environment:
    return environment(start=START)


@pytest.fixture(scope="module")
def walled(environment: MakeEnvironment) -> Environment:
    return environment(start=START, boxes=[[-1.0, 0.05, 1.0, 0.1]])


@EveryPropagator
def test_starts_at_the_start_pose(make: Make, free: Environment, params: VineParams) -> None:
    """A new batch has no length, and all of it lies at the environment's start."""
    state = make(free, params).start(BATCH, SEGMENTS)
    assert state.angles.shape == (BATCH, SEGMENTS)
    assert state.segments.shape == state.last_length.shape == (BATCH,)
    np.testing.assert_array_equal(grown_length(state, params), 0.0)
    points = centerlines(state, free.start, params)
    np.testing.assert_array_equal(points[:, :2], np.broadcast_to(START[:2], (BATCH, 2, 2)))
    assert np.isnan(points[:, 2:]).all()


@EveryPropagator
def test_grows_straight_from_the_start_pose(make: Make, free: Environment, params: VineParams) -> None:
    """Without actuator or obstacle each record lies on the ray from the start pose, at the length grown."""
    propagator = make(free, params)
    rollout = propagator.grow(propagator.start(BATCH, SEGMENTS), passive(), 0.3, 0.05)
    ray = np.array([np.cos(START[2]), np.sin(START[2])])
    expected = np.array(START[:2]) + 0.05 * np.arange(1, 7)[:, None] * ray
    for vine in range(BATCH):
        tips = rollout.tips[vine, : rollout.records[vine]]
        np.testing.assert_allclose(tips[:, :2], expected, atol=1e-8)
        np.testing.assert_allclose(tips[:, 2], START[2], atol=1e-8)
    np.testing.assert_array_equal(rollout.contact_force, 0.0)


@EveryPropagator
@pytest.mark.parametrize("batch", [1, pytest.param(2, marks=pytest.mark.slow), 9])
def test_arrays_have_the_promised_shapes(make: Make, walled: Environment, params: VineParams, batch: int) -> None:
    """Every array of a rollout leads with the batch, whatever its size; records not made stay behind the count."""
    propagator = in_place(make, walled, params)
    rollout = propagator.grow(propagator.start(batch, SEGMENTS), passive(batch), 0.35, 0.1)
    room = rollout.tips.shape[1]
    assert room >= 4
    assert rollout.angles.shape == rollout.contact_force.shape == (batch, room, SEGMENTS)
    assert rollout.segments.shape == rollout.last_length.shape == (batch, room)
    assert rollout.tips.shape == (batch, room, 3)
    assert rollout.records.shape == rollout.status.shape == rollout.steps.shape == (batch,)
    assert (rollout.records <= room).all()
    assert set(rollout.status) <= set(Status)


@EveryQuickPropagator
def test_records_come_at_the_asked_spacing(make: Make, free: Environment, params: VineParams) -> None:
    """Vine by vine, records come every so often and at the very end, and their tips are those of their states."""
    propagator = make(free, params)
    lengths = np.array([0.31, 0.05, 0.4, 0.02, 0.3])
    rollout = propagator.grow(propagator.start(BATCH, SEGMENTS), passive(), lengths, 0.03)
    assert (rollout.status == Status.GROWN).all()
    for vine, length in enumerate(lengths):
        expected = np.append(np.arange(0.03, length - 1e-9, 0.03), length)
        records = np.arange(rollout.records[vine])
        state = rollout.state(np.full(len(records), vine), records)
        np.testing.assert_allclose(grown_length(state, params), expected, atol=2e-9)
        assert (state.last_length > 0).all()
        assert (state.last_length <= params.segment_length + 1e-9).all()
        points = centerlines(state, np.array(START), params)
        tips = points[records, state.segments]
        np.testing.assert_allclose(rollout.tips[vine, records, :2], tips, atol=1e-12)
        np.testing.assert_allclose(rollout.tips[vine, records, 2], START[2] + state.angles.sum(axis=1), atol=1e-12)


@EveryQuickPropagator
def test_growth_goes_on_from_a_recorded_state(make: Make, free: Environment, params: VineParams) -> None:
    """A recorded state can be grown further: the lengths add up."""
    propagator = make(free, params)
    first = propagator.grow(propagator.start(BATCH, SEGMENTS), passive(), 0.16, 0.04)
    state = first.state(np.arange(BATCH), np.array([3, 0, 1, 2, 3]))
    second = propagator.grow(state, passive(), 0.1, 0.04)
    last = second.state(np.arange(BATCH), second.records - 1)
    np.testing.assert_allclose(grown_length(last, params), [0.26, 0.14, 0.18, 0.22, 0.26], atol=4e-9)


@EveryQuickPropagator
def test_growing_leaves_what_it_is_given(make: Make, walled: Environment, params: VineParams) -> None:
    """Neither the state nor the actuation nor the lengths passed in are written to."""
    propagator = in_place(make, walled, params)
    actuation = Actuation(np.full((BATCH, SEGMENTS), 12e3), np.full((BATCH, SEGMENTS), 0.05))
    rollout = propagator.grow(propagator.start(BATCH, SEGMENTS), actuation, 0.21, 0.07)
    state = rollout.state(np.arange(BATCH), rollout.records - 1)
    lengths = np.full(BATCH, 0.1)
    given = [state.angles, state.segments, state.last_length, actuation.pressure, actuation.l_0, lengths]
    before = [array.copy() for array in given]
    propagator.grow(state, actuation, lengths, 0.02)
    for array, copy in zip(given, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@EveryQuickPropagator
def test_growing_twice_gives_the_same_bytes(make: Make, walled: Environment, params: VineParams) -> None:
    """Equal calls give equal bytes, from one propagator and from another one."""
    rng = np.random.default_rng(3)
    drawn = rng.uniform([[[-2e4]], [[0.02]]], [[[2e4]], [[0.08]]], (2, BATCH, SEGMENTS))
    if not capabilities(make).sections:
        drawn[:] = drawn[..., :1]
    actuation = Actuation(*drawn)
    one, other = in_place(make, walled, params), in_place(make, walled, params)
    rollouts = [p.grow(p.start(BATCH, SEGMENTS), actuation, 0.3, 0.02) for p in (one, one, other)]
    assert same(rollouts[0], rollouts[1])
    assert same(rollouts[0], rollouts[2])
    assert rollouts[0].contact_force.max() > 0 or not one.capabilities.contact


@EveryPropagator
@pytest.mark.parametrize("shape", [(BATCH, SEGMENTS - 1), (BATCH + 1, SEGMENTS), (SEGMENTS,)])
@pytest.mark.parametrize("wrong", ["pressure", "l_0"])
def test_refuses_actuation_of_another_shape(
    make: Make, free: Environment, params: VineParams, shape: tuple[int, ...], wrong: str
) -> None:
    """Pressures or cell lengths that do not fit the vines raise a ValueError that speaks of their shape."""
    propagator = make(free, params)
    actuation = replace(passive(), **{wrong: np.full(shape, 0.04)})
    with pytest.raises(ValueError, match=rf"{wrong} has the shape"):
        propagator.grow(propagator.start(BATCH, SEGMENTS), actuation, 0.1, 0.05)


@EveryPropagator
def test_refuses_vines_without_room(make: Make, free: Environment, params: VineParams) -> None:
    """A vine of no segments raises a ValueError before a kernel writes where there is nothing."""
    propagator = make(free, params)
    with pytest.raises(ValueError, match="a capacity of 0 segments"):
        propagator.grow(propagator.start(1, 0), Actuation(np.zeros((1, 0)), np.ones((1, 0))), 0.0, 0.05)


@EveryPropagator
@pytest.mark.parametrize(("length", "record_every"), [
    (-0.1, 0.05), (0.5, 0.05), (np.nan, 0.05), (0.1, 0.0), (0.1, -0.05), (0.1, 1e-5), (0.1, np.nan), (0.1, np.inf),
])  # fmt: skip
def test_refuses_lengths_it_cannot_grow(
    make: Make, free: Environment, params: VineParams, length: float, record_every: float
) -> None:
    """Lengths that are negative, NaN or more than there is room for, and spacings too small, raise ValueError."""
    propagator = make(free, params)
    with pytest.raises(ValueError, match=r"length|record_every"):
        propagator.grow(propagator.start(BATCH, SEGMENTS), passive(), length, record_every)


@EveryPropagator
@pytest.mark.parametrize(
    ("pressure", "l_0"), [(1e4, 0.2), (1e4, 0.001), (-1e4, np.nan), (np.nan, 0.04), (np.inf, 0.04)]
)
def test_refuses_actuators_that_cannot_be(
    make: Make, free: Environment, params: VineParams, pressure: float, l_0: float
) -> None:
    """A cell length outside the actuator's range, or a pressure that is no number, raises ValueError."""
    propagator = make(free, params)
    actuation = Actuation(np.full((1, SEGMENTS), pressure), np.full((1, SEGMENTS), l_0))
    with pytest.raises(ValueError, match="actuation"):
        propagator.grow(propagator.start(1, SEGMENTS), actuation, 0.1, 0.05)


@EveryTouchingPropagator
@pytest.mark.parametrize("room", [0.5e-3, pytest.param(1.7e-3, marks=pytest.mark.slow)])
def test_stub_of_a_blocked_tip_stays_where_it_points(
    make: Make, environment: MakeEnvironment, params: VineParams, room: float
) -> None:
    """In a pocket that leaves the last segment next to no length, it does not swing: every joint stays nearly straight."""
    end = 4 * params.segment_length + room + params.radius
    boxes = [[-0.1, 0.04, 0.3, 0.1], [-0.1, -0.1, 0.3, -0.04], [end, -0.04, 0.3, 0.04]]
    propagator = make(environment(boxes=boxes, start=(0, 0, 0.05)), params)
    rollout = propagator.grow(propagator.start(1, 8), passive(1, 8), 0.2, 0.2)
    assert rollout.status[0] == Status.STALLED
    assert grown_length(last_state(rollout), params) == pytest.approx(end - params.radius, abs=1e-3)
    assert np.abs(rollout.angles).max() < 0.03


@EveryQuickPropagator
def test_vine_grows_as_it_does_alone(make: Make, environment: MakeEnvironment, params: VineParams) -> None:
    """In a pocket, beside a vine that is to grow far, each ends as it does alone after as many steps, wedged ones too."""
    boxes = [[-0.1, 0.04, 0.3, 0.1], [-0.1, -0.1, 0.3, -0.04], [0.13, -0.04, 0.3, 0.04]]
    propagator, lengths = (
        in_place(make, environment(boxes=boxes, start=(0, 0, 0.05)), params),
        np.array([0.06, 0.12, 0.39]),
    )
    pressure, cells = np.tile([[0.0], [2e4], [0.0]], (1, SEGMENTS)), np.full((3, SEGMENTS), 0.04)
    together = propagator.grow(propagator.start(3, SEGMENTS), Actuation(pressure, cells), lengths, 0.05)
    wedged = Status.STALLED if capabilities(make).contact else Status.GROWN
    np.testing.assert_array_equal(together.status, [Status.GROWN, wedged, wedged])
    for vine, length in enumerate(lengths):
        mine = Actuation(pressure[[vine]], cells[[vine]])
        alone = propagator.grow(propagator.start(1, SEGMENTS), mine, length, 0.05)
        for name in ("steps", "status", "records"):
            assert getattr(alone, name)[0] == getattr(together, name)[vine]
        np.testing.assert_allclose(last_state(alone).angles[0], last_state(together).angles[vine], atol=1e-6)


@EveryQuickPropagator
def test_held_vine_takes_the_shape_of_its_new_steering(
    make: Make, free: Environment, params: VineParams, reference: Reference
) -> None:
    """Held, each joint goes to the free-space curvature of its new pressure, within 1e-3; no length is grown."""
    table = reference("free_space_curvature_reference")
    cells = table["l0_mm"] == 42
    curvature = dict(zip(table["pressure_kpa"][cells], table["curvature_per_m"][cells], strict=True))
    propagator = make(free, params)
    before = steered(propagator, 10, 10, 10, 10)
    state = last_state(propagator.grow(propagator.start(4, SEGMENTS), before, 0.34, 0.34))
    state = rested(propagator, state, before)
    held = propagator.grow(state, steered(propagator, -25, 35, 10, 0), 0.0, 0.05)
    assert (held.status == Status.GROWN).all()
    np.testing.assert_array_equal(held.records, 1)
    after = last_state(held)
    np.testing.assert_array_equal(after.segments, state.segments)
    np.testing.assert_array_equal(after.last_length, state.last_length)
    lengths = np.append(np.full(13, params.segment_length), 0.34 - 13 * params.segment_length)
    for vine, distal in enumerate((-curvature[25], curvature[35], curvature[10], 0.0)):
        proximal = curvature[25] if propagator.capabilities.sections else distal
        expected = np.where(np.arange(14) < PROXIMAL, proximal, distal) * lengths
        np.testing.assert_allclose(after.angles[vine, :14], expected, rtol=1e-3, atol=1e-6)
    if propagator.capabilities.sections:
        np.testing.assert_allclose(after.angles[:, :PROXIMAL], state.angles[:, :PROXIMAL], atol=1e-6)


@EveryQuickPropagator
def test_vine_held_as_it_is_does_not_move(make: Make, free: Environment, params: VineParams) -> None:
    """Held under the steering it grew with, a vine at rest in free space stays where it is, within 1e-6 m and rad."""
    propagator = make(free, params)
    grown = propagator.grow(propagator.start(3, SEGMENTS), steered(propagator, -25, 10, 0), 0.34, 0.34)
    state = rested(propagator, last_state(grown), steered(propagator, -25, 10, 0))
    held = propagator.grow(state, steered(propagator, -25, 10, 0), 0.0, 0.05)
    assert (held.status == Status.GROWN).all()
    np.testing.assert_allclose(held.angles[:, 0], state.angles, atol=1e-6)
    joints = centerlines(state, np.array(START), params)
    np.testing.assert_allclose(held.tips[:, 0, :2], joints[np.arange(3), state.segments], atol=1e-6)


@EveryQuickPropagator
def test_steering_in_steps_ends_as_at_once(make: Make, free: Environment, params: VineParams) -> None:
    """In free space the way does not matter: three held calls with rising pressure end where one does, within 1e-3 rad."""
    propagator = make(free, params)
    grown = last_state(propagator.grow(propagator.start(2, SEGMENTS), steered(propagator, 0, 10), 0.34, 0.34))
    at_once = last_state(propagator.grow(grown, steered(propagator, -28, 28), 0.0, 0.05))
    state = grown
    for pressure in (10, 20, 28):
        state = last_state(propagator.grow(state, steered(propagator, -pressure, pressure), 0.0, 0.05))
    np.testing.assert_allclose(state.angles.sum(axis=1), at_once.angles.sum(axis=1), atol=1e-3)
    assert np.ptp(at_once.angles.sum(axis=1)) > 0.5


@EveryQuickPropagator
def test_some_are_held_while_others_grow(make: Make, free: Environment, params: VineParams) -> None:
    """In one batch a vine of length 0 is held, the others grow: each as it does alone. One of no length stays so."""
    propagator = make(free, params)
    first = propagator.grow(propagator.start(3, SEGMENTS), steered(propagator, 0, 0, 0), [0.3, 0.3, 0.0], 0.3)
    assert first.status[2] == Status.GROWN
    assert first.records[2] == 1
    np.testing.assert_array_equal(first.tips[2, 0], START)
    state, lengths = last_state(first), np.array([0.0, 0.08, 0.0])
    together = propagator.grow(state, steered(propagator, 20, 20, 20), lengths, 0.02)
    np.testing.assert_array_equal(together.records, [1, 4, 1])
    ends = last_state(together)
    np.testing.assert_allclose(grown_length(ends, params), [0.3, 0.38, 0.0], atol=4e-9)
    for vine, length in enumerate(lengths):
        mine = VineState(state.angles[[vine]], state.segments[[vine]], state.last_length[[vine]])
        alone = last_state(propagator.grow(mine, steered(propagator, 20), length, 0.02))
        np.testing.assert_allclose(ends.angles[vine], alone.angles[0], atol=1e-6)


@EveryPropagator
def test_keeps_out_of_obstacles_or_refuses_them(make: Make, walled: Environment, params: VineParams) -> None:
    """With contact a tube that grows against a wall stays clear of it and is pressed on; without, the wall is refused."""
    if not capabilities(make).contact:
        with pytest.raises(CannotRun, match="contact=False"):
            make(walled, params)
        return
    propagator = make(walled, params)
    rollout = propagator.grow(propagator.start(1, SEGMENTS), passive(1), 0.35, 0.05)
    points = centerlines(last_state(rollout), walled.start, params)[0]
    reached = points[~np.isnan(points[:, 1]), 1].max()
    assert 0.05 - params.radius - 0.01 < reached < 0.05 - params.clearance + 1e-9
    assert rollout.contact_force[0, : rollout.records[0]].max() > 0.1


@EveryPropagator
def test_bends_each_section_or_refuses_a_second_one(make: Make, free: Environment, params: VineParams) -> None:
    """With sections a tube bends to the left in one half and to the right in the other; without, that is refused."""
    propagator = make(free, params)
    pressure = np.repeat([[2e4, -2e4]], SEGMENTS // 2, axis=1)
    halves = Actuation(pressure, np.full_like(pressure, 0.04))
    if not capabilities(make).sections:
        with pytest.raises(CannotRun, match="sections=False"):
            propagator.grow(propagator.start(1, SEGMENTS), halves, 0.3, 0.1)
        return
    rollout = propagator.grow(propagator.start(1, SEGMENTS), halves, 0.35, 0.35)
    angles = rollout.angles[0, 0, :14]
    assert angles[:PROXIMAL].min() > 0.01
    assert angles[PROXIMAL:].max() < -0.01
