"""Whether there is a way from the start to the goal at all, wide enough for the tube."""

import numpy as np
import shapely

from environments.environment import Environment


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
    shapes = np.array(environment.obstacles.shapes(), dtype=object)
    solid = shapely.union_all(shapely.buffer(shapes, tube_radius, quad_segs=16))
    ways = shapely.get_parts(shapely.box(*environment.bounds).difference(solid))
    start, (x, y, radius) = shapely.Point(environment.start[:2]), environment.goal
    goal = shapely.Point(x, y).buffer(radius, quad_segs=64)
    region = shapely.union_all(ways[shapely.intersects(ways, start)]).intersection(goal)
    if region.is_empty:
        name = environment.name
        raise WalledIn(f"{name}: the goal is walled in: no way as wide as the tube leads to it from the start")
    return region
