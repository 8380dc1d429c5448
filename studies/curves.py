"""Figures of planning runs over time: one panel per environment, one curve per kind of run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planner.drawing.style import INK, save_figure
from studies.planning_runs import Record, quartiles
from surrogate.kernels.compiled import Floats

Kinds = Mapping[str, Mapping[str, Sequence[Record]]]
"""Runs by environment and by name of their kind."""
COLOURS = "#0a5a96", "#b54d00", "#2b7a3d", "#7b3f9e", "#8a6d00"
STYLES = "-", (0, (4, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.6, 1.2, 1.6)), (0, (8, 2))
DPI = 140
EARLIEST = 0.05
"""Minimum of the time axis [s]."""
EMPTY = "fewer than half of the runs have a solution"
"""Text of a panel in which no median is finite."""


def curves(sort: Callable[[Sequence[Record]], Kinds]) -> dict[str, Callable[[Path, Sequence[Record]], None]]:
    """Functions that draw the share solved and the best cost over time, by file name.

    Args:
        sort: Sorts runs by environment and kind.
    """
    return {
        "success-vs-time.png": lambda path, records: save_success(path, sort(records)),
        "cost-vs-time.png": lambda path, records: save_costs(path, sort(records)),
    }


def save_success(path: Path, kinds: Kinds) -> None:
    """Draw the share of runs with a solution over time."""

    def draw(axes: Axes, some: Sequence[Record], seconds: Floats, style: dict[str, Any]) -> None:
        solved = np.array([record.first for record in some])[:, None] <= seconds
        axes.plot(seconds, 100 * solved.mean(axis=0), **style)

    _save_panels(path, kinds, draw, "solved [%]", top=104)


def save_costs(path: Path, kinds: Kinds) -> None:
    """Draw the median of the best cost over time, once half of the runs have a solution, and the quartiles, once most have."""

    def draw(axes: Axes, some: Sequence[Record], seconds: Floats, style: dict[str, Any]) -> None:
        costs = np.array([record.cost_at(seconds) for record in some])
        low, middle, high = quartiles(costs)
        seen = np.isfinite(high)
        axes.fill_between(seconds[seen], low[seen], high[seen], color=style["color"], alpha=0.14, linewidth=0)
        axes.plot(seconds, np.where(np.isfinite(middle), middle, np.nan), **style)

    _save_panels(path, kinds, draw, "best cost [actuators + length / 100 m]")


def panels(count: int, height: float, columns: int = 3) -> tuple[Figure, list[Axes]]:
    """A figure with a number of panels of a height [inches]."""
    rows = math.ceil(count / columns)
    figure = Figure(figsize=(3.4 * columns, height * rows + 0.6), layout="constrained")
    every = list(np.ravel(figure.subplots(rows, columns, squeeze=False)))
    for axes in every[count:]:
        axes.remove()
    return figure, every[:count]


def _save_panels(
    path: Path,
    kinds: Kinds,
    draw: Callable[[Axes, Sequence[Record], Floats, dict[str, Any]], None],
    what: str,
    top: float | None = None,
) -> None:
    figure, every = panels(len(kinds), height=2.1)
    budgets = [record.case.time_budget for own in kinds.values() for some in own.values() for record in some]
    seconds = np.geomspace(EARLIEST, max(budgets), 400)
    names = list(dict.fromkeys(kind for own in kinds.values() for kind in own))
    styles = {kind: {"color": COLOURS[k], "linestyle": STYLES[k], "label": kind} for k, kind in enumerate(names)}
    labelled: dict[str, Artist] = {}
    for axes, (name, own) in zip(every, kinds.items(), strict=True):
        for kind, some in own.items():
            draw(axes, some, seconds, styles[kind])
            labelled[kind] = axes.lines[-1]
        axes.set_ylim(0, top)  # after all curves: it fixes the upper limit too
        if not any(np.isfinite(line.get_ydata()).any() for line in axes.lines):
            axes.set_yticks([])  # nothing would give them a scale
            axes.text(0.5, 0.5, EMPTY, transform=axes.transAxes, ha="center", size=8, color=INK)
        axes.set_title(name, size=9.5, color=INK, loc="left")
        axes.set_xscale("log")
        axes.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
        axes.set_xlim(seconds[0], seconds[-1])
        axes.grid(color="#e3e6ea", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8, colors=INK, which="both")
    figure.legend(
        handles=list(labelled.values()),
        loc="outside upper right",
        ncols=len(names),
        fontsize=9,
        frameon=False,
        labelcolor=INK,
    )
    figure.supxlabel("time searched [s]", size=9.5, color=INK)
    figure.supylabel(what, size=9.5, color=INK)
    save_figure(path, figure, DPI)
