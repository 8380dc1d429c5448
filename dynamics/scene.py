"""An environment as arrays for the kernels: thickened edges and corners in a uniform grid."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.polygon import orient

from dynamics.propagator import CannotRun
from dynamics.tube import VineParams
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
_AT_ONCE = 4_000_000
"""Maximum number of entries that are searched at once, to limit memory."""


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
    """Reach of the contacts of a tube's edges, and the margin below which gaps must be considered [m]."""
    margin = min(MARGIN, 0.36 * params.radius)
    return params.radius + margin, margin


def grid_cell(params: VineParams) -> float:
    """Minimum side of a grid cell for a tube [m]."""
    return CELL_SIZE * min(params.scale, 1.0)


def scene_of(environment: Environment, params: VineParams) -> tuple[Scene, float]:
    """Return the scene for a tube, and the margin below which gaps must be considered [m]."""
    reach, margin = scene_reach(params)
    return build_scene(environment, reach, reach + params.segment_length, grid_cell(params), params.radius), margin


def build_scene(
    environment: Environment,
    edge_reach: float,
    corner_reach: float,
    cell_size: float = CELL_SIZE,
    radius: float = 0.0,
) -> Scene:
    """Build the scene of an environment for contact queries.

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
    ix, iy = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
    low = bounds[:2] + size * np.stack([ix.ravel(), iy.ravel()], axis=1)
    cells = shapely.box(low[:, 0], low[:, 1], low[:, 0] + size, low[:, 1] + size)
    lines = shapely.linestrings(edges[:, :4].reshape(-1, 2, 2))
    points = shapely.points(corners[:, :2])
    return Scene(
        edges,
        corners,
        np.concatenate([bounds, base_columns(environment, environment.start, radius)]),
        size,
        (int(shape[0]), int(shape[1])),
        *_list_cells(cells, lines, reach[0]),
        *_list_cells(cells, points, reach[1]),
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
    edges: list[Floats] = [np.empty((0, 6))]
    corners: list[Floats] = [np.empty((0, 3))]
    merged = shapely.union_all([shapely.Polygon(points) for points in obstacles.polygons])
    for polygon in shapely.get_parts(merged):
        polygon = orient(polygon)  # solid on the left of every ring
        for ring in [polygon.exterior, *polygon.interiors]:
            points = np.asarray(ring.coords)[:-1]
            following = np.roll(points, -1, axis=0)
            edges.append(np.column_stack([points, following, np.zeros(len(points)), np.ones(len(points))]))
            before, after = points - np.roll(points, 1, axis=0), following - points
            turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
            convex = turn > 1e-12 * np.hypot(*before.T) * np.hypot(*after.T)
            corners.append(np.column_stack([points[convex], np.zeros(convex.sum())]))
    on_faces = sum(map(len, corners))
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


def _list_cells(cells: NDArray[np.object_], solids: NDArray[np.object_], reach: Floats) -> tuple[Indices, Indices]:
    """Offsets and items of a grid whose cells list the solids within their reach.

    Raises:
        CannotRun: The lists would need too much memory.
    """
    if not len(solids):
        return np.zeros(len(cells) + 1, np.int32), np.empty(0, np.int32)
    tree, found, listed = shapely.STRtree(cells), [], 0
    together = max(_AT_ONCE // len(cells), 1)
    for first in range(0, len(solids), together):
        part = slice(first, first + together)
        solid, cell = tree.query(solids[part], predicate="dwithin", distance=reach[part])
        found.append(np.stack([first + solid, cell]))
        listed += len(cell)
        if listed > MOST_ENTRIES:
            raise CannotRun(
                f"too many large overlapping obstacles: they have more than {MOST_ENTRIES / 1e6:g} million entries in the "
                f"{len(cells)} grid cells of this environment; merge obstacles, or remove those that others cover"
            )
    solid, cell = np.concatenate(found, axis=1)
    order = np.lexsort((solid, cell))
    offsets = np.searchsorted(cell[order], np.arange(len(cells) + 1))
    return offsets.astype(np.int32), solid[order].astype(np.int32)
