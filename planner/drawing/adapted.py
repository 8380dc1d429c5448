"""The picture of an adapted design: where tips end as the tube was built, and as it is set now, over the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from environments.environment import Environment
from planner.design.design import Design
from planner.drawing.base import base_shapes, drawn_radius
from planner.drawing.course import centrelines
from planner.drawing.names import draw_names
from planner.drawing.plan import foreground
from planner.drawing.solids import draw_solids
from planner.drawing.style import FAINT, GOAL, INK, MISSED, save_figure
from planner.drawing.trials import DPI, HIGHEST, UNKNOWN, WIDEST, PredictedTips
from planner.drawing.view import whole_view, zoomed_view

BUILT: dict[str, Any] = {"color": MISSED, "marker": "x", "markersize": 4.2, "alpha": 0.7, "markeredgewidth": 1.0}
ADAPTED: dict[str, Any] = {"color": UNKNOWN, "marker": "o", "markersize": 3.6, "alpha": 0.6, "markeredgewidth": 0}
"""Marks of tips: readable without colours by their shapes."""


def adapted_figure(
    before: Environment, there: Environment, design: Design, built: PredictedTips, adapted: PredictedTips, words: str
) -> Figure:
    """Draw tips as predicted from the trials, before and after the change.

    Args:
        before: The environment before the change, of which moved obstacles are outlined.
        there: The environment after it.
        design: The adapted design.
        words: What is changed.
    """
    tubes = [design.centerline, built.tips, adapted.tips]
    known = np.concatenate(tubes)
    whole = whole_view(there, design, known[~np.isnan(known[:, 0])])
    window = zoomed_view(there, [design], tubes, whole)
    view = whole if window is None else window
    size = (view[2:] - view[:2]) * min(WIDEST / (view[2] - view[0]), HIGHEST / (view[3] - view[1]))
    figure = Figure(figsize=(max(size[0], 4.6) + 0.9, size[1] + 1.75), layout="constrained", facecolor="white")
    axes = figure.subplots()
    axes.set(xlim=view[[0, 2]], ylim=view[[1, 3]], aspect="equal")
    draw_solids(axes, there, view)
    _draw_earlier(axes, before, there)
    x, y, radius = 1e3 * there.goal
    axes.add_patch(Circle((x, y), radius, facecolor=GOAL, alpha=0.14, linewidth=0, zorder=3))
    line: dict[str, Any] = {"color": FAINT, "linewidth": 1.6, "zorder": 4, "gid": "prediction"}
    axes.plot(*1e3 * design.centerline.T, label="as set now, without errors", **line)
    for tips, style, name in ((built, BUILT, "as built"), (adapted, ADAPTED, "adapted")):
        label = f"{name}: {100 * tips.reached.mean():.0f} % reach the goal" if len(tips.reached) else name
        axes.plot(*1e3 * tips.tips.T, linestyle="none", zorder=5, label=label, gid=name, **style)
    for patch in foreground(there, design):
        axes.add_artist(patch)
    axes.set_xlabel("x [mm]", size=9, color=INK)
    axes.set_ylabel("y [mm]", size=9, color=INK)
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    name = " ".join(there.name.split())
    axes.set_title(f"{name[:50]}, {words}", size=11, color=INK, loc="left", parse_math=False)
    figure.legend(loc="outside lower left", ncols=3, fontsize=8.5, frameon=False, labelcolor=INK)
    figure.draw_without_rendering()  # only now has the drawing its size
    point = float(view[2] - view[0]) / axes.get_window_extent().width * figure.dpi / 72
    draw_names(axes, there, view, point, _taken(there, design, built, adapted))
    return figure


def save_adapted_picture(
    path: Path,
    before: Environment,
    there: Environment,
    design: Design,
    built: PredictedTips,
    adapted: PredictedTips,
    words: str,
) -> None:
    """Write `adapted_figure` as a PNG, atomically."""
    save_figure(path, adapted_figure(before, there, design, built, adapted, words), DPI)


def _draw_earlier(axes: Axes, before: Environment, there: Environment) -> None:
    """Outline obstacles where they were before they were moved."""
    pairs = zip(before.obstacles.shapes(), there.obstacles.shapes(), strict=True)
    outlines = [Polygon(1e3 * shapely.get_coordinates(one.buffer(1e-4))) for one, now in pairs if not one.equals(now)]
    if outlines:
        style: dict[str, Any] = {"facecolor": "none", "edgecolor": FAINT, "linestyle": "--", "linewidth": 1.0}
        axes.add_collection(PatchCollection(outlines, zorder=3, gid="moved", **style), autolim=False)


def _taken(environment: Environment, design: Design, *tips: PredictedTips) -> shapely.Geometry:
    """Return what no name should cover [mm]."""
    base = shapely.MultiPoint(np.vstack(base_shapes(environment.start, drawn_radius(design)))).convex_hull
    x, y, radius = 1e3 * environment.goal
    shown = 1e3 * np.concatenate([one.tips for one in tips])
    marks = shapely.MultiPoint(shown[~np.isnan(shown[:, 0])]).buffer(8)
    lines = map(shapely.LineString, centrelines([design.centerline]))
    return shapely.GeometryCollection([base, shapely.Point(x, y).buffer(radius), marks, *lines])
