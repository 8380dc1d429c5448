"""Replays that go on where earlier replays with the same beginning were recorded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.propagator import Propagator
from dynamics.vine import MOST_SNAPS, Integers, Rollout, VineState
from planner.design.catalogue import Catalogue
from planner.search.controls import actuation
from surrogate.kernels.compiled import Floats

MOST = 1000
"""Maximum number of beginnings that are kept: about 10 MB of vines of 200 segments."""


class Beginning(NamedTuple):
    """The replay of a vine up to a length of s whole segments."""

    angles: Floats
    """Bends there [rad], shape (s,)."""
    last_length: Floats
    """Length of the last segment at each record [m], shape (s,)."""
    tips: Floats
    """Tips at the end of each segment: x [m], y [m], heading [rad], shape (s, 3)."""
    snaps: Floats
    """Snap-throughs, see `Rollout.snaps`, shape (snaps, 4)."""
    snapping: Floats
    """See `Rollout.snapping`, shape (snaps, s)."""


NOTHING = Beginning(np.zeros(0), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 0)))


class Beginnings:
    """Grows vines from the start, with the results of `Propagator.grow` to the last bit, but each beginning only once.

    That needs a propagator whose growth from a record depends on nothing else, see `Propagator.resumes`; others grow every vine from
    its start.
    """

    def __init__(self, propagator: Propagator, catalogue: Catalogue) -> None:
        self.propagator, self.catalogue = propagator, catalogue
        self._known: OrderedDict[bytes, Beginning] = OrderedDict()

    def grow(self, controls: NDArray[np.int32], segments: Integers, marks: Sequence[Sequence[int]]) -> Rollout:
        """Grow vines, recorded at the end of every segment.

        Args:
            controls: Control of each segment, shape (n, width).
            segments: Number of segments of each vine, shape (n,).
            marks: Numbers of segments of each vine, descending, at which others may branch off.
        Returns:
            Records of the whole vines; bends and contact forces only of what was grown now, as are the numbers of steps.
        """
        full, width = self.propagator.params.segment_length, controls.shape[1]
        start = self.propagator.start(len(segments), width)
        if not self.propagator.resumes:
            return self.propagator.grow(start, actuation(controls, self.catalogue), segments * full, full)
        begun = [self._longest(own, at) for own, at in zip(controls, marks, strict=True)]
        before = np.array([len(one.angles) for one in begun])
        angles, last_length = np.zeros((len(segments), width)), np.zeros(len(segments))
        for row, one in enumerate(begun):
            angles[row, : before[row]] = one.angles
            last_length[row] = one.last_length[-1] if before[row] else 0.0
        state = VineState(angles, np.maximum(before, 1), last_length, start.pivots)
        carried = actuation(controls, self.catalogue)
        rollout = self.propagator.grow(state, carried, (segments - before) * full, full)
        whole = _join(begun, rollout, int(segments.max(initial=1)))
        for row, at in enumerate(marks):
            self._remember(controls[row], whole, row, [one for one in at if one > before[row]])
        return whole

    def _longest(self, controls: NDArray[np.int32], marks: Sequence[int]) -> Beginning:
        for mark in marks:
            key = controls[:mark].tobytes()
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        return NOTHING

    def _remember(self, controls: NDArray[np.int32], rollout: Rollout, row: int, marks: Sequence[int]) -> None:
        full = self.propagator.params.segment_length
        assert rollout.snaps is not None
        assert rollout.snapping is not None
        for mark in marks:
            if mark <= rollout.records[row] and rollout.last_length[row, mark - 1] > full - 1e-6:
                past = rollout.snaps[row, :, 0] <= mark * full + 1e-9
                self._known[controls[:mark].tobytes()] = Beginning(
                    rollout.angles[row, mark - 1, :mark].copy(),
                    rollout.last_length[row, :mark].copy(),
                    rollout.tips[row, :mark].copy(),
                    rollout.snaps[row, past].copy(),
                    rollout.snapping[row, past, :mark].copy(),
                )
        while len(self._known) > MOST:
            self._known.popitem(last=False)


def _join(begun: Sequence[Beginning], rollout: Rollout, most: int) -> Rollout:
    """Join beginnings and what grew from them, with room for a number of records, also of vines that ended before."""
    assert rollout.snaps is not None
    assert rollout.snapping is not None
    before = np.array([len(one.angles) for one in begun])
    records, (n, _, width) = before + rollout.records, rollout.angles.shape
    angles, force, tips = np.zeros((n, most, width)), np.zeros((n, most, width)), np.zeros((n, most, 3))
    segments, last_length = np.ones((n, most), np.int64), np.zeros((n, most))
    snaps, snapping = np.full((n, MOST_SNAPS, 4), np.nan), np.zeros((n, MOST_SNAPS, width))
    for row, one in enumerate(begun):
        first, end, grown = before[row], records[row], rollout.records[row]
        segments[row, :first], last_length[row, :first], tips[row, :first] = (
            np.arange(1, first + 1),
            one.last_length,
            one.tips,
        )
        for whole, part in (
            (angles, rollout.angles),
            (force, rollout.contact_force),
            (tips, rollout.tips),
            (segments, rollout.segments),
            (last_length, rollout.last_length),
        ):
            whole[row, first:end] = part[row, :grown]
        new = ~np.isnan(rollout.snaps[row, :, 0])
        both = np.concatenate([one.snaps, rollout.snaps[row, new]])[:MOST_SNAPS]
        snaps[row, : len(both)] = both
        known = min(len(one.snaps), MOST_SNAPS)
        snapping[row, :known, : one.snapping.shape[1]] = one.snapping[:known]
        snapping[row, known : len(both)] = rollout.snapping[row, new][: len(both) - known]
    return Rollout(
        angles, segments, last_length, tips, force, records, rollout.status, rollout.steps, rollout.broken,
        rollout.pivots, snaps, snapping, rollout.relaxations,
    )  # fmt: skip
