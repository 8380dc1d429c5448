"""Figure of the reverse trees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import networkx
import numpy as np
from matplotlib.collections import LineCollection

from environments.environment import Environment
from planner.drawing.plan import draw_solids, foreground
from planner.drawing.style import INK, save_figure
from planner.search.reverse.biarc import pose_on
from planner.search.reverse.cost_to_go import CostToGo
from planner.search.reverse.reverse_tree import ReverseTree
from planner.search.witnesses import embed, pose_tree
from studies.curves import panels
from surrogate.kernels.compiled import Floats

WAY = "#d1495b"
TREE_DPI = 85
"""Thousands of thin lines compress badly."""


def save_trees(path: Path, trees: Sequence[tuple[Environment, str, ReverseTree]]) -> None:
    """Draw reverse trees of a kind in their environments, coloured by cost to the goal, and the path from the start if there is one."""
    figure, every = panels(len(trees), height=2.5, columns=4)
    for axes, (environment, kind, tree) in zip(every, trees, strict=False):
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
