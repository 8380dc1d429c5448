"""The area that closed curves enclose, by the fill rules of drawings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from environments.importing.traced import UnusableFile

_MOST_PAIRS = 100_000
"""Pairs of sides that may cross: with as many that do, an area takes about 10 s."""
_AT_ONCE = 2_000_000
"""Pairs that are listed at once, at most."""
_MITRE = 4.0
"""Length of a mitre over the thickness beyond which a corner is cut, as in SVG."""


@dataclass(slots=True)
class CrossingCount:
    """Count of the pairs of sides of curves that may cross each other in one drawing: those whose boxes overlap."""

    pairs: int = 0

    def add(self, begin: np.ndarray, end: np.ndarray, spare: float = 0.0) -> None:
        """Count the pairs of sides of one curve, or of several.

        Args:
            begin, end: Ends of the sides [m], shape (n, 2).
            spare: Distance up to which boxes count as overlapping [m].
        Raises:
            UnusableFile: There are too many pairs.
        """
        low, high = np.minimum(begin, end) - spare / 2, np.maximum(begin, end) + spare / 2
        boxes = shapely.box(low[:, 0], low[:, 1], high[:, 0], high[:, 1])
        tree, step = shapely.STRtree(boxes), max(1, _AT_ONCE // len(boxes))
        for first in range(0, len(boxes), step):
            one, other = tree.query(boxes[first : first + step])
            # A side and the next one share a corner.
            self.pairs += int(np.count_nonzero(other > one + first + 1))
            if self.pairs > _MOST_PAIRS:
                raise UnusableFile(
                    f"has outlines that cross themselves, or thick lines, whose sides may cross at more than {_MOST_PAIRS:,} places; "
                    "simplify them, or leave their layer out"
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
    effort.add(np.concatenate([ring[:-1] for ring in rings]), np.concatenate([ring[1:] for ring in rings]))
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(shapely.unary_union(lines))))
    if not len(faces):
        return []
    inside = shapely.get_coordinates(shapely.point_on_surface(faces))
    winding = _winding(rings, inside)
    kept = winding % 2 == 1 if even_odd else winding != 0
    return _polygons(shapely.coverage_union_all(faces[kept]))


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
    """Winding number of curves around each point, anticlockwise, shape (n,): sides that cross the ray from it to the right."""
    total = np.zeros(len(points), int)
    begin, end = np.concatenate([ring[:-1] for ring in rings]), np.concatenate([ring[1:] for ring in rings])
    tree = shapely.STRtree(shapely.linestrings(np.stack([begin, end], axis=1)))
    right = np.column_stack([np.full(len(points), max(begin[:, 0].max(), points[:, 0].max())), points[:, 1]])
    rays, step = shapely.linestrings(np.stack([points, right], axis=1)), max(1, _AT_ONCE // len(begin))
    for first in range(0, len(points), step):
        ray, line = tree.query(rays[first : first + step])
        x1, y1 = (begin[line] - points[first + ray]).T
        x2, y2 = (end[line] - points[first + ray]).T
        side = x1 * y2 - x2 * y1
        up, down = (y1 <= 0) & (y2 > 0) & (side > 0), (y1 > 0) & (y2 <= 0) & (side < 0)
        np.add.at(total, first + ray, up.astype(int) - down.astype(int))
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
    effort.add(points[:-1], points[1:], thickness)
    closed = len(points) > 3 and bool((points[0] == points[-1]).all())
    path = shapely.LinearRing(points) if closed else line
    return _polygons(path.buffer(thickness / 2, cap_style="flat", join_style="mitre", mitre_limit=_MITRE))
