"""Figures of the study: wrong branches over the step, and designs with their snaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from planner.drawing.solids import draw_solids
from planner.drawing.style import ACTUATOR, FAINT, GOAL, INK, save_figure
from planner.output.text import plural
from studies.snaps.branches import FINEST, PARTS
from studies.snaps.designs import Snapped
from studies.snaps.report import SnapFindings
from studies.snaps.study import Found

DPI = 140
COLOURS = {True: ACTUATOR["left"], False: ACTUATOR["right"]}
WORDS = {True: "with rests", False: "without rests"}
CERTAIN, AMBIGUOUS = "#0a5a96", "#d1495b"
COLUMNS = 3
"""Designs in a row."""


def save_branches(path: Path, found: Sequence[Sequence[Found]]) -> None:
    """Draw the share of wrong branches over the step: thick for all environments together, thin for each of them."""
    findings = SnapFindings.of(found)
    names = list(dict.fromkeys(physics for physics, _ in findings.kinds())) or ["corrected"]
    figure = Figure(figsize=(4.8 * len(names), 3.9), facecolor="white", layout="constrained")
    every = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
    for axes, physics in zip(every, names, strict=True):
        for kind in findings.kinds():
            own = findings.of_kind(kind)
            if kind[0] != physics:
                continue
            shares = np.array([[100 * one.wrong[part] / one.vines for part in PARTS] for one in own])
            weights = np.array([one.vines for one in own])
            axes.plot(PARTS, shares.T, color=COLOURS[kind[1]], linewidth=0.7, alpha=0.4)
            mean = (weights @ shares) / weights.sum()
            axes.plot(PARTS, mean, color=COLOURS[kind[1]], linewidth=2.4, marker="o", markersize=5)
        axes.set_xscale("log", base=2)
        axes.set_xticks(PARTS, ["default", *(f"1/{part}" for part in PARTS[1:])])
        axes.set_ylim(bottom=0)
        axes.set_title(f"{physics} physics", color=INK, size=10, loc="left")
        axes.set_xlabel("step", size=9, color=INK)
        axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
        axes.grid(linewidth=0.4, color=FAINT, alpha=0.35)
        axes.spines[:].set(linewidth=0.7, color=FAINT)
    every[0].set_ylabel(f"vines that end elsewhere than with 1/{FINEST} [%]", size=9, color=INK)
    shown = [Line2D([], [], color=COLOURS[rests], linewidth=2.4, marker="o", label=WORDS[rests]) for rests in WORDS]
    shown += [Line2D([], [], color=FAINT, linewidth=0.7, label="one environment")]
    figure.legend(handles=shown, loc="outside lower center", ncols=3, fontsize=8.5, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def save_designs(path: Path, found: Sequence[Sequence[Found]]) -> None:
    """Draw the best design of each environment at its end, the tips where it snapped, and the rests after each snap."""
    best = [one for one in SnapFindings.of(found).designs if one.which.endswith("best")]
    rows = max(math.ceil(len(best) / COLUMNS), 1)
    figure = Figure(figsize=(3.6 * COLUMNS, 3.4 * rows + 0.4), facecolor="white", layout="constrained")
    every = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axes in every[len(best) :]:
        axes.axis("off")
    for axes, one in zip(every, best, strict=False):
        low, high = 1e3 * one.environment.bounds.reshape(2, 2)
        view = np.concatenate([low, high])
        axes.set(xlim=view[[0, 2]], ylim=view[[1, 3]], aspect="equal")
        draw_solids(axes, one.environment, view)
        x, y, radius = 1e3 * one.environment.goal
        axes.plot(*_circle(x, y, radius), color=GOAL, linewidth=1.2, zorder=3)
        axes.plot(*1e3 * one.design.centerline.T, color=INK, linewidth=1.6, zorder=4)
        _draw_snaps(axes, one)
        axes.set_title(_title(one), color=INK, size=8, loc="left")
        axes.tick_params(labelsize=6.5, color=FAINT, labelcolor=INK, width=0.6)
        axes.spines[:].set(linewidth=0.7, color=FAINT)
    handles = [
        Line2D([], [], color=INK, linewidth=1.6, label="centreline at the end of the growth"),
        Line2D(
            [],
            [],
            color=CERTAIN,
            linewidth=1.1,
            marker="o",
            markersize=6,
            label="tip before a snap, and rests after it",
        ),
        Line2D([], [], color=AMBIGUOUS, linewidth=1.1, marker="o", markersize=6, label="the same, ambiguous"),
        Line2D([], [], color=GOAL, linewidth=1.2, label="goal"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=8.5, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def _circle(x: float, y: float, radius: float) -> tuple[np.ndarray, np.ndarray]:
    turn = np.linspace(0, 2 * np.pi, 61)
    return x + radius * np.cos(turn), y + radius * np.sin(turn)


def _draw_snaps(axes: Axes, one: Snapped) -> None:
    for snap in one.snaps:
        colour = AMBIGUOUS if snap.ambiguous else CERTAIN
        for line in snap.rests:
            axes.plot(*1e3 * line.T, color=colour, linewidth=0.9, alpha=0.6, zorder=5)
        axes.plot(*(1e3 * np.array(snap.place)), "o", color=colour, markersize=5, markeredgecolor="white", zorder=6)


def _title(one: Snapped) -> str:
    ambiguous = sum(snap.ambiguous for snap in one.snaps)
    title = f"{one.environment.name}: {plural(len(one.snaps), 'snap')}"
    return f"{title}, {ambiguous} ambiguous" if ambiguous else title
