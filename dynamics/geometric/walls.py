"""Outlines of the obstacles inflated by the tube's radius, which the tube's axis must not cross."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.polygon import orient

from dynamics.vine import Integers
from environments.obstacles import Obstacles
from surrogate.kernels.compiled import Floats

POLYGON_TOLERANCE = 1e-3
"""Circles and walls become circumscribed polygons; this is their maximum distance from them [m]."""
MITRE_LIMIT = 2.0
"""Corners are inflated to a point at most this many tube radii away, as for 60 degrees; sharper ones are cut off there."""
BEYOND = 1e-6
"""Walls end this far outside the bounds [m], so that a tip that slides along a wall can leave the bounds."""


class Walls(NamedTuple):
    """Outlines as edges, each from its own corner to that of the following edge; the solid is on their left."""

    corners: Floats
    """Start points of the edges [m], shape (edges, 2)."""
    following: Integers
    """The edge that starts where this one ends, shape (edges,)."""
    preceding: Integers
    direction: Floats
    """Unit vectors, shape (edges, 2)."""
    length: Floats
    """Lengths [m], shape (edges,)."""
    convex: NDArray[np.bool_]
    """Whether the solid's angle at the corner is less than 180 degrees, shape (edges,)."""
    behind: Floats
    """Piece of the obstacle's surface behind each edge: x1, y1, x2, y2 [m], in the edge's direction; or one point, twice."""
    surface: Floats
    """Points of the obstacles, not inflated, nearest to the corners [m], shape (edges, 2)."""
    bounds: Floats
    """min x, min y, max x, max y, which the tip may not leave [m]."""
    first_bounds: Floats
    """Bounds for the first length of the tube [m]."""
    spared: float
    """First length of the tube with bounds of its own [m]; 0 if the bounds are equal for the whole tube."""


def to_polygons(obstacles: Obstacles) -> list[shapely.Polygon]:
    """Convert obstacles to polygons; circles and walls to circumscribed polygons within `POLYGON_TOLERANCE`."""
    around = [_circumscribe(shapely.Point(x, y), radius) for x, y, radius in obstacles.circles]
    for *ends, thickness in obstacles.walls:
        around.append(_circumscribe(shapely.LineString(np.reshape(ends, (2, 2))), thickness / 2))
    return [*map(shapely.Polygon, obstacles.polygons), *around]


def inflate_obstacles(shapes: Sequence[shapely.Geometry], bounds: Floats, radius: float) -> list[shapely.Polygon]:
    """Inflate obstacles by the tube's radius, merge them and clip them to the bounds; the solid is on the left of the outlines."""
    return merge(widen(shapes, radius), room_of(bounds))


def widen(shapes: Sequence[shapely.Geometry], radius: float) -> NDArray[np.object_]:
    """Inflate each obstacle by the tube's radius."""
    return np.asarray(
        shapely.buffer(shapes, radius, join_style="mitre", mitre_limit=MITRE_LIMIT, cap_style="square"), dtype=object
    )


def room_of(bounds: Floats) -> shapely.Polygon:
    """Return the region to which inflated obstacles are clipped."""
    return shapely.box(*np.asarray(bounds) + BEYOND * np.array([-1, -1, 1, 1]))


def merge(wider: NDArray[np.object_], room: shapely.Geometry) -> list[shapely.Polygon]:
    """Merge inflated obstacles and clip them to a region; the solid is on the left of the outlines."""
    parts = shapely.get_parts(shapely.union_all(wider).intersection(room).simplify(1e-9))
    return [orient(part) for part in parts if isinstance(part, shapely.Polygon) and not part.is_empty]


def inflate_to_walls(shapes: Sequence[shapely.Geometry], bounds: Floats, radius: float) -> Walls:
    """Return the outlines that the axis of a tube must not cross.

    Args:
        shapes: Obstacles; they may overlap and reach beyond the bounds.
        bounds: min x, min y, max x, max y [m].
        radius: Radius of the tube [m].
    """
    return outline_inflated(inflate_obstacles(shapes, bounds, radius), shapes, bounds, radius)


def outline_inflated(
    parts: Sequence[shapely.Polygon], shapes: Sequence[shapely.Geometry], bounds: Floats, radius: float
) -> Walls:
    """Make the outlines of inflated obstacles.

    Args:
        parts: The inflated obstacles, merged.
        shapes: See `inflate_to_walls`.
        bounds: The same.
        radius: The same.
    """
    solid = shapely.union_all(shapes)
    rings = [np.asarray(ring.coords)[:-1] for part in parts for ring in (part.exterior, *part.interiors)]
    corners = np.concatenate([np.empty((0, 2)), *rings])
    following, preceding = np.arange(len(corners)), np.arange(len(corners))
    first = 0
    for ring in rings:
        whole = slice(first, first + len(ring))
        following[whole], preceding[whole] = np.roll(following[whole], -1), np.roll(preceding[whole], 1)
        first += len(ring)
    along = corners[following] - corners
    length = np.hypot(*along.T)
    direction = along / length[:, None]
    before = direction[preceding]
    convex = before[:, 0] * direction[:, 1] - before[:, 1] * direction[:, 0] > 0
    behind = _behind(solid, corners, direction, length, radius)
    surface = _nearest_points(solid, corners)
    limits = np.asarray(bounds, float)
    return Walls(corners, following, preceding, direction, length, convex, behind, surface, limits, limits, 0.0)


def _behind(solid: shapely.Geometry, corners: Floats, direction: Floats, length: Floats, radius: float) -> Floats:
    """See `Walls.behind`. Because of the points at corners, edges are longer than the parallel sides of the obstacles."""
    start = corners + radius * np.column_stack([-direction[:, 1], direction[:, 0]])
    lines = shapely.linestrings(np.stack([start, start + length[:, None] * direction], axis=1))
    points = _nearest_points(solid, corners + length[:, None] / 2 * direction)
    rows = []
    for side, first, way, point in zip(
        shapely.intersection(lines, solid.buffer(1e-7)), start, direction, points, strict=True
    ):
        along = (shapely.get_coordinates(side) - first) @ way
        rows.append([*first + along.min() * way, *first + along.max() * way] if len(along) else [*point, *point])
    return np.reshape(rows, (-1, 4))


def _nearest_points(solid: shapely.Geometry, points: Floats) -> Floats:
    """Points of a shape that are nearest to given points [m], shape (n, 2)."""
    lines = shapely.shortest_line(solid, shapely.points(points))
    return shapely.get_coordinates(shapely.get_point(lines, 0)).reshape(-1, 2)


def _circumscribe(core: shapely.Geometry, radius: float) -> shapely.Polygon:
    """Circumscribe a polygon around all points within a radius of a point or line, larger by at most the tolerance."""
    if radius < POLYGON_TOLERANCE / 2:
        return core.buffer(radius + POLYGON_TOLERANCE / 2, cap_style="square")
    quarter = int(np.ceil(np.pi / 4 / np.arccos(radius / (radius + POLYGON_TOLERANCE))))
    return core.buffer(radius / np.cos(np.pi / 4 / quarter), quad_segs=quarter)
