"""The figure of errors and speeds of the actuator network and the force table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from planner.drawing.style import FAINT, INK
from studies.surrogate.study import BINS, NETWORK, PAPER, TABLE, Evaluation

# Blue, orange and grey-green, which are distinguishable with all common forms of colour blindness; markers differ too.
COLOURS = {NETWORK: "#0a5a96", PAPER: "#b54d00", TABLE: "#3f8f7b"}
MARKS = {"cpu": "o", "cuda": "s"}
DPI = 160
LEGEND: dict[str, Any] = {"fontsize": 8, "frameon": False, "labelcolor": INK}


def draw_evaluation(evaluation: Evaluation) -> Figure:
    """Draw histograms of the relative error of the force, and forces per second over the batch size."""
    figure = Figure(figsize=(10.4, 4.3), layout="constrained")
    errors, speeds = figure.subplots(1, 2)
    _draw_errors(errors, evaluation)
    _draw_speeds(speeds, evaluation)
    for axes in (errors, speeds):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8, colors=INK, which="both")
        axes.grid(color="#e3e6ea", linewidth=0.6)
        axes.set_axisbelow(True)
    return figure


def save_evaluation(path: Path, evaluation: Evaluation) -> None:
    """Write `draw_evaluation` as a PNG."""
    figure = draw_evaluation(evaluation)
    FigureCanvasAgg(figure)
    figure.savefig(path, dpi=DPI, format="png")


def _draw_errors(axes: Axes, evaluation: Evaluation) -> None:
    for name, shares in evaluation.histograms.items():
        axes.stairs(100 * shares, 100 * BINS, color=COLOURS[name], fill=True, alpha=0.22)
        axes.stairs(100 * shares, 100 * BINS, color=COLOURS[name], linewidth=1.4, label=name)
        median = evaluation.errors[name].median
        axes.axvline(100 * median, ymax=0.87, color=COLOURS[name], linewidth=1.0, linestyle=(0, (3, 2)))
    axes.set_xscale("log")
    axes.set_xlim(1e-5, 1e3)
    axes.set_ylim(0, 125 * max(shares.max() for shares in evaluation.histograms.values()))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10f}".rstrip("0").rstrip(".")))
    axes.set_xlabel("relative error of the force [%]", fontsize=9, color=INK)
    axes.set_ylabel("share of the test samples [%]", fontsize=9, color=INK)
    axes.set_title("Error; dashed: median", loc="left", fontsize=10, color=INK)
    axes.legend(loc="upper left", ncols=3, **LEGEND)


def _draw_speeds(axes: Axes, evaluation: Evaluation) -> None:
    lines = [("analytic", "cpu", "analytic solver", FAINT), ("table", "cpu", TABLE, COLOURS[TABLE])]
    lines += [("network", device, f"network, {device}", COLOURS[NETWORK]) for device in evaluation.devices]
    for model, device, label, colour in lines:
        of = [speed for speed in evaluation.speeds if (speed.model, speed.device) == (model, device)]
        batches, rates = np.array([(speed.batch, speed.rate) for speed in of]).T
        mark = {"analytic": "D", "table": "^"}.get(model, MARKS.get(device, "o"))
        style = "--" if device == "cuda" else "-"
        axes.plot(batches, rates, style, marker=mark, markersize=4.5, linewidth=1.6, color=colour, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("forces evaluated in one call", fontsize=9, color=INK)
    axes.set_ylabel("forces per second", fontsize=9, color=INK)
    axes.set_title("Speed; one thread of the CPU", loc="left", fontsize=10, color=INK)
    axes.legend(loc="upper left", **LEGEND)
