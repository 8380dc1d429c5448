"""The arc in the plane, as a propagator: how it swings and lags, where it ends, and what it refuses."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.euler_lagrange.propagator import EulerLagrange
from dynamics.moment import JointMoments, free_curvature, total_moment
from dynamics.propagator import CannotRun
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import Inertia, VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, grown_length
from environments import Environment
from surrogate.force_table import cell

MakeEnvironment = Callable[..., Environment]
SEGMENTS, CELL = 90, 42e-3


def carrying(*kilopascals: float, segments: int = SEGMENTS) -> Actuation:
    pressure = np.repeat(1e3 * np.array(kilopascals)[:, None], segments, axis=1)
    return Actuation(pressure, np.full_like(pressure, CELL))


def bends(rollout: Rollout, vine: int = 0) -> np.ndarray:
    """Sum of the angles of a vine at each of its records [rad]."""
    return np.asarray(rollout.angles[vine, : rollout.records[vine]].sum(axis=1))


@pytest.fixture(scope="module")
def free(environment: MakeEnvironment) -> Environment:
    return environment()


def test_bent_tube_swings_as_its_mass_and_stiffness_say(free: Environment, params: VineParams) -> None:
    """A slight bend of a tube of length s swings with K l / s against a mass at the tip, and a fifth of the tube's own."""
    mass, rate, s = 0.05, 0.02, 0.5
    inertia = Inertia(growth_rate=rate, damping_time=2e-3)
    propagator = EulerLagrange(free, replace(params, inertia=inertia), step=1e-5, tip_mass=mass)
    count = round(s / params.segment_length)
    start = np.zeros((1, count + 1))
    start[0, :count] = 1e-3
    state = VineState(start, np.array([count]), np.array([params.segment_length]))
    found = bends(propagator.grow(state, carrying(0, segments=count + 1), 4e-3, 1e-4))
    times = 1e-4 * np.arange(1, len(found) + 1) / rate
    spring = propagator.joint.elasticity.stiffness * params.segment_length / s
    swing = np.sqrt(spring / ((mass + 0.2 * inertia.mass_per_length * s) * s**2 / 4))
    decay = inertia.damping_time * swing**2 / 2
    fast = np.sqrt(swing**2 - decay**2)
    expected = count * 1e-3 * np.exp(-decay * times) * (np.cos(fast * times) + decay / fast * np.sin(fast * times))
    np.testing.assert_allclose(found, expected, atol=0.03 * count * 1e-3)
    assert found.min() < -0.3 * count * 1e-3  # it swings through


def test_growing_tube_lags_behind_its_rest(free: Environment, params: VineParams, joint: JointMoments) -> None:
    """Grown at the rate r to s, the curvature of a light tube is short of that at rest by C r / (dM/dbend s) of it."""
    propagator = EulerLagrange(free, replace(params, inertia=Inertia(mass_per_length=1e-4)), step=2e-5)
    kilopascals, s, rate = (10.0, 25.0, -35.0), 1.2, Inertia().growth_rate
    rollout = propagator.grow(propagator.start(3, SEGMENTS), carrying(*kilopascals), s, 0.1)
    for vine, pressure in enumerate(kilopascals):
        rest = float(free_curvature(joint, 1e3 * pressure, CELL))
        _, slope = total_moment(joint, rest * params.segment_length, 1e3 * pressure, cell(joint.tables, 0, CELL))
        short = 1 - bends(rollout, vine)[-1] / s / rest
        assert short == pytest.approx(propagator.tube.bending_damping * rate / (slope * s), rel=0.05)


def test_ends_where_quasistatic_growth_does(free: Environment, params: VineParams) -> None:
    """Slow growth under every pressure comes within 1 mm of the quasi-static tip, at every record."""
    pressures = carrying(0, 8, 20, -35)
    model, other = EulerLagrange(free, params), QuasiStatic(free, params)
    one = model.grow(model.start(4, SEGMENTS), pressures, 1.0, 0.1)
    two = other.grow(other.start(4, SEGMENTS), pressures, 1.0, 0.1)
    np.testing.assert_array_equal(one.records, two.records)
    np.testing.assert_array_equal(one.records, 10)
    np.testing.assert_allclose(one.tips[:, :10, :2], two.tips[:, :10, :2], atol=1e-3)


def test_joints_share_the_bend_by_their_length(free: Environment, params: VineParams) -> None:
    """Each joint bends in proportion to the segment behind it, the last one less."""
    model = EulerLagrange(free, params)
    rollout = model.grow(model.start(1, SEGMENTS), carrying(20), 0.31, 0.31)
    angles = rollout.angles[0, 0]
    np.testing.assert_allclose(angles[:12], angles[0])
    assert angles[12] == pytest.approx(angles[0] * 0.4)
    np.testing.assert_array_equal(angles[13:], 0.0)


def test_ends_at_a_full_circle(free: Environment, params: VineParams, joint: JointMoments) -> None:
    """A tube that grows into a circle is recorded up to it, and its status says what to do."""
    model = EulerLagrange(free, params)
    rollout = model.grow(model.start(1, SEGMENTS), carrying(35), 2.2, 0.1)
    assert rollout.status[0] == Status.COILED
    assert "full circle" in Status.COILED.advice
    circle = 2 * np.pi / free_curvature(joint, 35e3, CELL)
    assert rollout.records[0] == int(circle / 0.1)
    assert bends(rollout)[-1] < 2 * np.pi


def test_ends_at_the_bounds(environment: MakeEnvironment, params: VineParams) -> None:
    """A joint beyond the bounds ends the records before it; the others of the batch go on."""
    model = EulerLagrange(environment(bounds=(-1.0, -1.0, 0.45, 1.0)), params)
    rollout = model.grow(model.start(2, SEGMENTS), carrying(0, 35), 0.8, 0.1)
    np.testing.assert_array_equal(rollout.status, [Status.OUT_OF_BOUNDS, Status.GROWN])
    np.testing.assert_array_equal(rollout.records, [4, 8])


def test_tip_that_carries_more_swings_longer(free: Environment, params: VineParams) -> None:
    """Held under a new pressure, a loaded tube takes more steps to the same rest."""
    ends = []
    for mass in (0.0, 0.2):
        model = EulerLagrange(free, params, tip_mass=mass)
        grown = model.grow(model.start(1, SEGMENTS), carrying(10), 0.5, 0.5)
        state = grown.state(np.array([0]), np.array([0]))
        ends.append(model.grow(state, carrying(12), 0.0, 0.1))
    assert ends[1].steps[0] > 2 * ends[0].steps[0]
    np.testing.assert_allclose(ends[1].angles, ends[0].angles, atol=1e-7)


def test_growth_may_take_its_time(free: Environment, params: VineParams) -> None:
    """Also without a record on the way, a slow tube grows to its end; a held one that swings for ever is stalled."""
    slow = EulerLagrange(free, replace(params, inertia=Inertia(growth_rate=1e-3)), step=0.01)
    assert slow.grow(slow.start(1, 8), carrying(10, segments=8), 0.2, 0.2).status[0] == Status.GROWN
    undamped = EulerLagrange(free, replace(params, inertia=Inertia(damping_time=0.0)), tip_mass=50.0)
    state = VineState(np.full((1, 8), 0.01), np.array([8]), np.array([params.segment_length]))
    held = undamped.grow(state, carrying(0, segments=8), 0.0, 0.1)
    assert held.status[0] == Status.STALLED
    assert held.records[0] == 1


def test_refined_takes_half_the_step(free: Environment, params: VineParams) -> None:
    """The refined model keeps tip and damping, and ends nearer to where a model with a tenth of the step does."""
    model = EulerLagrange(free, replace(params, inertia=Inertia(damping_time=0.02)), tip_mass=0.1)
    assert model.refined().tube == model.tube._replace(time_step=model.tube.time_step / 2)
    fine = EulerLagrange(free, model.params, 1e-4, 0.1)
    ends = [
        bends(one.grow(one.start(1, SEGMENTS), carrying(25), 0.5, 0.5))[-1] for one in (model, model.refined(), fine)
    ]
    assert abs(ends[1] - ends[2]) < 0.6 * abs(ends[0] - ends[2])


def test_recorded_at_less_than_a_millimetre(free: Environment, params: VineParams, joint: JointMoments) -> None:
    """The first tenths of a millimetre, without inertia to speak of, are as bent as at rest."""
    model = EulerLagrange(free, params)
    rollout = model.grow(model.start(1, 2), carrying(20, segments=2), 5e-4, 1e-4)
    state = rollout.state(np.zeros(5, int), np.arange(5))
    np.testing.assert_allclose(grown_length(state, params), 1e-4 * np.arange(1, 6), atol=1e-12)
    np.testing.assert_allclose(bends(rollout), 1e-4 * np.arange(1, 6) * free_curvature(joint, 20e3, CELL), rtol=1e-9)


def test_refuses_states_that_are_no_arcs(free: Environment, params: VineParams) -> None:
    """A state that another propagator bent in two ways is not taken for an arc."""
    model = EulerLagrange(free, params)
    angles = np.zeros((1, 4))
    angles[0, 1] = 0.2
    state = VineState(angles, np.array([3]), np.array([0.02]))
    with pytest.raises(CannotRun, match=r"supports only arcs \(sections=False\)"):
        model.grow(state, carrying(10, segments=4), 0.01, 0.01)


def test_refuses_actuators_that_end_early(free: Environment, params: VineParams) -> None:
    """An actuator that ends within the tube is refused; one that changes beyond the tube's end is not there."""
    model = EulerLagrange(free, params)
    pressure = np.repeat([[2e4, 0.0]], 4, axis=1)
    ending = Actuation(pressure, np.full((1, 8), CELL))
    with pytest.raises(CannotRun, match="one section from base to tip"):
        model.grow(model.start(1, 8), ending, 0.12, 0.05)
    other_cells = replace(ending, pressure=np.full((1, 8), 2e4), l_0=np.repeat([[CELL, 0.03]], 4, axis=1))
    with pytest.raises(CannotRun, match="sections=False"):
        model.grow(model.start(1, 8), other_cells, 0.12, 0.05)
    assert model.grow(model.start(1, 8), ending, 0.1, 0.05).status[0] == Status.GROWN


def test_cells_without_pressure_may_be_anything(free: Environment, params: VineParams) -> None:
    """Where there is no actuator, cell lengths that differ, or are no numbers, make no difference."""
    model, cells = EulerLagrange(free, params), np.array([[0.03, 0.07, 0.02, 0.05], [np.nan] * 4, [-3e9] * 4])
    rollout = model.grow(model.start(3, 4), Actuation(np.zeros((3, 4)), cells), 0.1, 0.1)
    np.testing.assert_array_equal(rollout.angles, 0.0)
    np.testing.assert_array_equal(rollout.status, Status.GROWN)


def test_hold_that_swings_into_a_circle_has_no_record(free: Environment, params: VineParams) -> None:
    """Steered the other way all at once, a long tube may swing right round; it is `COILED`, without a record."""
    model = EulerLagrange(free, params)
    grown = model.grow(model.start(1, SEGMENTS), carrying(20), 1.0, 1.0)
    held = model.grow(grown.state(np.array([0]), np.array([0])), carrying(-20), 0.0, 0.1)
    assert (held.status[0], held.records[0]) == (Status.COILED, 0)


@pytest.mark.parametrize("step", [0.0, -1e-3, np.nan, 100.0])
def test_refuses_steps_that_cannot_be(free: Environment, params: VineParams, step: float) -> None:
    """A step that is none, or longer than any motion, is named before a kernel runs for ever."""
    with pytest.raises(ValueError, match=r"step = .* must be greater than 0 and at most 0.1"):
        EulerLagrange(free, params, step=step)


@pytest.mark.parametrize(
    ("name", "value"),
    [("mass_per_length", 0.0), ("growth_rate", 0.0), ("growth_rate", -0.1), ("damping_time", -1.0), ("mass_per_length", np.nan)],
)  # fmt: skip
def test_refuses_inertia_that_cannot_be(name: str, value: float) -> None:
    """A property that a moving tube cannot have is named."""
    with pytest.raises(ValueError, match=rf"inertia.{name} = .* 0 and finite"):
        Inertia(**{name: value})


@pytest.mark.parametrize("mass", [-0.1, np.nan, np.inf])
def test_refuses_masses_that_cannot_be(free: Environment, params: VineParams, mass: float) -> None:
    """A tip's mass out of range is named."""
    with pytest.raises(ValueError, match=r"tip_mass = .* must be at least 0"):
        EulerLagrange(free, params, tip_mass=mass)
