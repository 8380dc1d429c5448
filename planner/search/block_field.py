"""Length of the shortest path of a tube's axis to the goal in large environments: a fine lattice, joined to blocks."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from dynamics.vine import Integers
from environments.environment import Environment
from planner.search.distance_field import SHORTER
from planner.search.free_lattice import Lattice, Mask, free_points
from surrogate.kernels.compiled import Floats, compiled

MOST_POINTS = 20_000_000
"""Maximum number of points of the fine lattice, of one byte each: more get a coarser one, in which narrow passages may be closed."""
CLOSED = 0.71
"""Least distance of free points from obstacles, in steps of the lattice [-]: no two neighbours are on two sides of a thin wall then."""
LARGEST_BLOCK = 15
"""Maximum number of points along the side of a block: its parts have numbers of one byte."""

Labels = NDArray[np.uint8]
Nodes = NDArray[np.int32]


class BlockField:
    """Approximate length that a tip still has to grow to the goal; its axis keeps the tube's clearance from obstacles.

    A path runs through the free points of a fine lattice, as in `DistanceField`, so that thin walls are closed. Free points of a square
    block that are connected within it are one place, in the middle of them: lengths are about as accurate as a block is wide. As there,
    they are those of the shortest way along eight directions, shortened so that in the open the straight line is longer.
    """

    def __init__(
        self, environment: Environment, clearance: float, reach: float, points: int, most_blocks: int, longest: float
    ) -> None:
        """Compute the field (less than a second for an environment of 100 m by 50 m).

        Args:
            clearance: Least distance of the tube's axis from obstacles [m].
            reach: Distance from the goal's centre within which a tip is in the goal [m].
            points: Lattice points per clearance, as far as there are not too many.
            most_blocks: Maximum number of blocks, unless they would be larger than `LARGEST_BLOCK`.
            longest: Maximum length of a tube [m]: what is farther from the start in a straight line is left out.
        """
        start = np.tile(environment.start[:2], 2) + longest * np.array([-1, -1, 1, 1])
        bounds = np.asarray(environment.bounds, float)
        low, high = np.maximum(bounds[:2], start[:2]), np.minimum(bounds[2:], start[2:])
        self.goal, self.reach = np.asarray(environment.goal[:2], float), reach
        step = max(clearance / points, float(np.sqrt(np.prod(high - low) / MOST_POINTS)))
        self._lattice = Lattice(float(low[0]), float(low[1]), step)
        rows, columns = (int(side) for side in np.ceil((high - low) / step) + 1)
        free = free_points(self._lattice, (rows, columns), environment.solids, max(clearance - step, CLOSED * step))
        self.side = min(max(math.ceil(math.sqrt(rows * columns / most_blocks)), 1), LARGEST_BLOCK)
        self._labels, self._first, middle = _divide(free, self.side)
        sources = self._goal_nodes(free)
        self._left = np.full(len(middle), np.inf)
        if len(sources):
            ends = _joined(self._labels, self._first, self.side)
            apart = (middle[ends[0], axis] - middle[ends[1], axis] for axis in range(2))
            lengths = SHORTER * step * np.hypot(*apart)
            graph = coo_array((lengths, (ends[0], ends[1])), shape=(len(middle), len(middle))).tocsr()
            self._left = dijkstra(graph, directed=False, indices=sources, min_only=True)

    @property
    def step(self) -> float:
        """Distance of points of the fine lattice [m]."""
        return self._lattice.step

    def remaining(self, tips: Floats) -> Floats:
        """Remaining length from tips to the goal [m], shape (...): at least the straight line to the goal's edge, negative
        inside; that line where no path is known.

        Args:
            tips: x, y [m], shape (..., 2).
        """
        straight = np.linalg.norm(tips - self.goal, axis=-1) - self.reach
        near = np.rint((tips - self._lattice[:2]) / self.step).astype(np.int64)
        row, column = near[..., 0], near[..., 1]
        inside = (row >= 0) & (row < self._labels.shape[0]) & (column >= 0) & (column < self._labels.shape[1])
        row, column = np.where(inside, row, 0), np.where(inside, column, 0)
        label = np.where(inside, self._labels[row, column], 0).astype(np.int64)
        known = label > 0
        node = np.where(known, self._first[row // self.side, column // self.side] + label - 1, 0)
        around = (
            np.where(known, self._left[node] - self.side * self.step, np.inf)
            if len(self._left)
            else np.full(known.shape, np.inf)
        )
        return np.where(np.isfinite(around) & (straight > 0.0), np.maximum(straight, around), straight)

    def _goal_nodes(self, free: Mask) -> Integers:
        """Return the nodes with points in the goal, or at least nearest to its centre; none if it is nowhere free."""
        x, y, step = self._lattice
        middle = np.rint((self.goal - [x, y]) / step).astype(int)
        wide = math.ceil(self.reach / step) + 2
        first = np.clip(middle - wide, 0, free.shape)
        last = np.clip(middle + wide + 1, 0, free.shape)
        i, j = np.meshgrid(np.arange(first[0], last[0]), np.arange(first[1], last[1]), indexing="ij")
        away = np.hypot(x + step * i - self.goal[0], y + step * j - self.goal[1])
        chosen = free[i, j] & (away <= max(self.reach, step))
        i, j = i[chosen], j[chosen]
        return np.unique(self._first[i // self.side, j // self.side] + self._labels[i, j].astype(np.int64) - 1)


def _divide(free: Mask, side: int) -> tuple[Labels, Integers, Floats]:
    """Divide the free points of each block into connected parts, which are the nodes of a graph.

    Returns:
        Number of the part of each point within its block, from 1, and 0 where it is not free; the first node of each block; and the
        middle of each node, in points, shape (nodes, 2).
    """
    blocks = -(-free.shape[0] // side), -(-free.shape[1] // side)
    labels, first = np.zeros(free.shape, np.uint8), np.zeros(blocks, np.int64)
    nodes = int(_label(free, side, labels, first, np.empty(side * side, np.int64)))
    sums = np.zeros((nodes, 3))
    _add_up(labels, first, side, sums)
    return labels, first, sums[:, :2] / sums[:, 2:]


@compiled()
def _label(free: Mask, side: int, labels: Labels, first: Integers, stack: Integers) -> int:
    """Label the points of each block, see `_divide`; returns the number of nodes."""
    nodes, rows, columns = 0, free.shape[0], free.shape[1]
    for a in range(first.shape[0]):
        for b in range(first.shape[1]):
            first[a, b] = nodes
            left, low = a * side, b * side
            right, high = min(left + side, rows), min(low + side, columns)
            part = 0
            for i in range(left, right):
                for j in range(low, high):
                    if not free[i, j] or labels[i, j] > 0:
                        continue
                    part += 1
                    labels[i, j] = part
                    stack[0] = i * columns + j
                    waiting = 1
                    while waiting > 0:
                        waiting -= 1
                        at_i, at_j = stack[waiting] // columns, stack[waiting] % columns
                        for next_i in range(max(at_i - 1, left), min(at_i + 2, right)):
                            for next_j in range(max(at_j - 1, low), min(at_j + 2, high)):
                                if free[next_i, next_j] and labels[next_i, next_j] == 0:
                                    labels[next_i, next_j] = part
                                    stack[waiting] = next_i * columns + next_j
                                    waiting += 1
            nodes += part
    return nodes


@compiled()
def _add_up(labels: Labels, first: Integers, side: int, sums: Floats) -> None:
    """Sum the indices of the points of each node, and count them."""
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            if labels[i, j] > 0:
                node = first[i // side, j // side] + labels[i, j] - 1
                sums[node, 0] += i
                sums[node, 1] += j
                sums[node, 2] += 1.0


def _joined(labels: Labels, first: Integers, side: int) -> tuple[Nodes, Nodes]:
    """Return the pairs of nodes of neighbouring blocks with points beside each other, each pair once."""
    count = int(_join(labels, first, side, np.empty((0, 2), np.int32)))
    pairs = np.empty((count, 2), np.int32)
    _join(labels, first, side, pairs)
    nodes = int(pairs.max(initial=0)) + 1
    # In place where it can be, because a large environment has millions of pairs; `unique` takes much longer too.
    key = pairs[:, 0].astype(np.int64)
    key *= nodes
    key += pairs[:, 1]
    del pairs
    key.sort()
    key = key[np.diff(key, prepend=-1) > 0]
    return (key // nodes).astype(np.int32), (key % nodes).astype(np.int32)


@compiled()
def _join(labels: Labels, first: Integers, side: int, pairs: Nodes) -> int:
    """Write pairs of nodes, see `_joined`, some more than once; returns their number.

    Args:
        pairs: Of length 0 to count.
    """
    count, rows, columns = 0, labels.shape[0], labels.shape[1]
    for a in range(first.shape[0]):
        for b in range(first.shape[1]):
            left, low = a * side, b * side
            right, high = min(left + side, rows), min(low + side, columns)
            # Along the side towards larger x, with the diagonals to other blocks, then along that towards larger y.
            if right < rows:
                count = _join_points(
                    labels, first, side, (right - 1, low, 0, 1), high - low, (1, low - 1, high), pairs, count
                )
            if high < columns:
                count = _join_points(
                    labels, first, side, (left, high - 1, 1, 0), right - left, (0, left, right - 1), pairs, count
                )
    return count


@compiled(forceinline=True)
def _join_points(
    labels: Labels,
    first: Integers,
    side: int,
    line: tuple[int, int, int, int],
    length: int,
    across: tuple[int, int, int],
    pairs: Nodes,
    count: int,
) -> int:
    """Join the points of one side of a block with those beside them; returns the number of pairs then.

    Args:
        line: Row and column of the first point, and the steps to the next.
        length: Number of points.
        across: 1 if the points beside them are in the next row, 0 if in the next column; the first and the last place along the side.
    """
    before_one, before_other = -1, -1
    for k in range(length):
        i, j = line[0] + k * line[2], line[1] + k * line[3]
        if labels[i, j] == 0:
            continue
        one = first[i // side, j // side] + labels[i, j] - 1
        at = j if across[0] == 1 else i
        for beside in range(max(at - 1, across[1], 0), min(at + 1, across[2]) + 1):
            next_i, next_j = (i + 1, beside) if across[0] == 1 else (beside, j + 1)
            if next_j >= labels.shape[1] or labels[next_i, next_j] == 0:
                continue
            other = first[next_i // side, next_j // side] + labels[next_i, next_j] - 1
            if one == before_one and other == before_other:
                continue
            before_one, before_other = one, other
            if len(pairs) > 0:
                pairs[count, 0], pairs[count, 1] = one, other
            count += 1
    return count
