"""The step of the impulse simulator: joints, springs and contacts against dense algebra, closed forms and OSQP."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.linalg
import shapely

from dynamics.impulse import impact
from dynamics.impulse.bodies import Bodies, JointRows, advance, assemble, lay, new_bodies, new_drive, new_rows
from dynamics.impulse.impact import _pivot
from dynamics.impulse.osqp_step import OsqpStep
from dynamics.impulse.schur import factorise, new_factor, project
from dynamics.propagator import CannotRun
from environments import Environment
from studies.fitting.cantilever import Cantilever
from studies.impulse.study import (
    make_circle_environment,
    make_circle_robot,
    make_clutter_environment,
    make_clutter_robot,
)
from studies.impulse.telescope import Telescope, TelescopeMotion, simulate
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]

BEAM = Telescope(12, 0.02, 0.012, 0.001, 4e-7, 0.4, 0.05, growth_rate=0.0)
"""A beam that does not grow."""


@pytest.fixture(scope="module")
def free(environment: MakeEnvironment) -> Environment:
    return environment()


@pytest.fixture(scope="module")
def circle() -> Environment:
    return make_circle_environment()


def random_bodies(count: int, seed: int) -> tuple[Bodies, JointRows]:
    """Bodies thrown about, pins and slides at random, and the rows of their joints for a step of 10 ms."""
    rng = np.random.default_rng(seed)
    bodies, drive, rows = new_bodies(count), new_drive(count), new_rows(count)
    bodies.mass[:], bodies.inertia[:] = rng.uniform(1e-3, 5e-3, count), rng.uniform(1e-6, 1e-5, count)
    bodies.back[:], bodies.front[:] = rng.uniform(0, 0.02, (2, count))
    bodies.slides[1:] = rng.random(count - 1) < 0.4
    bodies.reach[:] = rng.uniform(0, 0.04, count)
    bodies.pose[:, 2] = np.cumsum(rng.normal(0, 0.4, count))
    lay(bodies, count, np.zeros(3))
    bodies.velocity[:] = rng.normal(0, 0.3, (count, 3))
    drive.moment[:], drive.stiffness[:] = rng.normal(0, 0.3, count), rng.uniform(0, 10, count)
    drive.damping[:], drive.drift[:] = rng.uniform(1e-3, 0.1, count), rng.normal(0, 0.2, count)
    drive.rate[:], drive.yielding[:] = rng.uniform(0, 0.1, count), rng.choice([0.0, 4e-3], count)
    assemble(bodies, drive, count, 0.01, np.zeros(3), rows)
    return bodies, rows


@pytest.mark.parametrize("seed", range(4))
def test_joint_impulses_solve_the_whole_kkt_system(seed: int) -> None:
    """Velocities from the block-tridiagonal factor are those of the dense system of all velocities and impulses."""
    count = 17
    bodies, rows = random_bodies(count, seed)
    mass = np.diag(np.stack([bodies.mass, bodies.mass, bodies.inertia], axis=1).ravel())
    jacobian = np.zeros((3 * count, 3 * count))
    for k in range(count):
        jacobian[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = rows.near[k]
        if k:
            jacobian[3 * k : 3 * k + 3, 3 * k - 3 : 3 * k] = rows.far[k]
    kkt = np.block([[mass, -jacobian.T], [jacobian, np.diag(rows.slack.ravel())]])
    expected = np.linalg.solve(kkt, np.concatenate([mass @ bodies.velocity.ravel(), rows.target.ravel()]))[: 3 * count]
    factor, velocity = new_factor(count), bodies.velocity.copy()
    factorise(bodies, rows, count, factor)
    project(bodies, rows, count, factor, velocity, 1.0)
    np.testing.assert_allclose(velocity.ravel(), expected, rtol=1e-7, atol=1e-9)


def test_rows_are_the_derivatives_of_the_joints() -> None:
    """Moving the bodies as the rows allow keeps pins together and slides in line (Eqs. 2, 3), to second order in time."""
    bodies, rows = random_bodies(12, 7)
    rows.slack[:, 2] = 1e12  # springs and growth leave the bodies free
    factor, velocity = new_factor(12), bodies.velocity.copy()
    factorise(bodies, rows, 12, factor)
    project(bodies, rows, 12, factor, velocity, 0.0)
    apart = []
    for seconds in (1e-3, 1e-4):
        pose = bodies.pose + seconds * velocity
        along = np.stack([np.cos(pose[:, 2]), np.sin(pose[:, 2])], axis=1)
        ends = pose[:-1, :2] + bodies.front[:-1, None] * along[:-1]
        pins = np.abs(ends - (pose[1:, :2] - bodies.back[1:, None] * along[1:])).max(axis=1)
        joining = np.diff(pose[:, :2], axis=0)
        slides = np.abs(along[:-1, 0] * joining[:, 1] - along[:-1, 1] * joining[:, 0])
        turned = np.abs(np.diff(pose[:, 2])) * bodies.slides[1:]
        turned -= np.abs(np.diff(bodies.pose[:, 2])) * bodies.slides[1:]
        apart.append(max(np.where(bodies.slides[1:], slides, pins).max(), np.abs(turned).max()))
    assert apart[1] < 2e-2 * apart[0]


@pytest.mark.parametrize("seed", range(6))
def test_complementarity_problem_is_solved(seed: int) -> None:
    """Forces and what is left of the gaps are not negative, and one of both is zero, for nearly dependent rows too."""
    rng = np.random.default_rng(seed)
    size = 30
    rows = rng.normal(size=(size, 12))
    rows[size // 2 :] = rows[: size // 2] + 1e-3 * rng.normal(size=(size // 2, 12))
    matrix, gap = rows @ rows.T + 1e-4 * np.eye(size), rng.normal(size=size)
    force, active = np.zeros(size), rng.random(size) < 0.5
    _pivot(matrix, gap, size, force, active)
    left = matrix @ force + gap
    assert force.min() >= 0
    assert left.min() > -1e-9
    assert np.abs(force * left).max() < 1e-8
    assert force.max() > 0


def test_complementarity_problem_that_is_not_solved_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer exchanges than it takes, the solver does not claim to be done; with enough it does."""
    force, active = np.zeros(2), np.zeros(2, bool)
    problem = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-1.0, -2.0]), 2
    monkeypatch.setattr(impact, "PIVOTS", 1)
    assert not _pivot.py_func(*problem, force, active)
    assert _pivot(*problem, np.zeros(2), np.zeros(2, bool))


def joints_apart(robot: Telescope, motion: TelescopeMotion) -> float:
    """Largest violation of Eqs. 2 and 3 by any body at any time [m], from the bodies' poses alone."""
    along = np.stack([np.cos(motion.pose[..., 2]), np.sin(motion.pose[..., 2])], axis=-1)
    front, back = motion.pose[..., :2] + robot.half * along, motion.pose[..., :2] - robot.half * along
    pins = np.hypot(*np.moveaxis(front[:, 1:-1:2] - back[:, 2::2], -1, 0)).max()
    joining = motion.pose[:, 1::2, :2] - motion.pose[:, 0::2, :2]
    across = [along[:, k::2, 0] * joining[..., 1] - along[:, k::2, 1] * joining[..., 0] for k in (0, 1)]
    return float(max(pins, *(np.abs(offset).max() for offset in across)))


def depth(robot: Telescope, motion: TelescopeMotion, place: Environment) -> float:
    """How deep the whole tube comes into any obstacle at any time [m], by shapely."""
    solid = shapely.union_all(place.obstacles.shapes())
    axes = shapely.linestrings(motion.joints)
    return float(robot.radius - shapely.distance(axes, solid).min())


def test_joints_hold_and_tube_stays_out_of_the_clutter() -> None:
    """In the papers' clutter no joint opens by 0.01 mm and no part of the tube is 0.1 mm deep, as it bends and slides."""
    robot, place = make_clutter_robot(), make_clutter_environment()
    motion = simulate(robot, place, 3.0, 0.01)
    assert joints_apart(robot, motion) < 1e-5
    assert depth(robot, motion, place) < 1e-4
    assert motion.deepest.max() == pytest.approx(depth(robot, motion, place), abs=1e-6)
    assert np.hypot(*(motion.joints[:, -1] - place.goal[:2]).T).min() < place.goal[2]  # it got into the bay
    assert np.ptp(motion.pose[-1, :, 2]) > 0.3  # and was bent on the way


def test_lengths_grow_at_the_rate_asked_for() -> None:
    """Every link grows at its share of the rate, whatever stands in the way."""
    motion = simulate(make_clutter_robot(), make_clutter_environment(), 3.0, 0.01)
    lengths = np.hypot(*np.moveaxis(np.diff(motion.joints[-1], axis=0), -1, 0))
    np.testing.assert_allclose(lengths, 4 * 3e-3 + 3.0 * 0.205 / 25, rtol=1e-9)


def test_osqp_agrees(circle: Environment) -> None:
    """Solved by OSQP to 1e-7, the tip is where the Schur complement has it, within 0.1 mm, in contact."""
    robot = make_circle_robot(20)
    exact, published = simulate(robot, circle, 2.0, 0.01), simulate(robot, circle, 2.0, 0.01, qp=OsqpStep(1e-7))
    np.testing.assert_allclose(published.joints[-1, -1], exact.joints[-1, -1], atol=1e-4)
    straight = simulate(robot, circle, 0.0, 0.01).joints[-1, -1]
    assert straight[1] - exact.joints[-1, -1, 1] > 5e-3  # the circle pushed it aside


def test_osqp_that_does_not_converge_is_an_error(circle: Environment) -> None:
    """A step that OSQP leaves unsolved is no result: it says so."""
    with pytest.raises(CannotRun, match="maximum iterations"):
        simulate(make_circle_robot(20), circle, 1.0, 0.01, qp=OsqpStep(1e-9, most_iterations=10))


def test_tip_converges_with_more_bodies(circle: Environment) -> None:
    """With spring and damper per body in proportion to their number, and mass against it, each doubling changes less."""
    tips = [simulate(make_circle_robot(bodies), circle, 2.0, 0.01).joints[-1, -1] for bodies in (40, 80, 160, 320)]
    changes = np.hypot(*np.diff(tips, axis=0).T)
    assert changes[0] < 1e-4
    assert (changes[1:] < 0.7 * changes[:-1]).all()


def matrices(robot: Telescope) -> tuple[Floats, Floats]:
    """Mass and stiffness of the straight chain over the headings of its links: the closed form, for small bends."""
    links, length = robot.links, 4 * robot.half
    mass = np.zeros((links, links))
    for k in range(2 * robot.links):
        # The centre of body k moves across by the lengths of all links before its own, and its share of that.
        lever = np.where(np.arange(links) < k // 2, length, 0.0)
        lever[k // 2] = robot.half if k % 2 == 0 else 3 * robot.half
        mass += robot.mass * np.outer(lever, lever)
        mass[k // 2, k // 2] += robot.inertia
    bend = np.eye(links) - np.eye(links, k=-1)
    return mass, robot.stiffness * bend.T @ bend


def test_first_frequency_of_a_released_cantilever(free: Environment) -> None:
    """Released in its first mode, an undamped chain swings at the lowest frequency of its eigenproblem, within 0.1 %."""
    robot = Telescope(12, 0.02, 0.012, 0.001, 4e-7, 0.4, 0.0, growth_rate=0.0)
    mass, stiffness = matrices(robot)
    values, modes = scipy.linalg.eigh(stiffness, mass)
    period = 2 * np.pi / np.sqrt(values[0])
    headings = 1e-3 * modes[:, 0] / np.abs(modes[:, 0]).max()
    step = period / 4000
    motion = simulate(robot, free, 2.3 * period, step, bends=np.diff(headings, prepend=0.0))
    height = motion.joints[:, -1, 1]
    crossed = np.flatnonzero(np.sign(height[1:]) != np.sign(height[:-1]))
    times = step * (crossed + height[crossed] / (height[crossed] - height[crossed + 1]))
    assert len(times) >= 4
    assert 2 * np.diff(times).mean() == pytest.approx(period, rel=1e-3)


def as_telescope(beam: Cantilever, seconds: float) -> Telescope:
    """Make the beam for the simulator."""
    body = beam.length / (2 * beam.links)
    mass = beam.mass_per_length * (beam.length + beam.growth * seconds / 2) / (2 * beam.links)
    inertia = mass * (beam.radius**2 / 2 + body**2 / 12)
    return Telescope(beam.links, body / 2, beam.radius, mass, inertia, beam.stiffness, beam.damping, beam.growth)


def test_swings_and_grows_as_an_independent_integration_has_it(free: Environment) -> None:
    """Let go wide and growing, links turn as Lagrange's equations in minimal coordinates do, to first order in the step."""
    beam = Cantilever(links=4, length=0.6, growth=0.1, release=1.2)
    expected, errors = beam.headings(np.linspace(0, 1, 51)), []
    for finer in (1, 2):
        motion = simulate(
            as_telescope(beam, 1.0), free, 1.0, 5e-4 / finer, bends=np.full(4, beam.release / 4)
        )  # fmt: skip
        errors.append(np.abs(motion.pose[:: 40 * finer, 0::2, 2] - expected).max())
    assert np.ptp(expected[:, -1]) > 1.0
    assert errors[0] < 0.05
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.1)


@pytest.mark.parametrize("step", [0.02, 0.005, 0.001])
def test_energy_of_a_free_damped_beam_never_rises(free: Environment, step: float) -> None:
    """Bent wide and let go, without growth, the sum of kinetic and spring energy falls in every step, to nothing."""
    bends = np.full(BEAM.links, 0.25)
    motion = simulate(BEAM, free, 4.0, step, bends=bends)
    speed = motion.velocity**2 @ np.array([BEAM.mass, BEAM.mass, BEAM.inertia])
    bend = np.diff(motion.pose[:, 0::2, 2], axis=1, prepend=0.0)
    energy = 0.5 * speed.sum(axis=1) + 0.5 * BEAM.stiffness * (bend**2).sum(axis=1)
    assert energy[0] == pytest.approx(0.5 * BEAM.stiffness * (bends**2).sum())
    assert speed.max() > 1e-5  # it did swing
    assert np.diff(energy).max() <= 1e-12 * energy[0]
    assert energy[-1] < 1e-3 * energy[0]


def test_centres_move_as_their_velocities_say() -> None:
    """Stepping headings and reaches moves every centre by its velocity (Eq. 10), to second order in the step."""
    bodies, rows = random_bodies(12, 3)
    velocity, factor = bodies.velocity.copy(), new_factor(12)
    factorise(bodies, rows, 12, factor)
    project(bodies, rows, 12, factor, velocity, 1.0)
    off = []
    for step in (1e-3, 1e-4):
        other = new_bodies(12)
        for mine, theirs in zip(other, bodies, strict=True):
            mine[:] = theirs
        advance(other, velocity, 12, step, np.zeros(3))
        off.append(np.abs(other.pose - bodies.pose - step * velocity).max())
    assert off[1] < 2e-2 * off[0]
