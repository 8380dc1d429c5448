"""Search trees in pictures: branches before and after a jump of the tip, and their entries in the legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from planner.drawing.style import JUMPED, SEARCHED
from surrogate.kernels.compiled import Floats


class TreeBranches(NamedTuple):
    """Lines of a search tree [m], each of shape (n, 2)."""

    steady: Sequence[Floats] = ()
    """Lines grown before any jump."""
    jumped: Sequence[Floats] = ()
    """Lines grown since the node before the first jump of their vine (see `dynamics.jumps`)."""


NO_BRANCHES = TreeBranches()


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
