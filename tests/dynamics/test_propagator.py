"""What every propagator promises, whatever its model: one test body for all entries of the registry."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.propagator import Capabilities, Propagator
from dynamics.registry import propagators
from dynamics.vine import Actuation, Rollout, Status, VineParams, centerlines, grown_length
from environments import Environment

MakeEnvironment = Callable[..., Environment]

START = (0.3, -0.2, 2.0)
BATCH, SEGMENTS = 5, 16

EveryPropagator = pytest.mark.parametrize("make", propagators().values(), ids=propagators().keys())
Make = Callable[[Environment, VineParams], Propagator]


def passive(batch: int = BATCH, segments: int = SEGMENTS) -> Actuation:
    return Actuation(np.zeros((batch, segments)), np.full((batch, segments), 0.04))


def same(one: Rollout, other: Rollout) -> bool:
    """Whether two rollouts agree in every byte."""
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in Rollout.__slots__)


@pytest.fixture(scope="module")
def free(environment: MakeEnvironment) -> Environment:
    return environment(start=START)


@pytest.fixture(scope="module")
def walled(environment: MakeEnvironment) -> Environment:
    return environment(start=START, boxes=[[-1.0, 0.05, 1.0, 0.1]])


def test_registry_starts_with_the_default() -> None:
    """The first entry is the quasi-static propagator."""
    assert next(iter(propagators())) == "quasistatic"


@EveryPropagator
def test_says_what_it_can_do(make: Make) -> None:
    """Capabilities are declared, and name at least one device."""
    capabilities = make.capabilities  # type: ignore[attr-defined]
    assert isinstance(capabilities, Capabilities)
    assert "cpu" in capabilities.devices or "cuda" in capabilities.devices


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
@pytest.mark.parametrize("batch", [1, 2, 9])
def test_arrays_have_the_promised_shapes(make: Make, walled: Environment, params: VineParams, batch: int) -> None:
    """Every array of a rollout leads with the batch, whatever its size; records not made stay behind the count."""
    propagator = make(walled, params)
    rollout = propagator.grow(propagator.start(batch, SEGMENTS), passive(batch), 0.35, 0.1)
    room = rollout.tips.shape[1]
    assert room >= 4
    assert rollout.angles.shape == rollout.contact_force.shape == (batch, room, SEGMENTS)
    assert rollout.segments.shape == rollout.last_length.shape == (batch, room)
    assert rollout.tips.shape == (batch, room, 3)
    assert rollout.records.shape == rollout.status.shape == rollout.steps.shape == (batch,)
    assert (rollout.records <= room).all()
    assert set(rollout.status) <= set(Status)


@EveryPropagator
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


@EveryPropagator
def test_growth_goes_on_from_a_recorded_state(make: Make, free: Environment, params: VineParams) -> None:
    """A recorded state can be grown further: the lengths add up."""
    propagator = make(free, params)
    first = propagator.grow(propagator.start(BATCH, SEGMENTS), passive(), 0.16, 0.04)
    state = first.state(np.arange(BATCH), np.array([3, 0, 1, 2, 3]))
    second = propagator.grow(state, passive(), 0.1, 0.04)
    last = second.state(np.arange(BATCH), second.records - 1)
    np.testing.assert_allclose(grown_length(last, params), [0.26, 0.14, 0.18, 0.22, 0.26], atol=4e-9)


@EveryPropagator
def test_growing_leaves_what_it_is_given(make: Make, walled: Environment, params: VineParams) -> None:
    """Neither the state nor the actuation nor the lengths passed in are written to."""
    propagator = make(walled, params)
    actuation = Actuation(np.full((BATCH, SEGMENTS), 12e3), np.full((BATCH, SEGMENTS), 0.05))
    rollout = propagator.grow(propagator.start(BATCH, SEGMENTS), actuation, 0.21, 0.07)
    state = rollout.state(np.arange(BATCH), rollout.records - 1)
    lengths = np.full(BATCH, 0.1)
    given = [state.angles, state.segments, state.last_length, actuation.pressure, actuation.l_0, lengths]
    before = [array.copy() for array in given]
    propagator.grow(state, actuation, lengths, 0.02)
    for array, copy in zip(given, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@EveryPropagator
def test_growing_twice_gives_the_same_bytes(make: Make, walled: Environment, params: VineParams) -> None:
    """The same call gives the same bytes, from the same propagator and from another one."""
    rng = np.random.default_rng(3)
    actuation = Actuation(rng.uniform(-2e4, 2e4, (BATCH, SEGMENTS)), rng.uniform(0.02, 0.08, (BATCH, SEGMENTS)))
    one, other = make(walled, params), make(walled, params)
    rollouts = [p.grow(p.start(BATCH, SEGMENTS), actuation, 0.4, 0.02) for p in (one, one, other)]
    assert same(rollouts[0], rollouts[1])
    assert same(rollouts[0], rollouts[2])
    assert rollouts[0].contact_force.max() > 0 or not make.capabilities.contact  # type: ignore[attr-defined]


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


@EveryPropagator
def test_growing_by_nothing_is_allowed(make: Make, free: Environment, params: VineParams) -> None:
    """A length of 0 leaves a vine as it is, alone or beside others that grow."""
    propagator = make(free, params)
    alone = propagator.grow(propagator.start(1, SEGMENTS), passive(1), 0.0, 0.05)
    beside = propagator.grow(propagator.start(2, SEGMENTS), passive(2), [0.0, 0.1], 0.05)
    for rollout in (alone, beside):
        assert rollout.status[0] == Status.GROWN
        assert (rollout.last_length[0, : rollout.records[0]] == 0).all()
    assert beside.records[1] == 2
