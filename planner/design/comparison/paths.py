"""Properties of a vine's path: the obstacles it touched, and whether two paths are homotopic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from shapely.ops import substring

from environments.environment import Environment
from surrogate.kernels.compiled import Floats

TOUCH = 2e-3
"""Gap between tube and obstacle up to which they count as touching [m], because contacts are compliant and records discrete."""


def touched_obstacles(lines: Sequence[Floats], environment: Environment, radius: float) -> list[tuple[int, int]]:
    """The obstacles that a vine touches, in the order of the first contact.

    The criterion is the same for all propagators and does not use forces: an obstacle is touched if its distance to the centreline
    is at most the radius plus `TOUCH`.

    Args:
        lines: Joints at each record [m], shape (n, 2) each.
        radius: Radius of the tube [m].
    Returns:
        Index of each obstacle in the shapes of `Environment.solids`, and record of its first contact. Obstacles first touched
        in the same record are ordered by the position of the contact, from the base. The one in which the base is mounted
        does not touch the first diameter of the tube.
    """
    shapes = environment.solids.shapes()
    if not shapes:
        return []
    found: list[tuple[int, float, int]] = []
    left, mounted = set(range(len(shapes))), environment.mounted
    for record, joints in enumerate(lines):
        line = shapely.LineString(joints)
        beyond = substring(line, min(2 * radius, line.length), line.length)  # the mount spares the first diameter
        for k in sorted(left):
            part = beyond if mounted[k] else line
            if mounted[k] and line.length <= 2 * radius:
                continue
            if part.distance(shapes[k]) <= radius + TOUCH:
                near = shapely.shortest_line(part, shapes[k]).coords[0]
                found.append((record, line.project(shapely.Point(near)), k))
                left.discard(k)
    return [(k, record) for record, _, k in sorted(found)]


def are_homotopic(one: Floats, other: Floats, environment: Environment) -> bool | None:
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
