"""Surroundings that a growth reveals: walls that the tip slid on, corners that the body bent around, and free area."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import ArrayLike
from scipy.stats import norm
from shapely.ops import substring

from planner.mapping.sensing.shape import unit
from surrogate.kernels.compiled import Floats

CONFIDENCE = 0.95
"""Confidence of all intervals [-]."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviations of a recording's errors, measured on it."""

    across: float
    """Standard deviation of the tip across its heading [m]."""
    along: float
    """Standard deviation of the tip along its heading [m]."""
    heading: float
    """Standard deviation of the tip's heading [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundWall:
    """A piece of a flat wall on which the tip slid."""

    first: int
    """First frame."""
    last: int
    ends: Floats
    """Points of the wall at the first and at the last contact [m], shape (2, 2)."""
    side: int
    """Side of the wall, seen in the direction in which the tip slid: 1 left, -1 right."""
    within: Floats
    """Half the confidence interval of the wall's position, across it, at the two ends [m], shape (2,)."""
    angle_within: float
    """Half the confidence interval of its direction [rad]."""
    determined: bool = True
    """Whether the readings exclude another motion of the tube; if not, the interval is that of the motion assumed."""

    @property
    def heading(self) -> float:
        """Direction in which the tip slid [rad]."""
        dx, dy = self.ends[1] - self.ends[0]
        return float(np.arctan2(dy, dx))


@dataclass(frozen=True, slots=True, eq=False)
class FoundCorner:
    """A point, not the base, about which the body turned: an obstacle holds it there on the inside of the bend."""

    first: int
    """First frame."""
    last: int
    pivot: Floats
    """Point of the tube's axis [m], shape (2,)."""
    arc: float
    """Distance from the base along the tube [m]."""
    side: int
    """Side on which the obstacle is: 1 left, -1 right."""
    touch: Floats
    """Point of the tube's surface on that side, one radius from the axis [m], shape (2,)."""
    within: float
    """Radius of the confidence circle of the pivot [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class SensedSurroundings:
    """Walls, corners and free area found in one growth."""

    start: Floats
    """x, y [m] and heading [rad] of the launch, shape (3,)."""
    length: float
    """Length to which the tube grew [m]."""
    noise: Noise
    walls: tuple[FoundWall, ...]
    corners: tuple[FoundCorner, ...]
    free: shapely.Geometry
    """Area that the tube swept, with the confidence of all intervals [m]."""
    shapes: tuple[Floats, ...]
    """Axis of the tube in each frame [m], shape (points, 2)."""

    def touched(self) -> list[shapely.Geometry]:
        """Return the walls as lines, and the surface points at corners [m]."""
        return [*(shapely.LineString(wall.ends) for wall in self.walls), *map(shapely.Point, self.corner_points())]

    def corner_points(self) -> list[Floats]:
        """Return points of the tube's surface at corners [m]."""
        return [corner.touch for corner in self.corners]


def swept_free(shapes: Sequence[Floats], radius: float, across: ArrayLike, along: ArrayLike) -> shapely.Geometry:
    """Return the area that a tube swept, reduced so that with the confidence of the intervals all of it was swept.

    The tube is taken as thinner and shorter by the largest error expected of any point of any frame.

    Args:
        shapes: Axis in each frame [m], shape (points, 2).
        radius: Radius of the tube [m].
        across: Standard deviation of the axis across itself [m], one for all frames or of shape (frames,).
        along: Standard deviation of the tip along the axis [m], the same.
    """
    most = float(norm.ppf(1 - (1 - CONFIDENCE) / 2 / max(sum(map(len, shapes)), 1)))
    thinner, shorter = (
        np.broadcast_to(part, len(shapes)) for part in (radius - most * np.asarray(across), most * np.asarray(along))
    )
    parts = []
    for shape, width, cut in zip(shapes, thinner, shorter, strict=True):
        line = shapely.LineString(shape)
        if width > 0 and line.length > cut:
            parts.append(shapely.buffer(substring(line, 0.0, line.length - cut), width))
    return shapely.union_all(parts)


def beside(point: Floats, heading: float, side: int, radius: float) -> Floats:
    """Return the point of a tube's surface to one side of a point of its axis [m], shape (2,)."""
    return np.asarray(point + radius * unit(heading + side * np.pi / 2))
