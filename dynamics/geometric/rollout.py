"""Vines of segments grown by geometry: each record is a deployment of its own, from the base."""

from __future__ import annotations

import numpy as np

from dynamics.chain import new_chain, place
from dynamics.geometric.deployment import GROWN, OUT_OF_BOUNDS, STALLED, UNRESOLVED, grow_turns
from dynamics.geometric.hinges import Tube
from dynamics.geometric.segments import keep_off_corners, lay_segments
from dynamics.geometric.trace import Trace, new_trace
from dynamics.geometric.walls import Walls
from dynamics.moment import JointMoments, free_curvature
from dynamics.records import Records, of_vine, record
from dynamics.vine import Integers
from surrogate.compiled import Floats

CLOSE = 1e-10
"""Lengths agree when they differ by no more [m]."""
MOST_CORRECTIONS = 8


def grow_one(
    b: int,
    walls: Walls,
    tube: Tube,
    joint: JointMoments,
    moment: float,
    tolerance: float,
    pose: Floats,
    angles: Floats,
    segments: Integers,
    last_length: Floats,
    pressure: Floats,
    l_0: Floats,
    lengths: Floats,
    record_every: float,
    records: Records,
    outcome: Integers,
) -> None:
    """Grow vine b of a batch; `outcome` takes records, status and deployments of each, shape (batch, 3).

    Args:
        moment: Largest restoring moment of the tube [N m].
        tolerance: For penetration [m].
    """
    given, most = angles[b].copy(), angles.shape[1]
    curvature = free_curvature(joint, pressure[b], l_0[b])
    segment_length = joint.segment_length
    before = (segments[b] - 1) * segment_length + last_length[b]
    mine, index, status = of_vine(records, b), 0, GROWN
    trace, chain, forces = new_trace(most, 0), new_chain(most), np.zeros(most)
    target = before
    for step in range(1, mine.angles.shape[0] + 1):
        target = before + min(step * record_every, lengths[b])
        if before + lengths[b] - target < CLOSE:
            target = before + lengths[b]
        bends = angles[b]
        status, count, last = deploy_to(walls, tube, tolerance, segment_length, pose, curvature, target, trace, bends)
        if status in (OUT_OF_BOUNDS, UNRESOLVED):
            break
        if (count - 1) * segment_length + last < before - CLOSE:
            bends[:] = given  # grown otherwise: from here on it is stuck
            count, last, status = segments[b], last_length[b], STALLED
        bends[count:] = 0.0
        forces[:] = 0.0
        forces[count - 1] = tip_force(trace, moment, tube)
        heading = place(chain, bends, pose, count, last, segment_length)
        index = record(mine, index, bends, chain, count, heading, forces)
        if status != GROWN or target >= before + lengths[b]:
            break
    outcome[b, 0], outcome[b, 1], outcome[b, 2] = index, status, index


def deploy_to(
    walls: Walls,
    tube: Tube,
    tolerance: float,
    segment_length: float,
    pose: Floats,
    curvature: Floats,
    length: float,
    trace: Trace,
    angles: Floats,
) -> tuple[int, int, float]:
    """Grow a vine of segments from its base to a length [m]: its status, segments and last segment's length [m].

    Every steered segment is a turn at its joint. Segments cut the corners that the body bends at, so the body is a
    little longer than they are.
    """
    count = max(int(np.ceil(length / segment_length - 1e-9)), 1)
    at = segment_length * np.arange(count)
    turns = curvature[:count] * np.minimum(segment_length, length - at)
    at, turns = at[turns != 0], turns[turns != 0]
    start = (float(pose[0]), float(pose[1]), float(pose[2]))
    body, status, last = length, GROWN, 0.0
    for _ in range(MOST_CORRECTIONS):
        status = grow_turns(walls, tube, start, body, at, turns, trace)
        keep_off_corners(trace, segment_length, tube.radius, tolerance)
        if status != GROWN:
            laid, last = lay_segments(trace, segment_length, len(angles), pose[2], angles)
            return status, laid, last
        _, last = lay_segments(trace, segment_length, count, pose[2], angles)
        missing = length - (count - 1) * segment_length - last
        body += missing
        if abs(missing) < CLOSE:
            break
    return status, count, length - (count - 1) * segment_length


def tip_force(trace: Trace, moment: float, tube: Tube) -> float:
    """Normal force on the tip [N]: what bends the tube, or, where it is stuck, what the growth can press it with."""
    angle, lever = trace.ends[1], trace.ends[2]
    if np.isnan(angle) or lever == np.inf:
        return 0.0
    return moment / lever if lever > 0 else moment / tube.reach / np.sin(angle)
