"""Candidates for the search tree: recorded states of a batch of growing vines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.jumps import follows_jump
from dynamics.pinned import follow_pinning
from dynamics.tube import VineParams
from dynamics.vine import Integers, Rollout, Status
from planner.search.pages import PAGE, pages_for
from planner.search.tree import Candidates, Counts
from surrogate.kernels.compiled import Floats

UNFINISHED = 10
"""Number of records before the end of a growth from which it may continue."""
MayImprove = Callable[[Floats, Counts, Integers], NDArray[np.bool_]]
"""Whether vines with some tips, actuators and numbers of segments may still lead to a better solution."""


@dataclass(frozen=True, slots=True)
class GrowingVines:
    """Vines that grow from nodes, one per row."""

    nodes: Integers
    segments: Integers
    """Before they grow, shape (n,)."""
    controls: NDArray[np.int32]
    """Control of each segment, shape (n, width)."""
    straight: NDArray[np.bool_]
    """Whether they grow without an actuator, shape (n,)."""
    least: Floats
    """Length by which they must grow to end a valid section [m], shape (n,)."""
    actuators: Counts
    """Number of actuators of the grown vines, shape (n,)."""
    tips: Floats
    """x, y of the tips before [m], shape (n, 2)."""
    jumped: NDArray[np.bool_]
    """Whether the nodes have jumped, shape (n,)."""


def find_candidates(
    rollout: Rollout,
    batch: GrowingVines,
    params: VineParams,
    may_improve: MayImprove,
    maximal: bool = True,
    pinned: bool = False,
) -> Candidates:
    """Select records that end a valid section and may still lead to a better solution; none of vines that broke down.

    Args:
        maximal: Whether every recorded state may become a node, not only the last of each vine.
        pinned: Whether vines may go on whose tips were pinned in this growth.
    """
    trusted, full = np.where(rollout.broken < 0, rollout.records, 0), params.segment_length
    vine, record = np.nonzero(np.arange(rollout.segments.shape[1]) < trusted[:, None])
    if not maximal:
        last = record == rollout.records[vine] - 1
        vine, record = vine[last], record[last]
    segments, tips = rollout.segments[vine, record], rollout.tips[vine, record]
    actuators = batch.actuators[vine]
    enough = (segments - batch.segments[vine]) * full >= batch.least[vine]
    whole = np.isclose(rollout.last_length[vine, record], full)
    # A vine that has grown without an actuator need not do so again from its intermediate records. Where the growth
    # was cut off it may continue, from any of the last records, because any of them may become the witness's node.
    goes_on = (record + UNFINISHED >= rollout.records[vine]) & (rollout.status[vine] == Status.GROWN)
    stuck = np.zeros(rollout.tips.shape[:2], bool) if pinned else follow_pinning(rollout, params)
    goes_on &= ~stuck[vine, np.maximum(rollout.records[vine] - 1, 0)]
    straight = batch.straight[vine] & ~goes_on
    marked = batch.jumped[:, None] | follows_jump(rollout, batch.tips, full * batch.segments.astype(float), params)
    fits = enough & whole & ~stuck[vine, record] & may_improve(tips, actuators, segments)
    vine, record = vine[fits], record[fits]
    # Only as wide as the longest of them: the rows of all records take most of the memory of a search.
    width = PAGE * int(pages_for(segments[fits].max(initial=1)))
    return Candidates(
        rollout.angles[:, :, :width][vine, record], batch.controls[:, :width][vine],
        segments[fits], tips[fits], actuators[fits], straight[fits],
        marked[vine, record], batch.nodes[vine], vine, record, np.zeros((len(vine), 0), bool),
    )  # fmt: skip
