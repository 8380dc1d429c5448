"""The figure of the study: success over the errors, as the axes of paper 002, Fig. 9."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planner.drawing.style import ACTUATOR, INK, save_figure
from studies.paper_errors.report import ENOUGH
from studies.paper_errors.study import CLAIM, LEVELS, READINGS, PaperOutcome

DPI = 140
LOOKS: tuple[dict[str, Any], ...] = (
    {"color": ACTUATOR["left"], "linestyle": "-"},
    {"color": ACTUATOR["right"], "linestyle": "--"},
)
"""Lines of the readings."""


def save_success(path: Path, outcomes: Sequence[PaperOutcome]) -> None:
    """Draw success over the level of obstacles, and over that of bending, one line for each plan."""
    figure = Figure(figsize=(8.4, 3.6), facecolor="white", layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for panel, axis in zip(panels, CLAIM, strict=True):
        _draw_axis(panel, axis, outcomes)
    panels[0].set_ylabel("success [%]", size=9, color=INK)
    panels[0].set_ylim(0, 103)
    panels[0].legend(fontsize=8.5, frameon=False, labelcolor=INK, loc="lower left")
    save_figure(path, figure, DPI)


def _draw_axis(panel: Axes, axis: str, outcomes: Sequence[PaperOutcome]) -> None:
    panel.plot(
        100 * max(CLAIM[axis]),
        100 * ENOUGH,
        marker="*",
        markersize=11,
        linestyle="none",
        color=INK,
        label="paper 002",
        zorder=4,
    )
    for reading, look in zip(READINGS, LOOKS, strict=True):
        label = reading.name
        for one in outcomes:
            if one.case.reading != reading.name or not one.cells:
                continue
            levels = [(level, 0.0) if axis == "obstacles" else (0.0, level) for level in LEVELS]
            rates = [100 * one.cells[pair].rate for pair in levels]
            panel.plot([100 * level for level in LEVELS], rates, marker=".", linewidth=1.1, label=label, **look)
            label = "_" + reading.name  # one entry of the legend for all seeds
    panel.set_title(f"errors of {axis} alone", size=10, color=INK, loc="left")
    panel.set_xlabel("standard deviation [%]", size=9, color=INK)
    panel.tick_params(labelsize=8.5)
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(alpha=0.25)
