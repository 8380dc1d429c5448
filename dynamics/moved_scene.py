"""Scenes in which every object stands a little off: the arrays of one scene are moved, and its grid is kept."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.scene import Scene, Solids, base_columns, grid_cell, outlines, scene_in_grid, scene_reach
from dynamics.tube import VineParams
from environments.environment import Environment
from environments.objects import objects_of
from surrogate.compiled import Floats

LEAST_FACTOR = 0.1
"""Minimum factor on the size of an object [-]."""


class Motions(NamedTuple):
    """How the objects of an environment (`environments.objects`) stand off in each of T worlds, and its base. O objects."""

    shift: Floats
    """Translation [m], shape (T, O, 2)."""
    rotation: Floats
    """Turn about the centre of the object [rad], shape (T, O)."""
    size: Floats
    """How far its outer faces move outwards [m], shape (T, O)."""
    share: Floats
    """Relative change of its size [-], shape (T, O)."""
    start: Floats
    """Pose of the base: x, y [m] and heading [rad], shape (T, 3)."""


class _Planned(NamedTuple):
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
    """Of each object [m], shape (O, 2)."""
    extent: Floats
    """Of each object along x and y [m], shape (O, 2)."""


class _Part(NamedTuple):
    """Points of a scene, and the object to which each belongs; shape (n, ...)."""

    points: Floats
    """x, y [m]."""
    item: NDArray[np.int64]
    faces: NDArray[np.bool_]
    """Whether it is on the faces of a polygon; otherwise it is the centre of a disc or of the end of a wall."""


def moved_scenes(environment: Environment, params: VineParams, motions: Motions) -> tuple[list[Scene], float]:
    """The scene of each world, for a tube; and the margin below which gaps must be considered [m].

    All scenes share one grid, whose cells list the edges and corners that are near in any world.
    """
    edges, corners, of_edge, of_corner, on_face, *extents = _planned(environment, params.radius)
    solid = edges[:, 9] > 0.0
    first, last = (_moved(_Part(edges[:, k : k + 2], of_edge, solid), motions, *extents) for k in (0, 2))
    points = _moved(_Part(corners[:, :2], of_corner, on_face), motions, *extents)
    wide, round_ones = _wider(edges[:, 4], of_edge, motions), _wider(corners[:, 2], of_corner, motions)
    along = last - first
    length = np.hypot(along[..., 0], along[..., 1])[..., None]
    kept = np.broadcast_to(edges[:, 8:], (*first.shape[:2], 2))
    # In the order of the planned scene: for arrays in another order the kernels would be compiled again.
    every_edge = np.ascontiguousarray(
        np.concatenate([first, last, wide[..., None], along / length, length, kept], axis=-1)
    )
    spared = np.broadcast_to(corners[:, 3:], (*points.shape[:2], 1))
    every_corner = np.ascontiguousarray(np.concatenate([points, round_ones[..., None], spared], axis=-1))

    def farthest(moved: Floats, planned: Floats) -> Floats:
        return np.asarray(np.hypot(*np.moveaxis(moved - planned, -1, 0)).max(axis=0, initial=0.0))

    reach, margin = scene_reach(params)
    away = np.maximum(farthest(first, edges[:, :2]), farthest(last, edges[:, 2:4])) + wide.max(axis=0, initial=0.0)
    corner_away = farthest(points, corners[:, :2]) + round_ones.max(axis=0, initial=0.0)
    reaches = reach + away, reach + params.segment_length + corner_away
    base = scene_in_grid(environment, Solids(edges, corners, 0), reaches, grid_cell(params), params.radius)
    columns = [
        np.concatenate([base.bounds[:4], base_columns(environment, start, params.radius)]) for start in motions.start
    ]
    return [
        base._replace(edges=one, corners=other, bounds=bounds)
        for one, other, bounds in zip(every_edge, every_corner, columns, strict=True)
    ], margin


@lru_cache(maxsize=16)
def _planned(environment: Environment, radius: float) -> _Planned:
    """Everything solid where it is planned, for a tube of a radius [m]; callers share the arrays."""
    objects, mounted, solids = objects_of(environment), environment.mounted, environment.solids
    found: list[tuple[Solids, int]] = []
    for one in range(objects.max(initial=-1) + 1):
        for held in (False, True):
            if (chosen := (objects == one) & (mounted == held)).any():
                found.append((outlines(solids.part(chosen), 2 * radius * held), one))
    planned = _Planned(
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


def moved_environment(
    environment: Environment, motions: Motions, world: int, pieces: NDArray[np.int64] | None = None
) -> list[shapely.Geometry]:
    """The solids of one world as shapely geometries [m].

    Args:
        pieces: Which, in the order of `environment.solids.shapes()`; None for all.
    """
    objects, solids = objects_of(environment), environment.solids
    extents = _extents(environment, objects)
    one = Motions(*(part[world : world + 1] for part in motions))
    faces, discs = len(solids.polygons), len(solids.polygons) + len(solids.circles)
    shapes: list[shapely.Geometry] = []
    for k in np.arange(len(solids)) if pieces is None else pieces:
        if k < faces:
            points, radius = solids.polygons[k], 0.0
        elif k < discs:
            points, radius = solids.circles[k - faces, None, :2], solids.circles[k - faces, 2]
        else:
            points, radius = solids.walls[k - discs, :4].reshape(2, 2), solids.walls[k - discs, 4] / 2
        part = _Part(points, np.full(len(points), objects[k]), np.full(len(points), k < faces))
        placed, wide = _moved(part, one, *extents)[0], float(_wider(np.array([radius]), objects[k : k + 1], one)[0, 0])
        if k < faces:
            shapes.append(shapely.Polygon(placed))
        else:
            spine = shapely.LineString(placed) if len(placed) > 1 else shapely.Point(placed[0])
            shapes.append(spine.buffer(wide, quad_segs=64) if wide else spine)
    return shapes


def farthest_motion(environment: Environment, motions: Motions) -> Floats:
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


def _moved(part: _Part, motions: Motions, centre: Floats, extent: Floats) -> Floats:
    """Where points are in each world [m], shape (T, n, 2)."""
    item = part.item
    share = np.maximum(1 + motions.share[:, item], LEAST_FACTOR)
    outwards = 1 + 2 * motions.size[:, item, None] / np.where(extent[item] > 0, extent[item], np.inf)
    factor = share[..., None] * np.where(part.faces[:, None], np.maximum(outwards, LEAST_FACTOR), 1.0)
    x, y = np.moveaxis(factor * (part.points - centre[item]), -1, 0)
    cosine, sine = np.cos(motions.rotation[:, item]), np.sin(motions.rotation[:, item])
    turned = np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1)
    return np.asarray(centre[item] + motions.shift[:, item] + turned)


def _wider(radius: Floats, item: NDArray[np.int64], motions: Motions) -> Floats:
    """Radius of discs and of the ends of walls in each world [m], shape (T, n); bare lines and faces have none."""
    share = np.maximum(1 + motions.share[:, item], LEAST_FACTOR)
    wider = np.maximum(share * radius + motions.size[:, item], LEAST_FACTOR * radius)
    return np.asarray(np.where(radius > 0, wider, 0.0))
