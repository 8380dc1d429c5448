"""Trials in the picture of a plan: the tubes of the chosen design as a cloud, and the front as a small chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator

from planner.drawing.insets import ABOVE, draw_frame
from planner.drawing.style import FAINT, INK, MISSED, REACHED
from surrogate.kernels.compiled import Floats

if TYPE_CHECKING:
    from planner.uncertainty.shown_trials import ShownTrials

CHART = np.array([1.72, 1.36])
"""Width and height of the chart with its labels [inch]."""
CHART_MARGINS = 0.4, 0.33, 0.1, 0.22
"""Space for labels at the left, below, at the right and above [inch]."""
CLOUD: dict[bool, dict[str, Any]] = {
    True: {"color": REACHED, "linewidth": 0.9, "linestyle": "-", "alpha": 0.6},
    False: {"color": MISSED, "linewidth": 1.1, "linestyle": (0, (3.5, 1.6)), "alpha": 0.9},
}
"""Lines of trials that reached the goal, and of those that missed it: readable without colours by their dashes."""

TIPS: dict[bool, dict[str, Any]] = {
    True: {"color": REACHED, "marker": "o", "markersize": 3.6, "markeredgecolor": "white", "markeredgewidth": 0.5},
    False: {"color": MISSED, "marker": "X", "markersize": 5.2, "markeredgecolor": "white", "markeredgewidth": 0.5},
}
"""Marks where they ended."""


def cloud_entries(tried: ShownTrials) -> dict[str, Any]:
    """Return handles of the legend for the trials, by their labels."""
    count = {done: int((tried.reached == done).sum()) for done in (True, False)}
    words = {True: f"{count[True]} trials reach the goal", False: f"{count[False]} miss it"}
    return {
        words[done]: Line2D([], [], **{**TIPS[done], **CLOUD[done], "linewidth": 1.4})
        for done in (True, False)
        if count[done]
    }


def draw_cloud(axes: Axes, tried: ShownTrials) -> None:
    """Draw the trials in axes in millimetres, beneath the tube, and their tips above it, which may cover all of them.

    Those that missed are on top, since they say where the design fails.
    """
    for done in (True, False):
        lines = [1e3 * line[~np.isnan(line[:, 0])] for line in tried.joints[tried.reached == done]]
        style = {key if key == "alpha" else f"{key}s": value for key, value in CLOUD[done].items()}
        gid = "reached" if done else "missed"
        some = LineCollection([line for line in lines if len(line) > 1], zorder=3.5 - 0.1 * done, gid=gid, **style)
        axes.add_collection(some, autolim=False)
        tips = np.array([line[-1] for line in lines if len(line)]).reshape(-1, 2)
        axes.add_artist(Line2D(*tips.T, linestyle="none", zorder=7.5 - 0.1 * done, gid=f"{gid} tips", **TIPS[done]))


def draw_chart(axes: Axes, box: Floats, tried: ShownTrials) -> None:
    """Draw success over actuators, with its intervals, the requested share and the chosen design.

    Args:
        axes: The drawing in millimetres.
        box: Where the chart is, with its labels [mm]: min_x, min_y, max_x, max_y; may be beside the drawing.
    """
    size, inch = box[2:] - box[:2], float((box[2] - box[0]) / CHART[0])
    draw_frame(axes, box, "front")
    left, below, right, above = (inch * margin for margin in CHART_MARGINS)
    inside = box[0] + left, box[1] + below, size[0] - left - right, size[1] - below - above
    chart = axes.inset_axes(inside, transform=axes.transData, zorder=ABOVE + 1)
    chart.axhline(100 * tried.wanted, color=INK, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1, gid="wanted")
    for k, (actuators, success) in enumerate(zip(tried.actuators.tolist(), tried.front, strict=True)):
        rate, (low, high) = 100 * success.rate, (100 * end for end in success.interval)
        look = {"marker": "D", "markersize": 4.2, "markerfacecolor": INK} if k == tried.chosen else {}
        style: dict[str, Any] = {"marker": "o", "markersize": 3.6, "markerfacecolor": "white"} | look
        gid = "chosen" if k == tried.chosen else "other"
        chart.plot(
            [actuators] * 2, [low, high], color=INK, linewidth=1.1, zorder=2, gid="interval", marker="_", markersize=6
        )
        chart.plot([actuators], [rate], color=INK, markeredgewidth=1.0, zorder=3, gid=gid, **style)
    few, most = int(tried.actuators.min()), int(tried.actuators.max())
    chart.set(xlim=(few - 0.6, most + 0.6), ylim=(-9, 109), yticks=[0, 50, 100])
    chart.xaxis.set_major_locator(FixedLocator(range(few, most + 1, max(1, (most - few) // 5))))
    chart.tick_params(labelsize=6.5, color=FAINT, labelcolor=INK, width=0.6, length=2, pad=1.5)
    chart.spines[:].set(linewidth=0.6, color=FAINT)
    words: dict[str, Any] = {"color": INK, "size": 6.5, "parse_math": False}
    errors = " ".join(tried.front[0].errors.split())
    chart.set_title(
        f"success [%], {errors[:14]}{'…' if len(errors) > 14 else ''} errors", loc="left", x=-0.27, pad=3, **words
    )
    chart.set_xlabel("actuators (◆ chosen, - - wanted)", labelpad=1, x=0.42, **words)
