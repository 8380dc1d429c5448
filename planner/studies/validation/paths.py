"""Which way a vine took: what it touched on it, and whether two ways can be turned into each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from environments.environment import Environment
from surrogate.compiled import Floats

TOUCH = 2e-3
"""A vine whose side is nearer to an obstacle than this touches it [m]: contact gives a little, and records are apart."""


def touched(lines: Sequence[Floats], environment: Environment, radius: float) -> list[tuple[int, int]]:
    """The obstacles that a vine touches, in the order of the first record in which it does.

    One rule for every propagator, whatever it knows of forces: an obstacle is touched when the centreline is no farther from it than
    the radius and `TOUCH`.

    Args:
        lines: Joints at each record [m], shape (n, 2) each.
        radius: Of the tube [m].
    Returns:
        Obstacle, its index in `Obstacles.shapes`, and record. Obstacles first touched in the same record: from the base on.
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
    """An obstacle as its file has it: kind, and number from 0."""
    obstacles = environment.obstacles
    for kind, count in (("polygon", len(obstacles.polygons)), ("circle", len(obstacles.circles))):
        if index < count:
            return f"{kind} {index}"
        index -= count
    return f"wall {index}"


def same_way(one: Floats, other: Floats, environment: Environment) -> bool | None:
    """Whether two centrelines from one base lie in the same homotopy class, their tips joined by a straight line.

    They do if the closed curve out along the one, over to the other's tip and back winds round no obstacle.

    Args:
        one, other: Joints [m], shape (n, 2), which enter no obstacle.
    Returns:
        None where the line from tip to tip enters an obstacle: such ends have no class in common.
    """
    solids = environment.obstacles.shapes()
    bridge = shapely.LineString([one[-1], other[-1]])
    if any(bridge.intersects(solid) for solid in solids):
        return None
    loop = np.concatenate([one, other[::-1]])
    return all(winding(loop, np.array(solid.representative_point().coords[0])) == 0 for solid in solids)


def winding(loop: Floats, point: Floats) -> int:
    """How often a closed curve of straight pieces, shape (n, 2), goes round a point that is not on it, anticlockwise."""
    from_point = (loop - point) @ np.array([1, 1j])
    turned = np.angle(np.roll(from_point, -1) / from_point).sum()
    return round(float(turned) / (2 * np.pi))
