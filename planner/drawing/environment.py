"""The figure of an environment without a design: its narrowest passages are dimensioned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from dynamics.tube import VineParams
from environments.environment import Environment
from environments.lengths import format_length
from environments.passages import Passage
from planner.drawing.names import draw_names
from planner.drawing.plan import plan_figure, save_page
from planner.drawing.style import DIMENSION
from surrogate.kernels.compiled import Floats

_SIZE = 8.0
"""Size of the figures [point]."""
_ARROWS, _TAIL = 22.0, 13.0
"""Minimum length of a dimension whose arrows fit between its ends; length of the arrows of others [point]."""


def environment_figure(environment: Environment, passages: Sequence[Passage] = ()) -> Figure:
    """Draw an environment, with the names of its obstacles, and a dimension across each of the passages."""
    figure = plan_figure(environment, None)
    axes = figure.axes[0]
    limits, width = np.array([axes.get_xlim(), axes.get_ylim()]).T, axes.get_position().width * figure.get_figwidth()
    point = float(limits[1, 0] - limits[0, 0]) / width / 72
    x, y, radius = 1e3 * environment.goal
    base = shapely.Point(1e3 * environment.start[:2]).buffer(1e3 * VineParams().radius)
    taken = shapely.union_all([shapely.Point(x, y).buffer(radius), base, *(_line(one) for one in passages)])
    for passage in passages:
        taken = taken.union(_draw_dimension(axes, passage, taken, limits, point))
    dimensions = [_line(one, _TAIL * point) for one in passages]
    taken = shapely.union_all([taken, *dimensions]).buffer(4 * point)
    draw_names(axes, environment, limits.ravel(), point, taken)
    return figure


def save_environment(path: Path, environment: Environment, passages: Sequence[Passage] = ()) -> None:
    """Write `environment_figure` as a PNG, atomically."""
    save_page(path, environment_figure(environment, passages))


def _line(passage: Passage, beyond: float = 0.0) -> shapely.LineString:
    """Return the dimension line [mm], longer by a length at either end."""
    ends = 1e3 * passage.ends
    along = (ends[1] - ends[0]) / (1e3 * passage.width)
    return shapely.LineString([ends[0] - beyond * along, ends[1] + beyond * along])


def _draw_dimension(
    axes: Axes, passage: Passage, taken: shapely.Geometry, limits: Floats, point: float
) -> shapely.Geometry:
    """Draw a dimension line with its figure beside it; return the area that the figure takes [mm].

    Args:
        taken: What the figure should not cover [mm].
        limits: Lower left and upper right corner of the view [mm], shape (2, 2).
        point: Size of a typographic point in the drawing [mm].
    """
    ends, middle = 1e3 * passage.ends, 1e3 * passage.middle
    along = (ends[1] - ends[0]) / (1e3 * passage.width)
    arrows = [(middle, ends[0]), (middle, ends[1])]
    if 1e3 * passage.width < _ARROWS * point:  # from outside, as on a workshop drawing
        axes.plot(*ends.T, color=DIMENSION, linewidth=1.1, zorder=9)
        arrows = [(ends[0] - _TAIL * point * along, ends[0]), (ends[1] + _TAIL * point * along, ends[1])]
    style: dict[str, Any] = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 7, "linewidth": 1.1}
    for tail, head in arrows:
        axes.add_patch(FancyArrowPatch(tuple(tail), tuple(head), color=DIMENSION, zorder=9, **style))
    text = f"{format_length(1e3 * passage.width, 'mm')} mm"
    half = point * np.array([0.3 * _SIZE * len(text) + 2, 0.75 * _SIZE])
    normal = np.array([-along[1], along[0]])
    beside = (float(np.abs(normal) @ half) + 4 * point) * normal
    beyond = (500 * passage.width + float(np.abs(along) @ half) + (_TAIL + 4) * point) * along
    centres = [middle + offset for offset in (beside, -beside, beyond, -beyond)]
    centres = [np.clip(centre, limits[0] + 1.2 * half, limits[1] - 1.2 * half) for centre in centres]
    boxes = [shapely.box(*(centre - half), *(centre + half)) for centre in centres]
    best = int(np.argmin([taken.intersection(box).area + taken.intersection(box).length * point for box in boxes]))
    style = {"size": _SIZE, "weight": "bold", "ha": "center", "va": "center_baseline", "gid": "passage"}
    style["bbox"] = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    axes.text(centres[best][0], centres[best][1], text, color=DIMENSION, zorder=10, **style)
    return boxes[best]
