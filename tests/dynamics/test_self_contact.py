"""Rollouts of tubes that meet their own body: they do not cross it. Shapely is the reference."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import shapely
from scipy.optimize import nnls

from dynamics.chain import forward_kinematics
from dynamics.growth import Span
from dynamics.moment import JointMoments, free_curvature, new_actuated_vine
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.quasistatic.step import new_work, set_up, solve, stiffen
from dynamics.self_contact import APART
from dynamics.touching import touch
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, centerlines
from environments import Environment
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]
RADIUS, FULL = 0.03335, 0.025
LEAST = int(np.ceil(APART * RADIUS / FULL))
"""Segments between two parts that can touch."""


def apart_from_itself(joints: Floats) -> float:
    """Least distance between the axes of two parts of a tube that can touch [m]."""
    inner, outer = np.triu_indices(len(joints) - 1, LEAST + 1)
    if not len(inner):
        return np.inf
    lines = shapely.linestrings(np.stack([joints[:-1], joints[1:]], axis=1))
    return float(shapely.distance(lines[inner], lines[outer]).min())


def shapes(rollout: Rollout, vine: int, start: Floats, params: VineParams) -> list[Floats]:
    """All recorded centrelines of a vine [m]."""
    records = np.arange(rollout.records[vine])
    lines = centerlines(rollout.state(np.full_like(records, vine), records), start, params)
    return [line[~np.isnan(line[:, 0])] for line in lines]


def grown(environment: Environment, params: VineParams, actuation: Actuation, length: float, every: float) -> Rollout:
    model = QuasiStatic(environment, params)
    return model.grow(model.start(*actuation.pressure.shape), actuation, length, every)


@pytest.fixture(scope="module")
def box(environment: MakeEnvironment) -> Environment:
    """Walls around a tube that has no room for long turns."""
    return replace(environment(bounds=(-0.3, -0.6, 1.0, 0.7), start=(-0.2, -0.4, 0.0)), edge="wall")


@pytest.fixture(scope="module")
def free(environment: MakeEnvironment) -> Environment:
    return environment(bounds=(-3.0, -3.0, 3.0, 3.0), start=(0.0, 0.0, 0.0))


def winding(segments: int, pressure: float = 35e3) -> Actuation:
    return Actuation(np.full((1, segments), pressure), np.full((1, segments), 0.04))


def test_a_coil_stays_beside_itself(free: Environment, params: VineParams, joint: JointMoments) -> None:
    """A tube of constant curvature meets its own base after a turn. Its parts never come nearer than a diameter, less the tolerance.

    Where it may lie on itself, or with the published physics, it winds over its base.
    """
    segments = 120
    carried = winding(segments)
    assert 2 * np.pi / free_curvature(joint, 35e3, 0.04) < 0.8 * segments * FULL
    rollout = grown(free, params, carried, segments * FULL, 0.02)
    lines = shapes(rollout, 0, free.start, params)
    assert rollout.status[0] in (Status.GROWN, Status.STALLED)
    assert len(lines) > 80
    least = min(map(apart_from_itself, lines))
    assert 2 * params.radius - params.penetration_tolerance <= least < 2 * params.radius + 5e-4
    for other, tube in ((replace(free, stacked=True), params), (free, replace(params, physics="published"))):
        crossing = grown(other, tube, carried, segments * FULL, 0.05)
        assert crossing.status[0] == Status.GROWN
        assert min(map(apart_from_itself, shapes(crossing, 0, free.start, tube))) == 0.0
        assert crossing.contact_force.max() == 0.0


def test_what_does_not_touch_itself_is_the_same(free: Environment, params: VineParams) -> None:
    """Up to the first contact all numbers are those of a tube that may lie on itself."""
    carried, length = winding(60), 60 * FULL
    one, two = (grown(place, params, carried, length, 0.05) for place in (free, replace(free, stacked=True)))
    assert min(map(apart_from_itself, shapes(one, 0, free.start, params))) > 2 * params.radius + 2e-3
    for name in ("angles", "tips", "steps", "relaxations", "contact_force"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


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


@pytest.mark.parametrize("segment_length", [FULL, pytest.param(12.5e-3, marks=pytest.mark.slow)])
def test_random_tubes_do_not_cross_themselves(box: Environment, params: VineParams, segment_length: float) -> None:
    """In no record of any vine are two parts nearer than a diameter less the tolerance, and nearly all vines find a rest."""
    tube = replace(params, segment_length=segment_length)
    segments = int(2.5 / segment_length)
    carried = random_winding(30, segments, 5)
    rollout = grown(box, tube, carried, 2.5, 0.02)
    assert (rollout.status <= Status.OUT_OF_BOUNDS).mean() > 0.9
    touching, nearest = 0, np.inf
    for vine in range(30):
        lines = shapes(rollout, vine, box.start, tube)
        inner, outer = np.triu_indices(segments, int(np.ceil(APART * RADIUS / segment_length)) + 1)
        for line in lines[:: 5 if segment_length < FULL else 1]:
            parts = shapely.linestrings(np.stack([line[:-1], line[1:]], axis=1))
            some = outer < len(parts)
            nearest = min(nearest, shapely.distance(parts[inner[some]], parts[outer[some]]).min(initial=np.inf))
        touching += rollout.contact_force[vine].max() > 0
    assert touching >= 10
    assert nearest >= 2 * params.radius - params.penetration_tolerance - 1e-9


def last_touching(
    free: Environment, params: VineParams
) -> tuple[QuasiStatic, Rollout, Actuation, list[tuple[int, int]]]:
    """Random vines that have grown, and those of their records in which they press on themselves."""
    carried, model = random_winding(20, 100, 11), QuasiStatic(free, params)
    rollout = model.grow(model.start(20, 100), carried, 2.5, 0.1)
    pressed = [
        (vine, record)
        for vine in range(20)
        for record in range(rollout.records[vine])
        if rollout.contact_force[vine, record].max() > 0.2
    ]
    return model, rollout, carried, pressed


def test_forces_of_a_rest_are_equal_and_opposite(free: Environment, params: VineParams) -> None:
    """Joints before all touching parts bend as in free space; forces on two parts sum to an even number of equal shares.

    All other moments are J' of some forces that push.
    """
    model, rollout, carried, pressed = last_touching(free, params)
    assert len(pressed) > 20
    work = new_work(100)
    alone = 0
    for vine, record in pressed:
        segments, last = int(rollout.segments[vine, record]), rollout.last_length[vine, record]
        state = new_actuated_vine(
            model.joint, rollout.angles[vine, record].copy(), carried.pressure[vine], carried.l_0[vine]
        )
        forward_kinematics(work.chain, state.angles, state.pivots, model.pose, segments, last, FULL)
        count = touch(model.scene, model.tube, segments, work)
        set_up(model.tube, model.joint, 0.0, state, work, Span(segments, last, count, 0.0))
        moment = -work.step.free[:segments] / work.step.inverse[:segments]
        near = np.flatnonzero(work.contacts.gap[:count] < 1e-3)
        found, chain = work.contacts, work.chain
        before = int(found.first[near].min())
        np.testing.assert_allclose(moment[:before], 0.0, atol=1e-6)
        joints = np.arange(segments)
        levers = np.array(
            [
                np.where(
                    (joints >= found.first[k]) & (joints <= found.segment[k]),
                    found.alpha[k]
                    + found.beta[k] * chain.pivot_x[:segments]
                    + found.gamma[k] * chain.pivot_y[:segments],
                    0.0,
                )
                for k in near
            ]
        )
        residual = moment - levers.T @ nnls(levers.T, moment)[0]

        assert np.abs(residual).max() < 5e-3
        solve(model.tube, work, Span(segments, last, count, 0.0), 0.0, 0, True)
        stiffen(state, work, Span(segments, last, count, 0.0))
        np.testing.assert_allclose(work.stiffening[:before], 0.0, atol=1e-9)  # it turns with both parts
        force = rollout.contact_force[vine, record]
        on = np.flatnonzero(force)
        if len(on) == 2:
            alone += 1
            assert force[on[0]] == force[on[1]]
            assert on[1] - on[0] > LEAST
    assert alone >= 3


@pytest.mark.parametrize("length", [0.0, 0.1])
def test_a_state_that_crosses_itself_is_refused(free: Environment, params: VineParams, length: float) -> None:
    """Axes that cross end at once, without a record; parts that are too near are pushed apart by the shorter way."""
    carried, model = winding(130), QuasiStatic(free, params)
    over = grown(replace(free, stacked=True), params, carried, 2.8, 5e-3)
    gaps = np.array([apart_from_itself(line) for line in shapes(over, 0, free.start, params)])
    near = np.flatnonzero((gaps > 1.2 * RADIUS) & (gaps < 1.9 * RADIUS))
    assert len(near)
    for record, status in ((len(gaps) - 1, Status.UNRESOLVED), (near[0], Status.GROWN), (near[-1], Status.GROWN)):
        rollout = model.grow(over.state(np.array([0]), np.array([record])), carried, length, 0.05)
        assert rollout.status[0] == status
        assert (rollout.records[0] > 0) == (status == Status.GROWN)
        lines = shapes(rollout, 0, free.start, params)
        assert all(apart_from_itself(line) >= 2 * RADIUS - params.penetration_tolerance for line in lines)
