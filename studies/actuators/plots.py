"""The figures of the study: force, curvature, and number of actuators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from planner.drawing.style import FAINT, INK, save_figure
from studies.actuators.study import CELL, ActuatorOutcome, ActuatorRange

DPI = 140
STYLES: tuple[tuple[str, str, str], ...] = (
    ("#0a5a96", "-", "o"),
    ("#b54d00", "--", "s"),
    ("#0a8f62", "-.", "^"),
    ("#7065ae", ":", "D"),
    ("#8a1c4a", "-", "*"),
)
"""Colour, line and marker of each actuator, by position; the last is for a mixture."""


def _axes(size: tuple[float, float], across: str, up: str) -> tuple[Figure, Any]:
    figure = Figure(figsize=size, facecolor="white", layout="constrained")
    axes = figure.subplots()
    axes.set_xlabel(across, size=9, color=INK)
    axes.set_ylabel(up, size=9, color=INK)
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set(linewidth=0.7, color=FAINT)
    return figure, axes


def save_forces(path: Path, bars: Sequence[ActuatorRange]) -> None:
    """Draw force per pressure over contraction."""
    figure, axes = _axes((6.2, 3.8), "contraction [%]", f"force per pressure of a {1e3 * CELL:g} mm cell [N/kPa]")
    for one, (colour, line, _) in zip(bars, STYLES[: len(bars)], strict=True):
        axes.plot(100 * one.strain, 1e3 * one.force, color=colour, linestyle=line, linewidth=1.8, label=one.kind)
    axes.set_xlim(0, None)
    axes.set_ylim(0, 1.02e3 * float(np.median([one.at(0.01) for one in bars])))
    axes.legend(frameon=False, fontsize=9)
    save_figure(path, figure, DPI)


def save_curvatures(path: Path, bars: Sequence[ActuatorRange]) -> None:
    """Draw the range of curvatures in free space over pressure."""
    figure, axes = _axes((6.2, 3.8), "pressure of the actuator [kPa]", "curvature of the centreline [1/m]")
    for one, (colour, line, _) in zip(bars, STYLES[: len(bars)], strict=True):
        across, (low, high) = 1e-3 * one.pressure, one.curvature.T
        axes.fill_between(across, low, high, color=colour, alpha=0.12, linewidth=0)
        axes.plot(across, high, color=colour, linestyle=line, linewidth=1.8, label=one.kind)
        if np.any(high - low > 1e-3):
            axes.plot(across, low, color=colour, linestyle=line, linewidth=0.9)
    axes.set_ylim(0, None)
    axes.legend(frameon=False, fontsize=9, title="thick: greatest, thin: least", title_fontsize=8)
    save_figure(path, figure, DPI)


def save_plans(path: Path, outcomes: Sequence[ActuatorOutcome]) -> None:
    """Draw the fewest actuators of each plan: a marker per seed, beside one another."""
    figure, axes = _axes((7.2, 3.6), "", "actuators")
    names = list(dict.fromkeys(one.environment for one in outcomes))
    kinds = list(dict.fromkeys(one.case.kind for one in outcomes))
    seeds = sorted({one.case.seed for one in outcomes})
    for k, (kind, (colour, _, marker)) in enumerate(zip(kinds, STYLES, strict=False)):
        solved = [one for one in outcomes if one.case.kind == kind and one.actuators is not None]
        part = 0.14 / max(len(seeds), 1)
        across = [
            names.index(one.environment)
            + 0.16 * (k - (len(kinds) - 1) / 2)
            + part * (seeds.index(one.case.seed) - 1) * 0.9
            for one in solved
        ]
        up = [one.actuators for one in solved]
        axes.plot(across, up, marker, color=colour, markersize=4.5, alpha=0.85, label=kind)
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(-0.3, None)
    axes.yaxis.get_major_locator().set_params(integer=True)
    for edge in range(len(names) - 1):
        axes.axvline(edge + 0.5, color=FAINT, linewidth=0.4, alpha=0.5)
    axes.legend(frameon=False, fontsize=8, ncols=len(kinds), loc="lower left", bbox_to_anchor=(0, 1))
    save_figure(path, figure, DPI)
