"""Figures of recorded and simulated growths, superimposed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planner.drawing.style import save_figure
from studies.validation.recordings import SimulatedRecording

DPI = 100

SHOWN = 6
"""Number of frames drawn of each recording, evenly spaced over its second part."""
FROM = 0.35
"""Start of that part, relative to the recording; before it, tubes are short and straight."""


def save_overlays(path: Path, found: Sequence[SimulatedRecording]) -> None:
    """Draw frames of every recording over the simulated shapes of the same lengths, one row per model."""
    recordings = list(dict.fromkeys(one.recording.name for one in found))
    models = list(dict.fromkeys(one.model for one in found))
    figure = Figure(figsize=(4.2 * len(recordings), 2.9 * len(models) + 0.6), layout="constrained")
    grid = figure.subplots(len(models), len(recordings), squeeze=False)
    for axes in grid.flat:
        axes.set_axis_off()
    for one in found:
        _draw(grid[models.index(one.model), recordings.index(one.recording.name)], one)
    figure.suptitle("recorded (solid) and simulated (dashed) centrelines of the same length", fontsize=12)
    save_figure(path, figure, DPI)


def save_errors(path: Path, found: Sequence[SimulatedRecording]) -> None:
    """Draw the error of every frame over its length, one panel per recording, one line per model."""
    recordings = list(dict.fromkeys(one.recording.name for one in found))
    models = list(dict.fromkeys(one.model for one in found))
    figure = Figure(figsize=(4.2 * len(recordings), 3.6), layout="constrained")
    panels = figure.subplots(1, len(recordings), squeeze=False, sharey=True)[0]
    styles = ("-", "--", ":", "-.")
    for one in found:
        axes, index = panels[recordings.index(one.recording.name)], models.index(one.model)
        axes.plot(
            one.lengths, 1e3 * one.errors, styles[index % len(styles)], color=f"C{index}", lw=1.5, label=one.model
        )
        axes.set_title(one.recording.name, fontsize=10)
        axes.set_xlabel("length of the tube [m]")
    for axes in panels:
        radius = 1e3 * found[0].recording.tube_radius
        axes.axhline(radius, color="0.6", lw=0.8)
        axes.grid(alpha=0.3)
    panels[0].annotate(
        "tube radius", (0.02, radius), xycoords=("axes fraction", "data"), va="bottom", color="0.4", fontsize=8
    )
    panels[0].set_ylabel("RMS distance of a frame [mm]")
    panels[0].set_ylim(bottom=0)
    panels[0].legend(fontsize=8, loc="upper left")
    save_figure(path, figure, DPI)


def _draw(axes: Axes, one: SimulatedRecording) -> None:
    recording, colours = one.recording, matplotlib.colormaps["viridis"]
    axes.set_axis_on()
    for x1, y1, x2, y2 in recording.walls:
        axes.plot([x1, x2], [y1, y2], color="0.25", lw=2.5, solid_capstyle="round")
    last = len(recording.centerlines) - 1
    for number, frame in enumerate(np.linspace(FROM * last, last, SHOWN).astype(int)):
        colour = colours(0.9 * number / (SHOWN - 1))
        axes.plot(*recording.centerlines[frame].T, color=colour, lw=1.6)
        axes.plot(*one.shapes[frame].T, "--", color=colour, lw=1.3)
    axes.set_aspect("equal")
    axes.tick_params(labelsize=7)
    axes.set_title(f"{recording.name}, {one.model}: {1e3 * one.mean:.1f} mm", fontsize=9)
