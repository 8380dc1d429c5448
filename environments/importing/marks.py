"""Start and goal in a drawing, and the names of its layers."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from environments.importing.sketch import Sketch
from environments.importing.traced import UnusableFile

_ROLES = ("start", "goal")
WALL = "wall"
"""Lower-case name of the layer of what stands in the way, if there is such a layer."""
_ROUND = 0.01
"""A closed curve is a circle if its points are equally far from its centre, up to this part of the radius."""


def role_names(layers: Mapping[str, str]) -> dict[str, str]:
    """Lower-case names of the layers of start and goal.

    Raises:
        UnusableFile: There is no such role, or two have one layer.
    """
    for role in layers:
        if role not in _ROLES:
            raise UnusableFile(f"a drawing has layers for {', '.join(_ROLES)}, not for {quote_name(role)}")
    names = {role: layers.get(role, role).lower() for role in _ROLES}
    if len(set(names.values())) < len(names):
        raise UnusableFile("start and goal need a layer each")
    return names


def quote_name(text: str) -> str:
    """Return a name from a file, for a message of one line."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return shown if len(shown) <= 40 else shown[:37] + "..."


def start_of(sketch: Sketch, where: str, more: bool = False) -> tuple[float, float, float] | None:
    """Return the start pose that a drawing marks, x, y [m] and heading [rad]; None if it marks none.

    Args:
        sketch: What is drawn on the layer of the start.
        where: The name of this layer in messages.
        more: Whether there are also things without a shape, such as points.

    Raises:
        UnusableFile: It does not have exactly one line.
    """
    lines = [points for points, _ in sketch.lines if (points != points[0]).any()]
    if not (lines or sketch.outlines or sketch.filled or more):
        return None
    if len(lines) != 1:
        raise UnusableFile(
            f"{where} has {len(lines)} lines; draw one line there, from the base of the tube in the direction of growth"
        )
    points = lines[0]
    x, y = points[0].tolist()
    ahead = points[np.flatnonzero((points != points[0]).any(axis=1))[0]] - points[0]
    return x, y, math.atan2(ahead[1], ahead[0])


def goal_of(sketch: Sketch, where: str, more: bool = False) -> tuple[float, float, float] | None:
    """Return the goal that a drawing marks, x, y and radius [m]; None if it marks none.

    Args:
        sketch: What is drawn on the layer of the goal.
        where: The name of this layer in messages.
        more: Whether there are also things without a shape, such as points.

    Raises:
        UnusableFile: It does not have exactly one circle.
    """
    if not (sketch.outlines or sketch.lines or sketch.filled or more):
        return None
    fitted = [outline.disc or _fit_circle(outline.area.exterior.coords) for outline in sketch.outlines]
    discs = [disc for disc in fitted if disc is not None]
    if len(discs) != 1:
        raise UnusableFile(
            f"{where} has {len(discs)} circles; draw one circle there, the disc that the tip has to reach"
        )
    return discs[0]


def _fit_circle(coordinates: object) -> tuple[float, float, float] | None:
    """Return the circle through the points of a closed curve, which programs also write as arcs or Bezier curves."""
    points = np.asarray(coordinates)
    origin = points.mean(axis=0)
    # A point is on the circle if 2 a x + 2 b y + (r^2 - a^2 - b^2) = x^2 + y^2.
    local = points - origin
    equations = np.column_stack([2 * local, np.ones(len(local))])
    (a, b, _), *_ = np.linalg.lstsq(equations, (local**2).sum(axis=1), rcond=None)
    distance = np.hypot(*(local - [a, b]).T)
    if len(points) < 9 or np.ptp(distance) > _ROUND * distance.max():
        return None
    return float(origin[0] + a), float(origin[1] + b), float(distance.max())
