"""Walls, corners and free area that a growth revealed, as content of a JSON document."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import shapely

from planner.mapping.recorded import Elements
from planner.mapping.sensing.found import CONFIDENCE, FoundCorner, FoundWall, SensedSurroundings
from surrogate.kernels.compiled import Floats


def found_content(found: SensedSurroundings, elements: Elements) -> dict[str, Any]:
    """Return walls, corners and free area in mm and degrees; the nearest element of each wall or corner, if there are any."""
    areas = [part for part in shapely.get_parts(found.free) if part.area]
    return {
        "confidence": CONFIDENCE,
        "launch": {"position_mm": _mm(found.start[:2]), "heading_deg": _degrees(float(found.start[2]))},
        "length_mm": _rounded(1e3 * found.length),
        "noise": {
            "across_mm": _rounded(1e3 * found.noise.across),
            "along_mm": _rounded(1e3 * found.noise.along),
            "heading_deg": _degrees(found.noise.heading),
        },
        "walls": [_wall(wall) | _element(elements, wall.ends) for wall in found.walls],
        "corners": [_corner(corner) | _element(elements, corner.touch[None]) for corner in found.corners],
        "free_mm2": round(1e6 * float(found.free.area)),
        "free_mm": [[_line(ring) for ring in (part.exterior, *part.interiors)] for part in areas],
    }


def _wall(wall: FoundWall) -> dict[str, Any]:
    return {
        "from_mm": _mm(wall.ends[0]),
        "to_mm": _mm(wall.ends[1]),
        "within_mm": _mm(wall.within),
        "heading_deg": _degrees(wall.heading),
        "heading_within_deg": _degrees(wall.angle_within),
        "side": _side(wall.side),
        "determined": wall.determined,
        "frames": [wall.first, wall.last],
    }


def _corner(corner: FoundCorner) -> dict[str, Any]:
    return {
        "pivot_mm": _mm(corner.pivot),
        "within_mm": _rounded(1e3 * corner.within),
        "touch_mm": _mm(corner.touch),
        "side": _side(corner.side),
        "arc_mm": _rounded(1e3 * corner.arc),
        "frames": [corner.first, corner.last],
    }


def _element(elements: Elements, points: Floats) -> dict[str, Any]:
    nearest = elements.nearest(points)
    return {"element": nearest[0], "apart_mm": _rounded(1e3 * nearest[1])} if nearest else {}


def _side(side: int) -> str:
    return "left" if side > 0 else "right"


def _line(ring: shapely.Geometry) -> list[list[float]]:
    return [_mm(point) for point in shapely.get_coordinates(ring)]


def _mm(lengths: Floats) -> list[float]:
    return [_rounded(1e3 * float(length)) for length in np.asarray(lengths)]


def _degrees(angle: float) -> float:
    return _rounded(math.degrees(angle))


def _rounded(number: float) -> float:
    return round(number, 2)
