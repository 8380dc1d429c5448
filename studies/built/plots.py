"""The calibration curve of the study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from planner.drawing.style import FAINT, INK, save_figure
from studies.built.study import TRIALS, BenchResult

BINS = 8
"""Groups of benches of which a mean is drawn."""
DPI = 140


def save_calibration(path: Path, results: Sequence[BenchResult]) -> None:
    """Draw predicted and true success: a point for each bench, and the mean of the benches of equal predictions."""
    counts = (0, *TRIALS)
    figure = Figure(figsize=(3.4 * len(counts), 3.6), facecolor="white", layout="constrained")
    for axes, growths in zip(figure.subplots(1, len(counts), sharey=True), counts, strict=True):
        predicted = np.array(
            [next(one.mean for one in result.predictions if one.growths == growths) for result in results]
        )
        true = np.array([result.true for result in results])
        axes.plot([0, 100], [0, 100], color=FAINT, linewidth=0.8)
        axes.plot(100 * predicted, 100 * true, "o", markersize=3, alpha=0.35, color="#0b5a97", markeredgewidth=0)
        order = np.argsort(predicted)
        groups = [group for group in np.array_split(order, min(BINS, len(order))) if len(group)]
        means = np.array([(predicted[group].mean(), true[group].mean()) for group in groups])
        axes.plot(*(100 * means).T, "s-", markersize=4, linewidth=1.2, color="#b54708")
        axes.set_title(
            "before any growth" if not growths else f"after {growths} growths", size=9, color=INK, loc="left"
        )
        axes.set_xlabel("predicted success [%]", size=8, color=INK)
        axes.tick_params(labelsize=7, color=FAINT, labelcolor=INK)
        axes.set_xlim(-3, 103)
        axes.set_ylim(-3, 103)
    figure.axes[0].set_ylabel("true success [%]", size=8, color=INK)
    save_figure(path, figure, DPI)
