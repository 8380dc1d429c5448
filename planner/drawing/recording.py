"""Figure of a recorded motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from dynamics.recording import Recording
from planner.drawing.style import FAINT, INK, save_figure

DPI = 150
MOST_LINES = 60
"""Maximum number of centrelines drawn."""
EARLY_TO_LATE = LinearSegmentedColormap.from_list("time", ["#cfe3f2", "#8ec3e6", "#0a5a96", "#062f50"])
"""Colours of time, readable in grey too."""


def save_recording(path: Path, recording: Recording) -> None:
    """Draw centrelines of a recording, coloured by time, its walls and its base, as a PNG, atomically."""
    shown = np.unique(np.linspace(0, len(recording.times) - 1, MOST_LINES).round().astype(int))
    lines = [1e3 * recording.centerlines[k] for k in shown]
    points = np.concatenate([*lines, 1e3 * recording.base[None, :2]])
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.06 * float((high - low).max()) + 1e3 * recording.tube_radius
    low, high = low - room, high + room
    size = (high - low) * min(7.2 / (high - low)[0], 5.6 / (high - low)[1])
    figure = Figure(figsize=(max(size[0], 3.4) + 2.1, max(size[1], 1.6) + 1.1), layout="constrained", facecolor="white")
    axes = figure.subplots()
    times = recording.times[shown] - recording.times[0]
    drawn = axes.add_collection(LineCollection(lines, array=times, cmap=EARLY_TO_LATE, linewidths=1.3), autolim=False)
    walls = LineCollection(list(1e3 * recording.walls.reshape(-1, 2, 2)), colors=INK, linewidths=2.2)
    axes.add_collection(walls, autolim=False)
    axes.plot(*1e3 * recording.base[:2], "s", color=INK, markersize=6, zorder=5)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.set_xlabel("x [mm]", size=9, color=INK)
    axes.set_ylabel("y [mm]", size=9, color=INK)
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    bar = figure.colorbar(drawn, ax=axes, shrink=0.8, pad=0.02)
    bar.set_label("time [s]", size=9, color=INK)
    bar.ax.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    bar.outline.set(linewidth=0.7, edgecolor=FAINT)
    part = "all" if len(shown) == len(recording.times) else f"{len(shown)} of"
    words = f"{recording.name}: axis in {part} {len(recording.times)} frames"
    axes.set_title(f"{words}; square: base", size=10, color=INK, loc="left", parse_math=False)
    save_figure(path, figure, DPI)
