"""Figure of the designs of the cross-checks as grown with every propagator, one environment per panel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from planner.design.comparison.growths import Comparison
from planner.drawing.solids import draw_solids
from planner.drawing.style import FAINT, GOAL, INK, save_figure

DPI = 130
COLUMNS = 4
STYLES: dict[str, tuple[str, float, Any]] = {
    "quasistatic": ("#23282f", 4.6, "-"),
    "quasistatic, half step": ("#8ec3e6", 2.9, "-"),
    "penalty": ("#f0b429", 1.6, "-"),
    "impulse": ("#0a5a96", 1.3, "--"),
    "geometric": ("#b54d00", 1.6, ":"),
}
"""Colour, width and style of the centrelines, chosen so that superimposed lines are all visible."""


def save_cross_checks(path: Path, checks: Sequence[Comparison]) -> None:
    """Draw the centrelines at the end of each growth, superimposed."""
    environments = list(dict.fromkeys(one.environment.name for one in checks))
    columns = min(COLUMNS, len(environments))
    rows = -(-len(environments) // columns)
    figure = Figure(figsize=(3.3 * columns, 2.9 * rows + 0.5), facecolor="white", layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in panels[len(environments) :]:
        axes.set_axis_off()
    for axes, environment in zip(panels, environments, strict=False):
        _draw(axes, [one for one in checks if one.environment.name == environment])
    shown = [
        Line2D([], [], color=colour, linewidth=width, linestyle=style, label=name)
        for name, (colour, width, style) in STYLES.items()
        if any(one.propagator == name for one in checks)
    ]
    shown.append(Line2D([], [], color=INK, marker="o", markersize=4, linestyle="", label="tip"))
    figure.legend(handles=shown, loc="outside lower center", ncols=6, fontsize=8.5, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def _draw(axes: Axes, checks: Sequence[Comparison]) -> None:
    environment = checks[0].environment
    view = 1e3 * environment.bounds
    axes.set(xlim=view[[0, 2]], ylim=view[[1, 3]], aspect="equal")
    draw_solids(axes, environment, view)
    x, y, radius = 1e3 * environment.goal
    axes.add_patch(Circle((x, y), radius, facecolor=GOAL, alpha=0.22, linewidth=0, zorder=3))
    for one in checks:
        colour, width, style = STYLES[one.propagator]
        line = 1e3 * one.own.lines[-1] if one.own.lines else np.empty((0, 2))
        axes.plot(*line.T, color=colour, linewidth=width, linestyle=style, zorder=5)
        axes.plot(*line[-1:].T, color=colour, marker="o", markersize=2 + width, zorder=6)
    missing = [one.propagator for one in checks if one.fails]
    words = f"missed by {', '.join(missing)}" if missing else "reached by all"
    axes.set_title(f"{environment.name}: {words}", color=INK, size=8, loc="left")
    axes.set_xlabel("mm", size=7.5, color=INK, labelpad=1)
    axes.tick_params(labelsize=7, color=FAINT, labelcolor=INK)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
