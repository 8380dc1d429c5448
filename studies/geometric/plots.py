"""Figures of deployments: shapes over the visibility graph, swept areas and contacts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import shapely
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dynamics.geometric.deployment import Deployment, Launch, deploy
from dynamics.geometric.hinges import FRICTION, HingeTube
from dynamics.geometric.walls import Walls, inflate_obstacles, inflate_to_walls
from environments.roadmap import visibility_graph
from planner.drawing.solids import draw_solids
from planner.drawing.style import FAINT, INK, save_figure
from planner.mapping.actions import Actions
from studies.geometric.study import LENGTH, RADIUS, make_polygons
from surrogate.kernels.compiled import Floats

DPI = 140
SHAPE, SWEPT, TOUCHED = "#0a5a96", "#8ec3e6", "#d1495b"
SEED = 4


def save_deployments(path: Path) -> None:
    """Draw six deployments in one environment: the three that sweep most, of straight tubes and of tubes with a turn."""
    environment = make_polygons(np.random.default_rng(SEED))
    shapes = [shapely.Polygon(corners) for corners in environment.obstacles.polygons]
    walls, tube = inflate_to_walls(shapes, environment.bounds, RADIUS), HingeTube(RADIUS, FRICTION, RADIUS)
    figure = Figure(figsize=(9.6, 6.9), dpi=DPI, facecolor="white", layout="constrained")
    view = np.array([-20.0, -20, 1020, 1020])
    chosen = [
        one
        for kind in ("straight", "turning")
        for one in _widest(walls, tube, Actions.of(environment, kind, RADIUS, LENGTH).launches)
    ]
    for axes, (launch, deployment) in zip(figure.subplots(2, 3).ravel(), chosen, strict=True):
        graph = visibility_graph(
            inflate_obstacles(shapes, environment.bounds, RADIUS), np.array([[launch.x, launch.y]])
        )
        ends = [np.array([graph.nodes[one]["position"], graph.nodes[other]["position"]]) for one, other in graph.edges]
        axes.set(xlim=view[[0, 2]], ylim=view[[1, 3]], aspect="equal")
        draw_solids(axes, environment, view)
        axes.add_collection(
            LineCollection([1e3 * line for line in ends], colors=FAINT, linewidths=0.3, alpha=0.35, zorder=1)
        )
        axes.add_collection(
            PolyCollection(list(1e3 * deployment.swept), facecolors=SWEPT, edgecolors="none", alpha=0.7, zorder=3)
        )
        axes.plot(*1e3 * deployment.shape.T, color=SHAPE, linewidth=2.2, zorder=5, solid_joinstyle="round")
        axes.plot(*1e3 * deployment.shape[1:-1].T, ".", color=SHAPE, markersize=7, zorder=6)
        touched = 1e3 * deployment.contacts.reshape(-1, 2, 2)
        axes.add_collection(LineCollection(list(touched), colors=TOUCHED, linewidths=3, capstyle="round", zorder=7))
        words = f"turn {np.degrees(launch.turn):.0f}° at {1e3 * launch.turn_at:.0f} mm" if launch.turn else "straight"
        ended = deployment.status.name.lower().replace("_", " ")
        axes.set_title(f"{words}; {1e3 * deployment.length:.0f} mm, {ended}", color=INK, size=7.6, loc="left")
        axes.tick_params(labelsize=7.5, color=FAINT, labelcolor=INK, width=0.7)
        axes.spines[:].set(linewidth=0.7, color=FAINT)
    handles = [
        Line2D([], [], color=SHAPE, linewidth=2.2, marker=".", markersize=8, label="final shape, its pivots and turn"),
        Patch(facecolor=SWEPT, alpha=0.7, label="swept through"),
        Line2D([], [], color=TOUCHED, linewidth=3, label="walls touched"),
        Line2D([], [], color=FAINT, linewidth=0.8, alpha=0.6, label="visibility graph"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=8.5, frameon=False)
    save_figure(path, figure, DPI)


def _widest(walls: Walls, tube: HingeTube, launches: Floats) -> list[tuple[Launch, Deployment]]:
    """Return the three deployments that sweep most, with distinct headings or bases."""
    best: dict[tuple[float, ...], tuple[Launch, Deployment]] = {}
    for launch in (Launch(*row) for row in launches.tolist()):
        deployment = deploy(walls, tube, launch)
        before = best.get(launch[:3])
        if before is None or _swept_area(deployment) > _swept_area(before[1]):
            best[launch[:3]] = launch, deployment
    return sorted(best.values(), key=lambda one: -_swept_area(one[1]))[:3]


def _swept_area(deployment: Deployment) -> float:
    return float(shapely.area(shapely.polygons(deployment.swept)).sum())
