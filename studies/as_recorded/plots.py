"""Figure of the recorded growths and their predictions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planner.built.posterior import LEVEL
from planner.drawing.style import ACTUATOR, FAINT, INK, save_figure
from studies.as_recorded.study import Prediction
from surrogate.kernels.compiled import Floats

DPI = 110
PREDICTED, DEFAULT = ACTUATOR["left"], ACTUATOR["right"]
SHOWN = 0.6, 1.0
"""Frames of which centrelines are drawn, relative to the last one."""


def save_predictions(path: Path, found: Sequence[Prediction]) -> None:
    """Draw a column for each recording, with the errors of the last idea: paths of the tip above, centrelines below."""
    last = [one for one in found if one.case.idea == found[-1].case.idea]
    figure = Figure(figsize=(4.0 * len(last), 6.6), layout="constrained", facecolor="white")
    grid = figure.subplots(2, len(last), squeeze=False)
    for column, one in zip(grid.T, last, strict=True):
        _draw_tips(column[0], one)
        _draw_shapes(column[1], one)
        numbers = f"{1e3 * one.plain.mean:.1f} mm default, {1e3 * one.after.mean:.1f} mm predicted"
        column[0].set_title(
            f"{one.case.recording.name}: {100 * one.after.inside.mean():.0f} % of tips within", size=9, color=INK
        )
        column[1].set_title(numbers, size=9, color=INK)
        for axes in column:
            axes.set_aspect("equal")
            axes.tick_params(labelsize=7, color=FAINT, labelcolor=INK)
    for axes, what in zip(grid[:, 0], ("paths of the tip", "centrelines"), strict=True):
        axes.set_ylabel(f"{what} [m]", size=9, color=INK)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8.5, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def _draw_tips(axes: Axes, one: Prediction) -> None:
    """Draw the paths of the tip, with the band that the intervals cover."""
    _draw_walls(axes, one)
    band = shapely.union_all([_outline(*each) for each in zip(one.after.middles, one.after.ellipses, strict=True)])
    for number, part in enumerate(shapely.get_parts(band)):
        label = f"{100 * LEVEL:.0f} % interval of the tip" if not number else None
        axes.fill(*np.array(part.exterior.coords).T, color=PREDICTED, alpha=0.15, linewidth=0, label=label)
    axes.plot(*_tips(one.case.recording.centerlines), color=INK, linewidth=1.5, label="recorded")
    axes.plot(*_tips(one.plain.shapes), "--", color=DEFAULT, linewidth=1.2, label="default tube")
    axes.plot(
        *_tips(one.after.shapes), "-.", color=PREDICTED, linewidth=1.4, label="predicted from the other recordings"
    )


def _draw_shapes(axes: Axes, one: Prediction) -> None:
    """Draw the centrelines of some frames."""
    _draw_walls(axes, one)
    for frame in (round(share * (len(one.lengths) - 1)) for share in SHOWN):
        axes.plot(*one.case.recording.centerlines[frame].T, color=INK, linewidth=1.5)
        axes.plot(*one.plain.shapes[frame].T, "--", color=DEFAULT, linewidth=1.2)
        axes.plot(*one.after.shapes[frame].T, "-.", color=PREDICTED, linewidth=1.4)


def _draw_walls(axes: Axes, one: Prediction) -> None:
    for x1, y1, x2, y2 in one.case.recording.walls:
        axes.plot([x1, x2], [y1, y2], color=FAINT, linewidth=2.5, solid_capstyle="round")


def _tips(lines: Sequence[Floats]) -> Floats:
    return np.array([line[-1] for line in lines]).T


def _outline(middle: Floats, ellipse: Floats) -> shapely.Polygon:
    """Return the ellipse of a middle and a matrix as a polygon."""
    angles = np.linspace(0.0, 2 * np.pi, 60, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return shapely.Polygon(middle + circle @ np.linalg.cholesky(ellipse).T)
