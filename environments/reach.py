"""Whether there is a way from the start to the goal at all, wide enough for the tube."""

import numpy as np
import shapely

from environments.environment import Environment

_PIECE = 4
"""Most edges of an outline that are widened at once."""


class WalledIn(Exception):
    """No tube can get to the goal, however it bends."""


def goal_within_reach(environment: Environment, tube_radius: float) -> shapely.Geometry:
    """The part of the goal disc that the axis of a tube can get to from the start, if it could bend as it liked.

    Round corners are polygons inside the true ones, so nothing within reach is left out.

    Args:
        tube_radius: What the axis keeps from every obstacle [m].
    Returns:
        An area [m]. The bounds are edges of it: no tube gets beyond them.
    Raises:
        WalledIn: There is none.
    """
    shapes, polygons = environment.obstacles.shapes(), len(environment.obstacles.polygons)
    pieces = [piece for shape in shapes[:polygons] for piece in _pieces(shape)]
    wider = shapely.buffer(np.array([*pieces, *shapes[polygons:]], dtype=object), tube_radius, quad_segs=16)
    solid = shapely.union_all([*wider, *shapes[:polygons]])
    ways = shapely.get_parts(shapely.box(*environment.bounds).difference(solid))
    start, (x, y, radius) = shapely.Point(environment.start[:2]), environment.goal
    goal = shapely.Point(x, y).buffer(radius, quad_segs=64)
    region = shapely.union_all(ways[shapely.intersects(ways, start)]).intersection(goal)
    if region.is_empty:
        name = environment.name
        raise WalledIn(f"{name}: the goal is walled in: no way as wide as the tube leads to it from the start")
    return region


def _pieces(polygon: shapely.Polygon) -> list[shapely.Geometry]:
    """What is to be widened of a polygon: itself, or the pieces of a long outline.

    Widening takes time and memory with the square of the corners that lie within the radius of each other.
    """
    corners = shapely.get_coordinates(polygon)
    if len(corners) <= 4 * _PIECE:
        return [polygon]
    return [shapely.LineString(corners[k : k + _PIECE + 1]) for k in range(0, len(corners) - 1, _PIECE)]
