"""Points of a lattice that are far enough from all obstacles: obstacles are drawn on the lattice, point by point."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from environments.obstacles import Obstacles
from surrogate.kernels.compiled import Floats, compiled

Mask = NDArray[np.bool_]


class Lattice(NamedTuple):
    """Points of a square lattice: row i and column j are at (x + step i, y + step j)."""

    x: float
    """First point [m]."""
    y: float
    step: float
    """Distance of neighbours [m]."""


def free_points(lattice: Lattice, shape: tuple[int, int], solids: Obstacles, distance: float) -> Mask:
    """Return which points are at least a distance [m] from all solids, shape `shape`.

    The time grows with the area of the solids and the length of their outlines, not with their number times that of the points.

    Args:
        distance: Greater than 0 [m].
    """
    free = np.ones(shape, np.bool_)
    for polygon in solids.polygons:
        outline = np.ascontiguousarray(polygon, float)
        _draw_inside(lattice, free, outline, np.empty(len(outline)))
    sides = [np.column_stack([polygon, np.roll(polygon, -1, axis=0)]) for polygon in solids.polygons]
    circles, walls = solids.circles[:, [0, 1, 0, 1]], solids.walls[:, :4]
    lines = np.vstack([np.empty((0, 4)), *sides, circles, walls])
    radius = np.concatenate([np.zeros(sum(map(len, sides))), solids.circles[:, 2], solids.walls[:, 4] / 2])
    _draw_lines(lattice, free, lines, radius + distance)
    return free


@compiled()
def _draw_lines(lattice: Lattice, free: Mask, lines: Floats, width: Floats) -> None:
    """Mark the points nearer to lines than half of their width as not free.

    Args:
        lines: Ends x1, y1, x2, y2 [m], shape (n, 4).
        width: Half of the width of each [m], shape (n,).
    """
    step, rows, columns = lattice.step, free.shape[0], free.shape[1]
    for n in range(len(lines)):
        x1, y1, x2, y2 = lines[n, 0], lines[n, 1], lines[n, 2], lines[n, 3]
        dx, dy, half = x2 - x1, y2 - y1, width[n]
        squared = dx * dx + dy * dy
        first = max(math.floor((min(x1, x2) - half - lattice.x) / step), 0)
        last = min(math.ceil((max(x1, x2) + half - lattice.x) / step), rows - 1)
        for i in range(first, last + 1):
            px = lattice.x + step * i - x1
            # The part of the line that is near enough to this row.
            low_y, high_y = min(y1, y2), max(y1, y2)
            if dx != 0.0:
                one, other = (px - half) / dx, (px + half) / dx
                start, end = max(min(one, other), 0.0), min(max(one, other), 1.0)
                if start > end:
                    continue
                low_y, high_y = y1 + min(start * dy, end * dy), y1 + max(start * dy, end * dy)
            lowest = max(math.floor((low_y - half - lattice.y) / step), 0)
            highest = min(math.ceil((high_y + half - lattice.y) / step), columns - 1)
            for j in range(lowest, highest + 1):
                py = lattice.y + step * j - y1
                share = min(max((px * dx + py * dy) / squared, 0.0), 1.0) if squared > 0.0 else 0.0
                away_x, away_y = px - share * dx, py - share * dy
                if math.sqrt(away_x * away_x + away_y * away_y) < half:
                    free[i, j] = False


@compiled()
def _draw_inside(lattice: Lattice, free: Mask, outline: Floats, crossings: Floats) -> None:
    """Mark the points within a simple polygon as not free.

    Args:
        outline: Corners [m], shape (n, 2).
        crossings: Room for as many numbers as corners.
    """
    step, rows, columns, n = lattice.step, free.shape[0], free.shape[1], len(outline)
    least, most = outline[0, 0], outline[0, 0]
    for k in range(n):
        least, most = min(least, outline[k, 0]), max(most, outline[k, 0])
    first = max(math.ceil((least - lattice.x) / step), 0)
    last = min(math.floor((most - lattice.x) / step), rows - 1)
    for i in range(first, last + 1):
        x, count = lattice.x + step * i, 0
        for k in range(n):
            after = k + 1 if k + 1 < n else 0
            x1, x2 = outline[k, 0], outline[after, 0]
            if (x1 <= x) != (x2 <= x):
                y = outline[k, 1] + (x - x1) / (x2 - x1) * (outline[after, 1] - outline[k, 1])
                place = count
                while place > 0 and crossings[place - 1] > y:
                    crossings[place] = crossings[place - 1]
                    place -= 1
                crossings[place] = y
                count += 1
        for pair in range(0, count - 1, 2):
            lowest = max(math.ceil((crossings[pair] - lattice.y) / step), 0)
            highest = min(math.floor((crossings[pair + 1] - lattice.y) / step), columns - 1)
            for j in range(lowest, highest + 1):
                free[i, j] = False
