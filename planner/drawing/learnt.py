"""The picture of what trials of a built tube told: each error before and after them, and the success."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import norm

from planner.built.learning_report import Learning, around_text, success_text, unexplained_growths
from planner.built.posterior import LEVEL, Learnt, SuccessRange
from planner.drawing.style import ACTUATOR, FAINT, INK, save_figure

DPI = 150
SHOWN = 16
"""Number of errors in the picture, at most."""
BEFORE, NOW = FAINT, ACTUATOR["left"]
HALF = float(norm.ppf((1 + LEVEL) / 2))
"""Half of the interval of a normal error, in standard deviations [-]."""


def learnt_figure(learning: Learning, title: str) -> Figure:
    """Draw the errors that were learnt, in standard deviations before the trials, and the success below them.

    Args:
        title: Name of the environment.
    """
    learnt = learning.posterior.learnt()[:SHOWN]
    rows = max(len(learnt), 1)
    figure = Figure(figsize=(8.2, 2.3 + 0.34 * rows), layout="constrained", facecolor="white")
    errors, success = figure.subplots(2, 1, height_ratios=[rows + 0.6, 2.2])
    _draw_errors(errors, learnt)
    _draw_success(success, [learning.before, learning.now], bool(unexplained_growths(learning.posterior)))
    name = " ".join(title.split())[:50]
    errors.set_title(f"{name}, built: what its trials tell", size=11, color=INK, loc="left", parse_math=False)
    figure.legend(
        *errors.get_legend_handles_labels(),
        loc="outside lower left",
        ncols=2,
        fontsize=8.5,
        frameon=False,
        labelcolor=INK,
    )
    return figure


def save_learnt_picture(path: Path, learning: Learning, title: str) -> None:
    """Write `learnt_figure` as a PNG, atomically."""
    save_figure(path, learnt_figure(learning, title), DPI)


def _draw_errors(axes: Axes, learnt: list[Learnt]) -> None:
    """Draw mean and interval of each error before and after, the first at the top."""
    rows = np.arange(len(learnt), dtype=float)
    style: dict[str, Any] = {"fmt": "o", "capsize": 0}
    before, mean, half = (
        np.array([getattr(one, name) for one in learnt]).reshape(-1) for name in ("before", "mean", "deviation")
    )
    middle = np.array([one.middle for one in learnt]).reshape(-1)
    axes.axvline(0, color=FAINT, linewidth=0.7, zorder=1)
    axes.errorbar(
        np.zeros(len(learnt)), rows - 0.17, xerr=np.full(len(learnt), HALF), color=BEFORE, linewidth=2.2, markersize=4,
        label=f"before the trials: mean and {100 * LEVEL:.0f} % interval", **style,
    )  # fmt: skip
    axes.errorbar(
        (mean - middle) / before, rows + 0.17, xerr=HALF * half / before, color=NOW, linewidth=3.0, markersize=6,
        label="after them", **style,
    )  # fmt: skip
    axes.set_yticks(rows, [one.cause.name for one in learnt], parse_math=False)
    for row, one in zip(rows, learnt, strict=True):
        axes.annotate(
            around_text(one)[1],
            (1.01, row),
            xycoords=("axes fraction", "data"),
            size=8.5,
            color=NOW,
            va="center",
            parse_math=False,
        )
    if not learnt:
        axes.text(
            0.5,
            0.5,
            "the trials say nothing measurable about any error",
            transform=axes.transAxes,
            ha="center",
            color=INK,
        )
    axes.set_xlabel("error, in its standard deviations before the trials", size=9, color=INK)
    axes.set_ylim(max(len(learnt), 1) - 0.4, -0.6)
    _dress(axes)


def _draw_success(axes: Axes, successes: list[SuccessRange], explained: bool) -> None:
    """Draw the success before and after, with intervals.

    Args:
        explained: Whether it is that of growths which errors explain, unlike some that were measured.
    """
    for row, (success, colour) in enumerate(zip(successes, (BEFORE, NOW), strict=True)):
        low, high = (100 * end for end in success.interval)
        axes.plot([low, high], [row, row], color=colour, linewidth=3.0, solid_capstyle="butt")
        axes.plot(100 * success.mean, row, "o", color=colour, markersize=6, clip_on=False, zorder=5)
        axes.annotate(
            success_text(success).partition(" (")[0],
            (1.02, row),
            xycoords=("axes fraction", "data"),
            size=8.5,
            color=colour,
            va="center",
        )
    axes.set_yticks([0, 1], ["success before", "success now"])
    axes.set(xlim=(0, 100), ylim=(1.6, -0.6))
    axes.set_xlabel(f"{'explained ' if explained else ''}growths that reach the goal [%]", size=9, color=INK)
    _dress(axes)


def _dress(axes: Axes) -> None:
    axes.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set(linewidth=0.7, color=FAINT)
