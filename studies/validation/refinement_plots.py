"""Figure of errors over steps and over segment lengths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dynamics.tube import VineParams
from planner.drawing.style import FAINT, INK, save_figure
from studies.validation.refinement import AS_GIVEN, EXPECTED, PER_LENGTH, STEP, Refinement

DPI = 140
COLOURS = {
    "quasistatic": ("#23282f", "o", 12.0),
    "penalty": ("#f0b429", "s", 9.0),
    "impulse": ("#0a5a96", "^", 7.5),
    "geometric": ("#b54d00", "D", 4.2),
    "euler-lagrange": ("#0a8f62", "v", 2.2),
}
"""Colour, marker and its size [point]; hollow markers of different size, because many points coincide."""
SCENES: dict[str, Any] = {"free space": "--", "wall": "-", "snap, corrected": ":", "snap, published": "-."}


def save_refinement(path: Path, found: Sequence[Refinement]) -> None:
    """Draw log error over log step and over log segment length, with a line for each propagator and scene."""
    figure = Figure(figsize=(12.0, 4.9), facecolor="white", layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    segment = 1e3 * VineParams().segment_length
    for axes, halved, unit in ((left, STEP, 1.0), (middle, PER_LENGTH, segment), (right, AS_GIVEN, segment)):
        _draw(axes, [one for one in found if one.halved == halved], unit, halved)
    left.set_xlabel("step, in parts of the default", size=9, color=INK)
    for axes in (middle, right):
        axes.set_xlabel("segment [mm]", size=9, color=INK)
    left.set_ylabel("tip, from that at half the size (snap: the finest) [mm]", size=9, color=INK)
    shown = [
        Line2D([], [], color=colour, marker=mark, markersize=size, markerfacecolor="none", label=name)
        for name, (colour, mark, size) in COLOURS.items()
        if any(one.propagator == name for one in found)
    ]
    drawn = {one.scene for one in found}
    shown += [Line2D([], [], color=FAINT, linestyle=SCENES[scene], label=scene) for scene in SCENES if scene in drawn]
    figure.legend(handles=shown, loc="outside lower center", ncols=7, fontsize=8.5, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def _draw(axes: Axes, found: Sequence[Refinement], unit: float, title: str) -> None:
    axes.set(xscale="log", yscale="log")
    drawn = []
    for one in found:
        if one.exact or one.complaint:
            continue
        colour, mark, size = COLOURS[one.propagator]
        sizes, errors = unit * np.array(one.sizes[:-1]), 1e3 * np.array(one.errors)
        seen = errors > 0
        style = SCENES[one.scene]
        axes.plot(
            *(sizes[seen], errors[seen]), color=colour, linestyle=style, linewidth=1.1,
            marker=mark, markersize=size, markerfacecolor="none",
        )  # fmt: skip
        drawn.append((sizes[seen], errors[seen]))
    ticks = sorted({float(size) for sizes, _ in drawn for size in sizes})
    axes.set_xticks(ticks, [f"{tick:g}" if tick >= 1 else f"1/{1 / tick:.0f}" for tick in ticks])
    axes.minorticks_off()
    if drawn and title != AS_GIVEN:
        top = max(float(errors.max()) for _, errors in drawn)
        guide = 1.6 * top * (np.array(ticks) / ticks[-1]) ** EXPECTED
        axes.plot(ticks, guide, color=FAINT, linewidth=0.8)
        axes.text(ticks[-1], guide[-1], f"slope {EXPECTED} ", color=FAINT, size=8, ha="right", va="bottom")
    exact = sorted({f"{one.propagator}, {one.scene}" for one in found if one.exact})
    if exact:
        words = "zero to rounding:\n" + "\n".join(exact)
        axes.text(0.03, 0.97, words, transform=axes.transAxes, size=7.5, color=INK, ha="left", va="top")
    axes.set_title(title, color=INK, size=10, loc="left")
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.grid(which="major", linewidth=0.4, color=FAINT, alpha=0.35)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
