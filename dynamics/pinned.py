"""Pinned tips: a tip that stays in place while the tube grows, so that the tube behind it buckles."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dynamics.tube import VineParams
from dynamics.vine import Rollout
from surrogate.kernels.compiled import Floats, compiled

PINNED = 0.25
"""Growth over which the motion of a tip is compared, for the prototype [m]."""
LEAST_MOTION = 0.3
"""Least distance from the tip before to the tip after that growth, over the growth [-]: a tip that gets less far is pinned."""


def pinned_growth(params: VineParams) -> float:
    """Return the growth over which the motion of a tube's tip is compared [m]."""
    return PINNED * params.scale


@compiled()
def records_between(growth: float, record_every: float) -> int:
    """Number of records in which a vine grows by some length; 0 if that is infinite, so that no tip is pinned."""
    return max(int(growth / record_every + 0.5), 1) if growth < math.inf else 0


@compiled()
def is_pinned(tips: Floats, recorded: int, between: int, growth: float) -> bool:
    """Whether the tip of a vine is pinned at its last record.

    Args:
        tips: Poses of its records, shape (records, 3).
        recorded: Number of records.
        between: Number of records from one of the tips that are compared to the other; 0 if no tip is pinned.
        growth: Growth from one record to the next [m].
    """
    if between == 0 or recorded <= between:
        return False
    now, before = recorded - 1, recorded - 1 - between
    return math.hypot(tips[now, 0] - tips[before, 0], tips[now, 1] - tips[before, 1]) < LEAST_MOTION * between * growth


@compiled()
def _mark_pinned(tips: Floats, between: int, growth: float, marked: NDArray[np.bool_]) -> None:
    for vine in range(tips.shape[0]):
        for record in range(between, tips.shape[1]):
            before = marked[vine, record - 1]
            marked[vine, record] = before or is_pinned(tips[vine], record + 1, between, growth)


def follow_pinning(rollout: Rollout, params: VineParams) -> NDArray[np.bool_]:
    """Mask of the records at which a tip is or was pinned since its growth began, shape (vines, records).

    Args:
        rollout: Recorded at the end of every segment; beyond the last record of a vine the result means nothing.
    """
    full = params.segment_length
    marked = np.zeros(rollout.tips.shape[:2], bool)
    _mark_pinned(rollout.tips, records_between(pinned_growth(params), full), full, marked)
    return marked
