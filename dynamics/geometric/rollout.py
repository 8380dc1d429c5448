"""Geometric growth of segmented vines: each record is a separate deployment from the base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynamics.chain import finite, forward_kinematics, new_chain
from dynamics.geometric.deployment import grow_turns
from dynamics.geometric.hinges import HingeTube
from dynamics.geometric.segments import keep_off_corners, lay_segments
from dynamics.geometric.trace import Trace, new_trace
from dynamics.geometric.walls import Walls
from dynamics.growth import GROWN, NOT_FINITE, OUT_OF_BOUNDS, STALLED, UNRESOLVED
from dynamics.moment import JointMoments
from dynamics.records import Recorder, Records, record
from dynamics.vine import VineState
from surrogate.kernels.compiled import Floats
from surrogate.kernels.interruption import check_cut

CLOSE = 1e-10
"""Lengths agree when they differ by no more [m]."""
MOST_CORRECTIONS = 8


@dataclass(frozen=True, slots=True, eq=False)
class SegmentedGrowth:
    """Grows segmented vines in one environment."""

    walls: Walls
    tube: HingeTube
    joint: JointMoments
    moment: float
    """Largest restoring moment of the tube [N m]."""
    tolerance: float
    """Penetration tolerance [m]."""
    pose: Floats
    """Pose of the base: x, y [m], heading [rad]."""
    first_heading: float
    """Heading of the first link [rad]: another one than the base's if the tube lies on the obstacle that it comes out of."""

    def grow(
        self,
        state: VineState,
        b: int,
        angles: Floats,
        curvature: Floats,
        length: float,
        record_every: float,
        records: Records,
    ) -> tuple[int, int, int]:
        """Grow vine b of a batch by a length [m]; return its number of records, `Status`, and number of deployments.

        Args:
            angles: Receives its bends [rad], shape (max_segments,).
            curvature: Curvature of each segment in free space [1/m], same shape.
        """
        full, most = self.joint.segment_length, len(angles)
        before = (state.segments[b] - 1) * full + state.last_length[b]
        chain, forces, needed, trace = new_chain(most), np.zeros(most), np.zeros(1), new_trace(most, 0)
        recorder, index, status = Recorder(records, angles, chain, forces, needed), 0, GROWN
        straight = np.zeros(most)  # links keep their length
        for step in range(1, len(records.angles) + 1):
            check_cut()
            grown = min(step * record_every, length)
            grown = length if length - grown < CLOSE else grown
            status, count, last = self.deploy(curvature, before + grown, trace, angles)
            lost = status in (OUT_OF_BOUNDS, UNRESOLVED)
            if not lost and (count - 1) * full + last < before - CLOSE:
                angles[:] = state.angles[b]  # not reachable from the base: the vine is stuck
                count, last, status = state.segments[b], state.last_length[b], STALLED
            angles[count:] = 0.0
            forces[:] = 0.0
            forces[count - 1] = 0.0 if lost else self.tip_force(trace)
            needed[0] = 0.0 if lost else self.moment / self.tube.reach * trace.ends[3]
            heading = forward_kinematics(chain, angles, straight, self.pose, count, last, full)
            if not finite(chain, count, forces, records.broken):
                return index, NOT_FINITE, step
            if lost:
                break
            index = record(recorder, index, count, heading)
            if status != GROWN or grown >= length:
                break
        return index, status, index

    def deploy(self, curvature: Floats, length: float, trace: Trace, angles: Floats) -> tuple[int, int, float]:
        """Grow a vine from its base to a length [m]; return its status, number of segments and last segment's length [m].

        Every steered segment is a turn at its joint. Segments cut the corners where the body bends, so the body is slightly
        longer than the segments.
        """
        full = self.joint.segment_length
        count = max(int(np.ceil(length / full - 1e-9)), 1)
        at = full * np.arange(count)
        turns = curvature[:count] * np.minimum(full, length - at)
        at, turns = at[turns != 0], turns[turns != 0]
        x, y, heading = map(float, self.pose)
        body, status = length, GROWN
        first = self.first_heading if length > self.walls.spared else heading
        for _ in range(MOST_CORRECTIONS):
            status = grow_turns(self.walls, self.tube, (x, y, first), body, at, turns, trace)
            keep_off_corners(trace, full, self.tube.radius, self.tolerance)
            if status != GROWN:
                return status, *lay_segments(trace, full, len(angles), heading, angles)
            _, last = lay_segments(trace, full, count, heading, angles)
            missing = length - (count - 1) * full - last
            body += missing
            if abs(missing) < CLOSE:
                break
        return status, count, length - (count - 1) * full

    def tip_force(self, trace: Trace) -> float:
        """Normal force on the tip [N]: the force that bends the tube or, if it is stuck, the largest that growth can exert."""
        angle, lever = trace.ends[1], trace.ends[2]
        if np.isnan(angle) or lever == np.inf:
            return 0.0
        return float(
            self.moment / lever if lever > 0 else self.moment / self.tube.reach * trace.ends[3] / np.sin(angle)
        )
