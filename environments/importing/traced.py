"""Traced content of a file, before it becomes an environment."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import shapely


class UnusableFile(ValueError):
    """A file that cannot be imported; the one-line message names the file, what is wrong and what to do."""

    exit_code = 2


def _none(columns: int) -> np.ndarray:
    return np.empty((0, columns))


@dataclass(frozen=True, slots=True, eq=False)
class Tracing:
    """Shapes, start and goal that were read from a file, in metres, with y upwards."""

    solid: tuple[shapely.Polygon, ...] = ()
    """Valid polygons, which may have holes and may overlap."""
    circles: np.ndarray = field(default_factory=lambda: _none(3))
    """Solid discs: rows x, y, radius [m], shape (n, 3)."""
    walls: np.ndarray = field(default_factory=lambda: _none(5))
    """Rows x1, y1, x2, y2, thickness [m], shape (n, 5); bare lines have thickness 0."""
    bounds: tuple[float, float, float, float] | None = None
    """min_x, min_y, max_x, max_y [m], if the file has an extent of its own; otherwise that of its content."""
    start: tuple[float, float, float] | None = None
    """x, y [m] and heading [rad]."""
    goal: tuple[float, float, float] | None = None
    """x, y and radius [m]."""
    unit: float | None = None
    """Length of a unit of a drawing [m], which `ImportOptions.known` changes."""
    moved: float = 0.0
    """Largest distance between an outline in the file and the one above, from curves that became lines [m]."""
    notes: tuple[str, ...] = ()
    """Notes on the content, and on changes and omissions: one sentence each, without a full stop."""
    hints: tuple[str, ...] = ()
    """Hints at probable slips in the file, in the same form."""
