"""An environment as arrays for the kernels: thickened edges and corners in a uniform grid."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.propagator import CannotRun
from dynamics.thickness import largest_thickness
from dynamics.tube import VineParams
from dynamics.vine import Integers
from environments.conditions import FRAME
from environments.environment import Environment
from environments.obstacles import Obstacles
from surrogate.kernels.compiled import Floats, compiled

Indices = NDArray[np.int32]

CELL_SIZE = 0.04
"""Side of a grid cell [m]: about the length of a segment of the prototype and the reach of its contacts."""
MARGIN = 12e-3
"""Contacts with a smaller gap are considered [m]; reduced for tubes so thin that a step could move them across a wall."""
MOST_CELLS = 400_000
"""Maximum number of cells; larger environments get larger cells."""
MOST_ENTRIES = 10_000_000
"""Maximum number of edges, and of corners, that all cells list together: large overlapping obstacles are in many cells."""


TABLE, SPARED, BASE_X, BASE_Y, COSINE, SINE = range(4, 10)
"""Columns of `Scene.bounds`."""


class Scene(NamedTuple):
    """Obstacles as edges and corners with a radius: circles are corners, walls are thick edges."""

    edges: Floats
    """x1, y1, x2, y2, radius [m], direction x, y [-], length [m], length of tube that it does not touch [m], 1 if it is solid on
    its left, else 0 [-], shape (edges, 10).

    That length is the diameter of the tube for the mount, the obstacle in which its base is mounted, and 0 for all others."""
    corners: Floats
    """x, y, radius, length of tube that it does not touch [m], shape (corners, 4)."""
    bounds: Floats
    """Further limits of the tube, in one array because each member of a scene costs time in each call, shape (10,):

    min x, min y, max x, max y [m], outside the walls that bounds may be; at `TABLE` the distance that sides and tip of the tube
    must keep from them [m], its radius on a table, else 0; at `SPARED` the length of tube that they do not hold [m], its
    diameter if it is mounted in a wall, else 0; the position [m] of the base, and cosine and sine of its heading."""
    cell_size: float
    """Side of a grid cell [m]."""
    grid_shape: tuple[int, int]
    """Number of cells along x and y."""
    edge_offsets: Indices
    """Cell c (row-major) holds edge_items[edge_offsets[c]:edge_offsets[c + 1]]."""
    edge_items: Indices
    corner_offsets: Indices
    corner_items: Indices


class Scenes(NamedTuple):
    """Scenes of W worlds with one grid, whose cells list the edges and corners that are near in any of them."""

    grid: Scene
    """Grid of all worlds; its edges, corners and bounds are as planned."""
    edges: Floats
    """See `Scene.edges`, shape (W, edges, 10)."""
    corners: Floats
    """See `Scene.corners`, shape (W, corners, 4)."""
    bounds: Floats
    """See `Scene.bounds`, shape (W, 10)."""

    @classmethod
    def repeat(cls, scene: Scene, worlds: int) -> Scenes:
        """Repeat a scene in a number of worlds."""
        return cls(scene, *(np.repeat(part[None], worlds, axis=0) for part in scene[:3]))

    def of_world(self, world: int) -> Scene:
        """Return the scene of one world."""
        return self.grid._replace(edges=self.edges[world], corners=self.corners[world], bounds=self.bounds[world])


class Solids(NamedTuple):
    """Edges and corners, see `Scene`."""

    edges: Floats
    corners: Floats
    on_faces: int
    """Number of corners of polygons, which come before those of walls and circles."""


def scene_reach(params: VineParams) -> tuple[float, float]:
    """Reach of contacts around joints and the middles of actuators, and the margin below which gaps must be considered [m]."""
    margin = min(MARGIN, 0.36 * params.radius)
    return max(params.radius, 0.5 * largest_thickness(params)) + margin, margin


def grid_cell(params: VineParams) -> float:
    """Minimum side of a grid cell for a tube [m]."""
    return CELL_SIZE * min(params.scale, 1.0)


def scene_of(environment: Environment, params: VineParams) -> tuple[Scene, float]:
    """Return the scene for a tube, and the margin below which gaps must be considered [m]."""
    reach, margin = scene_reach(params)
    return build_scene(environment, reach, reach + params.segment_length, grid_cell(params), params.radius), margin


@lru_cache(maxsize=4)
def build_scene(
    environment: Environment,
    edge_reach: float,
    corner_reach: float,
    cell_size: float = CELL_SIZE,
    radius: float = 0.0,
) -> Scene:
    """Build the scene of an environment for contact queries; callers share the arrays, because a search has several propagators.

    Args:
        edge_reach: A cell lists every edge within this distance of any of its points [m].
        corner_reach: The same for corners [m].
        cell_size: Minimum side of a grid cell [m].
        radius: Radius of the tube [m], where its mount or the edge of a table is to count.
    """
    solids = _solids(environment, radius)
    reach = edge_reach + solids.edges[:, 4], corner_reach + solids.corners[:, 2]
    return scene_in_grid(environment, solids, reach, cell_size, radius)


def scene_in_grid(
    environment: Environment, solids: Solids, reach: tuple[Floats, Floats], cell_size: float, radius: float
) -> Scene:
    """Return the scene of given solids in the grid of an environment.

    Args:
        reach: Distance within which a cell lists each edge, and each corner [m].
        cell_size, radius: See `build_scene`.
    """
    edges, corners, _ = solids
    bounds = np.asarray(environment.bounds, float)
    if environment.edge == "wall":
        bounds = bounds + FRAME * np.array([-1, -1, 1, 1])
    size = max(cell_size, float(np.sqrt(np.prod(bounds[2:] - bounds[:2]) / MOST_CELLS)))
    shape = np.ceil((bounds[2:] - bounds[:2]) / size).astype(int)
    grid = Grid(float(bounds[0]), float(bounds[1]), size, int(shape[0]), int(shape[1]))
    lines, points = np.ascontiguousarray(edges[:, :4]), np.ascontiguousarray(corners[:, [0, 1, 0, 1]])
    return Scene(
        edges,
        corners,
        np.concatenate([bounds, base_columns(environment, environment.start, radius)]),
        size,
        (grid.columns, grid.rows),
        *_list_cells(grid, lines, np.ascontiguousarray(reach[0])),
        *_list_cells(grid, points, np.ascontiguousarray(reach[1])),
    )


@compiled()
def cell_of(scene: Scene, x: float, y: float) -> int:
    """Grid cell of a point; for points outside the bounds, the nearest cell."""
    columns, rows = scene.grid_shape
    column = min(max(int((x - scene.bounds[0]) / scene.cell_size), 0), columns - 1)
    row = min(max(int((y - scene.bounds[1]) / scene.cell_size), 0), rows - 1)
    return column * rows + row


def base_columns(environment: Environment, start: Floats, radius: float) -> Floats:
    """Return the columns of `Scene.bounds` from `TABLE` on, for a tube of a radius [m] that starts at a pose; for poses, a row each."""
    found = np.empty((*start.shape[:-1], 6))
    found[..., 0] = radius * (environment.edge == "table")
    found[..., 1] = 2 * radius * (environment.mount == "wall")
    found[..., 2:4] = start[..., :2]
    found[..., 4], found[..., 5] = np.cos(start[..., 2]), np.sin(start[..., 2])
    return found


def _solids(environment: Environment, radius: float) -> Solids:
    """Edges and corners of all solids, for a tube of a radius [m]."""
    solids, mounted = environment.solids, environment.mounted
    found = [outline_edges(solids.part(~mounted), 0.0)]
    if mounted.any():
        found.append(outline_edges(solids.part(mounted), 2 * radius))
    return Solids(np.concatenate([part.edges for part in found]), np.concatenate([part.corners for part in found]), 0)


def outline_edges(obstacles: Obstacles, spared: float) -> Solids:
    """Edges and convex corners of obstacles.

    Polygons are merged first, so that faces inside a wall built from several pieces cause no contacts.

    Args:
        spared: Length of tube that they do not touch [m].
    """
    points, before, after = _rings(obstacles)
    edges: list[Floats] = [np.column_stack([points, after, np.zeros(len(points)), np.ones(len(points))])]
    (x, y), (along_x, along_y) = (points - before).T, (after - points).T
    convex = x * along_y - y * along_x > 1e-12 * np.hypot(x, y) * np.hypot(along_x, along_y)
    on_faces = int(convex.sum())
    corners: list[Floats] = [np.column_stack([points[convex], np.zeros(on_faces)])]
    if len(obstacles.walls):
        radius = obstacles.walls[:, 4:] / 2
        edges.append(np.hstack([obstacles.walls[:, :4], radius, np.zeros_like(radius)]))
        corners += [np.hstack([obstacles.walls[:, :2], radius]), np.hstack([obstacles.walls[:, 2:4], radius])]
    if len(obstacles.circles):
        corners.append(obstacles.circles)
    ends = np.vstack(edges)
    along = ends[:, 2:4] - ends[:, :2]
    length = np.hypot(along[:, 0], along[:, 1])[:, None]
    every = np.hstack([ends[:, :5], along / length, length, np.full_like(length, spared), ends[:, 5:]])
    return Solids(every, np.insert(np.vstack(corners), 3, spared, axis=1), on_faces)


class Grid(NamedTuple):
    """Square cells, row-major by column: cell c is the one in column c // rows and row c % rows."""

    x: float
    """Lower left corner [m]."""
    y: float
    size: float
    """Side of a cell [m]."""
    columns: int
    rows: int


def _rings(obstacles: Obstacles) -> tuple[Floats, Floats, Floats]:
    """Return the corners of the merged polygons, solid on the left of each ring, those before and those after them [m], shape (n, 2)."""
    # All at once: one by one takes ten times as long.
    merged = shapely.orient_polygons(shapely.get_parts(shapely.union_all(obstacles.outlines())))
    points, ring = shapely.get_coordinates(shapely.get_rings(merged), return_index=True)
    first = np.append(True, ring[1:] != ring[:-1]) if len(ring) else np.zeros(0, bool)
    last = np.roll(first, -1)  # it is the first one again
    own, number = points[~last], np.flatnonzero(~last)
    ends = np.flatnonzero(last) - 1
    before = np.where(first[number], np.append(ends, 0)[ring[number]], number - 1)
    return own, points[before], points[number + 1]


def _list_cells(grid: Grid, lines: Floats, reach: Floats) -> tuple[Indices, Indices]:
    """Offsets and items of a grid whose cells list the lines within their reach, in ascending order.

    Args:
        lines: Ends x1, y1, x2, y2 of straight lines [m], shape (n, 4); points are lines without a length.
        reach: [m], shape (n,).
    Raises:
        CannotRun: The lists would need too much memory.
    """
    cells = grid.columns * grid.rows
    counts, none = np.zeros(cells + 1, np.int64), np.zeros(0, np.int32)
    if _visit_cells(grid, lines, reach, counts, none) > MOST_ENTRIES:
        raise CannotRun(
            f"too many large overlapping obstacles: they have more than {MOST_ENTRIES / 1e6:g} million entries in the "
            f"{cells} grid cells of this environment; merge obstacles, or remove those that others cover"
        )
    offsets = np.cumsum(counts)
    items = np.zeros(int(offsets[-1]), np.int32)
    _visit_cells(grid, lines, reach, offsets.copy(), items)
    return offsets.astype(np.int32), items


@compiled()
def _visit_cells(grid: Grid, lines: Floats, reach: Floats, places: Integers, items: Indices) -> int:
    """Count the lines of each cell, or write them; returns the number of entries, more than `MOST_ENTRIES` if they are too many.

    Args:
        places: With `items`, where the next line of each cell is written; else the entry after each cell counts its lines.
        items: Lines of all cells; of length 0 to count.
    """
    total, size = 0, grid.size
    for n in range(len(lines)):
        x1, y1, x2, y2 = lines[n, 0], lines[n, 1], lines[n, 2], lines[n, 3]
        far = reach[n]
        first = max(math.floor((min(x1, x2) - far - grid.x) / size) - 1, 0)
        last = min(math.floor((max(x1, x2) + far - grid.x) / size) + 1, grid.columns - 1)
        lowest = max(math.floor((min(y1, y2) - far - grid.y) / size) - 1, 0)
        highest = min(math.floor((max(y1, y2) + far - grid.y) / size) + 1, grid.rows - 1)
        for column in range(first, last + 1):
            left = grid.x + size * column
            for row in range(lowest, highest + 1):
                bottom = grid.y + size * row
                if _distance_to_cell(x1, y1, x2, y2, left, bottom, size) <= far:
                    cell = column * grid.rows + row
                    if len(items) > 0:
                        items[places[cell]] = n
                        places[cell] += 1
                    else:
                        places[cell + 1] += 1
                    total += 1
        if total > MOST_ENTRIES:
            break
    return total


@compiled(forceinline=True)
def _distance_to_cell(x1: float, y1: float, x2: float, y2: float, left: float, bottom: float, size: float) -> float:
    """Distance of a straight line to a square [m]; 0 where they meet."""
    dx, dy, right, top = x2 - x1, y2 - y1, left + size, bottom + size
    # The part of the line between the sides of the square, as shares of its length (Liang & Barsky, ACM Trans. Graph. 3, 1984).
    enters, leaves = 0.0, 1.0
    for axis in range(2):
        start, along = (x1, dx) if axis == 0 else (y1, dy)
        low, high = (left, right) if axis == 0 else (bottom, top)
        if along == 0.0:
            if start < low or start > high:
                leaves = -1.0
        else:
            one, other = (low - start) / along, (high - start) / along
            enters, leaves = max(enters, min(one, other)), min(leaves, max(one, other))
    if enters <= leaves:
        return 0.0
    nearest, squared = np.inf, dx * dx + dy * dy
    for k in range(2):
        x, y = (x1, y1) if k == 0 else (x2, y2)
        away_x, away_y = max(left - x, x - right, 0.0), max(bottom - y, y - top, 0.0)
        nearest = min(nearest, away_x * away_x + away_y * away_y)
    for k in range(4):
        x, y = left if k % 2 == 0 else right, bottom if k < 2 else top
        share = min(max(((x - x1) * dx + (y - y1) * dy) / squared, 0.0), 1.0) if squared > 0.0 else 0.0
        away_x, away_y = x - x1 - share * dx, y - y1 - share * dy
        nearest = min(nearest, away_x * away_x + away_y * away_y)
    return math.sqrt(nearest)
