"""The figure of tip steering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon
from shapely.ops import substring
from shapely.plotting import patch_from_polygon

from dynamics.moment import free_curvature, joint_moments
from dynamics.tube import VineParams
from environments import Environment
from environments.writing import atomic_path
from planner.drawing.plan import foreground
from planner.drawing.style import ACTUATOR, FAINT, GOAL, INK, OBSTACLE, TUBE
from studies.tip_steering.study import GROWN_ON, MOVES, RISING, SPARE, STEERED, STRAIGHT, SteeringStage, cell_length

SHADES = LinearSegmentedColormap.from_list(
    "steering", [ACTUATOR["right"], "#f2b36b", "#d9d3c1", "#82bce2", ACTUATOR["left"]]
)
"""Colours from the highest pressure on the right to the highest on the left, in the colours of the sides."""


WIDTH, HEIGHT, DPI = 9.0, 5.1, 160
"""Width and height of the figure [inch], and its resolution [dpi]."""


def save_picture(path: Path, environment: Environment, params: VineParams, stages: list[SteeringStage]) -> None:
    """Write `draw_picture` as a PNG; the file appears atomically."""
    canvas: Any = FigureCanvasAgg(draw_picture(environment, params, stages))
    with atomic_path(path) as partial, partial.open("wb") as file:
        canvas.print_png(file)


def draw_picture(environment: Environment, params: VineParams, stages: list[SteeringStage]) -> Figure:
    """Draw the shapes at rest, superimposed (left), and the turn of the tip over pressure, with that in free space (right)."""
    figure = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, facecolor="white")
    shapes = figure.add_axes((0.085, 0.11, 0.575, 0.815))
    angles = figure.add_axes((0.74, 0.11, 0.245, 0.815))
    _draw_shapes(shapes, environment, params, stages)
    _draw_angles(angles, params, stages)
    for axes, title in ((shapes, "Grown through, held and steered, grown on"), (angles, "Turn of the tip [deg]")):
        axes.set_title(title, color=INK, size=10.5, weight="bold", loc="left", pad=9)
        axes.tick_params(labelsize=9, color=FAINT, labelcolor=INK, width=0.7, length=3)
        axes.spines[:].set(linewidth=0.7, color=FAINT)
    return figure


def _shade(pressure: float) -> Any:
    return SHADES(0.5 + 0.5 * pressure / RISING[-1])


def _draw_shapes(axes: Axes, environment: Environment, params: VineParams, stages: list[SteeringStage]) -> None:
    """Draw the environment, the fixed part of the tube, and its distal part under each pressure, at true width [mm]."""
    low, high = 1e3 * environment.bounds[:2], 1e3 * environment.bounds[2:]
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xlabel="x [mm]", ylabel="y [mm]")
    for corners in environment.obstacles.polygons:
        axes.add_patch(Polygon(1e3 * corners, zorder=2, **OBSTACLE))
    x, y, radius = 1e3 * environment.goal
    axes.add_patch(Circle((x, y), radius, facecolor=GOAL, alpha=0.22, linewidth=0, zorder=3))
    # The tube returns through the same shapes, so each is drawn once, the largest turns first.
    held = {stage.pressure: stage for stage in stages[: len(MOVES) - 1]}
    shapes = sorted(held.values(), key=lambda stage: -abs(stage.heading))
    for stage in shapes:
        shade = (*_shade(stage.pressure)[:3], 0.6)
        _add(axes, _tube(params, stage, STRAIGHT), zorder=4, facecolor=shade, linewidth=0.6)
        ahead = np.array([np.cos(stage.heading), np.sin(stage.heading)])
        x, y = 1e3 * (stage.joints[-1] + (params.radius + 0.02) * ahead)
        axes.text(x, y, f"{abs(stage.pressure) / 1e3:g}", color=INK, size=9, ha="center", va="center", zorder=7)
        axes.plot(*1e3 * stage.joints[-1], "o", color=INK, markersize=2.4, zorder=6)
    if shapes:
        body = _tube(params, shapes[-1], 0.0, STRAIGHT)
        _add(axes, body, zorder=5, facecolor=TUBE["none"], linewidth=0.8)
    for stage in stages[len(MOVES) - 1 :]:
        new = _tube(params, stage, STRAIGHT + STEERED).difference(_tube(params, held[stage.pressure], STRAIGHT))
        _add(axes, new, zorder=3, facecolor="none", linewidth=1.0, linestyle=(0, (4, 2.5)))
        axes.plot(*1e3 * stage.joints[-1], "o", color=INK, markersize=2.4, zorder=6)
    for patch in foreground(environment, None):
        axes.add_patch(patch)
    passage, tube = 2e3 * (params.radius + SPARE), 2e3 * params.radius
    style: dict[str, Any] = {"size": 9, "va": "center", "zorder": 7}
    axes.text(400, 190, f"passage\n{passage:.0f} mm\n\ntube\n{tube:.0f} mm", color=INK, ha="center", **style)
    axes.text(1030, 318, "steered left [kPa]", color=ACTUATOR["left"], ha="right", **style)
    axes.text(1030, -318, "steered right [kPa]", color=ACTUATOR["right"], ha="right", **style)
    axes.text(785, -420, f"grown on\n{1e3 * GROWN_ON:.0f} mm", color=GOAL, **style)


def _tube(params: VineParams, stage: SteeringStage, first: float, last: float = np.inf) -> shapely.Geometry:
    """Outline of the tube [mm] between two distances from the base [m], with a round tip."""
    line, radius = shapely.LineString(1e3 * stage.joints), 1e3 * params.radius
    tube = substring(line, 1e3 * first, min(1e3 * last, line.length)).buffer(radius, cap_style="flat")
    return tube if 1e3 * last < line.length else tube.union(shapely.Point(line.coords[-1]).buffer(radius))


def _add(axes: Axes, shape: shapely.Geometry, **style: Any) -> None:
    axes.add_patch(patch_from_polygon(shape, edgecolor=INK, joinstyle="round", **style))


def _draw_angles(axes: Axes, params: VineParams, stages: list[SteeringStage]) -> None:
    """Draw the turn of the tip over pressure, simulated and in free space."""
    most = RISING[-1]
    pressure = np.linspace(-most, most, 401)
    free = np.degrees(free_curvature(joint_moments(params), pressure, cell_length(params)) * STEERED)
    axes.plot(1e-3 * pressure, free, color=FAINT, linewidth=1.2, zorder=2, label="free space")
    rising = len(RISING) + 1
    for k, stage in enumerate(stages[: len(MOVES) - 1]):
        back = rising <= k < 2 * rising - 1
        style: dict[str, Any] = {"markersize": 11 if back else 7, "markeredgecolor": INK, "zorder": 3 if back else 4}
        fill = "none" if back else _shade(stage.pressure)
        label = {0: "held, rising", rising: "held, going back"}.get(k)
        axes.plot(1e-3 * stage.pressure, np.degrees(stage.heading), "o", markerfacecolor=fill, label=label, **style)
    axes.set(xlabel="right ← pressure [kPa] → left", xlim=(-40, 40), ylim=(-99, 99))
    axes.set(xticks=[-35, -15, 0, 15, 35], yticks=[-90, -60, -30, 0, 30, 60, 90])
    axes.grid(color=FAINT, alpha=0.25, linewidth=0.5)
    axes.legend(fontsize=8.5, frameon=False, loc="lower right", borderpad=0, handletextpad=0.4)
