"""Bodies of the impulse propagator whose links actuators shorten: against the chain, closed forms, statics and the quasi-static model."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.chain import forward_kinematics
from dynamics.contacts import find_contacts
from dynamics.growth import Span
from dynamics.impulse.bodies import assemble, kinetic_energy, lay, new_bodies, new_drive, new_rows
from dynamics.impulse.growing import add_segment, start
from dynamics.impulse.model import ImpulseModel, new_work
from dynamics.impulse.propagator import Impulse
from dynamics.impulse.step import take_step
from dynamics.links import link
from dynamics.moment import free_curvature, joint_moments, new_actuated_vine, total_moment
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import Inertia, VineParams
from dynamics.vine import Actuation, Status, VineState, centerlines
from environments import Environment
from surrogate.force_table import cell

MakeEnvironment = Callable[..., Environment]
H = VineParams().segment_length


def steered(segments: int, pressure: float) -> Actuation:
    return Actuation(np.full((1, segments), pressure), np.full((1, segments), 0.04))


def bent(segments: int, bend: float) -> VineState:
    """One full-length vine with the same bend at all joints."""
    return VineState(np.full((1, segments), bend), np.array([segments]), np.array([H]))


@pytest.fixture(scope="module")
def round_wall(environment: MakeEnvironment) -> Environment:
    """A circle that a vine from the origin touches from the side as it bends to the left."""
    return environment(circles=[[0.3, 0.16, 0.08]])


@pytest.mark.parametrize("pressure", [20e3, -12e3])
def test_free_tube_rests_on_the_arc_of_its_far_wall(
    environment: MakeEnvironment, params: VineParams, pressure: float
) -> None:
    """The far wall has the free curvature; the centreline is shorter, on an arc whose radius is less by the tube's."""
    segments, propagator = 12, Impulse(environment(), params)
    rollout = propagator.grow(bent(segments, 1e-3 * np.sign(pressure)), steered(segments, pressure), 0.0, 0.1)
    assert rollout.status[0] == Status.GROWN
    curvature = float(free_curvature(joint_moments(params), pressure, 0.04))
    heading = curvature * H * np.arange(1, segments + 1)
    link = H - params.radius * abs(curvature) * H
    expected = link * np.array([np.cos(heading).sum(), np.sin(heading).sum()])
    np.testing.assert_allclose(rollout.tips[0, 0, :2], expected, atol=1e-6)
    first, _, last = centerlines(rollout.state(np.array([0]), np.array([0])), np.zeros(3), params)[0][[0, 6, 12]]
    arc = 1 / abs(curvature) - params.radius
    assert np.hypot(*(last - first)) == pytest.approx(2 * arc * np.sin(6 * abs(curvature) * H), rel=3e-4)


@pytest.mark.parametrize("seed", range(3))
def test_rows_are_the_derivatives_of_the_laid_poses(seed: int) -> None:
    """By what a bend or a reach moves all bodies, that joint opens at unit rate, and no other one moves."""
    rng, count, step = np.random.default_rng(seed), 9, 1e-6
    bodies, rows, base = new_bodies(count), new_rows(count), np.array([0.1, -0.2, 0.4])
    bodies.slides[1:] = rng.random(count - 1) < 0.4
    bodies.back[:], bodies.front[:], bodies.reach[:] = rng.uniform(0.01, 0.02, (3, count))
    bodies.pivot[:] = rng.choice([-5e-3, 5e-3], count)
    turns = np.where(bodies.slides, 0.0, rng.choice([-1, 1], count) * rng.uniform(0.05, 1.0, count))

    def laid(joint: int, by: float) -> np.ndarray:
        """Poses after one joint has moved."""
        changed, reach = turns.copy(), bodies.reach.copy()
        (bodies.reach if bodies.slides[joint] else changed)[joint] += by
        bodies.pose[:, 2] = base[2] + np.cumsum(changed)
        lay(bodies, count, base)
        bodies.reach[:] = reach
        return bodies.pose.copy()

    for joint in range(count):
        velocity = (laid(joint, step) - laid(joint, -step)) / (2 * step)
        laid(joint, 0.0)
        assemble(bodies, new_drive(count), count, 0.01, base, rows)
        opening = np.einsum("kij,kj->ki", rows.near, velocity)
        opening[1:] += np.einsum("kij,kj->ki", rows.far[1:], velocity[:-1])
        expected = np.zeros((count, 3))
        expected[joint, 2] = 1.0
        np.testing.assert_allclose(opening, expected, atol=1e-7)


def test_bodies_are_where_the_chain_is_after_every_step(round_wall: Environment, params: VineParams) -> None:
    """Growing along a circle, the front of every body is the joint of the chain, and the links are shortened."""
    propagator, most, base = Impulse(round_wall, params), 14, np.zeros(3)
    tube, work, angles = propagator.tube, new_work(most, most + 1), np.zeros(most)
    vine = new_actuated_vine(propagator.joint, angles, np.full(most, 15e3), np.full(most, 0.04))
    model = ImpulseModel(propagator.scene, propagator.joint, tube, base)
    segments, last_length, number, touched = 11, 0.0, 0, False
    angles[:10] = 0.02
    start(work, tube, vine, base, segments, last_length)
    forward_kinematics(work.chain, angles, vine.pivots, base, segments, last_length, H)
    number = find_contacts(propagator.scene, tube.section, tube.margin, work.chain, segments, work.contacts)
    for _ in range(60):
        growth, _, number = take_step(model, vine, work, Span(segments, last_length, number, H - last_length), None)
        last_length += growth
        touched |= bool(work.forces.sum() > 0.1)
        pose, front, chain = work.bodies.pose, work.bodies.front, work.chain
        ahead = np.stack([np.cos(pose[:, 2]), np.sin(pose[:, 2])], axis=1)
        ends = np.delete(
            pose[: segments + 1, :2] + front[: segments + 1, None] * ahead[: segments + 1], segments - 1, 0
        )
        joints = np.stack([chain.x, chain.y], axis=1)[1 : segments + 1]
        np.testing.assert_allclose(ends, joints, atol=1e-12)
        if last_length >= H - 1e-12:
            add_segment(work, tube, angles, base, segments)
            segments, last_length = segments + 1, 0.0
    assert touched
    assert segments > 11
    assert work.chain.length[: segments - 1].max() < H - 1e-4


def test_contact_is_in_balance_about_the_pivots(round_wall: Environment, params: VineParams) -> None:
    """Held against a circle, the moment of its force about the wall on the outer side of each bend is that of tube and actuator."""
    segments, pressure, joint = 16, 15e3, joint_moments(params)
    rollout = Impulse(round_wall, params).grow(bent(segments, 0.01), steered(segments, pressure), 0.0, 0.1)
    assert rollout.status[0] == Status.GROWN
    bends, force = rollout.angles[0, 0], rollout.contact_force[0, 0]
    touching = int(np.flatnonzero(force)[0])
    assert np.count_nonzero(force) == 1
    assert touching > 5
    points = centerlines(rollout.state(np.array([0]), np.array([0])), np.zeros(3), params)[0]
    heading, centre = np.cumsum(bends), np.array([0.3, 0.16])
    ahead = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    left = np.stack([-np.sin(heading), np.cos(heading)], axis=1)
    along = np.clip((centre - points[touching]) @ ahead[touching], 0, None)
    at = points[touching] + along * ahead[touching]
    if along > np.hypot(*(points[touching + 1] - points[touching])):
        at = points[touching + 1]
    push = force[touching] * (at - centre) / np.hypot(*(at - centre))
    of = cell(joint.tables, 0, 0.04)
    for j in range(touching + 1):
        lever = at - (points[j] + link(H, bends[j], params.radius)[1] * left[j])
        moment = total_moment(joint, bends[j], pressure, of)[0]
        assert lever[0] * push[1] - lever[1] * push[0] == pytest.approx(moment, rel=2e-3)


@pytest.mark.parametrize("pressure", [10e3, 15e3])
def test_agrees_with_the_quasistatic_model_in_contact(
    round_wall: Environment, thin: VineParams, pressure: float
) -> None:
    """Grown past a circle and held, both models have the tip within 1 mm, some millimetres from where it is without pivots."""
    ends = []
    for model in (
        Impulse(round_wall, replace(thin, inertia=Inertia(growth_rate=0.05))),
        QuasiStatic(round_wall, thin),
        Impulse(round_wall, replace(thin, physics="published")),
    ):
        grown = model.grow(model.start(1, 20), steered(20, pressure), 0.45, 0.45)
        assert grown.status[0] == Status.GROWN
        held = model.grow(grown.state(np.array([0]), np.array([0])), steered(20, pressure), 0.0, 0.1)
        assert held.contact_force.sum() > 0.1
        ends.append(held.tips[0, 0, :2])
    assert np.hypot(*(ends[0] - ends[1])) < 1e-3
    assert np.hypot(*(ends[2] - ends[1])) > 5e-3


def test_energy_of_an_undamped_tube_never_rises(environment: MakeEnvironment, params: VineParams) -> None:
    """Let go bent half as far again as its actuators hold it, a tube without damping swings and never gains energy."""
    segments, pressure, base = 16, 15e3, np.zeros(3)
    propagator = Impulse(environment(), replace(params, inertia=Inertia(damping_time=0.0)), step=2e-3)
    joint, work = propagator.joint, new_work(segments, segments + 1)
    rest = float(free_curvature(joint, pressure, 0.04)) * H
    angles = np.full(segments, 1.5 * rest)
    vine = new_actuated_vine(joint, angles, np.full(segments, pressure), np.full(segments, 0.04))
    start(work, propagator.tube, vine, base, segments, H)
    grid, of = np.linspace(0.0, 4 * rest, 20_001), cell(joint.tables, 0, 0.04)
    moments = np.array([total_moment(joint, bend, pressure, of)[0] for bend in grid])
    stored = np.concatenate([[0.0], np.cumsum((moments[1:] + moments[:-1]) / 2 * np.diff(grid))])
    model, energies, kinetic = ImpulseModel(propagator.scene, joint, propagator.tube, base), [], []
    for _ in range(150):
        kinetic.append(kinetic_energy(work.bodies, segments + 1))
        energies.append(np.interp(angles, grid, stored).sum() + kinetic[-1])
        take_step(model, vine, work, Span(segments, H, 0, 0.0), None)
    least = segments * np.interp(rest, grid, stored)
    assert max(kinetic) > 0.2 * (energies[0] - least)
    assert np.diff(energies).max() <= 1e-9 * (energies[0] - least)
