"""A design that misses the goal: its tip is crossed out in every picture, and the gap to the goal is drawn and named."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from environments.environment import Environment
from planner.design.arrival import miss_words
from planner.design.design import Design
from planner.drawing.style import MISSED
from surrogate.kernels.compiled import Floats

LOOK: dict[str, Any] = {
    "color": MISSED, "linewidth": 1.6, "linestyle": (0, (2.2, 1.4)), "marker": "X", "markersize": 9, "markeredgecolor": "white",
    "markeredgewidth": 0.8,
}  # fmt: skip
"""Mark of the tip, and line from there to the goal."""


def miss_entries(environment: Environment, design: Design | None, joints: Floats | None = None) -> dict[str, Any]:
    """Return the handle of the legend for a design that ends outside the goal, by its label; empty if its tip ends there.

    Args:
        joints: Where it grows [m], shape (n, 2); None for the prediction.
    """
    tip = joints[-1] if joints is not None else design.tip if design else None
    missed = "" if tip is None else miss_words(environment.goal, tip)
    return {missed: Line2D([], [], **{**LOOK, "markersize": 7})} if missed else {}


def draw_miss(axes: Axes, environment: Environment, design: Design | None) -> None:
    """Draw the mark and the line into axes in millimetres, if the predicted tip of a design is outside the goal."""
    if design is None or not miss_words(environment.goal, design.tip):
        return
    tip, goal = 1e3 * design.tip[:2], 1e3 * environment.goal
    away = tip - goal[:2]
    edge = goal[:2] + goal[2] * away / np.hypot(*away)
    axes.add_artist(Line2D(*np.array([tip, edge]).T, markevery=[0], zorder=11, gid="miss", **LOOK))
