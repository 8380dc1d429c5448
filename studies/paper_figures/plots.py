"""Pictures of Figs. 2c and 4; that of Fig. 8 is in `solved_plot`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap, ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from environments import Environment, load_environment
from planner.drawing.plan import draw_in_axes, save_page
from planner.drawing.style import FAINT, INK
from studies.paper_figures.bending import CELLS, Bending
from studies.paper_figures.progress import ENVIRONMENT, TreeSnapshot
from studies.paper_figures.study import Part, Parts
from surrogate.kernels.compiled import Floats

RAMP = LinearSegmentedColormap.from_list("ramp", ["#c9b458", "#5fa777", "#2a7fa0", "#45508f", "#5a1a58"])
"""Colours of growing numbers, light to dark, so that they are told apart in grey too."""


def save_bending(path: Path, results: Sequence[Part]) -> None:
    """Draw the bends by both models over the actuator pressure, one colour for each cell length."""
    if bending := Parts.of(results).bending:
        save_page(path, draw_bending(bending))


def draw_bending(bending: Bending) -> Figure:
    """Draw the bends of a segment [deg] over the pressure [kPa]."""
    figure = Figure(figsize=(7.2, 4.4), facecolor="white", layout="constrained")
    axes = figure.subplots()
    shades = RAMP(np.linspace(0, 1, len(CELLS)))
    pressure = 1e-3 * np.concatenate([[0.0], bending.pressure])
    for k, shade in enumerate(shades):
        for bend, style in ((bending.wrinkling[k], "-"), (bending.constant[k], "--")):
            axes.plot(pressure, np.degrees([0.0, *bend]), color=shade, linewidth=1.6, linestyle=style)
    solid, dashed = Line2D([], [], color=INK, linewidth=1.6), Line2D([], [], color=INK, linewidth=1.6, linestyle="--")
    cells = [Line2D([], [], color=shade, linewidth=1.6) for shade in shades]
    words = [f"cells of {1e3 * l_0:g} mm" for l_0 in CELLS]
    axes.legend(
        [solid, dashed, *cells],
        ["wrinkling-based moment", "constant moment", *words],
        fontsize=8.5,
        frameon=False,
        labelcolor=INK,
        loc="center left",
        bbox_to_anchor=(1, 0.5),
    )
    axes.set_xlabel("actuator pressure [kPa]", size=9, color=INK)
    axes.set_ylabel(f"bend of {1e3 * bending.length:g} mm of tube [deg]", size=9, color=INK)
    axes.set(xlim=(0, pressure[-1]), ylim=(0, None))
    axes.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e3e6ea", linewidth=0.6)
    axes.set_axisbelow(True)
    return figure


def save_trees(path: Path, results: Sequence[Part]) -> None:
    """Draw the tree at each iteration that was kept."""
    if trees := Parts.of(results).trees:
        environment = load_environment(ENVIRONMENT)
        save_page(path, draw_trees(environment, trees))


def draw_trees(environment: Environment, trees: Sequence[TreeSnapshot]) -> Figure:
    """Draw one panel for each tree, with branches coloured by number of actuators, and the best solution over it."""
    rows = -(-len(trees) // 2)
    size = environment.bounds[2:] - environment.bounds[:2]
    figure = Figure(
        figsize=(11.4, 0.5 + rows * (0.32 + 5.1 * float(size[1] / size[0]))), facecolor="white", layout="constrained"
    )
    panels = figure.subplots(rows, 2, squeeze=False)
    most = max(int(one.actuators.max(initial=0)) for one in trees)
    colours, norm = ListedColormap(RAMP(np.linspace(0, 1, most + 1))), BoundaryNorm(np.arange(most + 2) - 0.5, most + 1)
    for axes, one in zip(panels.flat, trees, strict=False):
        _draw_tree(axes, environment, one, colours(norm(one.actuators)))
    for axes in panels.flat[len(trees) :]:
        axes.set_axis_off()
    bar = figure.colorbar(
        ScalarMappable(norm, colours), ax=panels, ticks=range(most + 1), fraction=0.02, pad=0.01, aspect=34
    )
    bar.set_label("actuators of the vine up to there", size=9, color=INK)
    bar.minorticks_off()
    bar.ax.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK, width=0.7, length=3)
    bar.outline.set(linewidth=0.7, edgecolor=FAINT)
    return figure


def _draw_tree(axes: Axes, environment: Environment, tree: TreeSnapshot, shades: Any) -> None:
    """Draw one tree, branches with few actuators last, since those with more begin at them."""
    draw_in_axes(axes, environment, None)
    order = np.argsort(-tree.actuators, kind="stable")
    branches: list[Floats] = [tree.branches[k] for k in order]
    axes.add_collection(LineCollection(branches, colors=shades[order], linewidths=0.7, zorder=4), autolim=False)
    best = "no solution yet"
    if tree.best:
        halo = [withStroke(linewidth=4.2, foreground="white")]
        axes.plot(
            *tree.best.centerline.T, color=INK, linewidth=2.2, zorder=6, path_effects=halo, solid_capstyle="round"
        )
        best = f"{tree.best.words}, {1e3 * tree.best.length:.0f} mm of tube"
    axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    name = f"iteration {tree.iteration}{', the first solution' if tree.first else ''}"
    axes.set_title(name, loc="left", size=10, weight="bold", color=INK)
    axes.set_title(best, loc="right", size=9, color=INK)
