"""The shapes of single DXF entities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from environments.importing.curves import arc, bulge_arc, circle, compose
from environments.importing.traced import UnusableFile

if TYPE_CHECKING:
    from ezdxf.entities.dxfentity import DXFEntity

_MOST_POINTS = 100_000
"""Points of one spline."""
_LARGEST = 1e9
"""Control points of splines are smaller than this many drawing units: the subdivision of larger ones does not end."""


@dataclass(frozen=True, slots=True)
class EntityShape:
    """Shape of an entity, in the coordinates of the block that contains it, or in metres where it is placed."""

    rings: list[np.ndarray]
    """Points of the curve, or of all curves around an area; each of shape (n, 2)."""
    closed: bool = False
    filled: bool = False
    curved: bool = False
    thickness: float = 0.0
    disc: tuple[float, float, float] | None = None
    """x, y, radius of a circle."""


def _plane(entity: DXFEntity, elevation: float = 0.0) -> np.ndarray:
    """Return the affine map from an entity's own plane (OCS) to the plane of the drawing, shape (2, 3)."""
    ocs = entity.ocs()  # type: ignore[attr-defined]
    return np.array([[ocs.ux.x, ocs.uy.x, ocs.uz.x * elevation], [ocs.ux.y, ocs.uy.y, ocs.uz.y * elevation]])


def _line(entity: Any, _: float) -> EntityShape:
    return EntityShape([np.array([entity.dxf.start.vec2, entity.dxf.end.vec2])])


def _circle(entity: Any, sagitta: float) -> EntityShape:
    centre, radius = np.array(entity.dxf.center.vec2), abs(entity.dxf.radius)
    return EntityShape([circle(centre, radius, sagitta)], closed=True, curved=True, disc=(*centre.tolist(), radius))


def _arc(entity: Any, sagitta: float) -> EntityShape:
    start = math.radians(entity.dxf.start_angle)
    sweep = (math.radians(entity.dxf.end_angle) - start) % math.tau or math.tau
    radius = abs(entity.dxf.radius)
    axes = np.array([radius, 0.0]), np.array([0.0, radius])
    points = arc(np.array(entity.dxf.center.vec2), *axes, start, sweep, sagitta)
    return EntityShape([points], closed=sweep == math.tau, curved=True)


def _ellipse(entity: Any, sagitta: float) -> EntityShape:
    centre, major = np.array(entity.dxf.center.vec2), np.array(entity.dxf.major_axis.vec2)
    minor = np.array(entity.minor_axis.vec2)
    start = entity.dxf.start_param
    sweep = (entity.dxf.end_param - start) % math.tau
    closed = sweep < 1e-9 or math.tau - sweep < 1e-9
    return EntityShape(
        [arc(centre, major, minor, start, math.tau if closed else sweep, sagitta)], closed=closed, curved=True
    )


def _spline_points(spline: Any, sagitta: float) -> np.ndarray:
    if not all(abs(value) < _LARGEST for point in spline.control_points for value in point):
        raise UnusableFile(f"a spline has a coordinate that is not a number below {_LARGEST:g}; correct the drawing")
    points = list(islice(spline.flattening(sagitta), _MOST_POINTS + 1))
    if len(points) > _MOST_POINTS:
        raise UnusableFile(f"a spline has more than {_MOST_POINTS} points along it; simplify it, or check the unit")
    return np.array([point.vec2 for point in points])


def _spline(entity: Any, sagitta: float) -> EntityShape:
    points = _spline_points(entity.construction_tool(), sagitta)
    closed = bool(entity.closed) or math.dist(points[0], points[-1]) < sagitta
    return EntityShape([points], closed=closed, curved=True)


def _polyline(vertices: Sequence[tuple[float, ...]], closed: bool, sagitta: float) -> EntityShape:
    """Return a curve of straight and bulged parts; a vertex is x, y, start width, end width, bulge."""
    rows = np.array(vertices, float).reshape(-1, 5)
    if not len(rows):
        return EntityShape([])
    drawn = rows if closed else rows[:-1]
    thickness = float(drawn[:, 2:4].max(initial=0.0))
    points = np.append(rows[:, :2], rows[:1, :2], axis=0) if closed else rows[:, :2]
    curved = bool(drawn[:, 4].any())
    if curved:
        parts = [bulge_arc(points[k], points[k + 1], row[4], sagitta)[:-1] for k, row in enumerate(drawn)]
        points = np.concatenate([*parts, points[-1:]])
    # Some programs repeat the first vertex instead of closing the polyline.
    meets = closed or (len(points) > 3 and math.dist(points[0], points[-1]) < sagitta)
    return EntityShape([points], closed=meets, curved=curved, thickness=thickness)


def _lwpolyline(entity: Any, sagitta: float) -> EntityShape:
    vertices = entity.get_points("xyseb")
    if width := entity.dxf.get("const_width", 0.0):
        vertices = [(x, y, width, width, bulge) for x, y, _, _, bulge in vertices]
    return _polyline(vertices, entity.closed, sagitta)


def _old_polyline(entity: Any, sagitta: float) -> EntityShape | None:
    if not (entity.is_2d_polyline or entity.is_3d_polyline):
        return None
    default = entity.dxf.get("default_start_width", 0.0), entity.dxf.get("default_end_width", 0.0)
    vertices = []
    for vertex in entity.vertices:
        if vertex.dxf.flags & 16:  # the frame of a spline, not a point on it
            continue
        x, y, _ = vertex.dxf.location
        widths = vertex.dxf.get("start_width", default[0]), vertex.dxf.get("end_width", default[1])
        vertices.append((x, y, *widths, vertex.dxf.get("bulge", 0.0)))
    return _polyline(vertices, entity.is_closed, sagitta)


def _solid(entity: Any, _: float) -> EntityShape:
    # The third and the fourth corner of a SOLID are the wrong way round; a triangle repeats the third.
    corners = [entity.dxf.get(name) for name in ("vtx0", "vtx1", "vtx3", "vtx2")]
    return EntityShape([np.array([corner.vec2 for corner in corners if corner is not None])], closed=True, filled=True)


def _edge(edge: Any, sagitta: float) -> np.ndarray:
    """Points of one edge of a hatch, in the direction of its boundary."""
    match edge.EDGE_TYPE:
        case "LineEdge":
            return np.array([edge.start, edge.end])
        case "SplineEdge":
            return _spline_points(edge.construction_tool(), sagitta)
    # Angles are anticlockwise, whichever way the boundary runs.
    if edge.EDGE_TYPE == "ArcEdge":
        axes = np.array([edge.radius, 0.0]), np.array([0.0, edge.radius])
        start, end = math.radians(edge.start_angle), math.radians(edge.end_angle)
    else:
        major = np.array(edge.major_axis)
        axes = major, np.array([-major[1], major[0]]) * edge.ratio
        start, end = edge.start_param, edge.end_param
    sweep = (end - start) % math.tau
    if sweep < 1e-9:
        sweep = math.tau
    points = arc(np.array(edge.center), *axes, start, sweep, sagitta)
    return points if edge.ccw else points[::-1]


def _hatch(entity: Any, sagitta: float) -> EntityShape:
    rings = []
    for path in entity.paths:
        if hasattr(path, "vertices"):
            corners = [(x, y, 0.0, 0.0, bulge) for x, y, bulge in path.vertices]
            rings.extend(_polyline(corners, True, sagitta).rings)
        elif path.edges:
            rings.append(np.concatenate([_edge(edge, sagitta) for edge in path.edges]))
    return EntityShape(rings, closed=True, filled=True, curved=True)


_IN_WORLD: dict[str, Callable[[Any, float], EntityShape]] = {"LINE": _line, "ELLIPSE": _ellipse, "SPLINE": _spline}
_IN_PLANE: dict[str, tuple[Callable[[Any, float], EntityShape | None], str]] = {
    "CIRCLE": (_circle, "center"),
    "ARC": (_arc, "center"),
    "LWPOLYLINE": (_lwpolyline, "elevation"),
    "POLYLINE": (_old_polyline, "elevation"),
    "SOLID": (_solid, "vtx0"),
    "TRACE": (_solid, "vtx0"),
    "HATCH": (_hatch, "elevation"),
    "MPOLYGON": (_hatch, "elevation"),
}
"""Functions that make the shape of an entity in its own plane, and the attribute that has the height of the plane."""


def shape_of(entity: DXFEntity, sagitta: float) -> tuple[EntityShape, np.ndarray] | None:
    """Return the shape of an entity, and the affine map from its own plane to that of its block; None if it draws none.

    Args:
        entity: Any entity but an INSERT.
        sagitta: Largest distance between a curve and the lines that stand for it, in drawing units.

    Raises:
        UnusableFile: It has coordinates that are no numbers.
    """
    kind = entity.dxftype()
    if kind in _IN_WORLD:
        return _IN_WORLD[kind](entity, sagitta), np.eye(2, 3)
    if kind not in _IN_PLANE:
        return None
    read, height = _IN_PLANE[kind]
    shape = read(entity, sagitta)
    if shape is None or (kind == "POLYLINE" and not entity.is_2d_polyline):  # type: ignore[attr-defined]
        return None if shape is None else (shape, np.eye(2, 3))
    elevation = entity.dxf.get(height, 0.0)
    return shape, _plane(entity, float(getattr(elevation, "z", elevation)))


def placements(insert: Any) -> Iterator[np.ndarray]:
    """Return the affine maps from a block to the drawing, one for each place at which an INSERT draws it, shape (2, 3)."""
    matrix = insert.matrix44()
    first = np.array([[matrix[row, column] for row in (0, 1, 3)] for column in (0, 1)])
    turn = math.radians(insert.dxf.rotation)
    grid = compose(
        np.column_stack([_plane(insert)[:, :2], np.zeros(2)]),
        np.array([[math.cos(turn), -math.sin(turn), 0.0], [math.sin(turn), math.cos(turn), 0.0]]),
    )
    for row in range(max(insert.dxf.row_count, 1)):
        for column in range(max(insert.dxf.column_count, 1)):
            place = first.copy()
            place[:, 2] += grid[:, :2] @ [column * insert.dxf.column_spacing, row * insert.dxf.row_spacing]
            yield place
