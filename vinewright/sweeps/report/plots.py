"""Pictures of a sweep's report."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from planner.drawing.style import ACTUATOR, FAINT, GOAL, INK, JUMPED, save_figure
from vinewright.sweeps.report.analysis import FEATURES, FactorCell, Mean, SweepTable, value_text

DPI = 140
COLOURS = ACTUATOR["left"], ACTUATOR["right"], GOAL, JUMPED, INK, FAINT
MARKERS = "os^Dv*"


def save_over(path: Path, data: SweepTable) -> None:
    """Draw designs found, success and actuators over each factor, a line or bar for each group."""
    rows = ["cases with a design [%]", *["success of designs [%]"] * data.has_trials, "actuators"]
    factors = [name for name in data.varied if name in data.numeric] or data.varied
    figure = Figure(figsize=(3.2 * len(factors) + 0.6, 2.5 * len(rows) + 0.5), facecolor="white", layout="constrained")
    axes = figure.subplots(len(rows), len(factors), squeeze=False, sharey="row")
    groups = data.groups if data.numeric else {"all": data.everything}
    for column, factor in enumerate(factors):
        for number, (name, where) in enumerate(groups.items()):
            cells = data.cells(factor, where)
            for row, what in enumerate(rows):
                _draw_cells(axes[row, column], data, factor, cells, what, number, name)
        axes[-1, column].set_xlabel(factor, size=9, color=INK)
    for row, what in enumerate(rows):
        axes[row, 0].set_ylabel(what, size=9, color=INK)
        axes[row, 0].set_ylim(0, 104 if "%" in what else None)
    for panel in axes.flat:
        _style_axes(panel)
    if len(groups) > 1:
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8.5, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def _draw_cells(
    axes: Any, data: SweepTable, factor: str, cells: list[FactorCell], what: str, number: int, name: str
) -> None:
    numeric = factor in data.numeric
    places = [float(cell.value) for cell in cells] if numeric else list(range(len(cells)))  # type: ignore[arg-type]
    if numeric:
        axes.set_xticks(places, [value_text(cell.value) for cell in cells])
    else:
        axes.set_xticks(places, [value_text(cell.value) for cell in cells], rotation=30, ha="right")
    look: dict[str, Any] = {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 4.5,
        "linewidth": 1.2 if numeric else 0,
        "label": name,
    }
    if what.startswith("cases"):
        axes.plot(places, [100 * cell.found / max(cell.cases, 1) for cell in cells], **look)
        return
    means: list[Mean | None] = [cell.success if what.startswith("success") else cell.actuators for cell in cells]
    known = [(place, mean) for place, mean in zip(places, means, strict=True) if mean]
    values = [mean.value for _, mean in known]
    bars = np.nan_to_num([_bars(mean) for _, mean in known]).T if known else None
    axes.errorbar([place for place, _ in known], values, bars, elinewidth=0.8, capsize=2, **look)


def _bars(mean: Mean) -> tuple[float, float]:
    """Return the distances from a mean to both ends of its interval."""
    low, high = mean.interval
    return mean.value - low, high - mean.value


def save_predictors(path: Path, data: SweepTable) -> None:
    """Draw the rank correlations of success, with their intervals."""
    names = [*data.numeric, *FEATURES]
    figure = Figure(figsize=(6.4, 0.34 * len(names) + 1.5), facecolor="white", layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color=INK, linewidth=0.8)
    for number, (group, which) in enumerate(data.groups.items()):
        found = [(k, mean) for k, name in enumerate(names) if (mean := data.correlation(name, which))]
        values = np.array([mean.value for _, mean in found])
        ends = np.nan_to_num([_bars(mean) for _, mean in found]).T if found else None
        heights = [k + 0.18 * (number - (len(data.groups) - 1) / 2) for k, _ in found]
        look: dict[str, Any] = {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
            "markersize": 5,
        }
        axes.errorbar(values, heights, xerr=ends, linestyle="none", elinewidth=1, capsize=2, label=group, **look)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(-1, 1)
    axes.set_xlabel("rank correlation with success", size=9, color=INK)
    _style_axes(axes)
    if len(data.groups) > 1:
        figure.legend(loc="outside lower center", ncols=2, fontsize=8.5, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def save_map(path: Path, data: SweepTable) -> None:
    """Draw success and actuators over pairs of quantities, a row for each group."""
    pairs = list(combinations(data.numeric, 2))[:3]
    quantities = [*["success"] * data.has_trials, "actuators"]
    columns = [(pair, what) for what in quantities for pair in pairs]
    size = 2.7 * len(columns) + 0.5, 2.5 * len(data.groups) + 0.5
    figure = Figure(figsize=size, facecolor="white", layout="constrained")
    axes = figure.subplots(len(data.groups), len(columns), squeeze=False)
    largest = float(np.nanmax(data.column("actuators"))) if np.isfinite(data.column("actuators")).any() else 1.0
    for row, (group, which) in enumerate(data.groups.items()):
        for column, (pair, what) in enumerate(columns):
            panel = axes[row, column]
            image = _draw_map(panel, data, pair, what, which, 100.0 if what == "success" else max(largest, 1.0))
            panel.set_title(f"{what} [%]" if what == "success" else what, size=9, color=INK)
            if column == 0:
                panel.annotate(
                    group, (0, 1), (-2, 16), "axes fraction", textcoords="offset points", size=9, weight="bold"
                )
            if column % len(pairs) == len(pairs) - 1:
                figure.colorbar(image, ax=panel, shrink=0.8).ax.tick_params(labelsize=7)
    save_figure(path, figure, DPI)


def _draw_map(axes: Any, data: SweepTable, pair: tuple[str, str], what: str, which: Any, largest: float) -> Any:
    across, up = (data.quantities(name) for name in pair)
    values = np.full((len(up), len(across)), np.nan)
    x, y, z = (data.column(name) for name in (*pair, what))
    for i, high in enumerate(up):
        for j, right in enumerate(across):
            here = z[which & (x == right) & (y == high) & np.isfinite(z)]
            values[i, j] = here.mean() if len(here) else np.nan
    image = axes.imshow(values, origin="lower", aspect="auto", vmin=0, vmax=largest, cmap="cividis")
    axes.set_facecolor("#ffffff")
    for i, j in np.ndindex(values.shape):
        if np.isfinite(values[i, j]):
            colour = "white" if values[i, j] < 0.55 * largest else INK
            axes.text(
                j,
                i,
                f"{values[i, j]:.{0 if what == 'success' else 1}f}",
                ha="center",
                va="center",
                size=7,
                color=colour,
            )
    axes.set_xticks(range(len(across)), [f"{value:g}" for value in across])
    axes.set_yticks(range(len(up)), [f"{value:g}" for value in up])
    axes.set_xlabel(pair[0], size=8.5, color=INK)
    axes.set_ylabel(pair[1], size=8.5, color=INK)
    axes.tick_params(labelsize=7.5, color=FAINT, labelcolor=INK)
    return image


def _style_axes(axes: Any) -> None:
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.grid(linewidth=0.4, color=FAINT, alpha=0.35)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
