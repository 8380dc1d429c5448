"""Figures of mapping: belief after a number of deployments, the truth, and the scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from dynamics.geometric.deployment import Deployment, Launch, deploy
from dynamics.geometric.walls import inflate_to_walls, to_polygons
from planner.drawing.solids import draw_solids
from planner.drawing.style import FAINT, INK, save_figure
from planner.mapping.policies import DeploymentStep, MappingTask
from surrogate.kernels.compiled import Floats

DPI = 130
SHOWN = 1, 5, 10, 20
"""Numbers of deployments after which the belief is drawn."""
FREE, UNSEEN, HIT, TUBE, SWEPT = "#cfe3f2", "#f7f5ef", "#b54d00", "#0a5a96", "#6fa8d0"
"""Colours; free and hit are distinguishable with all common forms of colour blindness, and in grey."""
COLOURS = {"ideal": "#0a8f62", "monte-carlo": "#0a5a96", "information-gain": "#b54d00", "random": "#6b7480"}
"""Colours of the policies."""


def map_figure(
    task: MappingTask, policy: str, steps: Sequence[DeploymentStep], ideal: Floats, random: Floats
) -> Figure:
    """Draw the true environment, the belief after several deployments, and the scores.

    Args:
        policy: Policy of the steps.
        steps: Deployments in order, at least one.
        ideal: Scores of the ideal policy, shape (n,).
        random: Scores of the random policy, shape (repeats, n).
    """
    count = len(steps)
    moments = sorted({k for k in SHOWN if k < count} | {count})[-len(SHOWN) :]
    rows = 1 if len(moments) == 1 else 2
    columns = math.ceil((len(moments) + 2) / rows)
    low_x, low_y, high_x, high_y = task.environment.bounds
    tall = 0.4 + 3.5 * np.clip((high_y - low_y) / (high_x - low_x), 0.5, 1.5)
    figure = Figure(figsize=(3.7 * columns, tall * rows + 0.3), layout="constrained", facecolor="white")
    panels = figure.subplots(rows, columns).ravel()
    made = draw_deployments(task, steps)
    _draw_truth(panels[0], task, made)
    for axes, moment in zip(panels[1:], moments, strict=False):
        _draw_belief(axes, task, steps, made, moment)
    _draw_scores(panels[len(moments) + 1], policy, [step.score for step in steps], ideal, random)
    for axes in panels[len(moments) + 2 :]:
        axes.set_axis_off()
    figure.legend(
        handles=_legend(), loc="outside lower center", ncols=3 * columns - 3, fontsize=9, frameon=False, labelcolor=INK
    )
    return figure


def save_marks(path: Path, title: str, marks: Sequence[str], bounds: Floats | None = None) -> None:
    """Draw the rows of a map file, the highest first, as a PNG, atomically.

    Args:
        marks: `#` for hit, `.` for found free, any other for not seen.
        bounds: Bounds of the environment [m], shape (4,); None draws square cells without a scale.
    """
    states = np.array([[{"#": 2, ".": 0}.get(mark, 1) for mark in row] for row in marks])
    view = np.array([0, 0, *states.shape[::-1]]) if bounds is None else 1e3 * bounds
    aspect = float((view[3] - view[1]) / (view[2] - view[0]))
    figure = Figure(figsize=(6.6, 1.2 + 6 * min(max(aspect, 0.3), 1.5)), layout="constrained", facecolor="white")
    axes = figure.subplots()
    extent = float(view[0]), float(view[2]), float(view[1]), float(view[3])
    axes.imshow(states, cmap=ListedColormap([FREE, UNSEEN, HIT]), vmin=0, vmax=2, extent=extent)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    if bounds is None:
        axes.set(xticks=[], yticks=[])
    else:
        axes.set_xlabel("x [mm]", size=9, color=INK)
        axes.set_ylabel("y [mm]", size=9, color=INK)
    axes.set_title(title, size=10, color=INK, loc="left", parse_math=False)
    legend: dict[str, Any] = {"loc": "outside lower center", "ncols": 3, "fontsize": 9, "frameon": False}
    figure.legend(handles=_legend()[:3], labelcolor=INK, **legend)
    save_figure(path, figure, DPI)


def draw_deployments(task: MappingTask, steps: Sequence[DeploymentStep]) -> list[Deployment]:
    """Draw the deployed tubes in the true environment."""
    environment = task.environment
    walls = inflate_to_walls(to_polygons(environment.obstacles), environment.bounds, task.tube.radius)
    return [deploy(walls, task.tube, Launch(*task.actions.launches[step.action])) for step in steps]


def draw_curve(axes: Axes, policy: str, scores: Floats, spread: Floats | None = None, **style: Any) -> None:
    """Draw scores after each deployment, shape (n,), with a band of one standard deviation to either side."""
    count, colour = np.arange(len(scores) + 1), COLOURS[policy]
    curve = np.append(0.0, scores)
    if spread is not None:
        band = np.append(0.0, spread)
        axes.fill_between(count, curve - band, curve + band, color=colour, alpha=0.14, linewidth=0)
    drawn: dict[str, Any] = {"color": colour, "linewidth": 1.6, "label": policy} | style
    axes.plot(count, curve, **drawn)


def dress_scores(axes: Axes, title: str) -> None:
    """Label the axes of scores over deployments."""
    axes.margins(x=0)
    axes.set_ylim(bottom=0)  # after all curves, because it disables autoscaling
    axes.set_xlabel("deployments", size=9, color=INK)
    axes.set_ylabel("score", size=9, color=INK)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(color=FAINT, alpha=0.25, linewidth=0.5)
    axes.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set(linewidth=0.7, color=FAINT)
    axes.set_title(title, size=10, color=INK, loc="left")


def _draw_truth(axes: Axes, task: MappingTask, made: Sequence[Deployment]) -> None:
    view = 1e3 * task.environment.bounds
    draw_solids(axes, task.environment, view)
    lines = LineCollection([1e3 * one.shape for one in made], colors=TUBE, linewidths=0.8, alpha=0.75, zorder=4)
    axes.add_collection(lines, autolim=False)
    _dress_map(axes, task, f"environment and all {len(made)} deployments" if len(made) > 1 else "environment")


def _draw_belief(
    axes: Axes, task: MappingTask, steps: Sequence[DeploymentStep], made: Sequence[Deployment], count: int
) -> None:
    step, last = steps[count - 1], made[count - 1]
    view = 1e3 * task.environment.bounds
    states = np.where(step.belief.hits, 2, np.where(step.belief.misses, 0, 1))
    colours = ListedColormap([FREE, UNSEEN, HIT])
    axes.imshow(states, cmap=colours, vmin=0, vmax=2, origin="lower", extent=tuple(view[[0, 2, 1, 3]]), zorder=1)
    outlines = [1e3 * np.array(shape.exterior.coords) for shape in to_polygons(task.environment.obstacles)]
    axes.add_collection(LineCollection(outlines, colors=INK, linewidths=0.7, alpha=0.7, zorder=3), autolim=False)
    axes.add_collection(PolyCollection(list(1e3 * last.swept), facecolors=SWEPT, alpha=0.35, zorder=2), autolim=False)
    axes.plot(*1e3 * last.shape.T, color=TUBE, linewidth=1.8, zorder=5, solid_capstyle="round")
    _dress_map(axes, task, f"after {count}: score {step.score:.0f}")


def _dress_map(axes: Axes, task: MappingTask, title: str) -> None:
    view = 1e3 * task.environment.bounds
    axes.plot(*1e3 * task.actions.points.T, "o", color=INK, markersize=5, zorder=6, clip_on=False)
    axes.set(xlim=view[[0, 2]], ylim=view[[1, 3]], aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    axes.set_title(title, size=10, color=INK, loc="left")


def _draw_scores(axes: Axes, policy: str, scores: Sequence[float], ideal: Floats, random: Floats) -> None:
    draw_curve(axes, "random", random.mean(axis=0), random.std(axis=0), label=f"random, mean of {len(random)}")
    draw_curve(axes, "ideal", ideal)
    if policy != "ideal":
        own: dict[str, Any] = {"label": "random, as drawn", "linestyle": (0, (4, 2))}
        style = own if policy == "random" else {}
        draw_curve(axes, policy, np.array(scores), **style)
    dress_scores(axes, "score: 0 nothing known, 100 everything known")
    axes.legend(fontsize=8.5, frameon=False, loc="upper left", labelcolor=INK)


def _legend() -> list[Any]:
    return [
        Patch(facecolor=HIT, label="hit"),
        Patch(facecolor=FREE, label="found free"),
        Patch(facecolor=UNSEEN, edgecolor=FAINT, linewidth=0.5, label="not seen"),
        Line2D([], [], color=TUBE, linewidth=1.8, label="last deployment"),
        Patch(facecolor=SWEPT, alpha=0.6, label="swept by it"),
        Line2D([], [], color=INK, marker="o", linestyle="none", markersize=5, label="launch point"),
    ]
