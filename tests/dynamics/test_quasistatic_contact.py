"""The mechanics of a vine in contact: stalling, buckling, sliding, work and equilibrium, against closed forms."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import shapely
from scipy.integrate import quad

from dynamics.moment import restoring_moment, transition_bend
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines, grown_length
from environments import Environment, load_environment
from surrogate.kernels.compiled import Floats
from surrogate.spam import cell_state, contraction
from tests.dynamics.reference.shape import material_of, shape_of

MakeEnvironment = Callable[..., Environment]


def passive(segments: int, batch: int = 1) -> Actuation:
    return Actuation(np.zeros((batch, segments)), np.full((batch, segments), 0.04))


def grow(propagator: QuasiStatic, length: float, record_every: float, actuation: Actuation | None = None) -> Rollout:
    """Grow one vine."""
    segments = int(np.ceil(length / propagator.params.segment_length - 1e-9))
    actuation = passive(segments) if actuation is None else actuation
    return propagator.grow(propagator.start(1, segments), actuation, length, record_every)


def history(rollout: Rollout, vine: int = 0) -> VineState:
    """All recorded states of one vine, as a batch."""
    records = np.arange(rollout.records[vine])
    return rollout.state(np.full(len(records), vine), records)


def small_angle_stiffness(params: VineParams) -> float:
    """Stiffness of an unwrinkled joint [N m/rad]."""
    transition = transition_bend(params.growth_pressure)
    return float(restoring_moment(transition, params)) / transition


def buckling_length(params: VineParams) -> float:
    """(pi / 2) sqrt(EI / F_g): the length at which the growth force buckles a tube held at its base only [m]."""
    bending_stiffness = small_angle_stiffness(params) * params.segment_length
    return float(np.pi / 2 * np.sqrt(bending_stiffness / params.growth_force))


def head_on(environment: MakeEnvironment, params: VineParams, length: float, heading: float) -> QuasiStatic:
    """A wall that a straight tube of this length just touches."""
    face = length + params.radius
    return QuasiStatic(environment(boxes=[[face, -2, face + 0.5, 2]], start=(0, 0, heading)), params)


@pytest.mark.parametrize("step", [0.5e-3, 0.25e-3])
def test_bent_joint_straightens_as_the_tube_grows(environment: MakeEnvironment, step: float) -> None:
    """A bend within the elastic range decays as exp(-k L / c) over the grown length L, whatever the step: c is a viscosity."""
    slow = VineParams(bending_viscosity=0.2, physics="published")
    propagator = QuasiStatic(environment(), slow, step=step)
    start = propagator.start(1, 12)
    start.angles[0, :6] = 0.01 * np.array([1, -2, 3, -4, 4, 2])
    bent = VineState(start.angles, np.array([6]), np.array([slow.segment_length]))
    rollout = propagator.grow(bent, passive(12), 0.05, 5e-3)
    grown = 5e-3 * np.arange(1, 11)
    decay = np.exp(-small_angle_stiffness(slow) * grown / slow.bending_viscosity)
    # Implicit Euler lags behind by about half a step: k h / 2 c of what is left per e-fold.
    lag = small_angle_stiffness(slow) * step / (2 * slow.bending_viscosity)
    for joint in range(6):
        expected = start.angles[0, joint] * decay
        np.testing.assert_allclose(rollout.angles[0, :10, joint], expected, rtol=1.2 * lag * -np.log(decay[-1]))
    assert decay[-1] < 0.05


@pytest.mark.parametrize("opening", [60, 90, 120])
def test_tip_wedged_in_a_corner_stalls(environment: MakeEnvironment, params: VineParams, opening: float) -> None:
    """It ends where the tube touches both walls, says so, and either wall holds its share of the growth force."""
    half = np.radians(opening / 2)
    apex, depth = 0.3, 0.25
    mouth = [apex - depth / np.tan(half), depth]
    upper = [[apex, 0], mouth, [mouth[0], 0.6], [0.6, 0.6], [0.6, 0]]
    propagator = QuasiStatic(environment(polygons=[upper, [[x, -y] for x, y in upper]]), params)
    length = apex - params.radius / np.sin(half)
    rollout = grow(propagator, 0.6, 5e-3)
    assert rollout.status[0] == Status.STALLED
    assert "stalled" in Status(rollout.status[0]).advice
    last = rollout.records[0] - 1
    assert grown_length(history(rollout), params)[-1] == pytest.approx(length, abs=1e-3)
    np.testing.assert_allclose(rollout.tips[0, last], [length, 0, 0], atol=1e-3)
    # Two normal forces at half the opening from the axis hold the tip: 2 N sin(half) = F_g.
    force = rollout.contact_force[0, last].sum()
    assert force == pytest.approx(params.growth_force / np.sin(half), rel=1e-3)


@pytest.mark.parametrize("heading", [1e-3, -1e-3])
def test_short_tube_stalls_head_on(environment: MakeEnvironment, params: VineParams, heading: float) -> None:
    """At 0.9 times the buckling length a tube that meets a wall head-on stalls, bent as far as linear theory says."""
    length = 0.9 * buckling_length(params)
    propagator = head_on(environment, params, length, heading)
    rollout = grow(propagator, 0.6, 5e-3)
    assert rollout.status[0] == Status.STALLED
    last = rollout.records[0] - 1
    tip = rollout.tips[0, last]
    assert tip[0] == pytest.approx(length, abs=params.penetration_tolerance)
    # Small angles: joint j holds the moment of the wall's push about it, F_g (y_tip - y_j) = k_j theta_j.
    lengths = np.full(int(length // params.segment_length) + 1, params.segment_length)
    lengths[-1] = length - lengths[:-1].sum()
    stiffness = small_angle_stiffness(params) * params.segment_length / lengths
    ahead = np.cumsum(lengths[::-1])[::-1]
    # y_tip - y_j is the sum over segments i >= j of l_i (psi + theta_0 + ... + theta_i).
    lever = np.minimum(ahead[:, None], ahead[None, :])
    bends = np.linalg.solve(np.diag(stiffness) - params.growth_force * lever, params.growth_force * heading * ahead)
    sideways = lengths @ (heading + np.cumsum(bends))
    assert abs(sideways) > 1e-3  # much more than the 0.16 mm it was off
    assert tip[1] == pytest.approx(sideways, rel=0.03)
    assert rollout.contact_force[0, last].sum() == pytest.approx(params.growth_force, rel=1e-3)


@pytest.mark.parametrize("heading", [1e-3, -1e-3])
@pytest.mark.parametrize("share", [1.2, 1.6])
def test_long_tube_buckles_head_on(
    environment: MakeEnvironment, params: VineParams, heading: float, share: float
) -> None:
    """At 1.2 times the buckling length and more it gives way to the side it leaned to, and grows on along the wall."""
    propagator = head_on(environment, params, share * buckling_length(params), heading)
    rollout = grow(propagator, 0.6, 0.02)
    assert rollout.status[0] == Status.GROWN
    tip = rollout.tips[0, rollout.records[0] - 1]
    assert np.sign(heading) * tip[1] > 0.3
    assert np.sign(heading) * tip[2] == pytest.approx(np.pi / 2, abs=0.2)


@pytest.mark.parametrize("turn", [0.0, 1.1])
def test_passive_vine_slides_along_a_wall(environment: MakeEnvironment, params: VineParams, turn: float) -> None:
    """Meeting a wall at 45 degrees, its tip stays a radius from it, and its heading goes over to the wall's."""
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    wall = [0.3 * across - 1 * along, 0.3 * across + 2 * along, 0.4 * across + 2 * along, 0.4 * across - 1 * along]
    propagator = QuasiStatic(environment(polygons=[wall], start=(0, 0, turn + np.pi / 4)), params)
    rollout = grow(propagator, 1.2, 0.01)
    assert rollout.status[0] == Status.GROWN
    tips = rollout.tips[0, : rollout.records[0]]
    distance, heading = 0.3 - tips[:, :2] @ across, tips[:, 2] - turn
    meets = 0.3 / np.sin(np.pi / 4) - params.radius / np.sin(np.pi / 4)  # length at which the tube touches the wall
    before = 0.01 * np.arange(1, 121) < meets - 1e-6
    np.testing.assert_allclose(heading[before], np.pi / 4, atol=1e-6)
    np.testing.assert_allclose(distance[~before], params.radius, atol=params.penetration_tolerance / 10)
    assert np.all(np.diff(heading[~before]) <= 1e-6)
    assert abs(heading[-1]) < 2e-3
    # It never slid backwards.
    assert np.all(np.diff(tips[:, :2] @ along) > 0)


def bending_energy(params: VineParams) -> Callable[[VineState], Floats]:
    """Potential of the joints of a passive vine [J], the restoring moment integrated by adaptive quadrature."""
    bends = np.concatenate([[0.0], np.geomspace(transition_bend(params.growth_pressure), np.pi, 400)])
    pieces = [quad(lambda t: float(restoring_moment(t, params)), a, b)[0] for a, b in pairwise(bends)]
    potential = np.concatenate([[0.0], np.cumsum(pieces)])
    stiffness = small_angle_stiffness(params)

    def energy(state: VineState) -> Floats:
        index = np.arange(state.angles.shape[1])
        last = index == state.segments[:, None] - 1
        share = np.where(last, np.maximum(state.last_length, 1e-9)[:, None] / params.segment_length, 1.0)
        full = np.abs(state.angles) / share  # the growing segment bends in proportion to its length
        elastic = full < bends[1]
        of_full = np.where(elastic, stiffness * full**2 / 2, np.interp(full, bends, potential))
        return np.asarray((share * of_full).sum(axis=1))

    return energy


@pytest.mark.parametrize("name", ["divider", "maze", "plus", "tube"])
def test_contact_does_no_work(params: VineParams, name: str) -> None:
    """Contacts never pull, and a passive vine never gains more bending energy than the growth force put in."""
    environment = load_environment(name)
    rng = np.random.default_rng(7)
    energy = bending_energy(params)
    bent = 0.0
    for heading in environment.start[2] + rng.uniform(-0.5, 0.5, 12):
        turned = Environment(
            "",
            "",
            environment.bounds,
            np.array([*environment.start[:2], heading]),
            environment.goal,
            environment.obstacles,
        )
        rollout = grow(QuasiStatic(turned, params), 1.5, 2e-3)
        assert rollout.contact_force.min() == 0.0
        states = history(rollout)
        gained = np.diff(energy(states), prepend=0.0)
        grown = np.diff(grown_length(states, params), prepend=0.0)
        assert np.all(gained <= params.growth_force * grown + 1e-9)
        bent = max(bent, energy(states).max())
    assert bent > 0.1


def moves_of(
    state: VineState, actuation: Actuation, base: Floats, params: VineParams, link: int, point: Floats
) -> Floats:
    """How a point on a link [m] moves with the bend of each joint up to it [m/rad], by the reference's shape, shape (link + 1, 2)."""
    count = int(state.segments[0])
    material = material_of(count, float(state.last_length[0]), params.segment_length)
    shortens = actuation.pressure[0, :count] != 0
    return shape_of(base, state.angles[0, :count], material, shortens, params.radius).moves(point, link)


def analytic_moments(state: VineState, actuation: Actuation, params: VineParams) -> Floats:
    """Moment of every joint of one vine, tube less actuator, by the analytic models [N m]."""
    count = int(state.segments[0])
    share = np.ones(count)
    share[-1] = state.last_length[0] / params.segment_length
    bends = state.angles[0, :count] / share
    pressure, l_0 = actuation.pressure[0, :count], actuation.l_0[0, :count]
    moment = restoring_moment(bends, params)
    side = np.sign(pressure)
    strain = side * bends * params.arm() / params.segment_length
    pulled = np.flatnonzero(pressure)
    if len(pulled):
        m = contraction(strain[pulled], l_0[pulled], params.actuator)
        force = np.abs(pressure[pulled]) * cell_state(m, l_0[pulled], params.actuator).force_per_pressure
        moment[pulled] -= side[pulled] * force * params.arm()
    return moment


@pytest.mark.parametrize(
    ("obstacle", "point", "pressure"),
    [
        ({"circles": [[0.4, 0.03, 0.1]]}, (0.4, 0.03), 0.0),
        ({"boxes": [[0.4, -0.3, 0.45, -0.01]]}, (0.4, -0.01), 0.0),
        ({"circles": [[0.3, -0.2, 0.1]]}, (0.3, -0.2), -14e3),
        ({"circles": [[0.32, 0.11, 0.03]]}, (0.32, 0.11), 9e3),
    ],
    ids=["beside a circle", "over a corner", "actuator presses on a circle", "actuator presses on a post"],
)
def test_resting_vine_is_in_equilibrium(
    environment: MakeEnvironment,
    params: VineParams,
    obstacle: dict[str, list[list[float]]],
    point: tuple[float, float],
    pressure: float,
) -> None:
    """Grown on past what it leans against, each joint holds force times lever of the contacts ahead of it, to 0.5 %."""
    propagator = QuasiStatic(environment(**obstacle), params)
    actuation = Actuation(np.full((1, 40), pressure), np.full((1, 40), 0.05))
    rollout = propagator.grow(propagator.start(1, 40), actuation, 0.7, 0.02)
    assert rollout.status[0] == Status.GROWN
    last = rollout.records[0] - 1
    state = rollout.state(np.array([0]), np.array([last]))
    points = centerlines(state, np.zeros(3), params)[0]
    count = int(state.segments[0])
    force = rollout.contact_force[0, last, :count]
    touching = np.flatnonzero(force)
    assert 1 <= len(touching) <= 2
    assert touching[-1] < count - 3  # the tip is free
    assert force.sum() > 0.2
    expected = np.zeros(count)
    for segment in touching:
        axis = shapely.LineString(points[segment : segment + 2])
        q = np.array(axis.interpolate(axis.project(shapely.Point(point))).coords[0])
        normal = (q - point) / np.hypot(*(q - point))
        expected[: segment + 1] += force[segment] * (
            moves_of(state, actuation, np.zeros(3), params, segment, q) @ normal
        )
    moment = analytic_moments(state, actuation, params)
    np.testing.assert_allclose(moment, expected, atol=5e-3 * np.abs(expected).max())


@pytest.mark.parametrize("pressure", [10e3, 20e3, 30e3])
def test_tip_held_against_a_wall_is_in_equilibrium(
    environment: MakeEnvironment, thin: VineParams, pressure: float
) -> None:
    """Steered against a wall while held, its tip pushes as hard as the bent joints need, to 0.1 % of the largest moment."""
    wall = 0.05  # height of its face; in free space the tip would end above it
    propagator = QuasiStatic(environment(boxes=[[-1, wall, 2, 0.5]]), thin)
    grown = propagator.grow(propagator.start(1, 20), passive(20), 0.5, 0.5)
    actuation = Actuation(np.where(np.arange(20) < 12, 0.0, pressure)[None], np.full((1, 20), 0.042))
    held = propagator.grow(grown.state(np.array([0]), np.array([0])), actuation, 0.0, 0.5)
    assert held.status[0] == Status.GROWN
    state = held.state(np.array([0]), np.array([0]))
    assert grown_length(state, thin)[0] == pytest.approx(0.5, abs=1e-9)
    points = centerlines(state, np.zeros(3), thin)[0]
    assert np.nanmax(points[:, 1]) == pytest.approx(wall - thin.radius, abs=thin.penetration_tolerance)
    force = held.contact_force[0, 0]
    assert np.flatnonzero(force).tolist() == [19]
    # The wall pushes down at the tip.
    expected = -force[19] * moves_of(state, actuation, np.zeros(3), thin, 19, points[20])[:, 1]
    moment = analytic_moments(state, actuation, thin)
    np.testing.assert_allclose(moment, expected, atol=1e-3 * np.abs(expected).max())
    assert force[19] > 0.1


@pytest.mark.parametrize("length", [0.6, *(pytest.param(one, marks=pytest.mark.slow) for one in (0.45, 0.75, 0.9))])
def test_held_tube_gives_up_energy(environment: MakeEnvironment, params: VineParams, length: float) -> None:
    """Held where it has grown among obstacles, a passive tube ends with no more bending energy, and then stays there."""
    propagator = QuasiStatic(environment(circles=[[0.4, 0.03, 0.1]], boxes=[[0.7, -0.5, 0.8, -0.05]]), params)
    states, energies = [], []
    rollout = grow(propagator, length, 0.05)
    for _ in range(3):
        assert rollout.status[0] == Status.GROWN
        states.append(rollout.state(np.array([0]), rollout.records - 1))
        energies.append(bending_energy(params)(states[-1])[0])
        rollout = propagator.grow(states[-1], passive(states[-1].angles.shape[1]), 0.0, 0.05)
    assert rollout.contact_force.max() > 0.1
    assert energies[1] <= energies[0] + 1e-9
    tips = [centerlines(state, np.zeros(3), params)[0, state.segments[0]] for state in states]
    np.testing.assert_allclose(tips[2], tips[1], atol=1e-4)


def test_stalled_tube_is_in_equilibrium(environment: MakeEnvironment, params: VineParams) -> None:
    """Stalled at a wall, each joint holds the wall's push times its lever, and the push along the tip is F_g, to 1 %."""
    heading = 5e-3
    rollout = grow(head_on(environment, params, 0.85 * buckling_length(params), heading), 0.4, 5e-3)
    assert rollout.status[0] == Status.STALLED
    last = rollout.records[0] - 1
    state = rollout.state(np.array([0]), np.array([last]))
    points = centerlines(state, np.array([0, 0, heading]), params)[0]
    count = int(state.segments[0])
    force = rollout.contact_force[0, last].sum()
    assert force * np.cos(rollout.tips[0, last, 2]) == pytest.approx(params.growth_force, rel=1e-3)
    expected = force * (points[count, 1] - points[:count, 1])  # the wall pushes along -x at the tip
    moment = analytic_moments(state, passive(count), params)
    np.testing.assert_allclose(moment, expected, atol=0.01 * expected.max())
