"""Reachability: whether a path wide enough for the tube connects start and goal."""

import numpy as np
import shapely

from environments.environment import Environment

_PIECE = 4
"""Maximum number of edges of an outline that are buffered at once."""


class WalledIn(Exception):
    """No path wide enough for the tube leads to the goal."""


def goal_within_reach(environment: Environment, tube_radius: float) -> shapely.Geometry:
    """The part of the goal disc that the axis of a tube without curvature limits can reach from the start.

    Round corners are approximated by inscribed polygons, so no reachable point is missed.

    Args:
        tube_radius: Minimum distance of the axis from every obstacle [m].
    Returns:
        The region, in metres, limited by the bounds of the environment.
    Raises:
        WalledIn: The region is empty.
    """
    shapes, polygons = environment.obstacles.shapes(), len(environment.obstacles.polygons)
    pieces = [piece for shape in shapes[:polygons] for piece in _pieces(shape)]
    wider = shapely.buffer(np.array([*pieces, *shapes[polygons:]], dtype=object), tube_radius, quad_segs=16)
    solid = shapely.union_all([*wider, *shapes[:polygons]])
    passages = shapely.get_parts(shapely.box(*environment.bounds).difference(solid))
    start, (x, y, radius) = shapely.Point(environment.start[:2]), environment.goal
    goal = shapely.Point(x, y).buffer(radius, quad_segs=64)
    region = shapely.union_all(passages[shapely.intersects(passages, start)]).intersection(goal)
    if region.is_empty:
        name = environment.name
        raise WalledIn(f"{name}: the goal is walled in: no path as wide as the tube leads from the start to it")
    return region


def _pieces(polygon: shapely.Polygon) -> list[shapely.Geometry]:
    """The geometries to buffer for a polygon: itself, or the pieces of a long outline.

    Time and memory of buffering grow with the square of the number of corners within one radius of each other.
    """
    corners = shapely.get_coordinates(polygon)
    if len(corners) <= 4 * _PIECE:
        return [polygon]
    return [shapely.LineString(corners[k : k + _PIECE + 1]) for k in range(0, len(corners) - 1, _PIECE)]
