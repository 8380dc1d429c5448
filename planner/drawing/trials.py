"""The picture of trials of a built design: what was measured, over the prediction and its spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from numpy.typing import NDArray

from environments.environment import Environment
from environments.objects import objects_of
from planner.built.trial import Growth, MeasuredPoint, Trials
from planner.design.design import Design
from planner.design.estimate import Estimate
from planner.drawing.base import base_shapes, drawn_radius
from planner.drawing.course import centrelines
from planner.drawing.names import draw_names
from planner.drawing.plan import foreground
from planner.drawing.solids import draw_solids
from planner.drawing.style import DIMENSION, FAINT, GOAL, INK, MISSED, REACHED, save_figure
from planner.drawing.view import whole_view, zoomed_view
from planner.uncertainty.trials import Outcome
from surrogate.kernels.compiled import Floats

DPI = 150
WIDEST, HIGHEST = 8.4, 6.4
"""Maximum size of the drawing [inch]."""
UNKNOWN = "#0a5a96"
"""Colour of a growth of which it is not known whether it reached the goal."""
SIMULATED: dict[bool, dict[str, Any]] = {
    True: {"color": REACHED, "marker": "o", "markersize": 2.6, "alpha": 0.45, "markeredgewidth": 0},
    False: {"color": MISSED, "marker": "x", "markersize": 3.4, "alpha": 0.6, "markeredgewidth": 0.9},
}
"""Marks of simulated tips: readable without colours by their shapes."""
MEASURED: dict[bool | None, tuple[str, str, str]] = {
    True: ("o", REACHED, "reached the goal"),
    False: ("X", MISSED, "missed it"),
    None: ("D", UNKNOWN, "result unknown"),
}
"""Mark, colour and words of a measured tip, by whether it reached the goal."""


@dataclass(frozen=True, slots=True, eq=False)
class PredictedTips:
    """Where simulated trials of a design end."""

    tips: Floats
    """x and y of the tips [m], NaN where nothing grew, shape (trials, 2)."""
    reached: NDArray[np.bool_]
    """Whether the goal was reached, shape (trials,)."""
    errors: str
    """Name of the errors with which they grew."""

    @classmethod
    def of(cls, outcomes: Sequence[Outcome], errors: str) -> PredictedTips:
        """Return the tips of trials."""
        tips, reached = [np.zeros((0, 2))], [np.zeros(0, bool)]
        for outcome in outcomes:
            grown = (~np.isnan(outcome.joints[..., 0])).sum(axis=1)
            tips.append(outcome.joints[np.arange(len(grown)), grown - 1])
            reached.append(outcome.reached)
        return cls(np.concatenate(tips), np.concatenate(reached), errors)

    @property
    def words(self) -> str:
        """How many reach the goal, with the interval."""
        if not len(self.reached):
            return "no simulated trials"
        success = Estimate(int(self.reached.sum()), len(self.reached))
        return f"{len(self.reached)} simulated with {self.errors} errors: {success} reach the goal"


def trials_figure(
    environment: Environment,
    design: Design,
    trials: Trials,
    recordings: Sequence[Floats | None],
    predicted: PredictedTips,
) -> Figure:
    """Draw measured tips, recordings and obstacles over the prediction.

    Args:
        recordings: Last centreline of each growth in the environment [m], shape (n, 2); None without a recording.
        predicted: Simulated trials; may be none.
    """
    lines = [line for line in recordings if line is not None]
    tips = [np.array([growth.tip]) for growth in trials.growths if growth.tip is not None]
    tubes = [design.centerline, predicted.tips, *lines, *tips]
    whole = whole_view(environment, design, np.concatenate([tube.reshape(-1, 2) for tube in tubes]))
    window = zoomed_view(environment, [design], tubes, whole)
    view = whole if window is None else window
    size = (view[2:] - view[:2]) * min(WIDEST / (view[2] - view[0]), HIGHEST / (view[3] - view[1]))
    figure = Figure(figsize=(max(size[0], 4.6) + 0.9, size[1] + 1.75), layout="constrained", facecolor="white")
    axes = figure.subplots()
    axes.set(xlim=view[[0, 2]], ylim=view[[1, 3]], aspect="equal")
    _draw_prediction(axes, environment, design, predicted, view)
    if trials.points:
        _draw_points(axes, environment, trials.points)
    if lines:
        axes.add_collection(
            LineCollection([1e3 * line for line in lines], colors=INK, linewidths=1.3, zorder=6, gid="recorded"),
            autolim=False,
        )
        axes.plot([], [], color=INK, linewidth=1.3, label=f"{len(lines)} recorded")
    _draw_tips(axes, trials.growths)
    for patch in foreground(environment, design):
        axes.add_artist(patch)
    _dress(figure, axes, environment, trials)
    taken = [
        *map(shapely.LineString, centrelines([design.centerline, *lines])),
        _marks(environment, design, tips, predicted),
    ]
    figure.draw_without_rendering()  # only now has the drawing its size
    point = float(view[2] - view[0]) / axes.get_window_extent().width * figure.dpi / 72
    draw_names(axes, environment, view, point, shapely.GeometryCollection(taken))
    return figure


def save_trials_picture(
    path: Path,
    environment: Environment,
    design: Design,
    trials: Trials,
    recordings: Sequence[Floats | None],
    predicted: PredictedTips,
) -> None:
    """Write `trials_figure` as a PNG, atomically."""
    save_figure(path, trials_figure(environment, design, trials, recordings, predicted), DPI)


def _draw_prediction(
    axes: Axes, environment: Environment, design: Design, predicted: PredictedTips, view: Floats
) -> None:
    """Draw the environment, the predicted centreline, and the tips of simulated trials."""
    draw_solids(axes, environment, view)
    x, y, radius = 1e3 * environment.goal
    axes.add_patch(Circle((x, y), radius, facecolor=GOAL, alpha=0.14, linewidth=0, zorder=3))
    axes.plot(*1e3 * design.centerline.T, color=FAINT, linewidth=1.6, zorder=4, label="prediction", gid="prediction")
    for reached, style in SIMULATED.items():
        some = 1e3 * predicted.tips[predicted.reached == reached]
        if len(some):
            words = f"{len(some)} simulated {'reach it' if reached else 'miss it'}"
            axes.plot(*some.T, linestyle="none", zorder=5, label=words, gid=f"simulated {reached}", **style)


def _draw_tips(axes: Axes, growths: Sequence[Growth]) -> None:
    """Draw the measured tips, with the numbers of their growths."""
    for reached, (marker, colour, words) in MEASURED.items():
        some = [(number, one.tip) for number, one in enumerate(growths, start=1) if one.tip and one.reached is reached]
        if not some:
            continue
        points = 1e3 * np.array([tip for _, tip in some])
        style: dict[str, Any] = {"color": colour, "markeredgecolor": "white", "markeredgewidth": 1.0, "markersize": 9}
        label = f"{len(some)} measured, {words}"
        axes.plot(*points.T, marker, linestyle="none", zorder=9, label=label, gid=f"measured {reached}", **style)
        for (number, _), at in zip(some, points, strict=True):
            style = {"xytext": (6, 4), "textcoords": "offset points", "size": 8, "weight": "bold", "zorder": 10}
            back: dict[str, Any] = {
                "boxstyle": "round,pad=0.12",
                "facecolor": "white",
                "edgecolor": "none",
                "alpha": 0.75,
            }
            axes.annotate(f"{number}", (at[0], at[1]), color=INK, bbox=back, **style)


def _draw_points(axes: Axes, environment: Environment, points: Sequence[MeasuredPoint]) -> None:
    """Draw the measured points, and the outlines of objects as they fit to them."""
    outlines = [line for shape in measured_shapes(environment, points) for line in _outlines(shape)]
    dashes: list[Any] = [(0, (4, 2))]
    axes.add_collection(
        LineCollection(
            outlines, colors=DIMENSION, linewidths=1.2, linestyles=dashes, zorder=6, gid="measured obstacles"
        ),
        autolim=False,
    )
    axes.plot([], [], color=DIMENSION, linewidth=1.2, linestyle=(0, (4, 2)), label="obstacles as measured")
    at = 1e3 * np.array([one.measured for one in points])
    axes.plot(
        *at.T,
        "+",
        color=DIMENSION,
        markersize=7,
        markeredgewidth=1.4,
        zorder=8,
        linestyle="none",
        gid="measured points",
    )


def measured_shapes(environment: Environment, points: Sequence[MeasuredPoint]) -> list[shapely.Geometry]:
    """Return the obstacles of each object of which points were measured, where they fit best to these [m].

    An object with one point, or with points at one place, is moved but not turned.
    """
    solids, objects, shapes = environment.solids, objects_of(environment), environment.solids.shapes()
    object_of = {solids.label(index): item for index, item in enumerate(objects.tolist())}
    measured, found = dict[int, list[MeasuredPoint]](), []
    for point in points:
        measured.setdefault(object_of[point.obstacle], []).append(point)
    for item, own in measured.items():
        turn, shift = _fit_motion(np.array([one.planned for one in own]), np.array([one.measured for one in own]))
        for index in np.flatnonzero(objects == item):
            found.append(
                shapely.transform(shapes[index], lambda corners, turn=turn, shift=shift: corners @ turn.T + shift)
            )
    return found


def _fit_motion(planned: Floats, measured: Floats) -> tuple[Floats, Floats]:
    """Return the rotation, shape (2, 2), and the shift [m] that best take points to measured ones, shape (n, 2)."""
    centre, there = planned.mean(axis=0), measured.mean(axis=0)
    one, other = planned - centre, measured - there
    cos, sin = float((one * other).sum()), float((one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]).sum())
    angle = np.arctan2(sin, cos) if np.hypot(cos, sin) > 1e-12 else 0.0
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return turn, there - turn @ centre


def _outlines(shape: shapely.Geometry) -> list[Floats]:
    """Return the outlines of an obstacle [mm]; a bare wall is its own."""
    return [1e3 * shapely.get_coordinates(ring) for ring in (shapely.get_rings(shape) if shape.area else [shape])]


def _marks(
    environment: Environment, design: Design, tips: Sequence[Floats], predicted: PredictedTips
) -> shapely.Geometry:
    """Return what else no name should cover [mm]: base, goal and tips."""
    base = shapely.MultiPoint(np.vstack(base_shapes(environment.start, drawn_radius(design)))).convex_hull
    x, y, radius = 1e3 * environment.goal
    shown = 1e3 * np.concatenate([np.zeros((0, 2)), *tips, predicted.tips[~np.isnan(predicted.tips[:, 0])]])
    return shapely.union_all([base, shapely.Point(x, y).buffer(radius), shapely.MultiPoint(shown).buffer(8)])


def _dress(figure: Figure, axes: Axes, environment: Environment, trials: Trials) -> None:
    """Write title, axes and legend."""
    axes.set_xlabel("x [mm]", size=9, color=INK)
    axes.set_ylabel("y [mm]", size=9, color=INK)
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    name = " ".join(environment.name.split())
    known = [growth.reached for growth in trials.growths if growth.reached is not None]
    result = f": {sum(known)} of {len(known)} reached the goal" if known else ""
    axes.set_title(f"{name[:50]}, built{result}", size=11, color=INK, loc="left", parse_math=False)
    figure.legend(loc="outside lower left", ncols=3, fontsize=8.5, frameon=False, labelcolor=INK)
