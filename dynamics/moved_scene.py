"""Scenes in which every object is slightly displaced: the arrays of one scene are moved, and its grid is kept."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.scene import Scenes, Solids, base_columns, grid_cell, outline_edges, scene_in_grid, scene_reach
from dynamics.thickness import largest_thickness
from dynamics.tube import VineParams
from environments.environment import Environment
from environments.objects import objects_of
from surrogate.kernels.compiled import Floats, compiled

LEAST_FACTOR = 0.1
"""Minimum factor on the size of an object [-]."""


class ObjectMotions(NamedTuple):
    """Displacements of the O objects of an environment (`environments.objects`), and of its base, in each of T worlds."""

    shift: Floats
    """Translation [m], shape (T, O, 2)."""
    rotation: Floats
    """Turn about the centre of the object [rad], shape (T, O)."""
    size: Floats
    """Outward displacement of its outer faces [m], shape (T, O)."""
    share: Floats
    """Relative change of its size [-], shape (T, O)."""
    start: Floats
    """Pose of the base: x, y [m] and heading [rad], shape (T, 3)."""


class _PlannedScene(NamedTuple):
    """The arrays of a scene in which everything is where it is planned, and the objects to which they belong."""

    edges: Floats
    corners: Floats
    of_edge: NDArray[np.int64]
    """Object of each edge, shape (edges,)."""
    of_corner: NDArray[np.int64]
    """Object of each corner, shape (corners,)."""
    on_face: NDArray[np.bool_]
    """Whether each corner is on the faces of a polygon, shape (corners,)."""
    centre: Floats
    """Centre of each object [m], shape (O, 2)."""
    extent: Floats
    """Extent of each object along x and y [m], shape (O, 2)."""


class _Part(NamedTuple):
    """Points of a scene, and the object to which each belongs; shape (n, ...)."""

    points: Floats
    """x, y [m]."""
    item: NDArray[np.int64]
    faces: NDArray[np.bool_]
    """Whether it is on the faces of a polygon; otherwise it is the centre of a disc or of the end of a wall."""


def build_moved_scenes(
    environment: Environment, params: VineParams, motions: ObjectMotions, length: float = np.inf
) -> tuple[Scenes, float]:
    """Build the scene of each world, for a tube; return also the margin below which gaps must be considered [m].

    Args:
        length: That of the longest tube that grows there [m]. What it cannot touch in any world is left out: in a hall of thousands of
            corners that is most, and each world would have a copy of it.
    """
    edges, corners, of_edge, of_corner, on_face, *extents = _near_base(environment, params, motions, length)
    solid = edges[:, 9] > 0.0
    first, last = (_move(_Part(edges[:, k : k + 2], of_edge, solid), motions, *extents) for k in (0, 2))
    points = _move(_Part(corners[:, :2], of_corner, on_face), motions, *extents)
    wide, round_ones = _widen(edges[:, 4], of_edge, motions), _widen(corners[:, 2], of_corner, motions)
    every_edge, away = _edges(edges, first, last, wide)
    every_corner, corner_away = _corners(corners, points, round_ones)
    reach, margin = scene_reach(params)
    reaches = reach + away, reach + params.segment_length + corner_away
    solids = Solids(edges.copy(), corners.copy(), 0)
    grid = scene_in_grid(environment, solids, reaches, grid_cell(params), params.radius)
    bounds = np.empty((len(motions.start), len(grid.bounds)))
    bounds[:, :4], bounds[:, 4:] = grid.bounds[:4], base_columns(environment, motions.start, params.radius)
    return Scenes(grid, every_edge, every_corner, bounds), margin


def _near_base(environment: Environment, params: VineParams, motions: ObjectMotions, length: float) -> _PlannedScene:
    """Return the scene as planned, in its order, with what a tube of a length [m] may touch in some world."""
    planned = _build_planned(environment, params.radius)
    if not np.isfinite(length):
        return planned
    moved = farthest_motion(environment, motions) + np.hypot(*(motions.start[:, :2] - environment.start[:2]).T)
    # A segment is grown in its full length, and corners are looked for a segment behind a joint, or its actuator.
    far = length + 2 * params.segment_length + scene_reach(params)[0] + largest_thickness(params)
    far += moved.max(initial=0.0)
    base = shapely.Point(environment.start[:2])
    lines, points = shapely.linestrings(planned.edges[:, :4].reshape(-1, 2, 2)), shapely.points(planned.corners[:, :2])
    edge = shapely.distance(lines, base) <= far + planned.edges[:, 4]
    corner = shapely.distance(points, base) <= far + planned.corners[:, 2]
    return planned._replace(
        edges=planned.edges[edge],
        corners=planned.corners[corner],
        of_edge=planned.of_edge[edge],
        of_corner=planned.of_corner[corner],
        on_face=planned.on_face[corner],
    )


@compiled(counted=True)
def _edges(planned: Floats, first: Floats, last: Floats, wide: Floats) -> tuple[Floats, Floats]:
    """Rows of `Scene.edges` of each world, shape (T, edges, 10), and how far each reaches beyond the planned one in any [m].

    Args:
        first, last: Its ends [m], shape (T, edges, 2).
        wide: Its radius [m], shape (T, edges).
    """
    rows, far, widest = np.empty((*wide.shape, 10)), np.zeros(len(planned)), np.zeros(len(planned))
    for t in range(len(wide)):
        for e in range(len(planned)):
            x, y = last[t, e, 0] - first[t, e, 0], last[t, e, 1] - first[t, e, 1]
            length, row, place = math.hypot(x, y), rows[t, e], planned[e]
            row[0], row[1], row[2], row[3] = first[t, e, 0], first[t, e, 1], last[t, e, 0], last[t, e, 1]
            row[4], row[5], row[6], row[7] = wide[t, e], x / length, y / length, length
            row[8], row[9] = place[8], place[9]
            moved = math.hypot(row[0] - place[0], row[1] - place[1])
            far[e] = max(far[e], moved, math.hypot(row[2] - place[2], row[3] - place[3]))
            widest[e] = max(widest[e], wide[t, e])
    return rows, far + widest


@compiled(counted=True)
def _corners(planned: Floats, points: Floats, wide: Floats) -> tuple[Floats, Floats]:
    """Rows of `Scene.corners` of each world, shape (T, corners, 4), and how far each reaches beyond the planned one in any [m]."""
    rows, far, widest = np.empty((*wide.shape, 4)), np.zeros(len(planned)), np.zeros(len(planned))
    for t in range(len(wide)):
        for c in range(len(planned)):
            row = rows[t, c]
            row[0], row[1], row[2], row[3] = points[t, c, 0], points[t, c, 1], wide[t, c], planned[c, 3]
            far[c] = max(far[c], math.hypot(row[0] - planned[c, 0], row[1] - planned[c, 1]))
            widest[c] = max(widest[c], wide[t, c])
    return rows, far + widest


@lru_cache(maxsize=16)
def _build_planned(environment: Environment, radius: float) -> _PlannedScene:
    """Build the scene of all solids as planned, for a tube of a radius [m]; callers share the arrays."""
    objects, mounted, solids = objects_of(environment), environment.mounted, environment.solids
    found: list[tuple[Solids, int]] = []
    for one in range(objects.max(initial=-1) + 1):
        for held in (False, True):
            if (chosen := (objects == one) & (mounted == held)).any():
                found.append((outline_edges(solids.part(chosen), 2 * radius * held), one))
    planned = _PlannedScene(
        np.concatenate([part.edges for part, _ in found] or [np.empty((0, 10))]),
        np.concatenate([part.corners for part, _ in found] or [np.empty((0, 4))]),
        np.repeat([one for _, one in found], [len(part.edges) for part, _ in found]).astype(np.int64),
        np.repeat([one for _, one in found], [len(part.corners) for part, _ in found]).astype(np.int64),
        np.concatenate([np.arange(len(part.corners)) < part.on_faces for part, _ in found] or [np.zeros(0, bool)]),
        *_extents(environment, objects),
    )
    for array in planned:
        array.flags.writeable = False
    return planned


def move_solids(
    environment: Environment, motions: ObjectMotions, world: int, pieces: NDArray[np.int64] | None = None
) -> list[shapely.Geometry]:
    """Return the solids of one world as shapely geometries [m].

    Args:
        pieces: Which, in the order of `environment.solids.shapes()`; None for all.
    """
    objects, solids = objects_of(environment), environment.solids
    one = ObjectMotions(*(part[world : world + 1] for part in motions))
    chosen = np.arange(len(solids)) if pieces is None else pieces
    spines = [*solids.polygons, *solids.circles[:, None, :2], *solids.walls[:, :4].reshape(-1, 2, 2)]
    radius = np.concatenate([np.zeros(len(solids.polygons)), solids.circles[:, 2], solids.walls[:, 4] / 2])
    faces = chosen < len(solids.polygons)
    counts = np.array([len(spines[k]) for k in chosen], np.int64)
    points = np.concatenate([spines[k] for k in chosen] or [np.empty((0, 2))])
    # All at once: a call for each solid would look at the motions of all objects again.
    part = _Part(points, np.repeat(objects[chosen], counts), np.repeat(faces, counts))
    placed = np.split(_move(part, one, *_extents(environment, objects))[0], np.cumsum(counts)[:-1])
    shapes: list[shapely.Geometry] = []
    for corners, face, wide in zip(placed, faces, _widen(radius[chosen], objects[chosen], one)[0], strict=False):
        if face:
            shapes.append(shapely.Polygon(corners))
        else:
            spine = shapely.LineString(corners) if len(corners) > 1 else shapely.Point(corners[0])
            shapes.append(spine.buffer(wide, quad_segs=64) if wide else spine)
    return shapes


def move_points(environment: Environment, motions: ObjectMotions, objects: NDArray[np.int64], points: Floats) -> Floats:
    """Move points on the faces of objects to their positions in each world [m], shape (T, n, 2).

    Args:
        objects: Object of each point, shape (n,).
        points: x, y [m], shape (n, 2).
    """
    part = _Part(points, objects, np.ones(len(points), bool))
    return _move(part, motions, *_extents(environment, objects_of(environment)))


def farthest_motion(environment: Environment, motions: ObjectMotions) -> Floats:
    """Upper bound of how far any point of an object is from where it is planned, in each world [m], shape (T,)."""
    half = np.hypot(*_extents(environment, objects_of(environment))[1].T) / 2
    moved = np.hypot(*np.moveaxis(motions.shift, -1, 0)) + np.abs(motions.rotation) * half * (1 + np.abs(motions.share))
    grown = np.sqrt(2) * np.abs(motions.size) + np.abs(motions.share) * half
    return np.asarray((moved + grown).max(axis=1, initial=0.0))


def _extents(environment: Environment, objects: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Centre of each object, and its extent along x and y [m], shape (O, 2) each."""
    boxes = shapely.bounds(environment.solids.shapes()).reshape(-1, 4)
    count = objects.max(initial=-1) + 1
    low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    np.minimum.at(low, objects, boxes[:, :2])
    np.maximum.at(high, objects, boxes[:, 2:])
    return (low + high) / 2, high - low


def _move(part: _Part, motions: ObjectMotions, centre: Floats, extent: Floats) -> Floats:
    """Move points to their positions in each world [m], shape (T, n, 2)."""
    # Copies have one type, also of arrays that are not contiguous or cannot be written: for each type the kernel is compiled once more.
    own = _Part(part.points.copy(), part.item.copy(), part.faces.copy())
    several = ObjectMotions(*map(np.ascontiguousarray, motions))
    cosine, sine = np.cos(several.rotation), np.sin(several.rotation)
    return np.asarray(_placed(own, several, cosine, sine, centre.copy(), extent.copy()))


@compiled(counted=True)
def _placed(
    part: _Part, motions: ObjectMotions, cosine: Floats, sine: Floats, centre: Floats, extent: Floats
) -> Floats:
    """Compute `_move` from the cosine and sine of the rotations, shape (T, O)."""
    placed, scale = np.empty((len(cosine), len(part.points), 2)), np.ones(2)
    for t in range(len(cosine)):
        for n in range(len(part.points)):
            o = part.item[n]
            for axis in range(2):
                outwards = 2 * motions.size[t, o] / extent[o, axis] if extent[o, axis] > 0 else 0.0
                scale[axis] = max(1 + motions.share[t, o], LEAST_FACTOR)
                if part.faces[n]:
                    scale[axis] *= max(1 + outwards, LEAST_FACTOR)
            x, y = scale[0] * (part.points[n, 0] - centre[o, 0]), scale[1] * (part.points[n, 1] - centre[o, 1])
            placed[t, n, 0] = centre[o, 0] + motions.shift[t, o, 0] + (cosine[t, o] * x - sine[t, o] * y)
            placed[t, n, 1] = centre[o, 1] + motions.shift[t, o, 1] + (sine[t, o] * x + cosine[t, o] * y)
    return placed


def _widen(radius: Floats, item: NDArray[np.int64], motions: ObjectMotions) -> Floats:
    """Radius of discs and of the ends of walls in each world [m], shape (T, n); bare lines and faces have none."""
    share = np.maximum(1 + motions.share[:, item], LEAST_FACTOR)
    wider = np.maximum(share * radius + motions.size[:, item], LEAST_FACTOR * radius)
    return np.ascontiguousarray(
        np.where(radius > 0, wider, 0.0)
    )  # indexing leaves another order of several worlds than of one
