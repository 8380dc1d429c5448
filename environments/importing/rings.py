"""The area that closed curves enclose, by the fill rules of drawings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from environments.importing.traced import UnusableFile

_MOST_PAIRS = 100_000
_MITRE = 4.0
"""Length of a mitre over the thickness beyond which a corner is cut, as in SVG."""


@dataclass(slots=True)
class CrossingCount:
    """Count of the pairs of sides of curves that cross, or may cross, each other in one drawing."""

    pairs: int = 0

    def add(self, pairs: int) -> None:
        """Count the pairs of one curve.

        Raises:
            UnusableFile: There are too many pairs.
        """
        self.pairs += pairs
        if self.pairs > _MOST_PAIRS:
            raise UnusableFile(
                "has too many points on outlines that cross themselves, or on thick lines; simplify them"
            )


def area_of(rings: Sequence[np.ndarray], effort: CrossingCount, even_odd: bool = True) -> list[shapely.Polygon]:
    """Return the filled area of one path.

    Args:
        rings: Closed curves, each of shape (n, 2); the last point may repeat the first.
        effort: What the drawing has cost so far.
        even_odd: A point is inside if a ray from it crosses the curves an odd number of times; otherwise (`nonzero`) if
            the curves wind around it.

    Returns:
        Valid polygons with a positive area, which do not overlap.

    Raises:
        UnusableFile: The curves cross each other, and have too many points with those before.
    """
    rings = [np.append(ring, ring[:1], axis=0) for ring in rings if len(ring) > 2 and (ring != ring[0]).any()]
    if not rings:
        return []
    if len(rings) == 1:
        outline = shapely.Polygon(rings[0])
        if outline.is_valid:
            return [outline]
    lines = shapely.MultiLineString(rings)
    if shapely.is_simple(lines):
        return _nest(rings, even_odd)
    effort.add(sum(map(len, rings)) ** 2)
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(shapely.unary_union(lines))))
    inside = shapely.get_coordinates(shapely.point_on_surface(faces))
    winding = _winding(rings, inside)
    kept = winding % 2 == 1 if even_odd else winding != 0
    return _polygons(shapely.union_all(faces[kept]))


def _nest(rings: Sequence[np.ndarray], even_odd: bool) -> list[shapely.Polygon]:
    """Return the area within curves that do not cross each other."""
    solids = np.array([shapely.Polygon(ring) for ring in rings])
    tree = shapely.STRtree(solids)
    inner, outer = tree.query(solids, "covered_by")
    others = inner != outer
    sign = (
        np.where(shapely.is_ccw(shapely.get_exterior_ring(solids)), 1, -1) if not even_odd else np.ones(len(rings), int)
    )
    around = np.bincount(inner[others], sign[outer[others]], len(rings)).round().astype(int)
    within = around + sign
    bounds = (around % 2 != within % 2) if even_odd else ((around != 0) != (within != 0))
    edges = shapely.MultiLineString([ring for ring, kept in zip(rings, bounds, strict=True) if kept])
    return _polygons(shapely.build_area(edges))


def _winding(rings: Sequence[np.ndarray], points: np.ndarray) -> np.ndarray:
    """Winding number of curves around each point, anticlockwise, shape (n,)."""
    total = np.zeros(len(points), int)
    begin, end = np.concatenate([ring[:-1] for ring in rings]), np.concatenate([ring[1:] for ring in rings])
    for a, b in zip(begin, end, strict=True):
        x1, y1 = (a - points).T
        x2, y2 = (b - points).T
        side = x1 * y2 - x2 * y1
        total += ((y1 <= 0) & (y2 > 0) & (side > 0)).astype(int) - ((y1 > 0) & (y2 <= 0) & (side < 0))
    return total


def _polygons(shape: shapely.Geometry) -> list[shapely.Polygon]:
    parts = shapely.get_parts(shape)
    return [part for part in parts if isinstance(part, shapely.Polygon) and part.area > 0]


def thicken(points: np.ndarray, thickness: float, effort: CrossingCount) -> list[shapely.Polygon]:
    """Return the area of a line with a thickness, with flat ends and mitred corners.

    Raises:
        UnusableFile: It has too many points with those before.
    """
    if not (points != points[0]).any():
        return []
    line = shapely.LineString(points)
    # A side of the line meets others nearer than the thickness, or all of them where the line crosses itself.
    near = 1 + thickness * len(points) / line.length if line.is_simple else len(points)
    effort.add(int(min(near, len(points)) * len(points)))
    closed = len(points) > 3 and bool((points[0] == points[-1]).all())
    path = shapely.LinearRing(points) if closed else line
    return _polygons(path.buffer(thickness / 2, cap_style="flat", join_style="mitre", mitre_limit=_MITRE))
