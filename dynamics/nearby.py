"""Lists of the segments of a tube that are near each other, valid until a joint has moved far enough to change them.

Every point of a segment moves no farther than the farther moved of its two ends. Two segments whose axes were farther apart than a
reach and a spare distance are therefore still beyond the reach while no joint has moved by more than half of the spare distance (the
lists of Verlet, Phys. Rev. 159, 1967, 98, with joints for atoms). The segment that grows is listed in its full length, so growth does
not count as motion.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.chain import Chain
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled

SPARE = 0.6
"""Spare distance, in radii [-]: with more, lists are longer; with less, they are made more often."""
RUNS = 4
"""Maximum number of runs of near segments that are kept apart for each segment; further ones are joined to the last."""
JOINED = 3
"""Near segments with fewer others than this between them are one run."""


class Blocks(NamedTuple):
    """Lists of near segments, and the joints for which they were made."""

    seen: Floats
    """Joints [m] when they were listed, and length of the segment that follows [m], shape (max_segments + 1, 3)."""
    boxes: Floats
    """Box around each block of segments [m]: least x and y, largest x and y, shape (max_segments, 4)."""
    runs: Integers
    """Runs of inner segments near each segment: the first, and the last plus 1, shape (max_segments, RUNS, 2)."""
    numbers: Integers
    """Number of runs of each segment, shape (max_segments,)."""
    near: Integers
    """Segments with at least one run, in ascending order, shape (max_segments,)."""
    listed: Integers
    """Number of segments for which lists were made, and of entries of `near`, shape (2,)."""


def new_blocks(max_segments: int) -> Blocks:
    """Allocate the lists of a tube of up to `max_segments` segments: nothing is listed."""
    return Blocks(
        np.empty((max_segments + 1, 3)),
        np.empty((max_segments, 4)),
        np.empty((max_segments, RUNS, 2), np.int64),
        np.empty(max_segments, np.int64),
        np.empty(max_segments, np.int64),
        np.zeros(2, np.int64),
    )


@compiled()
def near_segments(chain: Chain, segments: int, reach: float, radius: float, least: int, blocks: Blocks) -> int:
    """Bring the lists up to date; returns the number of entries of `Blocks.near`.

    The runs contain every pair of segments, `least` or more apart, whose axes are nearer to each other than the reach; also others.

    Args:
        reach: [m]; the same in every call with the same `blocks`, as are `radius` and `least`.
    """
    xs, ys, seen, listed, last, full = chain.x, chain.y, blocks.seen, blocks.listed, segments - 1, chain.film[0]
    tip_x, tip_y = xs[last] + full * chain.cosine[last], ys[last] + full * chain.sine[last]
    spare, known, moved = SPARE * radius, listed[0], 0.0
    if known <= segments:
        for i in range(known):
            dx, dy = xs[i] - seen[i, 0], ys[i] - seen[i, 1]
            moved = max(moved, dx * dx + dy * dy)
        if known > 0:
            dx, dy = (tip_x, tip_y) if known == segments else (xs[known], ys[known])
            dx, dy = dx - seen[known, 0], dy - seen[known, 1]
            moved = max(moved, dx * dx + dy * dy)
    if known == 0 or known > segments or moved > 0.25 * spare * spare:
        known = listed[1] = 0
        seen[0, 0], seen[0, 1] = xs[0], ys[0]
    for b in range(known, segments):
        x, y = (tip_x, tip_y) if b == last else (xs[b + 1], ys[b + 1])
        dx, dy = x - seen[b, 0], y - seen[b, 1]
        seen[b + 1, 0], seen[b + 1, 1], seen[b, 2] = x, y, math.sqrt(dx * dx + dy * dy)
        _list(blocks, b, reach + spare, least)
    listed[0] = segments
    return int(listed[1])


@compiled()
def _list(blocks: Blocks, b: int, reach: float, least: int) -> None:
    """List the inner segments that are nearer than the reach to segment b; all before it are listed."""
    seen, boxes, runs, listed = blocks.seen, blocks.boxes, blocks.runs, blocks.listed
    size = max(least - 2, 1)
    j = b // size
    low_x, high_x = min(seen[b, 0], seen[b + 1, 0]), max(seen[b, 0], seen[b + 1, 0])
    low_y, high_y = min(seen[b, 1], seen[b + 1, 1]), max(seen[b, 1], seen[b + 1, 1])
    if b % size == 0:
        boxes[j, 0], boxes[j, 1], boxes[j, 2], boxes[j, 3] = low_x, low_y, high_x, high_y
    boxes[j, 0], boxes[j, 1] = min(boxes[j, 0], low_x), min(boxes[j, 1], low_y)
    boxes[j, 2], boxes[j, 3] = max(boxes[j, 2], high_x), max(boxes[j, 3], high_y)
    low_x, low_y, high_x, high_y = low_x - reach, low_y - reach, high_x + reach, high_y + reach
    # The same block and the one before come first: their boxes overlap.
    number = _list_some(seen, runs, b, max(j - 1, 0) * size, b - least + 1, reach, 0, 0)
    own = number
    for i in range(j - 1):
        if boxes[i, 0] <= high_x and boxes[i, 1] <= high_y and boxes[i, 2] >= low_x and boxes[i, 3] >= low_y:
            number = _list_some(seen, runs, b, i * size, min((i + 1) * size, b - least + 1), reach, own, number)
    blocks.numbers[b] = number
    if number > 0:
        blocks.near[listed[1]] = b
        listed[1] += 1


@compiled()
def _list_some(seen: Floats, runs: Integers, b: int, first: int, end: int, reach: float, own: int, number: int) -> int:
    """List those of the segments from `first` up to `end` that are near segment b; returns its number of runs.

    Args:
        own: Number of leading runs that must not be continued.
        number: Number of runs so far.
    """
    x, y, length = seen[b, 0] + seen[b + 1, 0], seen[b, 1] + seen[b + 1, 1], seen[b, 2]
    for a in range(first, end):
        # Twice the distance of their middles, against twice the reach and their lengths.
        dx, dy = x - seen[a, 0] - seen[a + 1, 0], y - seen[a, 1] - seen[a + 1, 1]
        far = 2.0 * reach + length + seen[a, 2]
        if dx * dx + dy * dy >= far * far:
            continue
        if number > own and (a - runs[b, number - 1, 1] < JOINED or number == RUNS):
            runs[b, number - 1, 1] = a + 1
        else:
            runs[b, number, 0], runs[b, number, 1] = a, a + 1
            number += 1
    return number
