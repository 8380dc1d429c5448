"""Figures of variants of the search: solutions over time, one panel per environment and one curve per variant; reverse trees."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import networkx
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from environments import Environment
from planner.drawing.plan import foreground
from planner.drawing.solids import draw_solids
from planner.drawing.style import INK, save_figure
from planner.search.reverse.biarc import pose_on
from planner.search.reverse.cost_to_go import CostToGo
from planner.search.reverse.reverse_tree import ReverseTree
from planner.search.witnesses import embed, pose_tree
from studies.planning_runs import RunRecord, quartiles
from surrogate.kernels.compiled import Floats

RunGroups = Mapping[str, Mapping[str, Sequence[RunRecord]]]
"""Runs by environment and by name of their variant."""
COLOURS = "#0a5a96", "#b54d00", "#2b7a3d", "#7b3f9e", "#8a6d00"
STYLES = "-", (0, (4, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.6, 1.2, 1.6)), (0, (8, 2))
DPI = 140
EARLIEST = 0.05
"""Minimum of the time axis [s]."""
PATH = "#d1495b"
"""Colour of the path from the start."""
TREE_DPI = 85
"""Thousands of thin lines compress badly."""
EMPTY = "fewer than half of the runs have a solution"
"""Text of a panel in which no median is finite."""


def curve_pictures(
    group: Callable[[Sequence[RunRecord]], RunGroups],
) -> dict[str, Callable[[Path, Sequence[RunRecord]], None]]:
    """Return the functions that draw the share solved and the best cost over time, by file name.

    Args:
        group: Sorts runs by environment and variant.
    """
    return {
        "success-vs-time.png": lambda path, records: save_success(path, group(records)),
        "cost-vs-time.png": lambda path, records: save_costs(path, group(records)),
    }


def save_success(path: Path, groups: RunGroups) -> None:
    """Draw the share of runs with a solution over time."""

    def draw(axes: Axes, runs: Sequence[RunRecord], seconds: Floats, style: dict[str, Any]) -> None:
        solved = np.array([record.first for record in runs])[:, None] <= seconds
        axes.plot(seconds, 100 * solved.mean(axis=0), **style)

    _save_panels(path, groups, draw, "solved [%]", top=104)


def save_costs(path: Path, groups: RunGroups) -> None:
    """Draw the median of the best cost over time, once half of the runs have a solution, and the quartiles, once most have."""

    def draw(axes: Axes, runs: Sequence[RunRecord], seconds: Floats, style: dict[str, Any]) -> None:
        costs = np.array([record.cost_at(seconds) for record in runs])
        low, middle, high = quartiles(costs)
        seen = np.isfinite(high)
        axes.fill_between(seconds[seen], low[seen], high[seen], color=style["color"], alpha=0.14, linewidth=0)
        axes.plot(seconds, np.where(np.isfinite(middle), middle, np.nan), **style)

    _save_panels(path, groups, draw, "best cost [actuators + length / 100 m]")


def make_panels(count: int, height: float, columns: int = 3) -> tuple[Figure, list[Axes]]:
    """Make a figure with a number of panels of a height [inches]."""
    rows = math.ceil(count / columns)
    figure = Figure(figsize=(3.4 * columns, height * rows + 0.6), layout="constrained")
    cells = list(np.ravel(figure.subplots(rows, columns, squeeze=False)))
    for axes in cells[count:]:
        axes.remove()
    return figure, cells[:count]


def _save_panels(
    path: Path,
    groups: RunGroups,
    draw: Callable[[Axes, Sequence[RunRecord], Floats, dict[str, Any]], None],
    quantity: str,
    top: float | None = None,
) -> None:
    figure, cells = make_panels(len(groups), height=2.1)
    budgets = [record.case.time_budget for own in groups.values() for runs in own.values() for record in runs]
    seconds = np.geomspace(EARLIEST, max(budgets), 400)
    names = list(dict.fromkeys(variant for own in groups.values() for variant in own))
    styles = {name: {"color": COLOURS[k], "linestyle": STYLES[k], "label": name} for k, name in enumerate(names)}
    labelled: dict[str, Artist] = {}
    for axes, (name, own) in zip(cells, groups.items(), strict=True):
        for variant, runs in own.items():
            draw(axes, runs, seconds, styles[variant])
            labelled[variant] = axes.lines[-1]
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
    figure.supylabel(quantity, size=9.5, color=INK)
    save_figure(path, figure, DPI)


def save_trees(path: Path, trees: Sequence[tuple[Environment, str, ReverseTree]]) -> None:
    """Draw reverse trees of a kind in their environments, coloured by cost to the goal, and the path from the start if there is one."""
    figure, cells = make_panels(len(trees), height=2.5, columns=4)
    for axes, (environment, kind, tree) in zip(cells, trees, strict=False):
        lines, costs = _edges(tree)
        drawn = LineCollection(list(1e3 * lines), array=costs, cmap="viridis", linewidths=0.6, alpha=0.8)
        axes.add_collection(drawn, autolim=False)
        bar = figure.colorbar(drawn, ax=axes, fraction=0.046, pad=0.02)
        bar.ax.tick_params(labelsize=7, colors=INK)
        if len(found := _path_from(tree, environment.start)):
            axes.plot(*1e3 * found.T, color=PATH, linewidth=1.8)
        bounds = 1e3 * environment.bounds
        draw_solids(axes, environment, bounds)
        for patch in foreground(environment, None):
            axes.add_patch(patch)
        axes.set(xlim=bounds[[0, 2]], ylim=bounds[[1, 3]], aspect="equal", xticks=[], yticks=[])
        axes.set_title(f"{environment.name}, {kind}: {len(tree.poses)} vertices", size=8.5, color=INK, loc="left")
    figure.supxlabel("cost to the goal: price of the arcs + length / 100 m", size=9.5, color=INK)
    save_figure(path, figure, TREE_DPI)


def _edges(tree: ReverseTree) -> tuple[Floats, Floats]:
    """Points along every edge [m], shape (edges, points, 2), and the cost at the end farther from the goal."""
    children, arcs = tree.edges
    along = np.linspace(0, 1, 8)
    joints = pose_on(tree.poses[children], arcs.curvature[0], arcs.length[0])
    parts = [
        pose_on(begin[:, None], curvature[:, None], length[:, None] * along)
        for begin, curvature, length in zip((tree.poses[children], joints), arcs.curvature, arcs.length, strict=True)
    ]
    return np.concatenate(parts, axis=1)[..., :2], tree.cost[children]


def _path_from(tree: ReverseTree, start: Floats) -> Floats:
    """Points along the path of the vertex nearest to the start [m], shape (points, 2); empty if the start is far from the tree."""
    if not np.isfinite(CostToGo(tree)(start[None])[0]):
        return np.empty((0, 2))
    nearest = pose_tree(tree.poses).query(embed(start[None]))[1][0]
    lines, _ = _edges(tree)
    children, _ = tree.edges
    path = networkx.dfs_preorder_nodes(tree.graph(), int(nearest))
    edges = np.searchsorted(children, [vertex for vertex in path if tree.parent[vertex] >= 0])
    return np.concatenate([start[None, :2], *lines[edges]])
