"""Distances of found walls and corners from measured walls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from planner.mapping.belief import Belief
from planner.mapping.grid import covered_cells
from planner.mapping.sensing.found import SensedSurroundings
from planner.mapping.session import MappingSession
from surrogate.kernels.compiled import Floats

SPACING = 2e-3
"""Spacing of the points of walls that are compared [m]."""


@dataclass(frozen=True, slots=True)
class WallAgreement:
    """Walls and corners found compared with walls measured."""

    walls: int
    """Number of walls found."""
    corners: int
    """Number of corners found."""
    precision: float
    """Share of the length of the walls found within a tube radius of a measured wall [-]; NaN without walls."""
    recall: float
    """Share of the length of the measured walls within a tube radius of a wall or corner found [-]."""
    touchable: float
    """Recall of the measured walls that are within two radii of a recorded centreline [-]; NaN without such walls."""
    corner_precision: float
    """Share of the corners found whose touched point is within a tube radius of a measured wall's end [-]; NaN without corners."""
    corners_held: int
    """Number of the corners found whose stated interval, about the touched point, has a measured wall in it."""
    free_wrong: float
    """Length of measured walls in the area found free [m]."""
    hits: int
    """Number of cells found covered."""
    hits_right: int
    """Number of these that a measured wall crosses."""
    score: float
    """Score of the belief: 0 for the prior, 100 for the truth."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        shares = ("precision", "recall", "touchable", "corner_precision")
        return {
            **{name: _round_numbers(getattr(self, name), 3) for name in shares},
            "walls": self.walls,
            "corners": self.corners,
            "corners_held": self.corners_held,
            "free_wrong_mm": round(1e3 * self.free_wrong, 1),
            "hits": self.hits,
            "hits_right": self.hits_right,
            "score": _round_numbers(self.score, 2),
        }


def compare_walls(found: SensedSurroundings, walls: Floats, radius: float, session: MappingSession) -> WallAgreement:
    """Compare what was found with measured walls x1, y1, x2, y2 [m], shape (walls, 4).

    Args:
        radius: Radius of the tube, up to which a place counts as found [m].
        session: The session before this deployment, for its cells.
    """
    measured = shapely.multilinestrings(walls.reshape(-1, 2, 2))
    lines = shapely.union_all([shapely.LineString(wall.ends) for wall in found.walls])
    touched = shapely.union_all([lines, *(shapely.Point(corner.touch) for corner in found.corners)])
    ends = shapely.MultiPoint(walls.reshape(-1, 2))
    axes = shapely.union_all([shapely.LineString(shape) for shape in found.shapes])
    points = _along(walls.reshape(-1, 2, 2))
    near = shapely.distance(points, axes) <= 2 * radius
    known = shapely.distance(points, touched) <= radius if not touched.is_empty else np.zeros(len(points), bool)
    here = _along(np.array([wall.ends for wall in found.walls]).reshape(-1, 2, 2))
    corners = np.array([corner.touch for corner in found.corners]).reshape(-1, 2)
    belief = session.with_deployment(found, "", "", "").belief
    rubric = covered_cells(session.grid, [measured])
    return WallAgreement(
        len(found.walls),
        len(found.corners),
        _mean(shapely.distance(here, measured) <= radius),
        _mean(known),
        _mean(known[near]),
        _mean(shapely.distance(shapely.points(corners), ends) <= radius),
        sum(one.held for one in measure_corner_errors("", found, walls)),
        float(shapely.intersection(found.free, measured).length),
        int(belief.hits.sum()),
        int((belief.hits & rubric).sum()),
        Belief(belief.hits, belief.misses, belief.prior).score(rubric),
    )


@dataclass(frozen=True, slots=True)
class WallError:
    """Difference of one found wall from the nearest measured one."""

    recording: str
    wall: int
    """Number of the measured wall, counted from 0."""
    off: float
    """Distance of its middle from the measured wall's line [m]: positive if it is farther from the tube."""
    within: float
    """Stated half interval there [m]."""
    turned: float
    """Difference of the directions [rad]."""
    angle_within: float
    """Stated half interval of the direction [rad]."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "recording": self.recording,
            "wall": self.wall,
            "off_mm": round(1e3 * self.off, 1),
            "within_mm": round(1e3 * self.within, 1),
            "turned_deg": round(float(np.degrees(self.turned)), 1),
            "turned_within_deg": round(float(np.degrees(self.angle_within)), 1),
        }


def measure_wall_errors(name: str, found: SensedSurroundings, walls: Floats) -> list[WallError]:
    """Return the difference of each found wall from the measured wall, shape (walls, 4), that is nearest on average."""
    lines, errors = shapely.linestrings(walls.reshape(-1, 2, 2)), []
    for wall in found.walls:
        apart = shapely.distance(lines[:, None], _along(wall.ends[None])[None, :]).mean(axis=1)
        k = int(apart.argmin())
        along = walls[k, 2:] - walls[k, :2]
        along = along / np.hypot(*along)
        outward = wall.side * np.array([-np.sin(wall.heading), np.cos(wall.heading)])
        normal = np.array([-along[1], along[0]])
        normal = normal if normal @ outward >= 0 else -normal
        off = float((wall.ends.mean(axis=0) - walls[k, :2]) @ normal)
        heading = float(np.arctan2(along[1], along[0]))
        turned = (wall.heading - heading + np.pi / 2) % np.pi - np.pi / 2
        errors.append(WallError(name, k, off, float(wall.within.mean()), float(turned), wall.angle_within))
    return errors


@dataclass(frozen=True, slots=True)
class CornerError:
    """Distances of one found corner from measured walls."""

    recording: str
    pivot: float
    """Distance of its pivot, on the tube's axis, from the nearest end of a wall [m]."""
    touch: float
    """Distance of its touched point, on the tube's surface, from the nearest end of a wall [m]."""
    off: float
    """Distance of the touched point from the nearest place of a wall [m]."""
    within: float
    """Stated radius of the confidence circle [m]."""

    @property
    def held(self) -> bool:
        """Whether the stated circle, about the touched point, has a measured wall in it."""
        return self.off <= self.within

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        parts = {"pivot_mm": self.pivot, "touch_mm": self.touch, "off_mm": self.off, "within_mm": self.within}
        return {"recording": self.recording, **{name: round(1e3 * part, 1) for name, part in parts.items()}}


def measure_corner_errors(name: str, found: SensedSurroundings, walls: Floats) -> list[CornerError]:
    """Return the distances of each found corner from measured walls, shape (walls, 4)."""
    measured, ends = shapely.multilinestrings(walls.reshape(-1, 2, 2)), shapely.MultiPoint(walls.reshape(-1, 2))
    errors = []
    for corner in found.corners:
        pivot, touch = shapely.Point(corner.pivot), shapely.Point(corner.touch)
        errors.append(
            CornerError(name, ends.distance(pivot), ends.distance(touch), measured.distance(touch), corner.within)
        )
    return errors


def _along(lines: Floats) -> Any:
    """Points along lines, as shapely points; lines has shape (n, 2, 2)."""
    parts = []
    for start, end in lines:
        shares = np.linspace(0, 1, max(int(np.hypot(*(end - start)) / SPACING), 2))[:, None]
        parts.append(start + shares * (end - start))
    return shapely.points(np.concatenate([np.empty((0, 2)), *parts]))


def _mean(right: Any) -> float:
    return float(np.mean(right)) if len(right) else float("nan")


def _round_numbers(number: float, digits: int) -> float | None:
    return None if np.isnan(number) else round(number, digits)
