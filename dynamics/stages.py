"""Growth in stages: vines whose actuation changes while they grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.propagator import Propagator
from dynamics.vine import MOST_SNAPS, Actuation, Integers, Rollout, Status, VineState, to_host
from surrogate.kernels.compiled import Floats

ALONG = 1e-9
"""Tolerance of the length at the end of a segment [m]."""
Grow = Callable[[Integers, VineState, Actuation, float], Rollout]
"""Function that grows vines of a batch, given their rows, states and actuation, by a length [m], recorded at the end of every segment."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Growth under one actuation."""

    until: float
    """Length at its end [m]. Where that is the length at its beginning, the vines are held until they are at rest."""
    actuation: Actuation
    """Actuation of each vine of the batch."""


def growth_function(propagator: Propagator) -> Grow:
    """Return the function that grows vines by a propagator."""
    full = propagator.params.segment_length
    return lambda _, state, actuation, length: propagator.grow(state, actuation, length, full)


def grow_in_stages(propagator: Propagator, grow: Grow, start: VineState, stages: Sequence[Stage]) -> Rollout:
    """Grow vines from the base through stages, recorded at the end of every segment, and at the end.

    A vine whose growth ends within a stage is in no later one. Where growth begins at rest (`Capabilities.rests`), a vine is not
    held before it. Arrays of the result are in host memory.

    Args:
        propagator: The model that `grow` uses.
        grow: See `Grow`; `growth_function` for the planned world.
        start: Vines of zero length.
    """
    parts, length, segment_length = _StagedRollout(start), 0.0, propagator.params.segment_length
    rests = propagator.capabilities.rests and propagator.params.physics == "corrected"
    for stage in stages:
        if rests and stage.until == length and stage is not stages[-1]:
            parts.hold()
            continue
        for until in _stops(length, stage.until, segment_length):
            rows = np.flatnonzero(parts.status == Status.GROWN)
            if not len(rows):
                return parts.join()
            rollout = grow(rows, parts.state(rows), stage.actuation.of(rows), until - length)
            last = until == stage.until and stage is stages[-1]
            if until == length:
                parts.hold()
            parts.add(rows, rollout, last or (until > length and _ends_segment(until, segment_length)))
            length = until
    return parts.join()


def _stops(begin: float, end: float, segment_length: float) -> list[float]:
    """Lengths up to which to grow in turn [m]: the first at the end of a segment, so that the next records are there too."""
    next_end = segment_length * np.ceil(begin / segment_length + ALONG)
    whole = _ends_segment(begin, segment_length) or next_end >= end - ALONG
    return [end] if whole else [float(next_end), end]


def _ends_segment(length: float, segment_length: float) -> bool:
    return abs(length - segment_length * round(length / segment_length)) < ALONG


class _StagedRollout:
    """Rollouts of one batch after each other."""

    def __init__(self, start: VineState) -> None:
        self._state = start
        batch, self._room = to_host(start.angles).shape
        self._parts: list[tuple[Integers, Rollout, Integers, bool]] = []
        self._held = False
        self.status: Integers = np.full(batch, int(Status.GROWN))
        """`Status` of each vine, `GROWN` while it grows, shape (batch,)."""

    def state(self, rows: Integers) -> VineState:
        """Return the present states of vines."""
        of, pivots = self._state, self._state.pivots
        return VineState(
            of.angles[rows], of.segments[rows], of.last_length[rows], None if pivots is None else pivots[rows]
        )

    def hold(self) -> None:
        """Note that the vines are held since their last record."""
        self._held = True

    def add(self, rows: Integers, rollout: Rollout, recorded: bool) -> None:
        """Add a rollout of vines.

        Args:
            recorded: Whether the record at its end is kept, also for vines that continue to grow.
        """
        self.status[rows] = rollout.status
        kept = rollout.records - (0 if recorded else (rollout.status == Status.GROWN).astype(np.int64))
        self._parts.append((rows, rollout, kept, self._held))
        self._held = self._held and not kept.any()
        grown = np.flatnonzero(rollout.records)
        last, whole = rollout.state(grown, rollout.records[grown] - 1), self._state
        angles, segments, lengths = to_host(whole.angles).copy(), whole.segments.copy(), whole.last_length.copy()
        pivots = np.zeros(angles.shape) if whole.pivots is None else whole.pivots.copy()
        angles[rows[grown]], segments[rows[grown]] = to_host(last.angles), last.segments
        lengths[rows[grown]] = last.last_length
        if last.pivots is not None:
            pivots[rows[grown]] = last.pivots
        self._state = VineState(angles, segments, lengths, pivots)

    def join(self) -> Rollout:
        """Join all rollouts into one."""
        batch, room = len(self.status), self._room
        count = np.zeros(batch, np.int64)
        for rows, _, kept, _ in self._parts:
            count[rows] += kept
        # Vines that never grow have an empty record, as in a rollout of one stage.
        most = int(count.max(initial=1))
        angles, force = np.zeros((2, batch, most, room))
        segments, tips = np.ones((batch, most), np.int64), np.zeros((batch, most, 3))
        last_length, needed = np.zeros((batch, most)), np.zeros((batch, most))
        steps, relaxations, broken = np.zeros(batch, np.int64), np.zeros(batch, np.int64), np.full(batch, -1)
        held_at, known = np.zeros((batch, most), bool), np.zeros(batch, np.int64)
        snaps, snapping = np.full((batch, MOST_SNAPS, 4), np.nan), np.full((batch, MOST_SNAPS, room), np.nan)
        for rows, part, kept, held in self._parts:
            vine, record = np.nonzero(np.arange(part.segments.shape[1]) < kept[:, None])
            to = rows[vine], known[rows[vine]] + record
            angles[to], force[to] = to_host(part.angles)[vine, record], to_host(part.contact_force)[vine, record]
            segments[to], tips[to] = part.segments[vine, record], part.tips[vine, record]
            last_length[to], held_at[to] = part.last_length[vine, record], held & (record == 0)
            if part.needed_force is not None:
                needed[to] = part.needed_force[vine, record]
            known[rows] += kept
            steps[rows] += part.steps
            relaxations[rows] += 0 if part.relaxations is None else part.relaxations
            broken[rows] = part.broken
            _add_snaps(snaps, snapping, rows, part)
        parts = [part for _, part, _, _ in self._parts]
        return Rollout(
            angles, segments, last_length, tips, force, count, self.status, steps, broken, self._state.pivots,
            snaps if all(part.snaps is not None for part in parts) else None,
            snapping if all(part.snapping is not None for part in parts) else None,
            relaxations if all(part.relaxations is not None for part in parts) else None,
            needed if all(part.needed_force is not None for part in parts) else None,
            held_at,
        )  # fmt: skip


def _add_snaps(snaps: Floats, snapping: Floats, rows: Integers, part: Rollout) -> None:
    """Append the snap-throughs of a rollout to those of its vines, as far as there is room."""
    if part.snaps is None or part.snapping is None:
        return
    for vine, row in enumerate(rows.tolist()):
        known: NDArray[np.bool_] = ~np.isnan(part.snaps[vine, :, 0])
        first = int((~np.isnan(snaps[row, :, 0])).sum())
        count = min(int(known.sum()), MOST_SNAPS - first)
        snaps[row, first : first + count] = part.snaps[vine, known][:count]
        snapping[row, first : first + count] = part.snapping[vine, known][:count]
