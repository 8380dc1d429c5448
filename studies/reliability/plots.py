"""Figure of the reliability study: success over density, and memory over runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from planner.drawing.style import INK, save_figure
from studies.reliability.report import WARM_UP, by_density, fit_memory, resident_memory, success
from studies.reliability.study import ReliabilityRecord

DPI = 140
COLOUR = "#0a5a96"


def save_reliability(path: Path, records: Sequence[ReliabilityRecord]) -> None:
    """Draw success with its confidence interval over density, and each process's memory with its fitted line."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_success(left, records)
    _draw_memory(right, records)
    for axes in (left, right):
        axes.grid(color="#e3e6ea", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8, colors=INK)
        axes.xaxis.label.set(size=9, color=INK)
        axes.yaxis.label.set(size=9, color=INK)
    save_figure(path, figure, DPI)


def _draw_success(axes: Axes, records: Sequence[ReliabilityRecord]) -> None:
    found = [(density, estimate) for density, some in by_density(records).items() if (estimate := success(some))]
    rates = np.array([[density, estimate.rate, *estimate.interval] for density, estimate in found]).reshape(-1, 4)
    densities, rate, low, high = 100 * rates.T
    axes.errorbar(densities, rate, (rate - low, high - rate), color=COLOUR, marker="o", markersize=4, capsize=3)
    axes.set(xlabel="area that obstacles cover [%]", ylabel="solved [%]", ylim=(0, 104), xlim=(0, None))
    axes.set_title("success, with 95 % confidence", size=9.5, color=INK, loc="left")


def _draw_memory(axes: Axes, records: Sequence[ReliabilityRecord]) -> None:
    for number, values in enumerate(resident_memory(records), start=1):
        (drawn,) = axes.plot(np.arange(1, len(values) + 1), values, linewidth=0.8, label=f"process {number}")
        if memory := fit_memory(values):
            runs = np.arange(len(values) - WARM_UP)
            middle = np.mean(values[WARM_UP:]) - memory.slope / 100 * runs.mean()
            axes.plot(
                WARM_UP + 1 + runs,
                middle + memory.slope / 100 * runs,
                color=drawn.get_color(),
                linewidth=1.8,
                alpha=0.6,
            )
    axes.set(xlabel="runs of the process", ylabel="resident memory [MB]", ylim=(0, None))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("memory after each run, and its line", size=9.5, color=INK, loc="left")
    if axes.lines:
        axes.legend(fontsize=8, frameon=False, labelcolor=INK, loc="lower right")
