"""Reachability: whether a path wide enough for the tube connects start and goal."""

import numpy as np
import shapely

from environments.base import way_out
from environments.environment import Environment
from environments.obstacles import Obstacles

_PIECE = 4
"""Maximum number of edges of an outline that are buffered at once."""
_THIN = 1e-6
"""Half the width of the passage through an obstacle in which the base is mounted [m]."""


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
    solids, mounted, box = environment.solids, environment.mounted, shapely.box(*environment.bounds)
    solid, axis = _widened(solids.part(~mounted), tube_radius), way_out(environment, tube_radius)
    way = axis.buffer(tube_radius, cap_style="flat")
    if mounted.any():
        mount = solids.part(mounted)
        # The tube's axis leaves the obstacle even where that is solid.
        out = way.difference(shapely.union_all(mount.shapes())).union(axis.buffer(_THIN))
        solid = solid.union(_widened(mount, tube_radius).difference(out))
    if environment.edge == "table":
        box = box.buffer(-tube_radius, join_style="mitre").union(way.intersection(box))
    passages = shapely.get_parts(box.difference(solid))
    start, (x, y, radius) = shapely.Point(environment.start[:2]), environment.goal
    goal = shapely.Point(x, y).buffer(radius, quad_segs=64)
    region = shapely.union_all(passages[shapely.intersects(passages, start)]).intersection(goal)
    if region.is_empty:
        name = environment.name
        where = ", nor may it hang over the edge of the table" if environment.edge == "table" else ""
        raise WalledIn(f"{name}: the goal is walled in: no path as wide as the tube leads from the start to it{where}")
    return region


def _widened(solids: Obstacles, radius: float) -> shapely.Geometry:
    """Obstacles with all points nearer to them than a radius [m]."""
    shapes, polygons = solids.shapes(), len(solids.polygons)
    pieces = [piece for shape in shapes[:polygons] for piece in _pieces(shape)]
    wider = shapely.buffer(np.array([*pieces, *shapes[polygons:]], dtype=object), radius, quad_segs=16)
    return shapely.union_all([*wider, *shapes[:polygons]])


def _pieces(polygon: shapely.Polygon) -> list[shapely.Geometry]:
    """The geometries to buffer for a polygon: itself, or the pieces of a long outline.

    Time and memory of buffering grow with the square of the number of corners within one radius of each other.
    """
    corners = shapely.get_coordinates(polygon)
    if len(corners) <= 4 * _PIECE:
        return [polygon]
    return [shapely.LineString(corners[k : k + _PIECE + 1]) for k in range(0, len(corners) - 1, _PIECE)]
