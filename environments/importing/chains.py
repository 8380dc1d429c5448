"""Closed outlines from open lines whose ends meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

JOIN = 1e-4
"""Ends of lines closer than this are one corner [m]."""


def close_chains(lines: Sequence[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray], float]:
    """Join lines that follow one another around an area, such as the four sides of a rectangle.

    Only corners at which exactly two ends meet belong to an outline: where three meet, it is not defined. Lines shorter than `JOIN` are
    left out.

    Args:
        lines: Points of open curves, each of shape (n, 2) [m].

    Returns:
        Closed curves, the lines that belong to none, and the largest gap that was closed [m].
    """
    # Both ends of a line that is shorter than a corner is wide are at that corner: it would seem that three lines meet there.
    lines = [line for line in lines if np.hypot(*np.diff(line, axis=0).T).sum() > JOIN]
    if not lines:
        return [], [], 0.0
    ends = np.array([line[[0, -1]] for line in lines])
    corner = _corners(ends.reshape(-1, 2)).reshape(-1, 2)
    _, whole = connected_components(
        coo_array((np.ones(len(lines)), (corner[:, 0], corner[:, 1])), shape=(corner.max() + 1,) * 2), directed=False
    )
    group = whole[corner[:, 0]]
    degree = np.bincount(corner.ravel(), minlength=len(whole))
    broken = np.zeros(whole.max() + 1, bool)
    broken[whole[degree != 2]] = True
    rings, gap = [], 0.0
    order = np.argsort(group, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        if not broken[group[members[0]]]:
            ring, widest = _join_ring(members.tolist(), lines, corner)
            rings.append(ring)
            gap = max(gap, widest)
    return rings, [line for line, open_ in zip(lines, broken[group], strict=True) if open_], gap


def _corners(ends: np.ndarray) -> np.ndarray:
    """Return the number of the corner at which each end is, shape (n,)."""
    # Ends are first put into cells, so that many in one place do not make pairs with one another.
    cells, cell = np.unique(np.round(ends / (JOIN / 4)), axis=0, return_inverse=True)
    pairs = cKDTree(cells).query_pairs(4, output_type="ndarray")
    joined = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(cells),) * 2)
    return connected_components(joined, directed=False)[1][cell.ravel()]


def _join_ring(members: list[int], lines: Sequence[np.ndarray], corner: np.ndarray) -> tuple[np.ndarray, float]:
    """Join lines that form a ring into one closed curve; of two ends that meet, the end of the next line counts."""
    at: dict[int, list[int]] = {}
    for k in members:
        for c in corner[k].tolist():
            at.setdefault(c, []).append(k)
    k, end = members[0], int(corner[members[0], 0])
    parts: list[np.ndarray] = []
    for _ in members:
        forward = int(corner[k, 0]) == end
        parts.append(lines[k] if forward else lines[k][::-1])
        end = int(corner[k, 1 if forward else 0])
        k = at[end][1] if at[end][0] == k else at[end][0]
    gap = max(float(np.hypot(*(a[-1] - b[0]))) for a, b in zip(parts, [*parts[1:], parts[0]], strict=True))
    return np.concatenate([*(part[:-1] for part in parts), parts[0][:1]]), gap
