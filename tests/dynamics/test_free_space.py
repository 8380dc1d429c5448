"""Free space: every propagator that takes sections gives a tube one shape, whatever bends it."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.links import link_lengths
from dynamics.moment import free_curvature, joint_moments
from dynamics.propagator import Propagator
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.registry import load_propagator, propagators
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status, centerlines, pivots_of
from surrogate.kernels.compiled import Floats
from surrogate.registry import actuators
from tests.conftest import MakeEnvironment

SECTIONED = [name for name in propagators() if load_propagator(name).capabilities.sections]
SEGMENTS = 40
CELL, PRESSURE = 0.042, 20e3
LENGTH = 1.0
KINDS = tuple(actuators())
FORMED = 4.0
"""Turn per length of film of a preformed bend [1/m], less than `dynamics.preformed.largest_turn`."""


def tube(*kinds: str) -> VineParams:
    first, *others = (actuators()[kind]() for kind in kinds)
    return VineParams(actuator=first, others=tuple(others))


def arcs(kind: int = 0) -> Actuation:
    """One side all along, two sides in turn, and a section between bare parts."""
    along = np.arange(SEGMENTS)
    pressure = PRESSURE * np.stack([np.ones(SEGMENTS), np.where(along // 8 % 2, -1.0, 1.0), (along > 9) & (along < 24)])
    return Actuation(pressure, np.full_like(pressure, CELL), kind=np.full(pressure.shape, kind))


def bends() -> Actuation:
    """Preformed bends in place of the sections of `arcs`."""
    rest = arcs().pressure / PRESSURE * FORMED
    return Actuation(np.zeros_like(rest), np.full_like(rest, CELL), rest)


def mixture() -> Actuation:
    """Sections of all actuators to both sides, with bare parts and preformed bends between them."""
    part = np.arange(SEGMENTS) // 4
    side = np.array([1, 0, -1, 1, 0, -1, 1, -1, 0, 1])[part] * np.array([[1.0], [-1.0]])
    formed = np.isin(part, (3, 7))
    pressure = np.where(formed, 0.0, PRESSURE * side)
    kind = np.broadcast_to(part % len(KINDS), side.shape)
    return Actuation(pressure, np.full_like(pressure, CELL), np.where(formed, FORMED * side, 0.0), kind.copy())


VINES = {
    **{kind: (tube(kind), arcs()) for kind in KINDS},
    "preformed": (tube("spam"), bends()),
    "mixed": (tube(*KINDS), mixture()),
}


def free_tips(params: VineParams, carried: Actuation, start: Floats) -> Floats:
    """Tips of chains in which each joint has the bend without moment, and each link the length that it leaves, shape (vines, 3)."""
    turn = free_curvature(joint_moments(params), carried.pressure, carried.l_0, carried.kind)
    turn = params.segment_length * (turn if carried.rest is None else turn + carried.rest)
    length = link_lengths(np.full_like(turn, params.segment_length), turn, pivots_of(carried.sides, params.pivot))
    heading = start[2] + np.cumsum(turn, axis=1)
    moves = length[..., None] * np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    return np.column_stack([start[:2] + moves.sum(axis=1), heading[:, -1]])


@pytest.mark.parametrize("vines", VINES)
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.slow] * (one == "penalty")) for one in SECTIONED]
)
def test_a_free_tube_has_one_shape_in_every_model(name: str, vines: str, environment: MakeEnvironment) -> None:
    """Its tip is within 1 mm per metre of that of the chain of shortened links, and its centreline ends there."""
    params, carried = VINES[vines]
    room = environment(start=(0.2, -0.1, 0.7), bounds=(-3, -3, 3, 3))
    model: Propagator = load_propagator(name)(room, params)
    rollout = model.grow(model.start(len(carried.pressure), SEGMENTS), carried, LENGTH, LENGTH / 2)
    assert (rollout.status == Status.GROWN).all()
    found = rollout.tips[np.arange(len(rollout.records)), rollout.records - 1]
    expected = free_tips(params, carried, room.start)
    apart = np.hypot(*(found - expected)[:, :2].T)
    assert apart.max() < 1e-3 * LENGTH
    state = rollout.state(np.arange(len(found)), rollout.records - 1)
    ends = centerlines(state, room.start, params)[np.arange(len(found)), state.segments]
    np.testing.assert_allclose(ends, found[:, :2], atol=1e-8)


def test_a_tube_that_touches_nothing_takes_long_steps_to_the_same_place(environment: MakeEnvironment) -> None:
    """However short its step is near walls: it takes as few as the margin of contacts allows, until it reaches a wall."""
    params, carried = VINES["spam"]
    room = environment(start=(0.2, -0.1, 0.7), bounds=(-3, -3, 3, 3))
    walled = environment(boxes=[(-3.0, 0.3, 3.0, 0.4)], start=(0.2, -0.1, 0.7), bounds=(-3, -3, 3, 3))
    default, fine = QuasiStatic(room, params), QuasiStatic(room, params).refined(8)
    grown = [one.grow(one.start(3, SEGMENTS), carried, LENGTH, LENGTH / 40) for one in (default, fine)]
    assert (grown[0].steps == grown[1].steps).all()
    assert (grown[0].steps <= SEGMENTS * np.ceil(params.segment_length / default.tube.most_motion)).all()
    np.testing.assert_allclose(grown[0].tips, grown[1].tips, atol=1e-9)
    near = QuasiStatic(walled, params).refined(8)
    touching = near.grow(near.start(3, SEGMENTS), carried, LENGTH, LENGTH / 40)
    reached = np.flatnonzero(touching.contact_force[0].max(axis=1) > 0)[0]
    np.testing.assert_allclose(touching.tips[0, : reached - 1], grown[0].tips[0, : reached - 1], atol=1e-4)
    assert touching.steps[0] > 2 * grown[0].steps[0]
