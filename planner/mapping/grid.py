"""An environment as a grid of cells: cells covered by obstacles, and cells found covered or free by a deployment.

All kernels of mapping are in this file, because cached machine code is renewed when its own file changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.geometric.deployment import Launch, grow
from dynamics.geometric.hinges import HingeTube
from dynamics.geometric.trace import Trace, new_trace
from dynamics.geometric.walls import Walls
from surrogate.kernels.compiled import Floats, compiled

CELLS = 35
"""Cells along either side of the bounds (paper 003, section 4.1.2)."""
BORDER = 1e-4
"""Tolerance of cell borders, in cells. An obstacle that only touches a border does not cover the cell beyond it."""

Cells = NDArray[np.bool_]
"""One value for each cell, shape (..., CELLS, CELLS): rows along y, the lowest first, columns along x."""


class CellGrid(NamedTuple):
    """Position and size of the cells."""

    x: float
    """Lower left corner [m]."""
    y: float
    width: float
    """Width of a cell [m]."""
    height: float

    @classmethod
    def of(cls, bounds: Floats) -> CellGrid:
        """Make the grid over bounds min x, min y, max x, max y [m]."""
        width, height = (bounds[2:] - bounds[:2]) / CELLS
        return cls(float(bounds[0]), float(bounds[1]), float(width), float(height))


class Outcomes(NamedTuple):
    """Results of deployments in an environment, one per entry of the leading axis."""

    hits: Cells
    """Cells in which the tube touched an obstacle, shape (n, CELLS, CELLS)."""
    misses: Cells
    """Cells that its axis swept or occupies, the same shape; a cell may be a hit as well."""
    status: NDArray[np.int64]
    """`Status` of each, shape (n,)."""
    length: Floats
    """Grown length of each [m], shape (n,)."""


def squares(grid: CellGrid, cells: Cells, border: float = 0.0) -> NDArray[np.object_]:
    """Return the set cells as shapely polygons [m], reduced by a border [cells] on all sides, shape (k,)."""
    rows, columns = np.nonzero(cells)
    low, high = border, 1 - border
    return np.asarray(
        shapely.box(
            grid.x + grid.width * (columns + low),
            grid.y + grid.height * (rows + low),
            grid.x + grid.width * (columns + high),
            grid.y + grid.height * (rows + high),
        )
    )


def covered_cells(grid: CellGrid, shapes: list[shapely.Geometry]) -> Cells:
    """Return the cells covered by obstacles completely or in part, the rubric, shape (CELLS, CELLS)."""
    every = np.ones((CELLS, CELLS), bool)
    merged = shapely.union_all(shapes)
    shapely.prepare(merged)
    return np.asarray(shapely.intersects(merged, squares(grid, every, BORDER))).reshape(every.shape)


def simulate_outcomes(walls: Walls, tube: HingeTube, launches: Floats, grid: CellGrid, rubric: Cells) -> Outcomes:
    """Simulate every deployment in an environment.

    Args:
        launches: Rows as `Launch`, shape (n, 6).
        rubric: Cells covered by the environment's obstacles.
    """
    shape = len(launches), CELLS, CELLS
    number = len(launches)
    found = Outcomes(np.zeros(shape, bool), np.zeros(shape, bool), np.empty(number, np.int64), np.empty(number))
    trace = new_trace()
    for k, row in enumerate(launches.tolist()):
        found.status[k] = grow(walls, tube, Launch(*row), trace)
        found.length[k] = trace.ends[0]
        see(trace, grid, rubric, found.hits[k], found.misses[k])
    return found


@compiled(nogil=True)
def see(trace: Trace, grid: CellGrid, rubric: Cells, hits: Cells, misses: Cells) -> None:
    """Mark the cells that a deployment found covered, and those it found free.

    A contact on the border of two cells is a hit only in the cell that the obstacle covers. Away from borders every cell
    with a contact is covered.

    Source: paper 003, section 4.1.3.
    """
    nodes, swept, contacts = trace.nodes, trace.swept, trace.contacts
    x, y, width, height = grid.x, grid.y, grid.width, grid.height
    inside, touching = 0.5 - BORDER, 0.5 + 2 * BORDER
    for k in range(trace.counts[1]):
        ax, ay = (swept[k, 0, 0] - x) / width, (swept[k, 0, 1] - y) / height
        bx, by = (swept[k, 1, 0] - x) / width, (swept[k, 1, 1] - y) / height
        cx, cy = (swept[k, 2, 0] - x) / width, (swept[k, 2, 1] - y) / height
        mark(misses, ax, ay, bx, by, cx, cy, inside)
    for k in range(1, trace.counts[0]):
        ax, ay = (nodes[k - 1, 0] - x) / width, (nodes[k - 1, 1] - y) / height
        bx, by = (nodes[k, 0] - x) / width, (nodes[k, 1] - y) / height
        mark(misses, ax, ay, bx, by, bx, by, inside)
    for k in range(trace.counts[2]):
        ax, ay = (contacts[k, 0] - x) / width, (contacts[k, 1] - y) / height
        bx, by = (contacts[k, 2] - x) / width, (contacts[k, 3] - y) / height
        mark(hits, ax, ay, bx, by, bx, by, touching)
    for j in range(CELLS):
        for i in range(CELLS):
            hits[j, i] &= rubric[j, i]


@compiled(nogil=True)
def mark(cells: Cells, ax: float, ay: float, bx: float, by: float, cx: float, cy: float, half: float) -> None:
    """Mark the cells that intersect a triangle, by separating axes; with b = c it is a segment, which may be a point.

    Args:
        ax: Corners of the triangle, in cells from the grid's lower left corner.
        half: Half the side of a cell for this test, about 0.5: with less, the triangle must reach into the cell; with more,
            it may also be slightly beside it.
    """
    first, last = np.ceil(min(ax, bx, cx) - 0.5 - half), np.floor(max(ax, bx, cx) - 0.5 + half)
    lowest, highest = np.ceil(min(ay, by, cy) - 0.5 - half), np.floor(max(ay, by, cy) - 0.5 + half)
    for j in range(int(max(lowest, 0.0)), int(min(highest, CELLS - 1.0)) + 1):
        for i in range(int(max(first, 0.0)), int(min(last, CELLS - 1.0)) + 1):
            x, y = i + 0.5, j + 0.5
            if (
                not _separates(ax - x, ay - y, bx - x, by - y, cx - x, cy - y, half)
                and not _separates(bx - x, by - y, cx - x, cy - y, ax - x, ay - y, half)
                and not _separates(cx - x, cy - y, ax - x, ay - y, bx - x, by - y, half)
            ):
                cells[j, i] = True


@compiled(nogil=True)
def _separates(px: float, py: float, qx: float, qy: float, rx: float, ry: float, half: float) -> bool:
    """Return whether the normal of the edge p to q separates the triangle p, q, r from a square about the origin."""
    nx, ny = py - qy, qx - px
    edge, corner, reach = nx * px + ny * py, nx * rx + ny * ry, half * (abs(nx) + abs(ny))
    return min(edge, corner) > reach or max(edge, corner) < -reach
