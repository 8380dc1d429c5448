"""Figures of a fit: tip over time, shapes (as in Figs. 6 and 7 of paper 000), and likelihood profiles of K and C."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from planner.drawing.style import FAINT, INK, save_figure
from planner.recordings.identification import FittedParameter, Profile, RecordingFit
from planner.recordings.identification.result import CHI_SQUARE

DPI = 150
RECORDED, FITTED, WALL, PROFILE = "#6b7480", "#b54d00", "#23282f", "#0a5a96"
SHAPES = 5
"""Number of frames drawn over each other."""


def save_fits(path: Path, fits: Sequence[RecordingFit]) -> None:
    """Write tip, shapes and any profiles as a PNG, one row per fit, atomically."""
    figure = Figure(figsize=(13.2, 3.7 * len(fits)), layout="constrained", facecolor="white")
    panels = figure.subplots(len(fits), 4, squeeze=False, width_ratios=[1.5, 1.2, 1, 1])
    for fit, row in zip(fits, panels, strict=True):
        draw_tip(row[0], fit)
        draw_shapes(row[1], fit)
        for axes, profile in zip(row[2:], fit.profiles, strict=False):
            draw_profile(axes, profile, fit.parameter(profile.name))
        for axes in row[2 + len(fit.profiles) :]:
            axes.remove()
    save_figure(path, figure, DPI)


def draw_tip(axes: Axes, fit: RecordingFit) -> None:
    """Draw the tip's coordinate with the larger motion over time, recorded and fitted."""
    recorded = 1e3 * np.array([line[-1] for line in fit.recording.centerlines])
    side = int(np.ptp(recorded, axis=0).argmax())
    start = fit.recording.times[0]
    dots: dict[str, Any] = {
        "color": RECORDED,
        "marker": "o",
        "linestyle": "",
        "markersize": 3.2,
        "markerfacecolor": "none",
    }
    axes.plot(fit.recording.times, recorded[:, side], **dots, markeredgewidth=0.7, label="recorded")
    axes.plot(start + fit.times, 1e3 * fit.joints[:, -1, side], color=FITTED, linewidth=1.4, label="fitted")
    _dress(axes, f"{fit.recording.name}: tip, mean absolute error {1e3 * fit.tip_error[side]:.2g} mm")
    axes.set_xlabel("time [s]", size=8.5, color=INK)
    axes.set_ylabel(f"tip {'xy'[side]} [mm]", size=8.5, color=INK)
    # Leave room for the legend above the curves.
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.16 * (high - low))
    axes.legend(loc="upper right", ncols=2, fontsize=8, frameon=False, labelcolor=INK)


def draw_shapes(axes: Axes, fit: RecordingFit) -> None:
    """Draw the tube in several frames, recorded and fitted, with opacity increasing over time, and the walls."""
    chosen = np.unique(np.linspace(0, len(fit.frames) - 1, SHAPES).round().astype(int))
    for k, frame in enumerate(chosen):
        full = 0.3 + 0.7 * (k + 1) / len(chosen)
        line, joints = 1e3 * fit.recording.centerlines[frame], 1e3 * fit.joints[fit.frames[frame]]
        axes.plot(*line.T, color=RECORDED, alpha=full, marker="o", linestyle="", markersize=2.4, markeredgewidth=0)
        axes.plot(*joints.T, color=FITTED, alpha=full, linewidth=1.3)
    axes.autoscale(False)
    reach = 1e3 * fit.joints.reshape(-1, 2)
    low, high = reach.min(axis=0), reach.max(axis=0)
    room = 0.12 * float((high - low).max())
    walls = LineCollection(list(1e3 * fit.recording.walls.reshape(-1, 2, 2)), colors=WALL, linewidths=2.0)
    axes.add_collection(walls, autolim=False)
    axes.set(xlim=(low[0] - room, high[0] + room), ylim=(low[1] - room, high[1] + room))
    axes.set_aspect("equal", adjustable="box")
    _dress(axes, f"axis in {len(chosen)} of {len(fit.frames)} frames")
    axes.set_xlabel("x [mm]", size=8.5, color=INK)
    axes.set_ylabel("y [mm]", size=8.5, color=INK)


def draw_profile(axes: Axes, profile: Profile, parameter: FittedParameter) -> None:
    """Draw the rise of the cost with the parameter held at other values, and the 95 % threshold."""
    axes.axhline(CHI_SQUARE, color=FAINT, linewidth=0.9, linestyle=(0, (4, 2)))
    dense = np.geomspace(profile.values[0], profile.values[-1], 300)
    root = np.sign(np.arange(len(profile.rise)) - profile.rise.argmin()) * np.sqrt(np.maximum(profile.rise, 0.0))
    # Interpolate the root of the rise linearly in the logarithm, which is exact for a parabola.
    axes.plot(dense, np.interp(np.log(dense), np.log(profile.values), root) ** 2, color=PROFILE, linewidth=1.2)
    axes.plot(profile.values, profile.rise, color=PROFILE, marker="o", markersize=3.2, linestyle="")
    axes.axvline(parameter.value, color=FITTED, linewidth=0.9)
    low, high = profile.values[0], profile.values[-1]
    wide = high > 3 * low
    axes.set_xscale("log" if wide else "linear")
    if wide:
        # Less than two decades need labels between the powers of ten.
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if high < 100 * low else (1.0,)))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0e}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.locator_params(axis="x", nbins=2)
    axes.set_ylim(-0.3, 2.1 * CHI_SQUARE)
    axes.text(0.02, CHI_SQUARE + 0.15, "95 %", size=8, color=FAINT, transform=axes.get_yaxis_transform())
    _dress(axes, f"{profile.name}: {'identified' if parameter.identified else 'not identified'}")
    axes.set_xlabel(f"{profile.name} [{profile.unit}]", size=8.5, color=INK)
    axes.set_ylabel("rise of the cost / noise variance", size=8.5, color=INK)


def _dress(axes: Axes, title: str) -> None:
    axes.set_title(title, size=9.5, color=INK, loc="left", parse_math=False)
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set(color=FAINT, linewidth=0.7)
