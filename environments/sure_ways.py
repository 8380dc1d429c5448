"""Proof that a tube can get from start to goal in an environment of many corners, on a raster: much faster than its exact free space.

The raster only ever errs on the safe side: its cells in a connected region are farther from all outlines than the tube needs, by as much
as cells and sample points may hide. A way that is only a little wider than the tube is not seen; then the exact free space decides.
"""

from __future__ import annotations

import math

import numpy as np
import shapely
from scipy import ndimage

from environments.environment import Environment
from environments.obstacles import Obstacles

MANY = 2000
"""Number of corners above which the raster is tried first."""
_CELLS = 1_000_000, 4_000_000
"""Maximum numbers of cells of the rasters that are tried, one after the other."""
_HIDDEN = 0.5 + math.sqrt(0.5) + 0.25 + 0.01
"""Distance that the raster may hide, in cells [-]: half the way to the next cell's middle, that from the middle of a marked cell to a
sample in it, that from a sample to the next point of the outline, and the polygons for round obstacles."""
_TRIED = 40
"""Number of cells near the start from which a straight way to it is looked for."""


def reachable_cells(environment: Environment, radius: float) -> np.ndarray | None:
    """Find points that the axis of a tube can surely reach from the start.

    Args:
        radius: Least distance of the axis from obstacles [m].
    Returns:
        Middles of the cells of a raster within the goal disc [m], shape (n, 2); None if no way to any is proven. A base that is mounted
        in a wall leaves it on a way that the raster does not see.
    """
    if environment.mount != "free":
        return None
    solids = environment.solids
    size = environment.bounds[2:] - environment.bounds[:2]
    for most in _CELLS:
        cell = max(radius / 2, math.sqrt(size.prod() / most))
        found = _search(environment, solids, radius, cell)
        if found is not None or cell == radius / 2:
            return found
    return None


def _search(environment: Environment, solids: Obstacles, radius: float, cell: float) -> np.ndarray | None:
    """Return `reachable_cells` on a raster of cells of one size [m]."""
    low, high = environment.bounds[:2], environment.bounds[2:]
    shape = np.maximum(np.floor((high - low) / cell).astype(int), 1)
    empty = np.ones(shape, bool)
    samples = _samples(solids, cell / 2)
    index = np.floor((samples - low) / cell).astype(int)
    index = index[((index >= 0) & (index < shape)).all(axis=1)]
    empty[index[:, 0], index[:, 1]] = False
    # Outlines beyond the bounds are nearer to the bounds than they are to the cells inside, but may still be too near to these.
    outside = samples[((samples < low) | (samples >= high)).any(axis=1)]
    clipped = np.clip(outside, low, high - 1e-9 * cell)
    near = np.hypot(*(outside - clipped).T) < radius + (1 + _HIDDEN) * cell
    index = np.minimum(np.floor((clipped[near] - low) / cell).astype(int), shape - 1)
    empty[index[:, 0], index[:, 1]] = False
    # Without any obstacle there is no distance to one.
    away = ndimage.distance_transform_edt(empty) if not empty.all() else np.full(shape, np.inf)
    free = away * cell >= radius + _HIDDEN * cell
    if environment.edge == "table":
        margin = math.ceil(radius / cell)
        inner = np.zeros(shape, bool)
        inner[margin : shape[0] - margin, margin : shape[1] - margin] = True
        free &= inner
    part = ndimage.label(free)[0]
    begun = _parts_at_start(environment, solids, radius, cell, part)
    x, y, reach = environment.goal
    i, j = np.nonzero(np.isin(part, begun) & free)
    middle = low + cell * (np.column_stack([i, j]) + 0.5)
    inside = np.hypot(*(middle - [x, y]).T) <= reach
    return middle[inside] if inside.any() else None


def _parts_at_start(
    environment: Environment, solids: Obstacles, radius: float, cell: float, part: np.ndarray
) -> np.ndarray:
    """Return the numbers of the connected regions of cells with a straight way to the start that keeps the radius from all solids."""
    start, low = environment.start[:2], environment.bounds[:2]
    wide = math.ceil((4 * radius + 4 * _HIDDEN * cell) / cell)
    at = np.floor((start - low) / cell).astype(int)
    first, last = np.maximum(at - wide, 0), np.minimum(at + wide + 1, part.shape)
    i, j = np.nonzero(part[first[0] : last[0], first[1] : last[1]])
    middle = low + cell * (np.column_stack([i, j]) + first + 0.5)
    nearest = np.argsort(np.hypot(*(middle - start).T), kind="stable")[:_TRIED]
    lines = shapely.linestrings(np.stack([np.broadcast_to(start, (len(nearest), 2)), middle[nearest]], axis=1))
    hit = np.zeros(len(nearest), bool)
    if len(solids):
        reach = radius * (1 - 1e-9)
        hit[shapely.STRtree(solids.shapes()).query(lines, predicate="dwithin", distance=reach)[0]] = True
    kept = nearest[~hit]
    return np.unique(part[i[kept] + first[0], j[kept] + first[1]])


def _samples(solids: Obstacles, spacing: float) -> np.ndarray:
    """Return points on the outlines of all solids, at most a spacing apart [m], shape (n, 2)."""
    rings = [np.append(polygon, polygon[:1], axis=0) for polygon in solids.polygons]
    shapes = solids.shapes()[len(rings) :]
    round_ones = [shapely.get_coordinates(shape.exterior if shape.area else shape) for shape in shapes]
    lines = [*rings, *round_ones]
    if not lines:
        return np.empty((0, 2))
    begin, end = (np.concatenate([line[part] for line in lines]) for part in (np.s_[:-1], np.s_[1:]))
    count = np.ceil(np.hypot(*(end - begin).T) / spacing).astype(int) + 1
    side = np.repeat(np.arange(len(count)), count)
    share = (np.arange(len(side)) - np.repeat(np.cumsum(count) - count, count)) / np.maximum(count[side] - 1, 1)
    samples: np.ndarray = begin[side] + share[:, None] * (end - begin)[side]
    return samples
