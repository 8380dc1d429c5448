"""Figures of the studies of plans under errors: fronts of each environment, and pairs of plans in random environments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from planner.drawing.style import ACTUATOR, FAINT, INK, MISSED, REACHED, save_figure
from planner.plan.inputs import SUCCESS
from studies.uncertainty.fresh_trials import FreshTrials
from studies.uncertainty.random_pairs import PlanPair
from studies.uncertainty.report import by_environment
from studies.uncertainty.study import PlanOutcome

DPI = 140
COLUMNS = 4
"""Environments in a row."""
WIDTHS = 2.5, 6.6
"""Width of the panel of an environment, and the least that the legend needs [in]."""
SPREAD = 0.5
"""Width over which the seeds are spread beside each other, in actuators."""
LOOKS: dict[bool, dict[str, Any]] = {
    True: {"marker": "D", "markersize": 4.2, "color": INK},
    False: {"marker": "o", "markersize": 3.8, "color": ACTUATOR["left"], "markerfacecolor": "white"},
}
"""Chosen designs, and the others: readable without colours."""
TARGET: dict[str, Any] = {"color": INK, "linewidth": 0.8, "linestyle": (0, (4, 2))}
VERDICT_LOOKS: dict[str, dict[str, Any]] = {
    "better": {"marker": "^", "color": REACHED, "markersize": 6},
    "worse": {"marker": "v", "color": MISSED, "markersize": 6},
    "alike": {"marker": "o", "color": FAINT, "markersize": 5, "markerfacecolor": "white"},
    "not compared": {"marker": "x", "color": INK, "markersize": 5},
}
VERDICT_WORDS = {
    "better": "chosen better",
    "worse": "chosen worse",
    "alike": "within the noise of the trials",
    "not compared": "only one found a design",
}


def save_fronts(path: Path, plans: Sequence[PlanOutcome]) -> None:
    """Draw success over the number of actuators, with 95 % intervals, for each environment and seed."""
    environments = by_environment(plans)
    columns, rows = min(COLUMNS, len(environments)), math.ceil(len(environments) / COLUMNS)
    figure = Figure(
        figsize=(max(WIDTHS[0] * columns, WIDTHS[1]), 2.5 * rows + 0.5), facecolor="white", layout="constrained"
    )
    every = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for axes, (name, some) in zip(every.ravel(), environments.items(), strict=False):
        _draw_fronts(axes, name, some)
    for axes in every.ravel()[len(environments) :]:
        axes.set_visible(False)
    for axes in every[:, 0]:
        axes.set_ylabel("success [%]", size=9, color=INK)
    words = {True: "chosen, 95 % interval", False: "other design of the front"}
    handles = [Line2D([], [], linestyle="none", label=words[chosen], **LOOKS[chosen]) for chosen in words]
    handles.append(Line2D([], [], label=f"{100 * SUCCESS:g} %, which is wanted", **TARGET))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=8.5, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def _draw_fronts(axes: Axes, name: str, some: Sequence[PlanOutcome]) -> None:
    axes.axhline(100 * SUCCESS, zorder=1, **TARGET)
    for k, one in enumerate(some):
        beside = SPREAD * ((k + 0.5) / len(some) - 0.5)
        for actuators, success in one.designs.front.items() if one.designs else ():
            rate, (low, high) = 100 * success.rate, (100 * end for end in success.interval)
            look = LOOKS[one.designs is not None and actuators == one.designs.chosen.actuators]
            errors = [[rate - low], [high - rate]]
            axes.errorbar(
                [actuators + beside], [rate], errors, elinewidth=0.8, markeredgewidth=0.9, capsize=0, zorder=2, **look
            )
    missing = sum(one.designs is None for one in some)
    title = f"{name} ({missing} of {len(some)} without a design)" if missing else name
    axes.set_title(title, size=9, color=INK, loc="left")
    axes.set(ylim=(-4, 104), yticks=[0, 25, 50, 75, 100])
    counts = [actuators for one in some if one.designs for actuators in one.designs.front] or [0]
    axes.set(xlim=(min(counts) - 0.6, max(counts) + 0.6), xticks=range(min(counts), max(counts) + 1))
    axes.set_xlabel("actuators", size=8.5, color=INK)
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.grid(linewidth=0.4, color=FAINT, alpha=0.35)
    axes.spines[:].set(linewidth=0.7, color=FAINT)


def save_scatter(path: Path, compared: Sequence[PlanPair]) -> None:
    """Draw one point for each environment with a design, with 95 % intervals; a plan without a design is at 0."""
    figure = Figure(figsize=(5.2, 5.7), facecolor="white", layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 100], [0, 100], color=INK, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    drawn = [one for one in compared if one.fast or one.chosen]
    for verdict, look in VERDICT_LOOKS.items():
        some = [one for one in drawn if one.verdict == verdict]
        for one in some:
            x, left, right = _interval(one.fast)
            y, below, above = _interval(one.chosen)
            bars = [[x - left], [right - x]], [[y - below], [above - y]]
            axes.errorbar(
                [x], [y], bars[1], bars[0], ecolor=FAINT, elinewidth=0.6, linestyle="none", alpha=0.85, zorder=2, **look
            )
        if some:
            axes.plot([], [], linestyle="none", label=f"{VERDICT_WORDS[verdict]}: {len(some)}", **look)
    axes.set(xlim=(-4, 104), ylim=(-4, 104), aspect="equal")
    axes.set_xlabel("success of the design of --fast [%]", size=9, color=INK)
    axes.set_ylabel("success of the chosen design [%]", size=9, color=INK)
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.grid(linewidth=0.4, color=FAINT, alpha=0.35)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    if drawn:
        figure.legend(loc="outside lower center", ncols=2, fontsize=8.5, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def _interval(one: FreshTrials | None) -> tuple[float, float, float]:
    """Success [%] and its interval; 0 without a design."""
    if one is None:
        return 0.0, 0.0, 0.0
    low, high = one.estimate.interval
    return one.percent, 100 * low, 100 * high
