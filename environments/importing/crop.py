"""Part of an import that is kept: a rectangle, or what can be reached from the start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import shapely

from environments.importing.cut import extract_polygons
from environments.importing.traced import Tracing, UnusableFile
from environments.lengths import format_lengths
from environments.obstacles import Obstacles

Box = tuple[float, float, float, float]
"""min_x, min_y, max_x, max_y [m]."""
_MARGIN = 0.05
"""Room around what can be reached, as a share of its larger side [-]."""

_LITTLE = 1 / 3
"""Share of the width and of the height of a map below which the surroundings of start and goal are little of it [-], as in pictures."""


def crop(traced: Tracing, box: Box) -> Tracing:
    """Cut everything at a rectangle, which becomes the bounds.

    Raises:
        UnusableFile: The rectangle has no area.
    """
    if not (box[0] < box[2] and box[1] < box[3]):
        raise UnusableFile(f"the crop {list(box)} m must be min x, min y, max x, max y")
    window = shapely.box(*box)
    solid = [part for one in traced.solid for part in extract_polygons(shapely.intersection(one, window))]
    inside = (
        shapely.contains(window, Obstacles(circles=traced.circles).shapes())
        if len(traced.circles)
        else np.zeros(0, bool)
    )
    solid += [
        part
        for one in Obstacles(circles=traced.circles[~inside]).shapes()
        for part in extract_polygons(one.intersection(window))
    ]
    walls, areas = _crop_walls(traced.walls, window)
    low, high = (
        format_lengths([1e3 * side for side in box[:2]], "mm"),
        format_lengths([1e3 * side for side in box[2:]], "mm"),
    )
    return replace(
        traced,
        solid=(*solid, *areas),
        circles=traced.circles[inside],
        walls=walls,
        bounds=box,
        notes=(*traced.notes, f"cropped to {low} to {high} mm"),
    )


def _crop_walls(walls: np.ndarray, window: shapely.Polygon) -> tuple[np.ndarray, list[shapely.Polygon]]:
    """Return the walls within a window, and the areas that are left of thick ones that reach out of it."""
    shapes = np.array(Obstacles(walls=walls).shapes(), dtype=object)
    kept, rows, areas = np.zeros(len(walls), bool), [], list[shapely.Polygon]()
    if len(walls):
        kept = shapely.covers(window, shapes)
    for row, shape in zip(walls[~kept], shapes[~kept], strict=True):
        part = shapely.intersection(shape, window)
        if row[4] > 0:
            areas += extract_polygons(part)
        elif part.length > 0:
            rows.append([*shapely.get_coordinates(part)[[0, -1]].ravel(), 0.0])
    return np.concatenate([walls[kept], np.array(rows).reshape(-1, 5)]), areas


def reachable_box(traced: Tracing, bounds: Box, start: tuple[float, float]) -> Box:
    """Return the box around the free space that is connected with the start, and some room, within the bounds.

    Args:
        bounds: Bounds of the whole [m].
        start: Position of the base [m]; if it is in an obstacle, the nearest free space counts.
    Raises:
        UnusableFile: There is no free space.
    """
    shapes = [*traced.solid, *Obstacles(circles=traced.circles, walls=traced.walls).shapes()]
    # Bare lines have no area, and keep parts of the free space apart all the same.
    thick = [shape if shape.area else shape.buffer(1e-6, cap_style="flat") for shape in shapes]
    free = np.array(extract_polygons(shapely.difference(shapely.box(*bounds), shapely.union_all(thick))), dtype=object)
    if not len(free):
        raise UnusableFile("nothing within the bounds is free, so nothing can be reached")
    x0, y0, x1, y1 = free[int(np.argmin(shapely.distance(free, shapely.Point(start))))].bounds
    room = _MARGIN * max(x1 - x0, y1 - y0)
    return max(x0 - room, bounds[0]), max(y0 - room, bounds[1]), min(x1 + room, bounds[2]), min(y1 + room, bounds[3])


def crop_hint(bounds: Box, start: tuple[float, float, float], goal: tuple[float, float, float]) -> str:
    """Return a hint at the option that keeps the surroundings of start and goal, if the map is much larger; "" otherwise.

    The surroundings reach beyond both by their distance. They are not cut without being asked for: the only way may be a detour.

    Args:
        bounds: Bounds of the whole [m].
        start: x, y [m] and heading [rad].
        goal: x, y and radius [m].
    """
    ends, limits = np.array([start[:2], goal[:2]]), np.reshape(bounds, (2, 2))
    apart = float(np.hypot(*(ends[1] - ends[0])))
    room = apart + goal[2]
    low, high = np.maximum(ends.min(axis=0) - room, limits[0]), np.minimum(ends.max(axis=0) + room, limits[1])
    size = limits[1] - limits[0]
    if (high - low >= _LITTLE * size).any():
        return ""
    sides = ",".join(str(round(1e3 * side)) for side in (*low, *high))
    return (
        f"the map is {size[0]:.3g} x {size[1]:.3g} m, and start and goal are {apart:.3g} m apart: --crop {sides} keeps their surroundings, "
        "--crop reach what can be reached"
    )
