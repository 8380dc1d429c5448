"""Clipping paths of the blocks of a DXF drawing (XCLIP)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import shapely

from environments.importing.curves import apply_map
from environments.importing.dxf_shapes import EntityShape
from environments.importing.rings import CrossingCount, area_of, thicken
from environments.importing.traced import UnusableFile

_MOST_CORNERS = 500
"""Corners of a clipping path, and of several that lie one within another."""
_ALL = shapely.box(-1e9, -1e9, 1e9, 1e9)
"""Area that contains everything [m]."""


class InexactClip(ValueError):
    """A clipping path that cannot be followed in the plane of the drawing; the message says why."""


def clipping_path(insert: Any) -> tuple[np.ndarray, bool] | None:
    """Return the clipping path of an INSERT, in the coordinates of its block, shape (n, 2), and whether it hides what is inside.

    The file gives the path in the drawing as it was when the block was clipped, and the map from there to the block. Two
    corners stand for a rectangle.

    Returns:
        None if nothing is clipped.

    Raises:
        InexactClip: It is cut in space, not in the plane, or is that of an array.
    """
    from ezdxf.xclip import XClip

    clip = XClip(insert)
    if not clip.is_clipping_enabled:
        return None
    path: Any = clip.get_spatial_filter()
    if insert.dxf.row_count > 1 or insert.dxf.column_count > 1:
        raise InexactClip("on an array of blocks")
    if path.dxf.has_front_clipping_plane or path.dxf.has_back_clipping_plane:
        raise InexactClip("with planes in front of it or behind it")
    turned = not np.allclose(np.array(list(path.transform_matrix)), np.eye(4).ravel())
    if turned or path.dxf.extrusion.z < 0 or not (_is_upright(path) and _is_upright(insert)):
        raise InexactClip("in a plane other than that of the drawing")
    if clip.is_inverted_clip:
        inner = clip.get_block_clipping_path().inner_polygon()
        if len(inner) < 3:
            raise InexactClip("that are turned inside out")
        return np.array(inner), True
    corners = np.array(path.boundary_vertices)
    if len(corners) == 2:
        (x0, y0), (x1, y1) = corners.tolist()
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    to_block = path.inverse_insert_matrix
    return np.array([to_block.transform((x, y, 0.0)).vec2 for x, y in corners.tolist()]), False


def _is_upright(entity: Any) -> bool:
    x, y, _ = entity.dxf.extrusion
    return bool(x == 0 and y == 0)


def clip_area(
    path: np.ndarray, inverted: bool, to_metres: np.ndarray, outer: shapely.Geometry | None, effort: CrossingCount
) -> shapely.Geometry:
    """Return the area in which the content of a block is seen [m].

    Args:
        path: Clipping path in the coordinates of the block, shape (n, 2).
        inverted: Whether it hides what is inside.
        to_metres: Map from these coordinates, shape (2, 3).
        outer: Area in which the INSERT is seen; None if it is seen everywhere.
        effort: What the drawing has cost so far.

    Raises:
        UnusableFile: A coordinate is no usable number, or there are too many.
    """
    corners = apply_map(to_metres, path)
    if not (np.abs(corners) < 1e9).all():
        raise UnusableFile("a clipping path has a coordinate that is not a number below 1e9 m; correct the drawing")
    if len(corners) > _MOST_CORNERS:
        raise UnusableFile(f"a clipping path has more than {_MOST_CORNERS} corners; simplify it")
    inside = shapely.union_all(area_of([corners], effort))
    area = _ALL.difference(inside) if inverted else inside
    area = area if outer is None else area.intersection(outer)
    if shapely.get_num_coordinates(area) > _MOST_CORNERS + 10:
        raise UnusableFile(f"clipping paths within others have more than {_MOST_CORNERS} corners; simplify them")
    shapely.prepare(area)
    return area


def cut_shape(
    shape: EntityShape, seen: shapely.Geometry, wall_thickness: float, effort: CrossingCount
) -> list[EntityShape]:
    """Return the part of a shape that is seen: areas and closed curves are cut as areas, lines as lines.

    Args:
        shape: A shape in metres.
        seen: Area in which it is seen [m].
        wall_thickness: Thickness of the walls that closed curves without a fill are [m], which are cut as lines; 0 if what
            they enclose is solid.
        effort: What the drawing has cost so far.

    Returns:
        The shape itself where nothing of it is cut.
    """
    solid = shape.filled or shape.thickness > 0
    if shape.filled:
        drawn = shapely.union_all(area_of(shape.rings, effort))
    elif shape.thickness > 0:
        drawn = shapely.union_all([part for ring in shape.rings for part in thicken(ring, shape.thickness, effort)])
    else:
        drawn = shapely.MultiLineString([ring for ring in shape.rings if len(ring) > 1])
    if drawn.is_empty or seen.covers(drawn):
        return [shape]
    if solid:
        parts = _areas(drawn.intersection(seen))
        return [_filled([shapely.get_coordinates(ring) for ring in shapely.get_rings(one)], shape) for one in parts]
    if shape.closed and wall_thickness == 0:
        within = shapely.union_all([part for ring in shape.rings for part in area_of([ring], effort)])
        rings = [shapely.get_coordinates(one.exterior) for one in _areas(within.intersection(seen))]
        return [replace(shape, rings=[ring], disc=None) for ring in rings]
    left = shapely.get_parts(drawn.intersection(seen))  # also points, where a line touches the edge
    lines = shapely.line_merge(shapely.MultiLineString([one for one in left if one.length > 0]))
    rings = [shapely.get_coordinates(line) for line in shapely.get_parts(lines)]
    thickness = wall_thickness if shape.closed else 0.0
    return [EntityShape([ring], curved=shape.curved, thickness=thickness) for ring in rings]


def _filled(rings: Sequence[np.ndarray], shape: EntityShape) -> EntityShape:
    return EntityShape(list(rings), closed=True, filled=True, curved=shape.curved)


def _areas(geometry: shapely.Geometry) -> list[shapely.Polygon]:
    return [part for part in shapely.get_parts(geometry) if isinstance(part, shapely.Polygon) and part.area > 0]
