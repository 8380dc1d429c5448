"""Figure of vines at a box, with a panel for each propagator and contact."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from shapely.plotting import patch_from_polygon

from dynamics.tube import VineParams
from planner.drawing.solids import draw_solids
from planner.drawing.style import ACTUATOR, FAINT, INK, OBSTACLE, OUTLINE, TUBE, save_figure
from studies.validation.contacts import CASES, EFFECTS, ContactResult

DPI = 130
DASHED = (0, (4, 2.5))
VIEW = np.array([-470.0, -90.0, 720.0, 760.0])
"""Limits of a panel: min x, min y, max x, max y [mm]."""


def save_contacts(path: Path, outcomes: Sequence[ContactResult]) -> None:
    """Draw a row per propagator and a column per contact: the tube at true width, and its free-space shape dashed."""
    names = list(dict.fromkeys(one.propagator for one in outcomes if one.propagator not in EFFECTS))
    figure = Figure(figsize=(3.4 * len(CASES), 2.55 * len(names) + 0.6), facecolor="white", layout="constrained")
    panels = figure.subplots(len(names), len(CASES), squeeze=False)
    for row, name in zip(panels, names, strict=True):
        for axes, case in zip(row, CASES, strict=True):
            axes.set(xlim=VIEW[[0, 2]], ylim=VIEW[[1, 3]], aspect="equal")
            axes.tick_params(labelsize=7, color=FAINT, labelcolor=INK)
            axes.spines[:].set(linewidth=0.7, color=FAINT)
            for one in outcomes:
                if one.propagator == name and one.case == case:
                    _draw(axes, one)
        row[0].set_ylabel(f"{name}\ny [mm]", size=8.5, color=INK)
    for axes in panels[-1]:
        axes.set_xlabel("x [mm]", size=8.5, color=INK)
    shown = [
        Patch(facecolor=TUBE["left"], label="tube, its actuator on the left", **OUTLINE),
        Line2D([], [], color=INK, linewidth=1.1, linestyle=DASHED, label="as long in free space"),
        Line2D([], [], color=INK, marker="o", markersize=3.5, linestyle="", label="bent most by contact"),
        Patch(label="box", **OBSTACLE),
    ]
    figure.legend(handles=shown, loc="outside lower center", ncols=4, fontsize=8.5, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def _draw(axes: Axes, one: ContactResult) -> None:
    environment, radius = one.case.environment, 1e3 * VineParams().radius
    draw_solids(axes, environment, VIEW)
    tube = shapely.LineString(1e3 * one.line)
    shape = tube.buffer(radius, cap_style="flat").union(shapely.Point(tube.coords[-1]).buffer(radius))
    axes.add_patch(patch_from_polygon(shape, facecolor=TUBE["left"], zorder=4, **OUTLINE))
    inner = tube.parallel_offset(0.75 * radius, "left")
    axes.plot(*np.array(inner.coords).T, color=ACTUATOR["left"], linewidth=1.6, zorder=5)
    axes.plot(*1e3 * one.free.T, color=INK, linewidth=1.1, linestyle=DASHED, zorder=6)
    if one.peak is not None:
        at = 1e3 * one.line[round(one.peak / one.segment_length)]
        axes.plot(*at, marker="o", markersize=3.5, color=INK, zorder=7)
    angle = np.degrees(one.case.contact_angle)
    words = f"{one.case.name}, {angle:.0f}°: {one.seen}"
    if one.peak is not None:
        words += f" by {abs(np.degrees(one.turned)):.0f}°"
    axes.set_title(words, color=INK, size=8, loc="left")
