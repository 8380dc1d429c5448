"""Figure of the study: success of the chosen design over that of `--fast`, one point for each environment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from planner.drawing.style import FAINT, INK, MISSED, REACHED, save_figure
from studies.fresh_trials import FreshTrials
from studies.uncertainty_random.study import Compared

DPI = 140
LOOKS: dict[str, dict[str, Any]] = {
    "better": {"marker": "^", "color": REACHED, "markersize": 6},
    "worse": {"marker": "v", "color": MISSED, "markersize": 6},
    "alike": {"marker": "o", "color": FAINT, "markersize": 5, "markerfacecolor": "white"},
    "not compared": {"marker": "x", "color": INK, "markersize": 5},
}
WORDS = {
    "better": "chosen better",
    "worse": "chosen worse",
    "alike": "within the noise of the trials",
    "not compared": "only one found a design",
}


def save_scatter(path: Path, compared: Sequence[Compared]) -> None:
    """Draw one point for each environment with a design, with 95 % intervals; a plan without a design is at 0."""
    figure = Figure(figsize=(5.2, 5.7), facecolor="white", layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 100], [0, 100], color=INK, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    drawn = [one for one in compared if one.fast or one.chosen]
    for verdict, look in LOOKS.items():
        some = [one for one in drawn if one.verdict == verdict]
        for one in some:
            x, left, right = _interval(one.fast)
            y, below, above = _interval(one.chosen)
            bars = [[x - left], [right - x]], [[y - below], [above - y]]
            axes.errorbar(
                [x], [y], bars[1], bars[0], ecolor=FAINT, elinewidth=0.6, linestyle="none", alpha=0.85, zorder=2, **look
            )
        if some:
            axes.plot([], [], linestyle="none", label=f"{WORDS[verdict]}: {len(some)}", **look)
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
