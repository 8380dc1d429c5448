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
