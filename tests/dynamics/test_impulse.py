"""The impulse propagator: a tube with inertia that grows at its tip, against the quasi-static one, statics and energy."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import shapely
from scipy.integrate import cumulative_trapezoid

from dynamics.chain import forward_kinematics
from dynamics.contacts import find_contacts
from dynamics.growth import Span
from dynamics.impulse.bodies import kinetic_energy
from dynamics.impulse.growing import add_segment, start
from dynamics.impulse.model import ImpulseModel, new_work
from dynamics.impulse.propagator import Impulse
from dynamics.impulse.step import set_springs, take_step
from dynamics.moment import free_curvature, joint_moments, new_actuated_vine, restoring_moment
from dynamics.propagator import CannotRun
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import Inertia, VineParams
from dynamics.vine import Actuation, Rollout, Status, centerlines, grown_length
from environments import Environment

HINGE = VineParams().hinge_length

MakeEnvironment = Callable[..., Environment]


def passive(segments: int, batch: int = 1) -> Actuation:
    return Actuation(np.zeros((batch, segments)), np.full((batch, segments), 0.04))


def steered(segments: int, *pressures: float) -> Actuation:
    """One vine a pressure [Pa], the same all along."""
    return Actuation(
        np.repeat(np.array(pressures)[:, None], segments, axis=1), np.full((len(pressures), segments), 0.04)
    )


def last_tips(rollout: Rollout) -> np.ndarray:
    return rollout.tips[np.arange(len(rollout.records)), rollout.records - 1]


@pytest.fixture(scope="module")
def wall(environment: MakeEnvironment) -> Environment:
    """A wall that a vine from the origin meets at a slant."""
    return environment(boxes=[[0.5, -0.6, 0.6, 0.9]], start=(0, 0, 0.6))


def test_whole_tube_stays_out_of_the_maze(shipped: dict[str, Environment], params: VineParams) -> None:
    """Steered at random through the maze, no part of any tube is 0.1 mm deep in an obstacle, in any record."""
    rng, segments, batch = np.random.default_rng(4), 70, 12
    place = shipped["maze"]
    pressure = np.repeat(rng.choice([-1, 0, 1], (batch, 7)) * rng.uniform(5e3, 35e3, (batch, 7)), 10, axis=1)
    propagator = Impulse(place, params)
    actuation = Actuation(pressure, np.full((batch, segments), 0.04))
    rollout = propagator.grow(propagator.start(batch, segments), actuation, 1.7, 0.01)
    solid, deepest = shapely.union_all(place.obstacles.shapes()), 0.0
    shapely.prepare(solid)
    for vine in range(batch):
        records = np.arange(rollout.records[vine])
        for line in centerlines(rollout.state(np.full(len(records), vine), records), place.start, params):
            axis = shapely.LineString(line[~np.isnan(line[:, 0])])
            deepest = max(deepest, params.radius - shapely.distance(axis, solid))
    assert rollout.contact_force.max() > 1.0
    assert -1e-3 < -deepest < 0.0  # they touched
    assert deepest < 1e-4


def test_agrees_with_the_quasistatic_propagator_where_it_moves_slowly(wall: Environment, params: VineParams) -> None:
    """Growing slowly along a wall, steered or not, the tip is within 2 mm of where the quasi-static model has it."""
    actuation = steered(44, 0.0, 9e3, -6e3)
    slow, static = Impulse(wall, replace(params, inertia=Inertia(growth_rate=0.05))), QuasiStatic(wall, params)
    tips = [last_tips(model.grow(model.start(3, 44), actuation, 1.1, 0.05)) for model in (slow, static)]
    np.testing.assert_allclose(tips[0], tips[1], atol=2e-3)
    free = QuasiStatic(replace(wall, obstacles=type(wall.obstacles)()), params)
    without = last_tips(free.grow(free.start(3, 44), actuation, 1.1, 0.05))
    assert np.hypot(*(tips[1] - without)[0, :2]) > 0.3


def test_growth_head_on_stalls_with_the_growth_force(environment: MakeEnvironment, params: VineParams) -> None:
    """Straight into a wall at a right angle the tube stops where its cap touches, pressing with the growth force."""
    place = environment(boxes=[[0.3, -1, 0.4, 1]])
    propagator = Impulse(place, params)
    rollout = propagator.grow(propagator.start(1, 24), passive(24), 0.5, 0.05)
    last = rollout.records[0] - 1
    assert rollout.status[0] == Status.STALLED
    assert rollout.tips[0, last, 0] == pytest.approx(0.3 - params.radius, abs=1e-4)
    assert rollout.contact_force[0, last].sum() == pytest.approx(params.growth_force, rel=1e-3)


def test_growth_slows_in_proportion_to_what_presses_on_the_tip(wall: Environment, params: VineParams) -> None:
    """Sliding along a wall, the tip grows slower by the share that the force against it has in the growth force."""
    weak = replace(params, growth_share=1.5 / 25.0 * params.growth_share)
    propagator = Impulse(wall, weak, step=1e-3)
    grown = propagator.grow(propagator.start(1, 24), passive(24), 0.59, 0.59)
    assert grown.status[0] == Status.GROWN
    segments, last_length, angles = int(grown.segments[0, 0]), float(grown.last_length[0, 0]), grown.angles[0, 0].copy()
    work, tube = new_work(24, 25), propagator.tube
    vine = new_actuated_vine(propagator.joint, angles, np.zeros(24), np.full(24, 0.04))
    start(work, tube, vine, np.asarray(wall.start), segments, last_length)
    forward_kinematics(work.chain, angles, vine.pivots, np.asarray(wall.start), segments, last_length, tube.segment)
    number = find_contacts(propagator.scene, tube.section, tube.margin, work.chain, segments, work.contacts)
    model = ImpulseModel(propagator.scene, propagator.joint, tube, np.asarray(wall.start))
    for _ in range(120):
        growth, dt, number = take_step(model, vine, work, Span(segments, last_length, number, 0.01), None)
        last_length += growth
    # Its mass has grown with it; a step begins with that of the length it sets out from.
    grown_mass = tube.mass_per_length * ((segments - 1) * tube.segment + last_length - growth)
    assert work.bodies.mass[: segments + 1].sum() == pytest.approx(grown_mass)
    against = work.forces.sum() * np.cos(work.bodies.pose[segments, 2])  # the wall faces the x axis
    assert against > 0.2
    assert 1 - growth / dt / tube.growth_rate == pytest.approx(against / weak.growth_force, rel=0.03)


def test_growth_to_an_end_is_as_fast_as_before(environment: MakeEnvironment, params: VineParams) -> None:
    """Less than a step's growth ends the step sooner; a little more than that is two even steps, none of them short."""
    propagator, base, angles = Impulse(environment(), params), np.zeros(3), np.zeros(4)
    tube, work = propagator.tube, new_work(4, 5)
    vine = new_actuated_vine(propagator.joint, angles, np.zeros(4), np.full(4, 0.04))
    start(work, tube, vine, base, 4, 0.0)
    model = ImpulseModel(propagator.scene, propagator.joint, tube, base)
    whole, last_length, took = tube.growth_rate * tube.time_step, 0.0, []
    for most in (10 * whole, 0.3 * whole, 1.01 * whole, 0.505 * whole, 10 * whole):
        growth, dt, _ = take_step(model, vine, work, Span(4, last_length, 0, most), None)
        last_length += growth
        took.append((growth / whole, dt / tube.time_step))
    np.testing.assert_allclose(took, np.repeat([[1], [0.3], [0.505], [0.505], [1]], 2, axis=1), rtol=1e-3)


def test_growing_segment_keeps_its_curvature(environment: MakeEnvironment, params: VineParams) -> None:
    """Steered in free space, the segment at the tip is bent in proportion to its length at every moment."""
    propagator = Impulse(environment(), params)
    rollout = propagator.grow(propagator.start(1, 12), steered(12, 20e3), 0.3, 0.005)
    records = np.arange(rollout.records[0])
    last = rollout.angles[0, records, rollout.segments[0, records] - 1] / rollout.last_length[0, records]
    curvature = free_curvature(joint_moments(params), 20e3, 0.04)
    np.testing.assert_allclose(last, curvature, rtol=2e-3)


def test_new_segment_moves_as_the_tube_did(environment: MakeEnvironment, params: VineParams) -> None:
    """When a segment is full, its body and those of the next one move as the rigid, growing segment did at their places."""
    propagator, base, angles = Impulse(environment(), params), np.zeros(3), np.zeros(4)
    angles[0], tube = 0.7, propagator.tube
    work, turn, growth = new_work(4, 5), 3.0, 0.1
    start(work, tube, new_actuated_vine(propagator.joint, angles, np.zeros(4), np.full(4, 0.04)), base, 1, HINGE)
    ahead, aside = np.array([np.cos(0.7), np.sin(0.7)]), np.array([-np.sin(0.7), np.cos(0.7)])
    pin = np.array([0.2, -0.3])
    work.bodies.velocity[0] = [*pin, turn]
    work.bodies.velocity[1] = [*(pin + turn * HINGE * aside + growth * ahead), turn]
    add_segment(work, tube, angles, base, 1)
    expected = [pin + turn * HINGE / 2 * aside, pin + turn * HINGE * aside, pin + turn * HINGE * aside + growth * ahead]
    np.testing.assert_allclose(work.bodies.velocity[:3, :2], expected, atol=1e-12)
    np.testing.assert_allclose(work.bodies.velocity[:3, 2], turn)
    np.testing.assert_allclose(work.bodies.pose[:3, :2], np.outer([HINGE / 2, HINGE, HINGE], ahead), atol=1e-12)


@pytest.mark.parametrize("pressure", [0.0, 12e3])
def test_tip_converges_with_more_segments(wall: Environment, params: VineParams, pressure: float) -> None:
    """The tube is the same whatever it is cut into: halving the segments halves what that changes at the tip."""
    tips = []
    for pieces in (1, 2, 4, 8):
        propagator = Impulse(wall, replace(params, segment_length=HINGE / pieces))
        rollout = propagator.grow(propagator.start(1, 36 * pieces), steered(36 * pieces, pressure), 0.9, 0.1)
        assert rollout.status[0] == Status.GROWN
        tips.append(last_tips(rollout)[0, :2])
    changes = np.hypot(*np.diff(tips, axis=0).T)
    np.testing.assert_allclose(changes[1:] / changes[:-1], 0.5, atol=0.1)


def test_contact_force_is_the_static_one_whatever_the_step(wall: Environment, params: VineParams) -> None:
    """Growing steadily along a wall, it presses as hard at every record as by the quasi-static model, within 10 %."""

    def pressing(model: Impulse | QuasiStatic) -> np.ndarray:
        rollout = model.grow(model.start(1, 36), passive(36), 0.9, 0.03)
        assert rollout.status[0] == Status.GROWN
        return rollout.contact_force[0, : rollout.records[0]].sum(axis=-1)

    static = pressing(QuasiStatic(wall, params))
    touching = static > 0.1
    assert touching.sum() >= 10
    for finer in (1, 4, 16):
        np.testing.assert_allclose(pressing(Impulse(wall, params, 0.01 / finer))[touching], static[touching], rtol=0.1)


def test_tips_converge_with_the_step(wall: Environment, params: VineParams) -> None:
    """Sliding along a wall, halving the step halves what that changes at any recorded tip: the method is of first order."""
    rollouts = [
        model.grow(model.start(1, 36), passive(36), 0.9, 0.03)
        for model in (Impulse(wall, params, 0.01 / finer) for finer in (1, 2, 4, 8))
    ]
    assert all(rollout.status[0] == Status.GROWN for rollout in rollouts)
    tips = np.stack([rollout.tips[0, :, :2] for rollout in rollouts])
    changes = np.linalg.norm(np.diff(tips, axis=0), axis=-1).max(axis=-1)
    np.testing.assert_allclose(changes[1:] / changes[:-1], 0.5, atol=0.05)


def test_energy_of_a_released_tube_never_rises(environment: MakeEnvironment, params: VineParams) -> None:
    """Let go bent far beyond wrinkling, a passive tube loses energy in every step, also where its joints soften."""
    segments, propagator = 20, Impulse(environment(), params)
    work, base = new_work(segments, segments + 1), np.zeros(3)
    angles = np.full(segments, 0.12)
    vine = new_actuated_vine(propagator.joint, angles, np.zeros(segments), np.full(segments, 0.04))
    start(work, propagator.tube, vine, base, segments, HINGE)

    grid = np.linspace(0.0, 0.5, 50_001)
    stored = cumulative_trapezoid(restoring_moment(grid, params), grid, initial=0.0)

    def energy() -> float:
        return float(np.interp(np.abs(angles), grid, stored).sum() + kinetic_energy(work.bodies, segments + 1))

    model = ImpulseModel(propagator.scene, propagator.joint, propagator.tube, base)
    energies, speeds = [energy()], [0.0]
    for _ in range(400):
        take_step(model, vine, work, Span(segments, HINGE, 0, 0.0), None)
        energies.append(energy())
        speeds.append(np.abs(work.bodies.velocity).max())
    assert max(speeds) > 1.0
    assert np.diff(energies).max() <= 1e-9 * energies[0]
    assert energies[-1] < 0.1 * energies[0]


def test_what_it_weighs_does_not_depend_on_its_pieces(environment: MakeEnvironment, params: VineParams) -> None:
    """Bodies of a half-grown tube weigh together what its length does, and so does its inertia about the base."""
    inertia = []
    for pieces in (1, 4):
        propagator, segments = Impulse(environment(), replace(params, segment_length=HINGE / pieces)), 10 * pieces
        work, tube, none = new_work(segments, segments + 1), propagator.tube, np.zeros(segments)
        start(
            work,
            tube,
            new_actuated_vine(propagator.joint, none, none, none),
            np.zeros(3),
            segments,
            0.6 * HINGE / pieces,
        )
        length = (segments - 0.4) * HINGE / pieces
        bodies = work.bodies
        assert bodies.mass[: segments + 1].sum() == pytest.approx(tube.mass_per_length * length)
        about_base = (bodies.inertia + bodies.mass * bodies.pose[:, 0] ** 2)[: segments + 1].sum()
        thin = tube.mass_per_length * (length**3 / 3 + length * params.radius**2 / 2)
        inertia.append(about_base / thin - 1)
    assert abs(inertia[0]) < 2e-3
    assert abs(inertia[1]) < abs(inertia[0]) / 8


def test_damping_is_the_stiffness_for_the_damping_time(environment: MakeEnvironment, params: VineParams) -> None:
    """Unwrinkled joints of full, short and half-grown segments: stiffness of the moment model, damping 0.01 s of that."""
    for pieces in (1, 4):
        propagator = Impulse(environment(), replace(params, segment_length=HINGE / pieces))
        work = new_work(3, 4)
        vine = new_actuated_vine(propagator.joint, np.zeros(3), np.zeros(3), np.full(3, 0.04))
        set_springs(propagator.joint, propagator.tube, vine, work.drive, Span(3, HINGE / pieces / 2, 0, 0.0), 0.0, 0.01)
        stiffness = float(restoring_moment(1e-3, params)) / 1e-3 * pieces * np.array([1, 1, 2])
        np.testing.assert_allclose(work.drive.stiffness[:3], stiffness, rtol=1e-9)
        np.testing.assert_allclose(work.drive.damping[:3], 0.01 * stiffness, rtol=1e-9)


def test_osqp_grows_the_same_tube(wall: Environment, params: VineParams) -> None:
    """From before the wall to beyond it, every step solved by OSQP: the tip is within 0.1 mm, and the grown lengths are the same."""
    banded, published = Impulse(wall, params), Impulse(wall, params, qp="osqp")
    before = banded.grow(banded.start(1, 30), passive(30), 0.5, 0.5).state(np.zeros(1, int), np.zeros(1, int))
    rollouts = [model.grow(before, passive(30), 0.1, 0.02) for model in (banded, published)]
    assert rollouts[0].contact_force[0, 0].max() == 0.0
    np.testing.assert_allclose(rollouts[0].tips, rollouts[1].tips, atol=1e-4)
    assert rollouts[0].contact_force.max() > 0.1
    lengths = [grown_length(r.state(np.zeros(1, int), r.records - 1), params) for r in rollouts]
    assert lengths[0] == pytest.approx(lengths[1])


def test_unknown_qp_is_refused(wall: Environment, params: VineParams) -> None:
    """A QP solver that there is not is named, with those there are."""
    with pytest.raises(CannotRun, match="'guess'; known: banded, osqp"):
        Impulse(wall, params, qp="guess")


def test_a_vine_that_ends_too_deep_has_no_segment_beyond_its_capacity(
    shipped: dict[str, Environment], params: VineParams
) -> None:
    """A soft tube that corners dent too deeply where it ends, with all its segments grown, is pushed out and has these segments."""
    pressure = np.concatenate([np.full(22, 10700.0), np.full(10, -4400.0), np.zeros(29)])
    l_0 = np.full(61, 0.0325)
    propagator = Impulse(shipped["maze"], replace(params, least_height=0.8))
    ends = []
    for capacity in (60, 61):
        carried = Actuation(pressure[None, :capacity], l_0[None, :capacity])
        rollout = propagator.grow(propagator.start(1, capacity), carried, 1.5, 1.5)
        assert rollout.status[0] == Status.GROWN
        ends.append((int(rollout.segments[0, 0]), rollout.tips[0, 0]))
    assert [segments for segments, _ in ends] == [60, 61]  # with room, it began another one meanwhile
    np.testing.assert_allclose(ends[0][1], ends[1][1], atol=1e-4)
