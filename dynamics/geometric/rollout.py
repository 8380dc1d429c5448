"""Geometric growth of segmented vines: each record is a separate deployment from the base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynamics.chain import finite, forward_kinematics, new_chain
from dynamics.geometric.deployment import grow_turns
from dynamics.geometric.hinges import HingeTube
from dynamics.geometric.segments import keep_off_corners, lay_segments
from dynamics.geometric.trace import Trace, new_trace
from dynamics.geometric.walls import Walls
from dynamics.growth import GROWN, NOT_FINITE, OUT_OF_BOUNDS, STALLED, UNRESOLVED
from dynamics.links import link_lengths
from dynamics.moment import JointMoments
from dynamics.records import Recorder, Records, record
from dynamics.vine import VineState
from surrogate.kernels.compiled import Floats
from surrogate.kernels.interruption import check_cut

CLOSE = 1e-10
"""Lengths agree when they differ by no more [m]."""
MOST_CORRECTIONS = 16
"""Deployments of one record. In the first half of them turns move to where the centreline, as bent, has them. A vine that touches in
another order then may go back and forth: in the second half turns stay, and only the length is corrected."""


class FreeBends(NamedTuple):
    """Shape of a vine in free space, shape (max_segments,) each."""

    curvature: Floats
    """Turn of each segment per length of its film [1/m]."""
    pivots: Floats
    """Distance of each joint's pivot from the centreline [m], see `dynamics.links.link`."""


def place_turns(free: Floats, along: Floats) -> Floats:
    """Return the distances of all joints from the base along the centreline [m], from those where there is a tube already.

    Args:
        free: Distances in free space [m], shape (joints,).
        along: Distances of the joints that are grown [m], shape (grown,).
    """
    grown = min(len(along), len(free))
    return np.concatenate([along[:grown], free[grown:] + (along[grown - 1] - free[grown - 1])])


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
        bends: FreeBends,
        length: float,
        record_every: float,
        records: Records,
    ) -> tuple[int, int, int]:
        """Grow vine b of a batch by a length [m]; return its number of records, `Status`, and number of deployments.

        Args:
            angles: Receives its bends [rad], shape (max_segments,).
        """
        full, most = self.joint.segment_length, len(angles)
        before = (state.segments[b] - 1) * full + state.last_length[b]
        chain, forces, needed, trace = new_chain(most), np.zeros(most), np.zeros(1), new_trace(most, 0)
        recorder, index, status = Recorder(records, angles, chain, forces, needed), 0, GROWN
        for step in range(1, len(records.angles) + 1):
            check_cut()
            grown = min(step * record_every, length)
            grown = length if length - grown < CLOSE else grown
            status, count, last = self.deploy(bends, before + grown, trace, angles)
            lost = status in (OUT_OF_BOUNDS, UNRESOLVED)
            if not lost and (count - 1) * full + last < before - CLOSE:
                angles[:] = state.angles[b]  # not reachable from the base: the vine is stuck
                count, last, status = state.segments[b], state.last_length[b], STALLED
            angles[count:] = 0.0
            forces[:] = 0.0
            forces[count - 1] = 0.0 if lost else self.tip_force(trace)
            needed[0] = 0.0 if lost else self.moment / self.tube.reach * trace.ends[3]
            heading = forward_kinematics(chain, angles, bends.pivots, self.pose, count, last, full)
            if not finite(chain, count, forces, records.broken):
                return index, NOT_FINITE, step
            if lost:
                break
            index = record(recorder, index, count, heading)
            if status != GROWN or grown >= length:
                break
        return index, status, index

    def deploy(self, bends: FreeBends, length: float, trace: Trace, angles: Floats) -> tuple[int, int, float]:
        """Grow a vine from its base to a length of film [m]; return its status, number of segments and last segment's film [m].

        Every steered segment is a turn at its joint. Segments cut the corners where the body bends, so the body is slightly
        longer than the segments. The centrelines of segments under actuators or in preformed bends are shorter than their film, by
        their bends: where contact changes these, the turns beyond come sooner or later.
        """
        full, most = self.joint.segment_length, len(angles)
        count = max(int(np.ceil(length / full - 1e-9)), 1)
        films = np.minimum(full, length - full * np.arange(count))
        turns, shortened = bends.curvature[:count] * films, bool(bends.pivots.any())
        lost = np.concatenate([[0.0], np.cumsum(films - link_lengths(films, turns, bends.pivots[:count]))])
        free = full * np.arange(count) - lost[:-1]
        at, body, turning, along = free, length - lost[-1], turns != 0, np.empty(most)
        x, y, heading = map(float, self.pose)
        first = self.first_heading if length > self.walls.spared else heading
        for trial in range(MOST_CORRECTIONS):
            status = grow_turns(self.walls, self.tube, (x, y, first), body, at[turning], turns[turning], trace)
            keep_off_corners(trace, full, self.tube.radius, self.tolerance)
            is_grown = status == GROWN
            laid, last = lay_segments(trace, full, count if is_grown else most, heading, bends.pivots, angles, along)
            missing = length - (laid - 1) * full - last if is_grown else 0.0
            before, body = at, body + missing
            at = place_turns(free, along[:laid]) if shortened and 2 * trial < MOST_CORRECTIONS else at
            if abs(missing) < CLOSE and np.abs(at - before).max() < CLOSE:
                break
        angles[laid:] = 0.0
        return (status, count, length - (count - 1) * full) if is_grown else (status, laid, last)

    def tip_force(self, trace: Trace) -> float:
        """Normal force on the tip [N]: the force that bends the tube or, if it is stuck, the largest that growth can exert."""
        angle, lever = trace.ends[1], trace.ends[2]
        if np.isnan(angle) or lever == np.inf:
            return 0.0
        return float(
            self.moment / lever if lever > 0 else self.moment / self.tube.reach * trace.ends[3] / np.sin(angle)
        )
