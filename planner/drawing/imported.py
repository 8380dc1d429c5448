"""Picture of an import: the obstacles over the picture or outlines in which they were found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, PathPatch, Polygon, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from PIL import Image
from shapely.geometry.polygon import orient

from dynamics.tube import VineParams
from environments.importing.backdrop import Backdrop
from environments.importing.build import Imported
from planner.drawing.base import base_shapes
from planner.drawing.style import DIMENSION, FAINT, GOAL, INK
from planner.output.text import plural

_WIDEST, _HIGHEST, _LEAST = 9.6, 8.0, 3.2
"""Size of the drawing [inch]."""
_MARGIN = 0.03
"""Room around the bounds, as a share of their larger side."""
_LEAST_BASE = 0.012
"""Smallest radius of the base in the drawing, as a share of the larger side of the bounds."""
_MOST_PIXELS = 2000
"""Larger pictures are drawn with fewer pixels a side."""


def imported_figure(found: Imported, new_figure: Callable[..., Figure] = Figure) -> Figure:
    """Draw the obstacles as they will be in the file over the picture, or over the outlines, of what was read, in millimetres.

    Args:
        new_figure: Makes the figure: `matplotlib.pyplot.figure` for one in a window.
    """
    x0, y0, x1, y1 = (1e3 * side for side in found.bounds)
    width, height = x1 - x0, y1 - y0
    room = _MARGIN * max(width, height)
    scale = min(_WIDEST / width, _HIGHEST / height)
    size = max(_LEAST, scale * width) + 1.1, max(_LEAST / 2, scale * height) + 1.0
    figure = new_figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    if found.backdrop:
        _draw_picture(axes, found.backdrop)
    else:
        _draw_outlines(axes, found.traced.solid, FAINT, 2.5)
    _draw_obstacles(axes, found)
    axes.add_patch(
        Rectangle((x0, y0), width, height, fill=False, edgecolor=INK, linewidth=1.0, linestyle="--", zorder=5)
    )
    draw_ends(axes, found.start, found.goal, base_radius(found))
    axes.set(xlim=(x0 - room, x1 + room), ylim=(y0 - room, y1 + room), aspect="equal", xlabel="x [mm]", ylabel="y [mm]")
    without = f" (no {' and no '.join(found.missing)} yet)" if found.missing else ""
    words = f"{found.name}: {plural(len(found.obstacles), 'obstacle')}{without}"
    axes.set_title(words, fontsize=10, color=INK, parse_math=False)
    return figure


def base_radius(found: Imported) -> float:
    """Return the radius of the tube at the drawn base [mm]: that of the default tube, or more in a large picture."""
    width, height = np.ptp(1e3 * np.reshape(found.bounds, (2, 2)), axis=0)
    return float(max(1e3 * VineParams().radius, _LEAST_BASE * max(width, height)))


def _draw_obstacles(axes: Axes, found: Imported) -> None:
    """Fill what is in the file, and draw the outlines without the cuts between pieces."""
    # Of obstacles that overlap, edges of opposite direction would leave the common part white; so the union is drawn.
    union = shapely.union_all([shape for shape in found.obstacles.shapes() if shape.area])
    rings = shapely.get_rings([orient(part) for part in shapely.get_parts(union)])
    if len(rings):
        faces = [Path(1e3 * shapely.get_coordinates(ring), closed=True) for ring in rings]
        style: dict[str, Any] = {"facecolor": DIMENSION, "alpha": 0.25, "linewidth": 0, "antialiased": False}
        axes.add_patch(PathPatch(Path.make_compound_path(*faces), zorder=3, gid="obstacles", **style))
    _draw_outlines(axes, found.outlines, DIMENSION, 0.9)


def _draw_picture(axes: Axes, backdrop: Backdrop) -> None:
    height, width = backdrop.pixels.shape[:2]
    factor = -(-max(width, height) // _MOST_PIXELS)
    pixels = np.asarray(Image.fromarray(backdrop.pixels).reduce(factor))
    a, b, d, e, x, y = backdrop.matrix
    placed = Affine2D(np.array([[a, b, x], [d, e, y], [0, 0, 1]])).scale(1e3)
    pixels = pixels if pixels.ndim == 3 else np.repeat(pixels[..., None], 3, axis=2)
    # The last row and column of a reduced picture may be incomplete.
    extent = 0, pixels.shape[1] * factor, height - pixels.shape[0] * factor, height
    shown = axes.imshow(pixels, extent=extent, zorder=1)
    shown.set_transform(placed + axes.transData)


def _draw_outlines(axes: Axes, shapes: Sequence[shapely.Geometry], color: str, linewidth: float) -> None:
    lines = [line for shape in shapes for line in (shapely.get_rings(shape) if shape.area else [shape])]
    ends = [1e3 * shapely.get_coordinates(line) for line in lines]
    axes.add_collection(LineCollection(ends, colors=color, linewidths=linewidth, zorder=4), autolim=False)


def draw_ends(
    axes: Axes, start: tuple[float, float, float] | None, goal: tuple[float, float, float] | None, radius: float
) -> None:
    """Draw the base of a tube of a radius [mm], with an arrow in the direction of growth, and the goal disc.

    Args:
        start: x, y [m] and heading [rad]; None draws no base.
        goal: x, y and radius [m]; None draws no goal.
    """
    if start:
        for part in base_shapes(np.array(start), radius):
            axes.add_patch(Polygon(part, facecolor=INK, edgecolor="white", linewidth=0.5, zorder=7, gid="start"))
    if goal:
        x, y, reach = (1e3 * part for part in goal)
        axes.add_patch(Circle((x, y), reach, facecolor=GOAL, alpha=0.3, linewidth=0, zorder=6))
        axes.add_patch(Circle((x, y), reach, fill=False, edgecolor=GOAL, linewidth=1.6, zorder=7, gid="goal"))
