"""The area that closed curves enclose, by the fill rules of drawings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from environments.importing.traced import UnusableFile

_MOST_CROSSING = 2000
"""Points of curves that cross each other: the number of their crossings grows with its square."""


def area_of(rings: Sequence[np.ndarray], even_odd: bool = True) -> list[shapely.Polygon]:
    """The filled area of one path.

    Args:
        rings: Closed curves, each of shape (n, 2); the last point may repeat the first.
        even_odd: A point is inside if a ray from it crosses the curves an odd number of times; otherwise (`nonzero`) if
            the curves wind around it.

    Returns:
        Valid polygons with a positive area, which do not overlap.

    Raises:
        UnusableFile: The curves cross each other and have too many points.
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
        return _nested(rings, even_odd)
    if sum(map(len, rings)) > _MOST_CROSSING:
        raise UnusableFile(f"an outline of more than {_MOST_CROSSING} points crosses itself; simplify it")
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(shapely.node(lines))))
    inside = shapely.get_coordinates(shapely.point_on_surface(faces))
    winding = np.array([_winding(rings, point) for point in inside], int)
    kept = winding % 2 == 1 if even_odd else winding != 0
    return _polygons(shapely.union_all(faces[kept]))


def _nested(rings: Sequence[np.ndarray], even_odd: bool) -> list[shapely.Polygon]:
    """The area within curves that do not cross each other."""
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


def _winding(rings: Sequence[np.ndarray], point: np.ndarray) -> int:
    """How often curves wind around a point, anticlockwise."""
    total = 0
    for ring in rings:
        x, y = (ring - point).T
        up, down = (y[:-1] <= 0) & (y[1:] > 0), (y[:-1] > 0) & (y[1:] <= 0)
        side = x[:-1] * y[1:] - x[1:] * y[:-1]
        total += int((up & (side > 0)).sum() - (down & (side < 0)).sum())
    return total


def _polygons(shape: shapely.Geometry) -> list[shapely.Polygon]:
    parts = shapely.get_parts(shape)
    return [part for part in parts if isinstance(part, shapely.Polygon) and part.area > 0]
