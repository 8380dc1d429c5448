"""Polygons with holes, cut into simple polygons without holes."""

from __future__ import annotations

import numpy as np
import shapely


def cut_holes(polygon: shapely.Polygon) -> list[shapely.Polygon]:
    """Cut a polygon with holes into simple polygons that touch along the cuts and whose union is the polygon.

    Each cut is parallel to an axis and passes through the middle of a hole: of the middle one of all, so that as few pieces as
    possible are cut again.

    Args:
        polygon: A valid polygon.
    """
    pieces, whole = [polygon], []
    while pieces:
        piece = pieces.pop()
        if not len(piece.interiors):
            whole.append(piece)
            continue
        boxes = shapely.bounds(np.array(piece.interiors))
        middles = (boxes[:, :2] + boxes[:, 2:]) / 2
        axis = int(np.ptp(middles[:, 1]) > np.ptp(middles[:, 0]))
        at = float(np.sort(middles[:, axis])[len(middles) // 2])
        low, high = np.split(np.array(piece.bounds), 2)
        end, begin = high.copy(), low.copy()
        end[axis] = begin[axis] = at
        # Beyond the bounds, so that only the cut itself can meet corners.
        for box in (
            shapely.box(*(low - 1), *(end + np.eye(2)[1 - axis])),
            shapely.box(*(begin - np.eye(2)[1 - axis]), *(high + 1)),
        ):
            pieces += extract_polygons(shapely.intersection(piece, box))
    return whole


def extract_polygons(geometry: shapely.Geometry) -> list[shapely.Polygon]:
    """Extract the polygons of a geometry that may be a collection; drop lines and points."""
    # A collection may contain a multipolygon.
    parts = shapely.get_parts(shapely.get_parts(geometry))
    return [part for part in parts if part.geom_type == "Polygon" and part.area > 0]
