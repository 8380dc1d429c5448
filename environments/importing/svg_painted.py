"""Shapes of an SVG drawing as they are painted, and what they add to a sketch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from environments.importing.cut import extract_polygons
from environments.importing.rings import area_of, thicken
from environments.importing.sketch import Sketch
from environments.importing.svg_shapes import Curve

_NOISE = 1e-9
"""Share of a shape that may be outside of a clip path from rounding alone."""


@dataclass(frozen=True, slots=True)
class Painted:
    """A shape as it is painted [m]."""

    name: str
    """Name in messages."""
    curves: list[Curve]
    fill: bool
    even_odd: bool
    """Whether its fill rule is `evenodd`; otherwise it is `nonzero`."""
    stroke: float | None
    """Width of its stroke [m]; None without a stroke, or if it has closed curves only."""
    wall: float | None = None
    """Thickness of the walls that closed curves without a fill stand for [m]; None: they are solid."""
    disc: tuple[float, float, float] | None = None
    """x, y, radius [m] of a circle."""

    def add_to(self, sketch: Sketch, clip: shapely.Geometry | None) -> bool:
        """Add the shape to a sketch, and return whether any of it is within a clip path.

        Args:
            clip: Area within which it is seen [m]; None if it is seen as a whole.
        Raises:
            UnusableFile: It has too many points, or a coordinate that is not usable.
        """
        curves, seen = self.curves, not self.curves
        if not all(np.isfinite(points).all() for points, _ in curves):
            clip = None  # the sketch refuses them
        if self.fill and len(curves) > 1:
            seen |= self._add_area(sketch, clip, [points for points, _ in curves if len(points) > 2])
            curves = [(points, closed) for points, closed in curves if not closed and len(points) < 3]
        for points, closed in curves:
            if closed and not self.fill and self.wall is not None:
                seen |= self._add_line(sketch, clip, points, self.wall)
            elif closed or (self.fill and len(points) > 2):
                seen |= self._add_outline(sketch, clip, points)
            elif self.stroke is not None:
                seen |= self._add_line(sketch, clip, points, self.stroke)
        return seen

    def _add_area(self, sketch: Sketch, clip: shapely.Geometry | None, rings: list[np.ndarray]) -> bool:
        cut = None if clip is None else _cut(area_of(rings, sketch.effort, self.even_odd), clip)
        if cut is None:
            sketch.add_area(rings, self.even_odd, self.name)
            return True
        return _add_polygons(sketch, cut, self.name)

    def _add_outline(self, sketch: Sketch, clip: shapely.Geometry | None, points: np.ndarray) -> bool:
        cut = None if clip is None else _cut(area_of([points], sketch.effort), clip)
        if cut is None:
            sketch.add_outline(points, self.name, self.disc)
            return True
        whole = [polygon for polygon in extract_polygons(cut) if not len(polygon.interiors)]
        for polygon in whole:
            sketch.add_outline(shapely.get_coordinates(polygon), self.name)
        holed = [polygon for polygon in extract_polygons(cut) if len(polygon.interiors)]
        return _add_polygons(sketch, shapely.MultiPolygon(holed), self.name) or bool(whole)

    def _add_line(self, sketch: Sketch, clip: shapely.Geometry | None, points: np.ndarray, width: float) -> bool:
        if clip is None:
            sketch.add_line(points, width, self.name)
            return True
        sketch.count(points, self.name)
        line = [shapely.LineString(points)] if width == 0 else thicken(points, width, sketch.effort)
        cut = _cut(line, clip)
        if cut is None:
            sketch.add_line(points, width, self.name)
            return True
        if width > 0:
            return _add_polygons(sketch, cut, self.name)
        parts = [part for part in shapely.get_parts(shapely.get_parts(cut)) if part.geom_type == "LineString"]
        for part in parts:
            sketch.add_line(shapely.get_coordinates(part), 0.0, self.name)
        return bool(parts)


def _cut(parts: list[shapely.Geometry], clip: shapely.Geometry) -> shapely.Geometry | None:
    """Return what is within a clip path; None if all of it is, up to rounding."""
    whole = shapely.union_all(parts) if len(parts) != 1 else parts[0]
    if shapely.covers(clip, whole):
        return None
    cut = shapely.intersection(whole, clip)
    least = 1 - _NOISE
    is_whole = cut.area >= least * whole.area > 0 or (whole.area == 0 and cut.length >= least * whole.length > 0)
    return None if is_whole else cut


def _add_polygons(sketch: Sketch, area: shapely.Geometry, name: str) -> bool:
    polygons = extract_polygons(area)
    for polygon in polygons:
        rings = [shapely.get_coordinates(ring) for ring in (polygon.exterior, *polygon.interiors)]
        sketch.add_area(rings, True, name)
    return bool(polygons)
