"""Names of obstacles in figures, by which messages call them; those without room are left out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from shapely.affinity import rotate, translate

from environments.environment import Environment
from planner.drawing.style import NAME
from surrogate.kernels.compiled import Floats

MOST = 150
"""Number of obstacles, the largest ones in view, that are named."""
_SIZE, _GAP = 6.2, 1.6
"""Size of the letters, and gap between a name and its obstacle [point]."""
_WIDE, _HIGH = 0.6, 1.05
"""Width of a letter and height of a line, in sizes."""
_ROUND = 0.9
"""Ratio of the sides from which on an obstacle has no longer one."""
_ALONG = 0.5, 0.25, 0.75
"""Positions of a name in or beside its obstacle, as a share of the length."""


@dataclass(frozen=True, slots=True)
class _Name:
    """A name at a place."""

    text: str
    at: Floats
    """Its centre [mm], shape (2,)."""
    degrees: float
    area: shapely.Polygon
    """The rectangle around it [mm]."""


def draw_names(axes: Axes, environment: Environment, view: Floats, point: float, taken: shapely.Geometry) -> None:
    """Write the names of obstacles into them, or beside them where nothing is.

    Args:
        view: Visible part: min_x, min_y, max_x, max_y [mm].
        point: Size of a typographic point in the drawing [mm].
        taken: What no name may cover [mm].
    """
    style: dict[str, Any] = {"size": _SIZE, "color": NAME, "ha": "center", "va": "center_baseline", "zorder": 6}
    style |= {"rotation_mode": "anchor", "linespacing": _HIGH, "gid": "name"}
    for name in place_names(environment, view, point, taken):
        many = "\n" in name.text
        axes.text(
            name.at[0], name.at[1], name.text, rotation=name.degrees, **{**style, **({"va": "center"} if many else {})}
        )


def place_names(environment: Environment, view: Floats, point: float, taken: shapely.Geometry) -> list[_Name]:
    """Find places for names; the arguments are those of `draw_names`."""
    obstacles, visible = environment.obstacles, shapely.box(*view).intersection(shapely.box(*1e3 * environment.bounds))
    whole = [shapely.transform(shape, lambda corners: 1e3 * corners) for shape in obstacles.shapes()]
    shapes = np.array([_largest_part(shape.intersection(visible)) for shape in whole], dtype=object)
    tree, found = shapely.STRtree(shapes), list[_Name]()
    large = np.argsort(-shapely.length(shapes), kind="stable")[:MOST]
    shapely.prepare(visible)
    shapely.prepare(taken)
    for index in large[shapely.length(shapes[large]) > 0].tolist():
        shape, name = shapes[index], obstacles.name(index)
        for candidate, inside in _candidates(name, shape, point):
            area = candidate.area
            if taken.intersects(area) or any(other.area.intersects(area) for other in found):
                continue
            fits = (
                shape.contains(area) if inside else visible.contains(area) and not len(tree.query(area, "intersects"))
            )
            if fits:
                found.append(candidate)
                break
    return found


def _largest_part(shape: shapely.Geometry) -> shapely.Geometry:
    return max(shapely.get_parts(shape), key=lambda part: (part.area, part.length), default=shape)


def _candidates(name: str, shape: shapely.Geometry, point: float) -> Iterator[tuple[_Name, bool]]:
    """List places of a name, and whether each is within the obstacle, from the best on."""
    axis, long, across = _long_side(shape)
    slope = math.degrees(math.atan2(axis[1], axis[0]))
    slope -= 180 * round(slope / 180 - 1e-9)  # readable from below or from the right
    if shape.area:
        middle = shapely.get_coordinates(shapely.point_on_surface(shape))[0]
        if shape.contains(centre := shape.centroid):
            middle = shapely.get_coordinates(centre)[0]
        shifted = [middle, *(middle + (share - 0.5) * long * axis for share in _ALONG[1:])]
        for text, degrees in ((name, 0.0), (name, slope), (name.replace(" ", "\n"), 0.0)):
            for at in shifted:
                yield _make(text, at, degrees, point), True
    normal, middle = np.array([-axis[1], axis[0]]), shapely.get_coordinates(shape.minimum_rotated_rectangle.centroid)[0]
    offset = across / 2 + (_GAP + _HIGH * _SIZE / 2) * point
    for share in _ALONG:
        for side in (1, -1):
            yield _make(name, middle + (share - 0.5) * long * axis + side * offset * normal, slope, point), False
    x0, y0, x1, y1 = shape.bounds
    half = point * np.array([_WIDE * _SIZE * len(name) / 2 + _GAP, _HIGH * _SIZE / 2 + _GAP])
    centre = np.array([x0 + x1, y0 + y1]) / 2
    for at in (
        (x1 + half[0], centre[1]), (x0 - half[0], centre[1]), (centre[0], y1 + half[1]), (centre[0], y0 - half[1]),
    ):  # fmt: skip
        yield _make(name, np.array(at), 0.0, point), False


def _make(text: str, at: Floats, degrees: float, point: float) -> _Name:
    lines = text.split("\n")
    half = point * _SIZE * np.array([_WIDE * max(map(len, lines)), _HIGH * len(lines)]) / 2
    return _Name(text, at, degrees, translate(rotate(shapely.box(*-half, *half), degrees, (0, 0)), *at))


def _long_side(shape: shapely.Geometry) -> tuple[Floats, float, float]:
    """Return the direction of the longer side of the rectangle around an obstacle, shape (2,), and its length and width."""
    corners = shapely.get_coordinates(shape.minimum_rotated_rectangle)
    if len(corners) < 4:  # a bare wall
        corners = corners[[0, -1, -1]]
    sides = np.diff(corners[:3], axis=0)
    lengths = np.hypot(*sides.T)
    if lengths.min() > _ROUND * lengths.max():
        x0, y0, x1, y1 = shape.bounds
        return np.array([1.0, 0.0]), x1 - x0, y1 - y0
    k = int(lengths[1] > lengths[0])
    return sides[k] / lengths[k], float(lengths[k]), float(lengths[1 - k])
