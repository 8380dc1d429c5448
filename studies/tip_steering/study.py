"""Tip steering: a vine passes a narrow passage, stops, and its tip is steered (paper 002, supplement, Fig. S.12)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dynamics.moment import free_curvature, joint_moments
from dynamics.propagator import Propagator
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status, centerlines, grown_length
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from surrogate.kernels.compiled import Floats

SPARE = 3e-3
"""Gap between tube and passage on either side [m]."""
STRAIGHT, STEERED, GROWN_ON = 0.4, 0.4, 0.2
"""Lengths of the bare tube, of the steered tube that follows, and of the final growth [m]."""
CELL = 42e-3
"""Cell length of the actuators [m]."""
RISING = (5e3, 10e3, 15e3, 35e3)
"""Pressures applied in sequence on one side [Pa]."""
MOVES = (
    (0.0, STRAIGHT + STEERED),
    *((pressure, 0.0) for pressure in (*RISING, *RISING[-2::-1], 0.0, *(-pressure for pressure in RISING))),
    (-RISING[-1], GROWN_ON),
)
"""Pressure [Pa], positive to the left, and length to grow at it [m]: through the passage, left, back, right, and further growth."""


@dataclass(frozen=True, slots=True, eq=False)
class SteeringStage:
    """The vine at rest at one pressure."""

    pressure: float
    """Pressure of the distal part's actuators [Pa], positive to the left."""
    length: float
    """Length of the whole tube [m]."""
    joints: Floats
    """Joints from base to tip [m], shape (n, 2)."""
    heading: float
    """Heading of the tip relative to the straight vine [rad]."""
    free: float
    """Heading of the tip without obstacles, relative to the straight vine [rad]."""
    status: Status


def make_passage(params: VineParams) -> Environment:
    """Make a wall with a passage slightly wider than the tube, and a goal behind the wall."""
    gap = params.radius + SPARE
    walls = (box_corners(0.3, gap, 0.5, 0.35), box_corners(0.3, -0.5, 0.5, -gap))
    return Environment(
        name="tip steering",
        description="A narrow passage; the goal is not straight behind it.",
        bounds=np.array([0.0, -0.5, 1.05, 0.35]),
        start=np.array([0.05, 0.0, 0.0]),
        goal=np.array([0.71, -0.42, 0.05]),
        obstacles=Obstacles(walls, np.empty((0, 3)), np.empty((0, 5))),
    )


def cell_length(params: VineParams) -> float:
    """`CELL`, or the nearest cell length that this tube's actuators can have [m]."""
    limits = params.actuator.limits
    return min(max(CELL, limits.shortest_cell), limits.longest_cell)


def steer(
    moves: Sequence[tuple[float, float]], propagator: Propagator, environment: Environment, params: VineParams
) -> Iterator[SteeringStage]:
    """Apply moves such as `MOVES` to one vine: one stage for each, fewer if the propagator cannot continue.

    Args:
        moves: Pressures [Pa], and lengths to grow at them [m].
    """
    segments = math.ceil((STRAIGHT + STEERED + GROWN_ON) / params.segment_length - 1e-9)
    cell = cell_length(params)
    distal = (np.arange(segments) + 0.5) * params.segment_length > STRAIGHT
    joint, state = joint_moments(params), propagator.start(1, segments)
    for pressure, length in moves:
        actuation = Actuation(np.where(distal, pressure, 0.0)[None], np.full((1, segments), cell))
        rollout = propagator.grow(state, actuation, length, params.segment_length)
        if not rollout.records[0]:
            break
        state = rollout.state(np.array([0]), rollout.records - 1)
        turn = rollout.tips[0, rollout.records[0] - 1, 2] - environment.start[2]
        grown = float(grown_length(state, params)[0])
        free = float(free_curvature(joint, pressure, cell)) * (grown - STRAIGHT)
        joints = centerlines(state, environment.start, params)[0, : state.segments[0] + 1]
        yield SteeringStage(pressure, grown, joints, float(turn), free, Status(rollout.status[0]))
