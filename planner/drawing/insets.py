"""Places of small charts and maps in a drawing, where they hide nothing, or beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from environments.environment import Environment
from planner.design.design import Design
from planner.drawing.base import base_shapes, drawn_radius
from planner.drawing.course import centrelines
from planner.drawing.style import FAINT
from surrogate.kernels.compiled import Floats

GAP = 0.07
"""Distance of an inset from the edge of the drawing and from others [inch]."""
ABOVE = 20
"""Order of insets in the drawing, above everything else."""


def vital_parts(environment: Environment, design: Design, tubes: Iterable[Floats], view: Floats) -> shapely.Geometry:
    """Return what no inset may hide [mm]: tubes, goal, base and the obstacles in a view.

    Args:
        tubes: Joints [m], each of shape (n, 2), NaN beyond the tip.
        view: Limits of the drawing: min_x, min_y, max_x, max_y [mm].
    """
    radius, goal = drawn_radius(design), 1e3 * environment.goal
    base = np.vstack(base_shapes(environment.start, radius))
    grown = [shapely.LineString(line).buffer(1.3 * radius) for line in centrelines(tubes)]
    shapes = np.array(environment.obstacles.shapes(), dtype=object)
    seen = shapes[shapely.intersects(shapes, shapely.box(*(1e-3 * view)))]
    solid = shapely.transform(shapely.union_all(seen), lambda corners: 1e3 * corners)
    ends = [shapely.Point(goal[:2]).buffer(goal[2]), shapely.MultiPoint(base).convex_hull]
    return shapely.union_all([*grown, *ends, solid])


def place_insets(view: Floats, inch: float, sizes: Sequence[Floats], vital: shapely.Geometry) -> list[Floats]:
    """Place insets: each in a corner where it hides nothing, or at the right of the drawing, the first of these on top.

    Args:
        view: Limits of the drawing: min_x, min_y, max_x, max_y [mm].
        inch: Size of an inch of paper in the drawing [mm].
        sizes: Width and height of each [inch].
        vital: Parts that must not be hidden [mm].
    Returns:
        The box of each in the order of the limits [mm].
    """
    boxes, top = list[Floats](), float(view[3])
    for size in sizes:
        box = _free_corner(view, inch, size, vital)
        if box is None:
            corner = np.array([view[2] + inch * GAP, top - inch * size[1]])
            box, top = np.concatenate([corner, corner + inch * size]), float(corner[1] - inch * GAP)
        vital = shapely.union(vital, shapely.box(*box))
        boxes.append(box)
    return boxes


def _free_corner(view: Floats, inch: float, inset: Floats, vital: shapely.Geometry) -> Floats | None:
    """Return the box in a corner of the drawing in which an inset hides nothing [mm]; None if there is no such corner."""
    size, gap = inch * inset, inch * GAP
    low, high = view[:2] + gap, view[2:] - gap - size
    corners = [(x, y) for y in (high[1], low[1]) for x in (high[0], low[0])]
    boxes = [np.array([x, y, x + size[0], y + size[1]]) for x, y in corners]
    free = [box for box in boxes if (high >= low).all() and not shapely.box(*box).intersects(vital)]
    return free[0] if free else None


def draw_frame(axes: Axes, box: Floats, gid: str) -> None:
    """Draw the white ground of an inset, which may be beside the drawing; its box is min_x, min_y, max_x, max_y [mm]."""
    style: dict[str, Any] = {
        "facecolor": "white",
        "edgecolor": FAINT,
        "linewidth": 0.6,
        "zorder": ABOVE,
        "clip_on": False,
    }
    axes.add_patch(Rectangle((box[0], box[1]), *(box[2:] - box[:2]), gid=gid, **style))
