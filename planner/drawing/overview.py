"""The whole map, with the part of it that the figure shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from environments.environment import Environment
from planner.drawing.insets import ABOVE, draw_frame
from planner.drawing.solids import draw_solids
from planner.drawing.style import DIMENSION, FAINT, INK
from surrogate.kernels.compiled import Floats

LARGEST = np.array([1.72, 1.36])
"""Maximum width and height of the map with its margins [inch]."""
MARGIN, TITLE = 0.05, 0.16
"""Space around the map, and for its title above it [inch]."""


def overview_size(whole: Floats) -> Floats:
    """Return width and height of the inset of a map with limits min_x, min_y, max_x, max_y [mm], in inches."""
    room = np.array([2 * MARGIN, 2 * MARGIN + TITLE])
    size = whole[2:] - whole[:2]
    drawn = size * ((LARGEST - room) / size).min()
    return np.asarray(np.maximum(drawn + room, [LARGEST[0] / 2, 0]))


def draw_overview(axes: Axes, box: Floats, environment: Environment, whole: Floats, window: Floats) -> None:
    """Draw the inset of the whole map into a box of axes in millimetres.

    Args:
        box: See `overview_size`; it and the limits are min_x, min_y, max_x, max_y [mm].
        whole: Limits of the whole.
        window: Limits of the part that the axes show, whose outline is drawn.
    """
    draw_frame(axes, box, "overview")
    inch = (box[2] - box[0]) / overview_size(whole)[0]
    width, height = box[2:] - box[:2] - inch * np.array([2 * MARGIN, 2 * MARGIN + TITLE])
    inside = float(box[0] + inch * MARGIN), float(box[1] + inch * MARGIN), float(width), float(height)
    inset = axes.inset_axes(inside, transform=axes.transData, zorder=ABOVE + 1)
    draw_map(inset, environment, whole, window)
    inset.set_title(map_title(environment), loc="left", size=6.5, pad=3, color=INK)


def map_title(environment: Environment) -> str:
    """Return the title of the whole map, with its size."""
    width, height = environment.bounds[2:] - environment.bounds[:2]
    return f"the map: {width:.3g} x {height:.3g} m"


def draw_map(axes: Axes, environment: Environment, whole: Floats, window: Floats) -> None:
    """Draw the obstacles of the whole map, with thin lines, and the outline of the window, into axes in millimetres; see
    `draw_overview`."""
    draw_solids(axes, environment, whole)
    for part in (*axes.collections, *axes.patches):
        part.set(linewidth=0.4)
    style: dict[str, Any] = {"fill": False, "edgecolor": DIMENSION, "linewidth": 1.3, "zorder": 3, "gid": "window"}
    axes.add_patch(Rectangle((window[0], window[1]), *(window[2:] - window[:2]), **style))
    axes.set(xlim=whole[[0, 2]], ylim=whole[[1, 3]], aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set(linewidth=0.5, color=FAINT)
