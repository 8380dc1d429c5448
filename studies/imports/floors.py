"""Floors with known walls, and the files that are written of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from environments.environment import Environment
from environments.halls.hall import generate_hall
from environments.importing.cut import extract_polygons
from surrogate.kernels.compiled import Floats

FIRST_SEED = 7000
"""Seed of the first floor; none of them was used to choose anything."""


@dataclass(frozen=True)
class Floor:
    """A floor with known walls."""

    kind: str
    """Kind of hall, see `environments.halls`."""
    size: tuple[float, float]
    """Width and height [m]."""
    corners: int
    """About the number of corners."""
    seed: int

    @cached_property
    def environment(self) -> Environment:
        """The floor with start and goal."""
        rng = np.random.default_rng(self.seed)
        return generate_hall(self.kind, rng, size=self.size, corners=self.corners, name=f"{self.kind}-{self.seed}")

    @cached_property
    def free(self) -> shapely.Polygon:
        """Free space [m]."""
        solid = shapely.union_all(self.environment.obstacles.shapes())
        # Pieces that touch may leave seams as wide as their rounding.
        free = shapely.box(0, 0, *self.size).difference(solid.buffer(1e-5)).buffer(1e-5, join_style="mitre")
        return max(extract_polygons(free), key=lambda one: one.area)

    @cached_property
    def walls(self) -> list[shapely.Polygon]:
        """Solid areas, with the rooms that they enclose as holes [m]."""
        return extract_polygons(shapely.box(0, 0, *self.size).difference(self.free))

    @property
    def start(self) -> tuple[float, float, float]:
        """x, y [m] and heading [rad]."""
        x, y, heading = self.environment.start.tolist()
        return x, y, heading

    @property
    def goal(self) -> tuple[float, float, float]:
        """x, y and radius [m]."""
        x, y, radius = self.environment.goal.tolist()
        return x, y, radius

    def rings(self) -> list[Floats]:
        """Return the closed outlines of all walls, each of shape (n, 2) [m]."""
        return [np.asarray(ring.coords) for wall in self.walls for ring in (wall.exterior, *wall.interiors)]


@dataclass(frozen=True)
class Written:
    """A file that was written of a floor."""

    path: Path
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the import, beside start and goal."""
    turn: float = 0.0
    """Angle by which the floor is turned about the origin in the file [rad]."""
    shift: tuple[float, float] = (0.0, 0.0)
    """Distance by which the floor is then moved in what is read [m]."""
    marked: bool = True
    """Whether start and goal are given as options, in the frame of the file."""
