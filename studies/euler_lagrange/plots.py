"""Figures of the experiments with paper 004's model, in the layout of its Figs. 4 to 8."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dynamics.euler_lagrange.control import Saturation, Tracking
from dynamics.euler_lagrange.kinematics import centerline
from planner.drawing.style import FAINT, INK, save_figure
from studies.euler_lagrange.study import Chase, ExperimentResult, split_results, swinging_plane

DPI = 140
COLOURS = "#0a5a96", "#b54d00", "#8a80ad"
STYLES = "-", (0, (5, 2)), (0, (1.5, 1.5))
WANTED = "#d1495b"
LOST = "#e3e6ea"
"""Colour of the times at which the reference is shorter than the tube."""


def pictures() -> dict[str, Callable[[Path, Sequence[ExperimentResult | Chase]], None]]:
    """Return the functions that draw the five figures, by file name."""
    motions = {"static": _save_static, "growth": _save_growth, "ramp": _save_ramp, "plane": _save_plane}

    def motion(figure: str, path: Path, found: Sequence[ExperimentResult | Chase]) -> None:
        motions[figure](path, [one for one in split_results(found)[0] if one.experiment.figure == figure])

    def first_chase(path: Path, found: Sequence[ExperimentResult | Chase]) -> None:
        save_tracking(path, split_results(found)[1][0].tracking)

    drawn = {f"euler-lagrange-{figure}.png": partial(motion, figure) for figure in motions}
    return {**drawn, "euler-lagrange-tracking.png": first_chase}


def _panels(rows: int, title: str, height: float) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(7.2, height), dpi=DPI, facecolor="white", layout="constrained")
    panels = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    for axes in panels:
        _dress(axes)
    panels[0].set_title(title, color=INK, size=10.5, weight="bold", loc="left")
    panels[-1].set_xlabel("time [s]", size=9, color=INK)
    return figure, list(panels)


def _dress(axes: Axes) -> None:
    axes.grid(color=FAINT, alpha=0.25, linewidth=0.5)
    axes.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.0)


def _name(axes: Axes, words: str) -> None:
    axes.set_ylabel(words, size=9, color=INK)


def _lines(axes: Axes, results: Sequence[ExperimentResult], part: int, polar: bool = False) -> None:
    """Draw a component of q or of (s, theta, phi) over time, one line per result."""
    for result, colour, style in zip(results, COLOURS, STYLES, strict=False):
        motion, label = result.motion, result.experiment.label
        states = motion.polar if polar else motion.q
        axes.plot(motion.times, states[:, part], color=colour, linestyle=style, linewidth=1.3, label=label)


def _legend(axes: Axes, **more: Any) -> None:
    axes.legend(fontsize=8.5, frameon=False, labelcolor=INK, **more)


def _inputs(result: ExperimentResult) -> np.ndarray:
    """Core force and tensions over time [N], shape (times, 4)."""
    motion = result.motion
    return np.array([result.experiment.inputs(time, q) for time, q in zip(motion.times, motion.q, strict=True)], float)


def _save_static(path: Path, results: Sequence[ExperimentResult]) -> None:
    figure, (axes,) = _panels(1, "Let go at 0.1 rad, hanging, without input", 2.9)
    _lines(axes, results, 1)
    _name(axes, "bend in its plane, u [rad]")
    _legend(axes)
    axes.set_xlim(0, 5)
    save_figure(path, figure, DPI)


def _save_growth(path: Path, results: Sequence[ExperimentResult]) -> None:
    figure, (above, below) = _panels(2, "Growing under a constant force in the core", 4.0)
    above.plot(results[0].motion.times, _inputs(results[0])[:, 0], color=INK, linewidth=1.3)
    above.axhline(results[0].experiment.robot.yield_force, color=WANTED, linewidth=1.0, linestyle=(0, (4, 2)))
    above.text(
        9.9, results[0].experiment.robot.yield_force - 0.25, "yield force", ha="right", va="top", size=8.5, color=WANTED
    )
    above.set_ylim(0, 6)
    _name(above, "core [N]")
    _lines(below, results, 0)
    _name(below, "length s [m]")
    below.set_ylim(bottom=0)
    _legend(below)
    save_figure(path, figure, DPI)


def _save_ramp(path: Path, results: Sequence[ExperimentResult]) -> None:
    figure, (above, below) = _panels(2, "One actuator against a weight across the axis", 4.2)
    above.plot(results[0].motion.times, _inputs(results[0])[:, 1], color=INK, linewidth=1.3)
    _name(above, "sPAM 1 [N]")
    _lines(below, results, 1)
    _name(below, "bend towards sPAM 1 [rad]")
    _legend(below)
    save_figure(path, figure, DPI)


def _save_plane(path: Path, results: Sequence[ExperimentResult]) -> None:
    figure, (above, middle, below) = _panels(3, "sPAM 2 takes over from sPAM 1", 5.4)
    inputs = _inputs(results[0])
    for k, colour in ((1, COLOURS[0]), (2, COLOURS[1])):
        above.plot(results[0].motion.times, inputs[:, k], color=colour, linewidth=1.3, label=f"sPAM {k}")
    _name(above, "tension [N]")
    _legend(above, loc="center left")
    times, swinging = swinging_plane(results[0])
    for axes, part in ((middle, 1), (below, 2)):
        axes.plot(times, swinging[:, part], color=WANTED, linewidth=0.9, label="arm 2 D, damper of Eq. 16")
        _lines(axes, results, part, polar=True)
    _name(middle, "bend θ [rad]")
    middle.set_ylim(top=0.24)
    _legend(middle, loc="upper left")
    _name(below, "plane φ [rad]")
    below.axhline(2 * np.pi / 3, color=FAINT, linewidth=1.0, linestyle=(0, (4, 2)))
    below.text(0.1, 2 * np.pi / 3 - 0.06, "2π / 3", va="top", size=8.5, color=INK)
    save_figure(path, figure, DPI)


def save_tracking(path: Path, tracking: Tracking) -> None:
    """Draw length, bend and plane with their references, the inputs, and the robot in space at every second."""
    figure = Figure(figsize=(10.4, 6.2), dpi=DPI, facecolor="white", layout="constrained")
    grid = figure.add_gridspec(4, 2, width_ratios=(1.35, 1.0))
    panels = [figure.add_subplot(grid[row, 0]) for row in range(4)]
    for axes, part, words in zip(panels, range(3), ("length s [m]", "bend θ [rad]", "plane φ [rad]"), strict=False):
        axes.plot(tracking.times, tracking.polar[:, part], color=COLOURS[0], linewidth=1.6, label="robot")
        asked = tracking.reference[:, part]
        axes.plot(tracking.times, asked, color=WANTED, linewidth=1.2, linestyle=(0, (4, 2)), label="reference")
        _name(axes, words)
    panels[3].plot(tracking.times, tracking.inputs[:, 0], color=INK, linewidth=1.0, label="core")
    for k, colour in enumerate(COLOURS, start=1):
        panels[3].plot(tracking.times, tracking.inputs[:, k], color=colour, linewidth=1.0, label=f"sPAM {k}")
    _name(panels[3], "force [N]")
    panels[3].set_xlabel("time [s]", size=9, color=INK)
    for axes in panels:
        _dress(axes)
        for event in tracking.events:
            if event.what == Saturation.SHORTER:
                axes.axvspan(event.begin, event.end, color=LOST, linewidth=0, label="reference shorter than the tube")
    for axes in panels[:3]:
        axes.tick_params(labelbottom=False)
    _legend(panels[0], loc="upper left", bbox_to_anchor=(0.0, 1.03))
    panels[3].set_ylim(top=1.35 * tracking.inputs.max())
    _legend(panels[3], loc="upper left", ncols=4, handles=panels[3].get_lines())
    panels[0].set_title("Following a length, a bend and a plane", color=INK, size=10.5, weight="bold", loc="left")
    _draw_in_space(figure.add_subplot(grid[:, 1], projection="3d"), tracking)
    save_figure(path, figure, DPI)


def _draw_in_space(axes: Axes, tracking: Tracking) -> None:
    """Draw the robot at the end of every second, hanging from its base, with colours that darken over time."""
    moments = np.arange(1, round(tracking.times[-1]) + 1)
    shades = np.linspace(0.25, 1.0, len(moments))
    for second, shade in zip(moments, shades, strict=True):
        k = int(np.searchsorted(tracking.times, second - 1e-9))
        points = centerline(tracking.q[min(k, len(tracking.q) - 1)], 60)
        x, y, z = points.T
        axes.plot(x, y, z, color=COLOURS[0], alpha=shade, linewidth=1.8)
        axes.plot(x[-1:], y[-1:], z[-1:], "o", color=WANTED, alpha=shade, markersize=5)
        axes.text(x[-1], y[-1], z[-1], f"  {second} s", size=8.5, color=INK)  # type: ignore[arg-type]
    axes.plot([0], [0], [0], "s", color=INK, markersize=6)
    for name in "xyz":
        getattr(axes, f"set_{name}label")(f"{name} [m]", size=8.5, color=INK)
        getattr(axes, f"{name}axis").set_major_locator(MaxNLocator(4))
    axes.tick_params(labelsize=7.5, colors=INK)
    space: Any = axes
    space.set_aspect("equal")
    space.invert_zaxis()
    space.view_init(elev=16, azim=-28)
    axes.set_title("the robot at the end of each second", color=INK, size=9.5)
