"""Properties of a vine's path: the obstacles it touched, and whether two paths are homotopic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from environments.environment import Environment
from surrogate.compiled import Floats

TOUCH = 2e-3
"""Gap between tube and obstacle up to which they count as touching [m], because contacts are compliant and records discrete."""


def touched(lines: Sequence[Floats], environment: Environment, radius: float) -> list[tuple[int, int]]:
    """The obstacles that a vine touches, in the order of the first contact.

    The criterion is the same for all propagators and does not use forces: an obstacle is touched if its distance to the centreline
    is at most the radius plus `TOUCH`.

    Args:
        lines: Joints at each record [m], shape (n, 2) each.
        radius: Radius of the tube [m].
    Returns:
        Index of each obstacle in `Obstacles.shapes`, and record of its first contact. Obstacles first touched in the same record
        are ordered by the position of the contact, from the base.
    """
    shapes = environment.obstacles.shapes()
    if not shapes:
        return []
    found: list[tuple[int, float, int]] = []
    left = set(range(len(shapes)))
    for record, joints in enumerate(lines):
        line = shapely.LineString(joints)
        for k in sorted(left):
            if line.distance(shapes[k]) <= radius + TOUCH:
                near = shapely.shortest_line(line, shapes[k]).coords[0]
                found.append((record, line.project(shapely.Point(near)), k))
                left.discard(k)
    return [(k, record) for record, _, k in sorted(found)]


def obstacle_name(environment: Environment, index: int) -> str:
    """Name of an obstacle in its file: kind, and number from 0."""
    obstacles = environment.obstacles
    for kind, count in (("polygon", len(obstacles.polygons)), ("circle", len(obstacles.circles))):
        if index < count:
            return f"{kind} {index}"
        index -= count
    return f"wall {index}"


def same_way(one: Floats, other: Floats, environment: Environment) -> bool | None:
    """Whether two centrelines from one base lie in the same homotopy class, their tips joined by a straight line.

    They do if the closed curve along the first, to the tip of the other and back along that one winds around no obstacle.

    Args:
        one, other: Joints [m], shape (n, 2), outside all obstacles.
    Returns:
        None if the line from tip to tip intersects an obstacle, because then the classes cannot be compared.
    """
    solids = environment.obstacles.shapes()
    bridge = shapely.LineString([one[-1], other[-1]])
    if any(bridge.intersects(solid) for solid in solids):
        return None
    loop = np.concatenate([one, other[::-1]])
    return all(winding(loop, np.array(solid.representative_point().coords[0])) == 0 for solid in solids)


def winding(loop: Floats, point: Floats) -> int:
    """Winding number of a closed polyline, shape (n, 2), around a point that is not on it, positive anticlockwise."""
    from_point = (loop - point) @ np.array([1, 1j])
    turned = np.angle(np.roll(from_point, -1) / from_point).sum()
    return round(float(turned) / (2 * np.pi))
