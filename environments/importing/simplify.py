"""Outlines with fewer corners, nowhere farther from the original outlines than a tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
_SLACK = 1 + 1e-9
"""A stair of half a cell stays within a tolerance of half a cell although numbers are rounded."""
_ROUNDS = 30
"""Lines that cross get more corners, this often."""
_TRIALS = 3
"""A polygon whose new outline still crosses itself is tried again with half the tolerance, this often in all; then it is kept."""


def simplify_polygons(polygons: Sequence[shapely.Polygon], tolerance: float) -> tuple[list[shapely.Polygon], float]:
    """Simplify polygons to fewer corners, each with as many holes as before.

    Corners at which outlines touch are kept. The middle of an edge that turns one way at one end and the other way at the other,
    as in the stairs of a slanted wall in a grid, may replace its ends: a slanted wall becomes one straight line.

    Args:
        polygons: Valid polygons [m].
        tolerance: Largest distance between an old and a new outline [m]; 0 changes nothing.
    Returns:
        The polygons, valid, and the largest distance between an old and a new outline, in both directions (Hausdorff) [m].
    """
    result, moved = list(polygons), 0.0
    left = np.arange(len(result))
    for trial in range(_TRIALS):
        if not (tolerance and len(left)):
            break
        limit = tolerance * _SLACK / 2**trial
        chains = _make_chains([result[index] for index in left], limit)
        distances = _thin_out(chains, limit)
        made, owner = _make_polygons(chains), chains.polygon[chains.ring]
        valid = shapely.is_valid(made)
        fewer = shapely.get_num_coordinates(made) < shapely.get_num_coordinates(result)[left]
        for index, polygon in zip(left[valid & fewer], made[valid & fewer], strict=True):
            result[index] = polygon
        moved = max(moved, float(distances[(valid & fewer)[owner]].max(initial=0.0)))
        left = left[~valid]
    return result, moved


@dataclass(frozen=True, slots=True, eq=False)
class _Chains:
    """The rings of all polygons, one after another; each ends with the point at which it begins."""

    points: Floats
    """Corners and middles of edges by turns, shape (n, 2) [m]."""
    allowed: Flags
    """Mask of the points that may be corners of the result, shape (n,); changed by `_thin_out`."""
    corner: Flags
    """Mask of the points that are corners of the result, shape (n,); changed by `_thin_out`."""
    ring: Indices
    """Ring of each point, shape (n,)."""
    polygon: Indices
    """Polygon of each ring, the outer one first, shape (rings,)."""


def _make_chains(polygons: Sequence[shapely.Polygon], limit: float) -> _Chains:
    """Return the rings, with three corners of the result in each and those where outlines touch."""
    rings, polygon = shapely.get_rings(shapely.remove_repeated_points(polygons), return_index=True)
    sizes = shapely.get_num_coordinates(rings) - 1
    corners = shapely.get_coordinates(rings)
    starts = np.cumsum(sizes) - sizes
    corners = np.delete(corners, np.cumsum(sizes + 1) - 1, axis=0)
    ring = np.repeat(np.arange(len(rings)), sizes)
    after = np.arange(1, len(corners) + 1)
    after[starts + sizes - 1] = starts
    points = np.stack([corners, (corners + corners[after]) / 2], axis=1).reshape(-1, 2)
    touching = _find_touching(corners)
    allowed = _select_allowed(corners, after, touching, limit)
    # Each ring begins at its leftmost point: that is a corner of the result.
    order = np.lexsort((points[:, 1], points[:, 0], ~allowed, np.repeat(ring, 2)))
    begin = order[2 * starts] - 2 * starts
    counts = 2 * sizes + 1
    first = np.cumsum(counts) - counts
    ring = np.repeat(np.arange(len(rings)), counts)
    place = np.arange(counts.sum()) - first[ring]
    index = 2 * starts[ring] + (begin[ring] + place) % (2 * sizes[ring])
    points, allowed = points[index], allowed[index]
    corner = np.stack([touching, np.zeros_like(touching)], axis=1).ravel()[index]
    corner[first] = corner[first + counts - 1] = True
    origin = points[first][ring]
    apart = np.where(allowed, np.hypot(*(points - origin).T), -1.0)
    second = _largest(apart, first)
    corner[second] = True
    beside = np.where(allowed, _distance(points, origin, points[second][ring]), -1.0)
    corner[_largest(beside, first)] = True
    return _Chains(points, allowed, corner, ring, polygon)


def _find_touching(corners: Floats) -> Flags:
    """Mask of the corners that lie at the position of another corner."""
    position = corners[:, 0] + 1j * corners[:, 1]
    _, index, count = np.unique(position, return_inverse=True, return_counts=True)
    return np.asarray(count[index] > 1)


def _select_allowed(corners: Floats, after: Indices, touching: Flags, limit: float) -> Flags:
    """Mask of the corners and middles of edges, by turns, that may be corners of the result, shape (2 n,)."""
    before = np.empty_like(after)
    before[after] = np.arange(len(after))
    onward = (corners[after] - corners) / 2
    back = onward[before]
    turn = back[:, 0] * onward[:, 1] - back[:, 1] * onward[:, 0]
    stair = (turn * turn[after] < 0) & ~touching & ~touching[after]
    # The line between the middles of two stairs cuts the corner between them.
    deep = stair & stair[before] & (_distance(corners, corners - back, corners + onward) > limit)
    stair &= ~(deep | deep[after])
    # The middle of a single one would be one corner more.
    stair &= stair[before] | stair[after]
    return np.stack([~(stair & stair[before]), stair], axis=1).ravel()


def _thin_out(chains: _Chains, limit: float) -> Floats:
    """Add corners until all points are within the limit of the lines between them, and no two lines of a polygon cross.

    The part of a ring between two corners of the result lies within its largest distance of the line between them, and so does
    the line of that part, which runs from end to end of it: the distances hold in both directions.

    Returns:
        Distance of each point from its line [m], shape (n,).
    """
    distances = np.zeros(len(chains.points))
    low, high = _lines(chains)
    limits = np.full(len(low), limit)
    for _ in range(_ROUNDS):
        _split(chains, distances, (low, high), limits, limit)
        low, high = _find_crossing(chains)
        limits = np.full(len(low), 1e-6 * limit)
        # There every point of the old outline may become a corner.
        inside = np.zeros(len(chains.ring), int)
        inside[low] += 1
        inside[high] -= 1
        chains.allowed[np.cumsum(inside) > 0] = True
        if not len(low):
            break
    return distances


def _split(chains: _Chains, distances: Floats, lines: tuple[Indices, Indices], limits: Floats, limit: float) -> None:
    """Return the Douglas-Peucker algorithm, for all lines at once: a line with a point beyond its limit gets a corner at the farthest one.

    Args:
        distances: Distance of each point from its line [m]; changed.
        lines: First and last point of each line.
        limits: Of each line [m].
        limit: Of the lines that a line is split into [m].
    """
    points, allowed = chains.points, chains.allowed
    low, high = lines
    while len(low):
        inner = high - low > 1
        low, high, limits = low[inner], high[inner], limits[inner]
        counts = high - low - 1
        first = np.cumsum(counts) - counts
        line = np.repeat(np.arange(len(low)), counts)
        if not len(line):
            return
        index = low[line] + 1 + np.arange(len(line)) - first[line]
        distance = _distance(points[index], points[low][line], points[high][line])
        distances[index] = distance
        split = _largest(np.where(allowed[index], distance, -1.0), first)
        far = (np.maximum.reduceat(distance, first) > limits) & allowed[index[split]]
        middle = index[split][far]
        chains.corner[middle] = True
        distances[middle] = 0.0
        low, high = np.concatenate([low[far], middle]), np.concatenate([middle, high[far]])
        limits = np.full(len(low), limit)


def _lines(chains: _Chains) -> tuple[Indices, Indices]:
    """First and last point of each line between corners of the result."""
    at = np.flatnonzero(chains.corner)
    inside = chains.ring[at[1:]] == chains.ring[at[:-1]]
    return at[:-1][inside], at[1:][inside]


def _find_crossing(chains: _Chains) -> tuple[Indices, Indices]:
    """Return the lines that meet another one of their polygon elsewhere than at a common end, or lie on it."""
    low, high = _lines(chains)
    ends = chains.points[np.stack([low, high], axis=1)]
    lines, owner = shapely.linestrings(ends), chains.polygon[chains.ring[low]]
    one, other = shapely.STRtree(lines).query(lines, predicate="intersects")
    pairs = (one < other) & (owner[one] == owner[other])
    one, other = one[pairs], other[pairs]
    common = (ends[one][:, :, None] == ends[other][:, None]).all(axis=-1).any(axis=(1, 2))
    apart = ~common
    apart[common] = shapely.length(shapely.intersection(lines[one[common]], lines[other[common]])) > 0
    both = np.unique(np.concatenate([one[apart], other[apart]]))
    return low[both], high[both]


def _largest(values: Floats, first: Indices) -> Indices:
    """Index of the largest value in each group, which begins at `first` and ends where the next begins."""
    group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(values))))
    hits = np.flatnonzero(values == np.maximum.reduceat(values, first)[group])
    return hits[np.unique(group[hits], return_index=True)[1]]


def _distance(points: Floats, start: Floats, end: Floats) -> Floats:
    """Distance of points from segments [m], all of shape (n, 2)."""
    along = end - start
    square = (along**2).sum(axis=1)
    share = np.divide(((points - start) * along).sum(axis=1), square, out=np.zeros(len(points)), where=square > 0)
    return np.hypot(*(points - start - np.clip(share, 0.0, 1.0)[:, None] * along).T)


def _make_polygons(chains: _Chains) -> NDArray[np.object_]:
    """Return the polygons with the corners that were chosen."""
    at = np.flatnonzero(chains.corner)
    outlines = shapely.linearrings(chains.points[at], indices=chains.ring[at])
    bounds = np.searchsorted(chains.polygon, np.arange(chains.polygon[-1] + 2))
    made = [shapely.Polygon(outlines[low], outlines[low + 1 : high]) for low, high in pairwise(bounds)]
    return np.array(made, dtype=object)
