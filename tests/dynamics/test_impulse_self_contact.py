"""The impulse propagator's contact of the tube with its own body: against distances, balances and the quasi-static model."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import shapely

from dynamics.chain import forward_kinematics
from dynamics.impulse.growing import start
from dynamics.impulse.impact import _push, contact_rows
from dynamics.impulse.model import ImpulseWork, new_work
from dynamics.impulse.propagator import Impulse
from dynamics.moment import new_actuated_vine
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.self_contact import APART, SELF_KEY
from dynamics.touching import touch
from dynamics.tube import Inertia, VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines
from environments import Environment
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]
RADIUS, FULL = VineParams().radius, VineParams().segment_length
SEEDS = [*range(1, 3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, *range(3, 8)))]
"""Seeds of random loops."""


def nearest(states: VineState, base: Floats, params: VineParams) -> float:
    """Least distance, in all states, between the axes of two parts of a tube that can touch [m]."""
    found, least = np.inf, int(np.ceil(APART * params.radius / params.segment_length))
    for line in centerlines(states, base, params):
        joints = line[~np.isnan(line[:, 0])]
        inner, outer = np.triu_indices(len(joints) - 1, least + 1)
        parts = shapely.linestrings(np.stack([joints[:-1], joints[1:]], axis=1))
        found = min(found, shapely.distance(parts[inner], parts[outer]).min(initial=np.inf))
    return float(found)


def apart_from_itself(rollout: Rollout, vine: int, base: Floats, params: VineParams) -> float:
    """Compute the least distance in all records of a vine [m]."""
    records = np.arange(rollout.records[vine])
    return nearest(rollout.state(np.full_like(records, vine), records), base, params)


def grown(model: Impulse | QuasiStatic, carried: Actuation, length: float, every: float) -> Rollout:
    return model.grow(model.start(*carried.pressure.shape), carried, length, every)


def winding(segments: int, pressure: float = 35e3) -> Actuation:
    return Actuation(np.full((1, segments), pressure), np.full((1, segments), 0.04))


def folded_back(segments: int, pressure: float) -> Actuation:
    """Straight, three quarters of a turn, and straight again, towards the first part."""
    pressures = np.zeros((1, segments))
    pressures[:, 24:86] = pressure
    return Actuation(pressures, np.full((1, segments), 0.04))


def random_winding(batch: int, segments: int, seed: int) -> Actuation:
    """Strong actuators: sections of 0.1 to 1 m, mostly to the same side."""
    rng = np.random.default_rng(seed)
    pressure, l_0 = np.zeros((batch, segments)), np.full((batch, segments), 0.04)
    for vine in range(batch):
        first = 0
        while first < segments:
            end = first + int(rng.integers(4, 40))
            pressure[vine, first:end] = rng.choice([-1, 0, 1, 1, 1]) * rng.uniform(25e3, 35e3)
            l_0[vine, first:end] = rng.uniform(30e-3, 50e-3)
            first = end
    return Actuation(pressure, l_0)


@pytest.fixture(scope="module")
def free(environment: MakeEnvironment) -> Environment:
    return environment(bounds=(-3.0, -3.0, 3.0, 3.0), start=(0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def box(environment: MakeEnvironment) -> Environment:
    """Walls around a tube that has no room for long turns."""
    return replace(environment(bounds=(-0.3, -0.6, 1.0, 0.7), start=(-0.2, -0.4, 0.0)), edge="wall")


@pytest.fixture(scope="module")
def folds(free: Environment, params: VineParams) -> tuple[Rollout, Rollout]:
    """A tube that grows slowly back onto itself, by the quasi-static model and as impulses."""
    carried = folded_back(106, 35e3)
    slow = replace(params, inertia=Inertia(growth_rate=0.05))
    one, two = (grown(model, carried, 2.65, 0.05) for model in (QuasiStatic(free, params), Impulse(free, slow)))
    return one, two


def test_a_coil_stays_beside_itself(free: Environment, params: VineParams) -> None:
    """A tube of constant curvature meets its own base after a turn. Its parts never come nearer than a diameter, less the tolerance.

    Where it may lie on itself, or with the published physics, it winds over its base.
    """
    carried = winding(120)
    rollout = grown(Impulse(free, params), carried, 120 * FULL, 0.02)
    assert rollout.status[0] == Status.GROWN
    least = apart_from_itself(rollout, 0, free.start, params)
    assert 2 * RADIUS - params.penetration_tolerance <= least < 2 * RADIUS + 5e-4
    for other, tube in ((replace(free, stacked=True), params), (free, replace(params, physics="published"))):
        crossing = grown(Impulse(other, tube), carried, 120 * FULL, 0.05)
        assert crossing.status[0] == Status.GROWN
        assert apart_from_itself(crossing, 0, free.start, tube) == 0.0
        assert crossing.contact_force.max() == 0.0


def test_what_does_not_touch_itself_is_the_same(free: Environment, params: VineParams) -> None:
    """Up to the first contact all numbers are those of a tube that may lie on itself."""
    carried, length = winding(60), 60 * FULL
    one, two = (grown(Impulse(place, params), carried, length, 0.05) for place in (free, replace(free, stacked=True)))
    assert apart_from_itself(one, 0, free.start, params) > 2 * RADIUS + 2e-3
    for name in ("angles", "tips", "steps", "contact_force"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize("least_height", [1.0, pytest.param(0.6, marks=pytest.mark.slow)])
def test_random_tubes_do_not_cross_themselves(box: Environment, params: VineParams, least_height: float) -> None:
    """In no record of any vine are two parts nearer than a diameter less the tolerance: against its own body a tube is rigid."""
    tube = replace(params, least_height=least_height)
    rollout = grown(Impulse(box, tube), random_winding(20, 100, 5), 2.5, 0.02)
    assert (rollout.status <= Status.OUT_OF_BOUNDS).mean() > 0.9
    gaps = np.array([apart_from_itself(rollout, vine, box.start, tube) for vine in range(20)])
    assert (gaps < 2 * RADIUS + 1e-4).sum() >= 5
    assert gaps.min() >= 2 * RADIUS - params.penetration_tolerance


def test_agrees_with_the_quasistatic_model_where_it_folds_back(folds: tuple[Rollout, Rollout]) -> None:
    """Over 0.5 m of contact tips are within 0.75 mm; both parts bear the same force within 0.5 %, within a segment of place."""
    one, two = folds
    assert one.status[0] == two.status[0] == Status.GROWN
    assert np.hypot(*(one.tips[0, :, :2] - two.tips[0, :, :2]).T).max() < 0.75e-3
    touching = [record for record in range(53) if one.contact_force[0, record].max() > 0.2]
    assert len(touching) >= 9
    segment = np.arange(106)
    for record in touching:
        for part in (slice(0, 50), slice(50, 106)):
            expected, found = one.contact_force[0, record, part], two.contact_force[0, record, part]
            assert found.sum() == pytest.approx(expected.sum(), rel=0.005)
            where = [force @ segment[part] / force.sum() for force in (expected, found)]
            assert where[1] == pytest.approx(where[0], abs=1.0)


@pytest.mark.parametrize("segments", [100, 110])
def test_a_coil_rests_where_the_quasistatic_model_has_it(free: Environment, params: VineParams, segments: int) -> None:
    """Held from the same state, a coil with three or four contacts rests with its tip within 0.1 mm and its forces within 0.01 N."""
    carried = winding(segments)
    state = grown(Impulse(free, params), carried, segments * FULL, segments * FULL).state(np.array([0]), np.array([0]))
    one, two = (model(free, params).grow(state, carried, 0.0, 0.1) for model in (QuasiStatic, Impulse))
    assert one.status[0] == two.status[0] == Status.GROWN
    assert np.count_nonzero(one.contact_force[0, 0] > 0.2) >= 4
    np.testing.assert_allclose(two.tips[0, 0, :2], one.tips[0, 0, :2], atol=1e-4)
    np.testing.assert_allclose(two.contact_force[0, 0], one.contact_force[0, 0], atol=0.01)


def test_left_is_like_right(free: Environment, params: VineParams, folds: tuple[Rollout, Rollout]) -> None:
    """The mirror image of the actuators grows the mirror image of the tube."""
    slow = replace(params, inertia=Inertia(growth_rate=0.05))
    right = grown(Impulse(free, slow), folded_back(106, -35e3), 2.65, 0.05)
    left = folds[1]
    np.testing.assert_allclose(right.tips * [1.0, -1.0, -1.0], left.tips, atol=1e-9)
    np.testing.assert_allclose(right.contact_force, left.contact_force, atol=1e-6)


def touching(free: Environment, params: VineParams, seed: int) -> tuple[ImpulseWork, int]:
    """A loop near its own base, bent at random, as bodies with rows of contact, and the number of these."""
    segments, model = 100, Impulse(free, params)
    for trial in range(1000):
        rng, work = np.random.default_rng((seed, trial)), new_work(segments, segments + 1)
        angles = rng.uniform(3.2, 4.6) * FULL * np.ones(segments) + rng.normal(0, 0.1, segments)
        vine = new_actuated_vine(
            model.joint, angles, np.where(rng.random(segments) < 0.5, 20e3, 0.0), np.full(segments, 0.04)
        )
        last_length = rng.uniform(0.2, 1.0) * FULL
        start(work, model.tube, vine, model.pose, segments, last_length)
        forward_kinematics(work.chain, angles, vine.pivots, model.pose, segments, last_length, FULL)
        count = touch(model.scene, model.tube, segments, work)
        if count > 0:
            contact_rows(work.bodies, work.contacts, count, work.holder, work.impact)
            return work, count
    raise AssertionError("no loop touches itself")


def distance(work: ImpulseWork, joint: int, segment: int, pose: Floats) -> float:
    """Compute the distance of a joint from a segment [m], from the poses of the bodies alone: each carries the joint at its front."""

    def front(j: int) -> Floats:
        body = work.holder[j - 1]
        ahead = np.array([np.cos(pose[body, 2]), np.sin(pose[body, 2])])
        return pose[body, :2] + work.bodies.front[body] * ahead if j else np.zeros(2)

    chain, body = work.chain, work.holder[segment]
    offset = np.array([chain.x[joint] - chain.x[segment], chain.y[joint] - chain.y[segment]])
    along = offset @ [chain.cosine[segment], chain.sine[segment]]
    if 0 <= along <= chain.length[segment]:
        (dx, dy), heading = front(joint) - pose[body, :2], pose[body, 2]
        return float(abs(np.cos(heading) * dy - np.sin(heading) * dx))
    return float(np.hypot(*(front(joint) - front(segment if along < 0 else segment + 1))))


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_the_derivatives_of_the_distance(free: Environment, params: VineParams, seed: int) -> None:
    """By what each pose of each body changes the distance of two parts, by central differences: of two bodies, or one and the base."""
    work, count = touching(free, params, seed)
    impact, pose, step = work.impact, work.bodies.pose, 1e-6
    for c in range(count):
        joint, segment = divmod(SELF_KEY - int(work.contacts.key[c]), len(work.chain.x))
        expected = np.zeros((101, 3))
        for body in range(101):
            for i in range(3):
                more, less = pose.copy(), pose.copy()
                more[body, i], less[body, i] = pose[body, i] + step, pose[body, i] - step
                apart = distance(work, joint, segment, more) - distance(work, joint, segment, less)
                expected[body, i] = apart / (2 * step)
        found = np.zeros((101, 3))
        found[impact.body[c]] += impact.row[c]
        if impact.inner[c] >= 0:
            found[impact.inner[c]] += impact.inner_row[c]
        np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_impulse_changes_no_momentum(free: Environment, params: VineParams, seed: int) -> None:
    """A contact gives its two bodies equal and opposite momenta, and no angular momentum about any point."""
    work, count = touching(free, params, seed)
    bodies, seen = work.bodies, 0
    for c in range(count):
        velocity = np.zeros((101, 3))
        _push(bodies, work.impact, c, velocity, 0.3)
        momentum = bodies.mass[:, None] * velocity[:, :2]
        if work.contacts.first[c] == 0:
            continue  # the base takes up the other half
        seen += 1
        assert np.abs(momentum).sum(axis=0).max() > 0.1
        np.testing.assert_allclose(momentum.sum(axis=0), 0.0, atol=1e-12)
        orbital = bodies.pose[:, 0] * momentum[:, 1] - bodies.pose[:, 1] * momentum[:, 0]
        assert (orbital + bodies.inertia * velocity[:, 2]).sum() == pytest.approx(0.0, abs=1e-12)
    assert seen


def test_osqp_presses_the_tube_on_itself_as_much(free: Environment, params: VineParams) -> None:
    """A coil in contact with itself goes on for some steps with OSQP as with the Schur complement."""
    carried = winding(90)
    before = grown(Impulse(free, params), carried, 2.2, 2.2)
    assert before.contact_force.max() > 0.2
    state = before.state(np.array([0]), np.array([0]))
    one, two = (Impulse(free, params, qp=qp).grow(state, carried, 2e-3, 2e-3) for qp in ("banded", "osqp"))
    np.testing.assert_allclose(two.tips[0, 0], one.tips[0, 0], atol=1e-4)
    np.testing.assert_allclose(two.contact_force[0, 0], one.contact_force[0, 0], atol=0.05)


@pytest.mark.parametrize("length", [0.0, 0.1])
def test_a_state_that_crosses_itself_is_refused(free: Environment, params: VineParams, length: float) -> None:
    """Axes that cross end at once, without a record; parts that are too near are pushed apart by the shorter way."""
    carried, model = winding(130), Impulse(free, params)
    over = grown(Impulse(replace(free, stacked=True), params), carried, 2.8, 5e-3)
    records = np.arange(over.records[0])
    one_by_one = [over.state(np.array([0]), np.array([record])) for record in records]
    gaps = np.array([nearest(state, free.start, params) for state in one_by_one])
    near = np.flatnonzero((gaps > 1.2 * RADIUS) & (gaps < 1.9 * RADIUS))
    assert len(near)
    for record, status in ((len(gaps) - 1, Status.UNRESOLVED), (near[0], Status.GROWN), (near[-1], Status.GROWN)):
        rollout = model.grow(one_by_one[record], carried, length, 0.05)
        assert rollout.status[0] == status
        assert (rollout.records[0] > 0) == (status == Status.GROWN)
        assert apart_from_itself(rollout, 0, free.start, params) >= 2 * RADIUS - params.penetration_tolerance
