"""Figures of planning with the kinds of reverse tree and without, and of the trees."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import networkx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from environments.environment import Environment
from planner.drawing.plan import draw_solids, foreground
from planner.drawing.style import INK, save_figure
from planner.search.biarc import pose_on
from planner.search.cost_to_go import CostToGo
from planner.search.reverse_tree import ReverseTree
from planner.search.witnesses import embed, pose_tree
from planner.studies.planning_runs import Record, quartiles
from planner.studies.table2.study import CONTACT, FREE, NONE, environments_of, of_kind
from surrogate.compiled import Floats

STYLES: dict[str, dict[str, Any]] = {
    NONE: {"color": "#b54d00", "linestyle": (0, (4, 1.6))},
    FREE: {"color": "#0a5a96", "linestyle": (0, (1, 1))},
    CONTACT: {"color": "#0f7b4f", "linestyle": "-"},
}
LABELS = {NONE: "no tree", FREE: "contact-free tree", CONTACT: "contact-aware tree"}
WAY = "#d1495b"
DPI = 140
EARLIEST = 0.05
"""Minimum of the time axis [s]."""


def save_success(path: Path, records: Sequence[Record]) -> None:
    """Draw the share of runs with a solution over time, one panel per environment."""

    def draw(axes: Axes, some: list[Record], seconds: Floats, style: dict[str, Any]) -> None:
        solved = np.array([record.first for record in some])[:, None] <= seconds
        axes.plot(seconds, 100 * solved.mean(axis=0), **style)
        axes.set_ylim(0, 104)

    _save_panels(path, records, draw, "solved [%]")


def save_costs(path: Path, records: Sequence[Record]) -> None:
    """Draw the median of the best cost over time, once half of the runs have a solution, and the quartiles, once most have."""

    def draw(axes: Axes, some: list[Record], seconds: Floats, style: dict[str, Any]) -> None:
        costs = np.array([record.cost_at(seconds) for record in some])
        low, middle, high = quartiles(costs)
        seen = np.isfinite(high)
        axes.fill_between(seconds[seen], low[seen], high[seen], color=style["color"], alpha=0.14, linewidth=0)
        axes.plot(seconds, np.where(np.isfinite(middle), middle, np.nan), **style)
        axes.set_ylim(bottom=0)

    _save_panels(path, records, draw, "best cost [actuators + length / 100 m]")


def _save_panels(
    path: Path,
    records: Sequence[Record],
    draw: Callable[[Axes, list[Record], Floats, dict[str, Any]], None],
    what: str,
) -> None:
    names = environments_of(records)
    figure, panels = _grid(len(names), height=2.1, columns=3)
    seconds = np.geomspace(EARLIEST, max(record.case.time_budget for record in records), 400)
    for axes, name in zip(panels, names, strict=False):
        for kind, style in STYLES.items():
            draw(axes, of_kind(records, name, kind), seconds, style | {"label": LABELS[kind]})
        axes.set_title(name, size=9.5, color=INK, loc="left")
        axes.set_xscale("log")
        axes.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
        axes.set_xlim(seconds[0], seconds[-1])
        axes.grid(color="#e3e6ea", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8, colors=INK, which="both")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3, fontsize=9, frameon=False, labelcolor=INK)
    figure.supxlabel("time searched [s]", size=9.5, color=INK)
    figure.supylabel(what, size=9.5, color=INK)
    save_figure(path, figure, DPI)


def save_trees(path: Path, trees: Sequence[tuple[Environment, str, ReverseTree]]) -> None:
    """Draw reverse trees of a kind in their environments, coloured by cost to the goal, and the path from the start if there is one."""
    figure, panels = _grid(len(trees), height=2.5, columns=4)
    for axes, (environment, kind, tree) in zip(panels, trees, strict=False):
        lines, costs = _edges(tree)
        drawn = LineCollection(list(1e3 * lines), array=costs, cmap="viridis", linewidths=0.6, alpha=0.8)
        axes.add_collection(drawn, autolim=False)
        bar = figure.colorbar(drawn, ax=axes, fraction=0.046, pad=0.02)
        bar.ax.tick_params(labelsize=7, colors=INK)
        if len(way := _way_from(tree, environment.start)):
            axes.plot(*1e3 * way.T, color=WAY, linewidth=1.8)
        bounds = 1e3 * environment.bounds
        draw_solids(axes, environment, bounds)
        for patch in foreground(environment, None):
            axes.add_patch(patch)
        axes.set(xlim=bounds[[0, 2]], ylim=bounds[[1, 3]], aspect="equal", xticks=[], yticks=[])
        axes.set_title(f"{environment.name}, {kind}: {len(tree.poses)} vertices", size=8.5, color=INK, loc="left")
    figure.supxlabel("cost to the goal: price of the arcs + length / 100 m", size=9.5, color=INK)
    save_figure(path, figure, DPI)


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


def _way_from(tree: ReverseTree, start: Floats) -> Floats:
    """Points along the path of the vertex nearest to the start [m], shape (points, 2); empty if the start is far from the tree."""
    if not np.isfinite(CostToGo(tree)(start[None])[0]):
        return np.empty((0, 2))
    nearest = pose_tree(tree.poses).query(embed(start[None]))[1][0]
    lines, _ = _edges(tree)
    children, _ = tree.edges
    way = networkx.dfs_preorder_nodes(tree.graph(), int(nearest))
    edges = np.searchsorted(children, [vertex for vertex in way if tree.parent[vertex] >= 0])
    return np.concatenate([start[None, :2], *lines[edges]])


def _grid(count: int, height: float, columns: int) -> tuple[Figure, list[Axes]]:
    rows = math.ceil(count / columns)
    figure = Figure(figsize=(3.4 * columns, height * rows + 0.6), layout="constrained")
    panels = list(np.ravel(figure.subplots(rows, columns, squeeze=False)))
    for axes in panels[count:]:
        axes.remove()
    return figure, panels
