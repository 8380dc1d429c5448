"""Pictures of the motions of a robot: its coordinates and inputs over time, and the robot in space."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dynamics.euler_lagrange.control import Saturation, Tracking
from dynamics.euler_lagrange.kinematics import centerline, to_polar, to_regular
from dynamics.euler_lagrange.model import Robot
from dynamics.euler_lagrange.motion import RobotMotion
from planner.drawing.style import FAINT, INK, save_figure
from surrogate.kernels.compiled import Floats

DPI = 140
COLOURS = "#0a5a96", "#b54d00", "#8a80ad"
WANTED = "#d1495b"
"""Colour of references."""
LOST = "#e3e6ea"
"""Colour of the times at which the reference is shorter than the tube."""
MOMENTS = 8
"""Largest number of moments at which the robot is drawn in space."""


STRAIGHT = 1e-6
"""Bend below which a tube is drawn without a plane [rad]."""
NEAR, NARROW = 0.03, 0.35
"""Distance of tips that share a label, and least width of the picture in space, as shares of the robot's size."""


def dress(axes: Axes) -> None:
    """Give axes over time their grid and their spines."""
    axes.grid(color=FAINT, alpha=0.25, linewidth=0.5)
    axes.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.0)


def label(axes: Axes, words: str) -> None:
    """Label the vertical axis."""
    axes.set_ylabel(words, size=9, color=INK)


def legend(axes: Axes | Figure, **more: Any) -> None:
    """Draw the legend of axes or of a figure without a frame; `more` are options of Matplotlib."""
    axes.legend(fontsize=8.5, frameon=False, labelcolor=INK, **more)


def save_motion(path: Path, robot: Robot, motion: RobotMotion | Tracking, title: str) -> None:
    """Draw length, bend and plane, with their references if there are any, the inputs, and the robot in space."""
    figure = Figure(figsize=(10.4, 6.2), dpi=DPI, facecolor="white", layout="constrained")
    grid = figure.add_gridspec(4, 2, width_ratios=(1.35, 1.0))
    panels = [figure.add_subplot(grid[row, 0]) for row in range(4)]
    _draw_coordinates(panels[:3], motion)
    inputs = motion.inputs
    panels[3].plot(motion.times, inputs[:, 0], color=INK, linewidth=1.0, label="core")
    for k, colour in enumerate(COLOURS, start=1):
        panels[3].plot(motion.times, inputs[:, k], color=colour, linewidth=1.0, label=f"sPAM {k}")
    label(panels[3], "force [N]")
    panels[3].set_xlabel("time [s]", size=9, color=INK)
    for axes in panels:
        dress(axes)
        if len(motion.times) > 1:  # a plane with gaps has fewer times
            axes.set_xlim(motion.times[0], motion.times[-1])
        if isinstance(motion, Tracking):
            _shade(axes, motion)
    for axes in panels[:3]:
        axes.tick_params(labelbottom=False)
    if isinstance(motion, Tracking):
        legend(panels[0], loc="upper left", bbox_to_anchor=(0.0, 1.03))
    panels[3].set_ylim(top=1.35 * max(float(inputs.max()), 1.0))
    legend(panels[3], loc="upper left", ncols=4, handles=panels[3].get_lines())
    panels[0].set_title(title, color=INK, size=10.5, weight="bold", loc="left")
    _draw_in_space(figure.add_subplot(grid[:, 1], projection="3d"), motion, hanging=robot.gravity[2] >= 0)
    save_figure(path, figure, DPI)


def _draw_coordinates(panels: list[Axes], motion: RobotMotion | Tracking) -> None:
    polar = draw_gaps(motion.polar)
    asked = draw_gaps(to_polar(to_regular(motion.reference))) if isinstance(motion, Tracking) else None
    for axes, part, words in zip(panels, range(3), ("length s [m]", "bend θ [rad]", "plane φ [rad]"), strict=True):
        axes.plot(motion.times, polar[:, part], color=COLOURS[0], linewidth=1.6, label="robot")
        if asked is not None:
            axes.plot(
                motion.times, asked[:, part], color=WANTED, linewidth=1.2, linestyle=(0, (4, 2)), label="reference"
            )
        label(axes, words)


def draw_gaps(polar: Floats) -> Floats:
    """Return (s, theta, phi) with gaps in phi [rad] where the tube is straight, and where phi goes on from pi at -pi."""
    drawn = polar.copy()
    drawn[polar[:, 1] < STRAIGHT, 2] = np.nan
    drawn[1:][np.abs(np.diff(polar[:, 2])) > np.pi, 2] = np.nan
    return drawn


def _shade(axes: Axes, tracking: Tracking) -> None:
    words: str | None = "reference shorter than the tube"
    for event in tracking.events:
        if event.what == Saturation.SHORTER:
            axes.axvspan(event.begin, event.end, color=LOST, linewidth=0, label=words)
            words = None


def _moments(last: float) -> tuple[list[float], str]:
    """Times at which the robot is drawn [s], at most `MOMENTS`, and what they are in words."""
    steps = (step * 10.0**power for power in range(-9, 5) for step in (1, 2, 5))
    every = next(step for step in steps if last / step < MOMENTS + 0.5)
    moments = [every * k for k in range(1, int(last / every + 1e-6) + 1)] or [last]
    return moments, "the robot at the end of each second" if every == 1 else f"the robot every {every:g} s"


def _draw_in_space(axes: Axes, motion: RobotMotion | Tracking, hanging: bool) -> None:
    """Draw the robot at some moments, with colours that darken over time; the direction of growth is downwards if it hangs."""
    moments, words = _moments(float(motion.times[-1]))
    rows = np.minimum(np.searchsorted(motion.times, np.array(moments) - 1e-9), len(motion.q) - 1)
    lines = np.array([centerline(q, 60) for q in motion.q[rows]])
    for points, shade in zip(lines, np.linspace(0.25, 1.0, len(moments)), strict=True):
        x, y, z = points.T
        axes.plot(x, y, z, color=COLOURS[0], alpha=shade, linewidth=1.8)
        axes.plot(x[-1:], y[-1:], z[-1:], "o", color=WANTED, alpha=shade, markersize=5)
    size = float(np.ptp(lines.reshape(-1, 3), axis=0).max())
    for words_here, tip in _labels(moments, lines[:, -1], NEAR * size):
        x, y, z = tip
        axes.text(x, y, z, words_here, size=8.5, color=INK)  # type: ignore[arg-type]
    axes.plot([0], [0], [0], "s", color=INK, markersize=6)
    for name in "xyz":
        getattr(axes, f"set_{name}label")(f"{name} [m]", size=8.5, color=INK)
        getattr(axes, f"{name}axis").set_major_locator(MaxNLocator(4))
    axes.tick_params(labelsize=7.5, colors=INK)
    space: Any = axes
    for low, high, limit in zip(
        *(edge(lines, axis=(0, 1)) for edge in (np.min, np.max)), (space.set_xlim, space.set_ylim), strict=False
    ):
        if high - low < NARROW * size:  # room for the numbers at the axes
            limit((low + high - NARROW * size) / 2, (low + high + NARROW * size) / 2)
    space.set_aspect("equal")
    if hanging:
        space.invert_zaxis()
    space.view_init(elev=16, azim=-28)
    axes.set_title(words, color=INK, size=9.5)


def _labels(moments: list[float], tips: Floats, near: float) -> list[tuple[str, Floats]]:
    """Labels of tips and their places [m]; successive tips that are nearer than `near` [m] have one."""
    groups: list[list[int]] = []
    for k in range(len(moments)):
        if groups and np.linalg.norm(tips[k] - tips[groups[-1][0]]) < near:
            groups[-1].append(k)
        else:
            groups.append([k])
    found = []
    for first, *more in groups:
        until = f" to {moments[more[-1]]:g}" if more else ""
        found.append((f"  {moments[first]:g}{until} s", tips[more[-1] if more else first]))
    return found
