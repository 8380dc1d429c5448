"""Figure of walls with their intervals, corners, and free area that a growth revealed, over the true environment if it is
known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch, Polygon
from shapely.plotting import patch_from_polygon

from planner.drawing.style import FAINT, INK, save_figure
from planner.mapping.plots import FREE, HIT, TUBE
from planner.mapping.recorded import Elements
from planner.mapping.sensing.found import FoundWall, SensedSurroundings
from surrogate.kernels.compiled import Floats

DPI = 140
SHOWN = 12
"""Number of centrelines drawn, evenly spaced over the frames."""
MARGIN = 60.0
"""Margin around everything that was found [mm]."""


def save_found(path: Path, title: str, found: SensedSurroundings, elements: Elements) -> None:
    """Draw walls, corners and free area to a PNG, atomically."""
    low_x, low_y, high_x, high_y = view_of(found)
    figure = Figure(
        figsize=(8.0, 1.3 + 7.0 * min(max((high_y - low_y) / (high_x - low_x), 0.3), 1.4)), layout="constrained"
    )
    axes = figure.subplots()
    draw_found(axes, found, elements)
    axes.set_title(title, size=10, color=INK, loc="left", parse_math=False)
    axes.set_xlabel("x [mm]", size=9, color=INK)
    axes.set_ylabel("y [mm]", size=9, color=INK)
    figure.legend(
        handles=legend(bool(elements.names)),
        loc="outside lower center",
        ncols=3,
        fontsize=8.5,
        frameon=False,
        labelcolor=INK,
    )
    save_figure(path, figure, DPI)


def view_of(found: SensedSurroundings) -> Floats:
    """Return min x, min y, max x, max y of everything that was found, with a margin [mm]."""
    points = np.concatenate(
        [*found.shapes, *(wall.ends for wall in found.walls), *(one.touch[None] for one in found.corners)]
    )
    return 1e3 * np.concatenate([points.min(axis=0), points.max(axis=0)]) + MARGIN * np.array([-1, -1, 1, 1])


def draw_found(axes: Axes, found: SensedSurroundings, elements: Elements, intervals: bool = True) -> None:
    """Draw walls, corners and free area, with or without intervals, and the true walls."""
    for part in shapely.get_parts(found.free):
        if part.area:
            area = shapely.transform(part, lambda points: 1e3 * points)
            axes.add_patch(patch_from_polygon(area, facecolor=FREE, edgecolor="none", zorder=1))
    frames = np.unique(np.linspace(0, len(found.shapes) - 1, SHOWN).astype(int))
    lines = [1e3 * found.shapes[k] for k in frames]
    axes.add_collection(LineCollection(lines, colors=TUBE, linewidths=0.8, alpha=0.6, zorder=3), autolim=False)
    true = 1e3 * elements.segments.reshape(-1, 2, 2)
    axes.add_collection(LineCollection(list(true), colors=INK, linewidths=1.6, zorder=2), autolim=False)
    bands = [Polygon(1e3 * band(wall)) for wall in found.walls if intervals]
    axes.add_collection(PatchCollection(bands, facecolors=HIT, alpha=0.22, linewidths=0, zorder=4), autolim=False)
    for wall in found.walls:
        style = "-" if wall.determined else (0, (2, 1.5))
        axes.plot(*(1e3 * wall.ends).T, linestyle=style, color=HIT, linewidth=2.2, zorder=5, solid_capstyle="round")
    for corner in found.corners:
        circle = Circle(
            tuple(1e3 * corner.pivot), 1e3 * corner.within, fill=False, edgecolor=HIT, linewidth=0.8, zorder=5
        )
        if intervals:
            axes.add_patch(circle)
        axes.plot(*1e3 * corner.touch, "o", color=HIT, markersize=5, zorder=6)
    axes.plot(*1e3 * found.start[:2], "s", color=INK, markersize=5, zorder=6)
    low_x, low_y, high_x, high_y = view_of(found)
    axes.set(xlim=(low_x, high_x), ylim=(low_y, high_y), aspect="equal")
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.spines[:].set(linewidth=0.7, color=FAINT)


def band(wall: FoundWall) -> Floats:
    """Return the corners of the interval of a wall [m], shape (4, 2)."""
    normal = np.array([-np.sin(wall.heading), np.cos(wall.heading)])
    aside = wall.within[:, None] * normal
    return np.concatenate([wall.ends + aside, (wall.ends - aside)[::-1]])


def legend(known: bool) -> list[Any]:
    """Return the entries of the legend."""
    entries: list[Any] = [
        Line2D([], [], color=HIT, linewidth=2.2, label="wall found (dashed: not determined)"),
        Patch(facecolor=HIT, alpha=0.22, label="its 95 % interval"),
        Line2D(
            [],
            [],
            color=HIT,
            marker="o",
            linestyle="none",
            markersize=5,
            label="corner touched; circle: 95 % of the pivot",
        ),
        Patch(facecolor=FREE, label="found free"),
        Line2D([], [], color=TUBE, linewidth=0.8, alpha=0.6, label="axis of the tube"),
    ]
    return entries + [Line2D([], [], color=INK, linewidth=1.6, label="true wall")] * known
