"""Figures of the experiments with paper 004's model, in the layout of its Figs. 4 to 8."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planner.drawing.style import FAINT, INK, save_figure
from studies.euler_lagrange.study import Chase, ExperimentResult, split_results, swinging_plane
from vinewright.euler_lagrange.pictures import COLOURS, DPI, WANTED, dress, label, legend, save_motion

STYLES = "-", (0, (5, 2)), (0, (1.5, 1.5))


def pictures() -> dict[str, Callable[[Path, Sequence[ExperimentResult | Chase]], None]]:
    """Return the functions that draw the five figures, by file name."""
    motions = {"static": _save_static, "growth": _save_growth, "ramp": _save_ramp, "plane": _save_plane}

    def motion(figure: str, path: Path, found: Sequence[ExperimentResult | Chase]) -> None:
        motions[figure](path, [one for one in split_results(found)[0] if one.experiment.figure == figure])

    def first_chase(path: Path, found: Sequence[ExperimentResult | Chase]) -> None:
        chase = split_results(found)[1][0]
        save_motion(path, chase.robot, chase.tracking, "Following a length, a bend and a plane")

    drawn = {f"euler-lagrange-{figure}.png": partial(motion, figure) for figure in motions}
    return {**drawn, "euler-lagrange-tracking.png": first_chase}


def _panels(rows: int, title: str, height: float) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(7.2, height), dpi=DPI, facecolor="white", layout="constrained")
    panels = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    for axes in panels:
        dress(axes)
    panels[0].set_title(title, color=INK, size=10.5, weight="bold", loc="left")
    panels[-1].set_xlabel("time [s]", size=9, color=INK)
    return figure, list(panels)


def _lines(axes: Axes, results: Sequence[ExperimentResult], part: int, polar: bool = False) -> None:
    """Draw a component of q or of (s, theta, phi) over time, one line per result."""
    for result, colour, style in zip(results, COLOURS, STYLES, strict=False):
        motion, words = result.motion, result.experiment.label
        states = motion.polar if polar else motion.q
        axes.plot(motion.times, states[:, part], color=colour, linestyle=style, linewidth=1.3, label=words)


def _save_static(path: Path, results: Sequence[ExperimentResult]) -> None:
    figure, (axes,) = _panels(1, "Let go at 0.1 rad, hanging, without input", 2.9)
    _lines(axes, results, 1)
    label(axes, "bend in its plane, u [rad]")
    legend(axes)
    axes.set_xlim(0, 5)
    save_figure(path, figure, DPI)


def _save_growth(path: Path, results: Sequence[ExperimentResult]) -> None:
    figure, (above, below) = _panels(2, "Growing under a constant force in the core", 4.0)
    above.plot(results[0].motion.times, results[0].motion.inputs[:, 0], color=INK, linewidth=1.3)
    above.axhline(results[0].experiment.robot.yield_force, color=WANTED, linewidth=1.0, linestyle=(0, (4, 2)))
    above.text(
        9.9, results[0].experiment.robot.yield_force - 0.25, "yield force", ha="right", va="top", size=8.5, color=WANTED
    )
    above.set_ylim(0, 6)
    label(above, "core [N]")
    _lines(below, results, 0)
    label(below, "length s [m]")
    below.set_ylim(bottom=0)
    legend(below)
    save_figure(path, figure, DPI)


def _save_ramp(path: Path, results: Sequence[ExperimentResult]) -> None:
    figure, (above, below) = _panels(2, "One actuator against a weight across the axis", 4.2)
    above.plot(results[0].motion.times, results[0].motion.inputs[:, 1], color=INK, linewidth=1.3)
    label(above, "sPAM 1 [N]")
    _lines(below, results, 1)
    label(below, "bend towards sPAM 1 [rad]")
    legend(below)
    save_figure(path, figure, DPI)


def _save_plane(path: Path, results: Sequence[ExperimentResult]) -> None:
    figure, (above, middle, below) = _panels(3, "sPAM 2 takes over from sPAM 1", 5.4)
    inputs = results[0].motion.inputs
    for k, colour in ((1, COLOURS[0]), (2, COLOURS[1])):
        above.plot(results[0].motion.times, inputs[:, k], color=colour, linewidth=1.3, label=f"sPAM {k}")
    label(above, "tension [N]")
    legend(above, loc="center left")
    times, swinging = swinging_plane(results[0])
    for axes, part in ((middle, 1), (below, 2)):
        axes.plot(times, swinging[:, part], color=WANTED, linewidth=0.9, label="arm 2 D, damper of Eq. 16")
        _lines(axes, results, part, polar=True)
    label(middle, "bend θ [rad]")
    middle.set_ylim(top=0.24)
    legend(middle, loc="upper left")
    label(below, "plane φ [rad]")
    below.axhline(2 * np.pi / 3, color=FAINT, linewidth=1.0, linestyle=(0, (4, 2)))
    below.text(0.1, 2 * np.pi / 3 - 0.06, "2π / 3", va="top", size=8.5, color=INK)
    save_figure(path, figure, DPI)
