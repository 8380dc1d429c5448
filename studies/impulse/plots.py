"""Figures of the impulse simulator: its runtime, and its robot in the cluttered environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from environments import Environment
from planner.design.design import Design
from planner.drawing.animation import save_animation
from planner.drawing.solids import draw_solids
from planner.drawing.style import FAINT, INK, save_figure
from planner.drawing.tube import tube_patches
from studies.impulse.study import (
    CLUTTER_SECONDS,
    PUBLISHED_MS,
    SOLVERS,
    STEP,
    StepTiming,
    make_clutter_environment,
    make_clutter_robot,
    make_design,
    of_solver,
)
from studies.impulse.telescope import TelescopeMotion

DPI = 140
STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#0a5a96", "marker": "o", "label": "banded Schur complement"},
    {"color": "#b54d00", "marker": "s", "label": "OSQP to 1e-7"},
    {"color": "#8a80ad", "marker": "^", "label": "OSQP, its default accuracy"},
)
STILLS = 6
"""Number of stages of the growth that are drawn."""


def save_runtime(path: Path, timings: Sequence[StepTiming]) -> None:
    """Draw milliseconds per step over the number of bodies, as in paper 000's Fig. 5, but with logarithmic axes."""
    figure = Figure(figsize=(6.6, 4.2), dpi=DPI, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    for solver, style in zip(SOLVERS, STYLES, strict=True):
        own = of_solver(timings, solver)
        axes.plot([one.bodies for one in own], [one.milliseconds for one in own], markersize=5, linewidth=1.4, **style)
    axes.axhline(1e3 * STEP, color=FAINT, linewidth=0.9, linestyle=(0, (5, 3)))
    axes.plot(
        [30], [PUBLISHED_MS], "*", color="#d1495b", markersize=13, zorder=5, label="paper 000: 3.0 ms at 30 bodies"
    )
    axes.axhline(PUBLISHED_MS, color="#d1495b", linewidth=0.8, linestyle=(0, (1, 2)))
    axes.text(19.2, 1e3 * STEP * 1.08, "real time", color=FAINT, size=8.5, va="bottom")
    axes.set(xscale="log", yscale="log", xlabel="bodies", ylabel="time of a 10 ms step [ms]")
    ticks = sorted({one.bodies for one in timings})
    axes.set_xticks(ticks, [f"{tick}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(color=FAINT, alpha=0.25, linewidth=0.5)
    axes.tick_params(labelsize=9, color=FAINT, labelcolor=INK)
    axes.legend(fontsize=8.5, frameon=False, loc="center")
    axes.set_title("A step of the impulse simulator", color=INK, size=10.5, weight="bold", loc="left")
    save_figure(path, figure, DPI)


def save_stills(path: Path, environment: Environment, design: Design, motion: TelescopeMotion) -> None:
    """Draw the robot at evenly spaced times, each in the whole environment."""
    figure = Figure(figsize=(9.2, 7.6), dpi=DPI, facecolor="white", layout="constrained")
    view = 1e3 * environment.bounds
    moments = np.linspace(0, len(motion.joints) - 1, STILLS + 1).round().astype(int)[1:]
    for axes, moment in zip(figure.subplots(2, STILLS // 2).ravel(), moments, strict=True):
        axes.set(xlim=view[[0, 2]], ylim=view[[1, 3]], aspect="equal")
        draw_solids(axes, environment, view)
        for patch in tube_patches(design, motion.joints[moment]):
            axes.add_patch(patch)
        axes.plot(*1e3 * motion.joints[moment].T, ".", color=INK, markersize=2.2, zorder=8)
        length = np.hypot(*np.diff(motion.joints[moment], axis=0).T).sum()
        seconds = CLUTTER_SECONDS * moment / (len(motion.joints) - 1)
        axes.set_title(f"{seconds:.1f} s, {1e3 * length:.0f} mm", color=INK, size=9.5, loc="left")
        axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK, width=0.7)
        axes.spines[:].set(linewidth=0.7, color=FAINT)
    figure.supxlabel("x [mm]", size=9, color=INK)
    figure.supylabel("y [mm]", size=9, color=INK)
    save_figure(path, figure, DPI)


def make_clutter_pictures() -> dict[str, Callable[[Path, Sequence[TelescopeMotion]], None]]:
    """Make the functions that draw a figure and an animation of the robot in the cluttered environment, by file name."""
    environment, robot = make_clutter_environment(), make_clutter_robot()

    def stills(path: Path, motions: Sequence[TelescopeMotion]) -> None:
        save_stills(path, environment, make_design(motions[0], robot, environment), motions[0])

    def animate(path: Path, motions: Sequence[TelescopeMotion]) -> None:
        design = make_design(motions[0], robot, environment)
        save_animation(path, environment, design, motions[0].joints[::6], lambda _drawn, _of: None)

    return {"impulse-clutter.png": stills, "impulse-clutter.gif": animate}
