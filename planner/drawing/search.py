"""Search trees in pictures: branches before and after a jump of the tip, and their entries in the legend."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from planner.drawing.style import JUMPED, SEARCHED
from planner.search.branches import TreeBranches


def branch_entries(branches: TreeBranches) -> dict[str, Any]:
    """Return handles of the legend by their labels."""
    style = {"search tree": SEARCHED, "after a jump": JUMPED}
    return {
        label: Line2D([], [], color=colour, linewidth=1)
        for (label, colour), lines in zip(style.items(), branches, strict=True)
        if len(lines)
    }


def draw_branches(axes: Axes, branches: TreeBranches) -> None:
    """Draw branches in axes in millimetres."""
    for lines, colour, gid in ((branches.steady, SEARCHED, "search"), (branches.jumped, JUMPED, "jumped")):
        collection = LineCollection([1e3 * line for line in lines], colors=colour, linewidths=0.6, zorder=1, gid=gid)
        axes.add_collection(collection, autolim=False)
