"""Cells that a recorded deployment found covered or free, and the elements of an environment that it touched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import shapely

from environments.obstacles import Obstacles
from planner.mapping.grid import CELLS, CellGrid, Cells, squares
from planner.mapping.sensing.found import SensedSurroundings
from surrogate.kernels.compiled import Floats


def cells_seen(grid: CellGrid, found: SensedSurroundings) -> tuple[Cells, Cells]:
    """Return cells in which something was touched, and others whose middle was swept, each of shape (CELLS, CELLS).

    A wall or corner whose interval is wider than a cell marks none.
    """
    most = max(grid.width, grid.height)
    touched = [shapely.LineString(wall.ends) for wall in found.walls if wall.determined and wall.within.max() <= most]
    touched += [shapely.Point(corner.touch) for corner in found.corners if corner.within <= most]
    every = squares(grid, np.ones((CELLS, CELLS), bool))
    hits = shapely.intersects(shapely.union_all(touched), every).reshape(CELLS, CELLS)
    swept = shapely.contains(found.free, shapely.centroid(every)).reshape(CELLS, CELLS)
    return np.asarray(hits), np.asarray(swept & ~hits)


class Elements(NamedTuple):
    """Elements of walls that a tip can touch, as segments."""

    names: tuple[str, ...]
    segments: Floats
    """x1, y1, x2, y2 [m], shape (elements, 4)."""

    @classmethod
    def of_obstacles(cls, obstacles: Obstacles) -> Elements:
        """Return the edges of obstacles, by the names of these and counted from 1; a circle is one element of many edges."""
        names, segments = [], []
        for index, shape in enumerate(obstacles.shapes()):
            ring = shape.exterior if isinstance(shape, shapely.Polygon) else shape
            points = shapely.get_coordinates(ring)
            edges = np.column_stack([points[:-1], points[1:]])
            flat = index < len(obstacles.polygons) or len(edges) == 1
            edge_names = [f", edge {edge}" if flat else "" for edge in range(1, len(edges) + 1)]
            names += [f"{obstacles.name(index)}{edge_name}" for edge_name in edge_names]
            segments.append(edges)
        return cls(tuple(names), np.concatenate([np.empty((0, 4)), *segments]))

    @classmethod
    def of_walls(cls, walls: Floats) -> Elements:
        """Return the walls of a recording, counted from 0 as in its file; x1, y1, x2, y2 [m], shape (walls, 4)."""
        return cls(tuple(f"walls_m[{number}]" for number in range(len(walls))), walls)

    def nearest(self, points: Floats) -> tuple[str, float] | None:
        """Return the element with the smallest mean distance from points [m], shape (n, 2), and that distance; None without
        elements."""
        if not self.names:
            return None
        lines = shapely.linestrings(self.segments.reshape(-1, 2, 2))
        apart = shapely.distance(lines[:, None], shapely.points(points)[None, :]).mean(axis=1)
        return self.names[int(apart.argmin())], float(apart.min())
