"""Figures of sensing by deformation: true shapes, and those recovered from noisy readings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planner.drawing.solids import draw_solids
from planner.drawing.style import FAINT, INK, save_figure
from studies.sensing.study import NOISES, SensingTrial

COLOURS = ("#0a8f62", "#0a5a96", "#b54d00")
DPI = 150


def save_sensing(path: Path, trials: Sequence[SensingTrial]) -> None:
    """Draw the straight deployment and the deployment with a turn that have the most contacts."""
    chosen = []
    for turning in (False, True):
        some = sorted((trial for trial in trials if trial.case.turning == turning), key=lambda trial: trial.case.number)
        chosen += [max(some, key=lambda trial: len(trial.sensed[0].contacts))] if some else []
    figure = Figure(figsize=(5.6 * len(chosen), 6.2), layout="constrained", facecolor="white")
    panels = figure.subplots(1, len(chosen), squeeze=False)[0]
    for axes, trial in zip(panels, chosen, strict=True):
        _draw(axes, trial)
    panels[0].plot([], [], ".", color=FAINT, label="recovered wall points, a tube radius off the wall")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=len(labels), fontsize=8.5, frameon=False, labelcolor=INK
    )
    save_figure(path, figure, DPI)


def _draw(axes: Axes, trial: SensingTrial) -> None:
    bounds = 1e3 * trial.environment.bounds
    draw_solids(axes, trial.environment, bounds)
    line = 1e3 * trial.readings[-1].shape
    axes.plot(*line.T, color=INK, linewidth=2.6, alpha=0.85, zorder=5, label="true shape")
    for noise, sensed, colour in zip(NOISES[1:], trial.sensed[1:], COLOURS, strict=True):
        axes.plot(
            *(1e3 * sensed.shapes[-1]).T, color=colour, linewidth=1.2, zorder=6, label=f"recovered, noise {noise}°"
        )
        points = 1e3 * sensed.tips[~np.isnan(sensed.walls)]
        axes.plot(*points.T, ".", color=colour, markersize=4, zorder=7)
    axes.plot(*line[0], "s", color=INK, markersize=6, zorder=8)
    axes.set(xlim=bounds[[0, 2]], ylim=bounds[[1, 3]], aspect="equal", xlabel="x [mm]", ylabel="y [mm]")
    axes.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    kind = (
        f"turn of {np.degrees(trial.launch.turn):.0f}° at {1e3 * trial.launch.turn_at:.0f} mm"
        if trial.launch.turn
        else "straight"
    )
    axes.set_title(kind, size=9.5, color=INK, loc="left")
