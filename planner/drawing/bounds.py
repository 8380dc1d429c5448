"""Edge of the bounds in pictures, and a base that is mounted in a wall."""

from __future__ import annotations

import math

import numpy as np
import shapely
from matplotlib.patches import Patch, Polygon, Rectangle
from shapely.plotting import patch_from_polygon

from environments.environment import Environment
from planner.drawing.style import INK, OBSTACLE

WALL = 0.012
"""Thickness of the drawn walls around bounds, relative to the longer side: the margin of the pictures."""


def bounds_patches(environment: Environment, radius: float) -> list[Patch]:
    """Patches in millimetres: a line along the edge of a table (`table`), walls around the bounds (`bounding wall`), and the
    piece of the base that is set into a wall (`mount`); none for open bounds and a free base.

    Args:
        radius: Radius of the tube [mm].
    """
    bounds, patches = 1e3 * environment.bounds, list[Patch]()
    size = bounds[2:] - bounds[:2]
    if environment.edge == "table":
        line = Rectangle(
            (bounds[0], bounds[1]), *size, fill=False, edgecolor=INK, linewidth=1.6, zorder=2.5, gid="table"
        )
        patches.append(line)
    elif environment.edge == "wall":
        inside = shapely.box(*bounds)
        outside = inside.buffer(WALL * size.max(), join_style="mitre")
        patches.append(patch_from_polygon(outside.difference(inside), gid="bounding wall", zorder=2.5, **OBSTACLE))
    if environment.mount == "wall":
        x, y, heading = environment.start
        ahead = radius * np.array([math.cos(heading), math.sin(heading)])
        axes = np.stack([ahead, [-ahead[1], ahead[0]]])
        socket = np.array([[-0.9, -0.55], [0.0, -0.55], [0.0, 0.55], [-0.9, 0.55]]) @ axes + 1e3 * np.array([x, y])
        patches.append(Polygon(socket, facecolor=INK, linewidth=0, zorder=7, gid="mount"))
    return patches
