"""Clip paths of SVG drawings.

Source: https://www.w3.org/TR/css-masking-1/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import shapely

from environments.importing.curves import SAGITTA, apply_map, compose, largest_stretch
from environments.importing.rings import CrossingCount, area_of
from environments.importing.svg_shapes import SHAPES, curves_of, length, transform
from environments.importing.svg_tree import DEEPEST, INHERITED, Element, Styles, target_of
from environments.importing.traced import UnusableFile

_REFERENCE = re.compile(r"url\(\s*['\"]?#([^'\")]+)['\"]?\s*\)\Z")
_MOST_POINTS = 20_000_000
_OF_AREA, _OF_INNER, _OF_ELEMENT = 100, 5000, 50
"""Points to which the effort for a clip path is equal, for one within another, and for one element in the box around it."""


class NotApplied(Exception):
    """A clip path that is not read, such as one with a text in it."""


@dataclass(slots=True)
class Clips:
    """Clip paths of a drawing."""

    elements: Mapping[str, Element]
    """Elements by their id."""
    styles: Styles
    effort: CrossingCount = field(default_factory=CrossingCount)
    points: int = 0

    def spend(self, points: int) -> None:
        """Count points that are read or cut.

        Raises:
            UnusableFile: There are too many.
        """
        self.points += points
        if self.points > _MOST_POINTS:
            raise UnusableFile(f"has clip paths that cut more than {_MOST_POINTS} points; simplify or release them")

    def area(
        self, element: Element, value: str, to_metres: np.ndarray, size: tuple[float, float], depth: int = 0
    ) -> shapely.Geometry:
        """Return the area within which an element is seen [m].

        Args:
            element: The element with the clip path.
            value: Its property `clip-path`.
            to_metres: Map from the coordinates of the element, shape (2, 3).
            size: Width and height to which percentages refer.
            depth: Number of the clip paths around, of which the element is a part.
        Raises:
            NotApplied: This kind of clip path is not read.
            UnusableFile: An attribute cannot be read, or there are too many points.
        """
        match = _REFERENCE.match(value)
        found = self.elements.get(match[1]) if match else None
        if found is None or found.tag != "clipPath" or depth > DEEPEST:
            raise NotApplied
        self.spend(_OF_INNER if depth else _OF_AREA)
        inner, inner_size = to_metres, size
        if found.attributes.get("clipPathUnits", "").strip() == "objectBoundingBox":
            low, high = self._box(element, size, largest_stretch(to_metres)[0])
            inner = compose(to_metres, np.column_stack([np.diag(high - low), low]))
            inner_size = (1.0, 1.0)
        inner = compose(inner, transform(found.attributes.get("transform")))
        styles = {**INHERITED, **self.styles.of(found)}
        parts = [part for child in found.children for part in self._parts(child, styles, inner, inner_size, depth)]
        whole = shapely.union_all(parts)
        if (around := styles.get("clip-path", "none")) != "none":
            whole = shapely.intersection(whole, self.area(element, around, to_metres, size, depth + 1))
        return whole

    def _parts(
        self, child: Element, styles: Mapping[str, str], to_metres: np.ndarray, size: tuple[float, float], depth: int
    ) -> list[shapely.Geometry]:
        """Return the areas of an element of a clip path."""
        own = self.styles.of(child)
        if child.tag not in (*SHAPES, "use", "text") or own.get("display") == "none":
            return []
        styles = {**styles, **{key: value for key, value in own.items() if key in INHERITED}}
        inner = compose(to_metres, transform(child.attributes.get("transform")))
        if child.tag == "use":
            target = self.elements.get(target_of(child))
            if target is None or target.tag not in SHAPES:
                raise NotApplied
            x, y = (length(child.attributes.get(key), 0.0, whole) for key, whole in zip("xy", size, strict=True))
            inner = compose(inner, np.array([[1.0, 0.0, x], [0.0, 1.0, y]]))
            parts = self._parts(target, styles, inner, size, depth)
        elif child.tag == "text":
            raise NotApplied
        elif styles["visibility"] != "visible":
            return []
        else:
            rings = self._curves(child, size, inner, largest_stretch(inner)[0])
            parts = area_of([ring for ring in rings if len(ring) > 2], self.effort, styles["clip-rule"] == "evenodd")
        if (around := own.get("clip-path", "none")) != "none":
            region = self.area(child, around, inner, size, depth + 1)
            parts = [shapely.intersection(part, region) for part in parts]
        return parts

    def _box(self, element: Element, size: tuple[float, float], factor: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper corner of the box around an element, in its coordinates; their shapes are (2,)."""
        curves = self._curves_within(element, np.eye(2, 3), size, factor)
        if not curves:
            raise NotApplied
        points = np.concatenate(curves)
        return points.min(axis=0), points.max(axis=0)

    def _curves_within(
        self, element: Element, to_box: np.ndarray, size: tuple[float, float], factor: float
    ) -> list[np.ndarray]:
        self.spend(_OF_ELEMENT)
        if element.tag in SHAPES:
            return self._curves(element, size, to_box, factor * largest_stretch(to_box)[0])
        if element.tag in ("use", "svg", "switch", "text", "image", "foreignObject"):
            raise NotApplied
        inside = element.children if element.tag in ("g", "a") else []
        shown = [child for child in inside if self.styles.of(child).get("display") != "none"]
        maps = [compose(to_box, transform(child.attributes.get("transform"))) for child in shown]
        return [
            one
            for child, place in zip(shown, maps, strict=True)
            for one in self._curves_within(child, place, size, factor)
        ]

    def _curves(
        self, element: Element, size: tuple[float, float], place: np.ndarray, factor: float
    ) -> list[np.ndarray]:
        """Return the curves of a shape under a map; each of its units is at most `factor` metres."""
        if not 0 < factor < np.inf:
            raise NotApplied
        self.spend(len(element.attributes.get("d", "")) + len(element.attributes.get("points", "")))
        curves = [
            apply_map(place, points) for points, _ in curves_of(element.tag, element.attributes, size, SAGITTA / factor)
        ]
        self.spend(sum(map(len, curves)))
        if not all(np.isfinite(points).all() for points in curves):
            raise NotApplied
        return curves
