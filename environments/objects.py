"""Objects: the pieces of an environment that move together where they are not built as planned; and their names."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from environments.conditions import TOUCHING
from environments.environment import Environment


def walls_at_bounds(environment: Environment) -> NDArray[np.bool_]:
    """Return which of `environment.solids` are walls at the bounds: convex pieces that cover a whole side of them, shape (n,)."""
    shapes = np.array(environment.solids.shapes(), dtype=object)
    x0, y0, x1, y1 = environment.bounds
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    sides = shapely.linestrings(np.stack([corners, np.roll(corners, -1, axis=0)], axis=1))
    grown = shapely.buffer(shapes, TOUCHING)
    wall = np.any([shapely.covers(grown, side) for side in sides], axis=0)
    wall[wall] = shapely.covers(grown[wall], shapely.convex_hull(shapes[wall]))
    return np.asarray(wall)


@lru_cache(maxsize=16)
def objects_of(environment: Environment) -> NDArray[np.int64]:
    """Return the object to which each of `environment.solids` belongs, counted from 0 in the order of its first piece, shape (n,).

    Pieces that touch one another are one object. A wall at the bounds, a convex piece that covers a whole side of them, is an
    object by itself: what touches it is not built with it. A piece that goes around corners is no such wall: outlines of rooms are
    cut into such pieces.
    """
    shapes = np.array(environment.solids.shapes(), dtype=object)
    count = len(shapes)
    if not count:
        return np.zeros(0, np.int64)
    wall = walls_at_bounds(environment)
    one, other = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=TOUCHING)
    joined = ~(wall[one] | wall[other])
    graph = coo_array((np.ones(joined.sum()), (one[joined], other[joined])), shape=(count, count))
    labels = connected_components(graph, directed=False)[1]
    # `unique` sorts by label; objects are counted in the order of their first piece.
    _, first, index = np.unique(labels, return_index=True, return_inverse=True)
    objects = np.argsort(np.argsort(first))[index].astype(np.int64)
    objects.flags.writeable = False  # callers share it
    return objects


def object_of(environment: Environment, obstacle: int) -> int:
    """Return the object of an obstacle that is counted from 1 in the order of `Obstacles.shapes`.

    The walls of bounds with `edge = "wall"` are solids too, between its polygons and its circles, and are not counted.
    """
    polygons, framed = len(environment.obstacles.polygons), len(environment.solids) - len(environment.obstacles)
    piece = obstacle - 1 + (framed if obstacle > polygons else 0)
    return int(objects_of(environment)[piece])


@lru_cache(maxsize=16)
def object_names(environment: Environment) -> tuple[str, ...]:
    """Return the names of the objects of `objects_of`: kind and number of their pieces, as in the file.

    >>> from environments import Obstacles
    >>> obstacles = Obstacles(circles=[(1, 1, 0.1)], walls=[(0.2, 0.5, 0.6, 0.5, 0.02), (0.6, 0.5, 0.6, 0.9, 0.02)])
    >>> room = Environment(bounds=(0, 0, 2, 2), start=(0.1, 0.1, 0), goal=(1.8, 1.8, 0.1), obstacles=obstacles)
    >>> object_names(room)
    ('walls 1 and 2', 'circle 1')
    """
    solids, pieces = environment.solids, dict[int, list[int]]()
    for index, one in enumerate(objects_of(environment).tolist()):
        pieces.setdefault(one, []).append(index)
    return tuple(solids.names(indices) for _, indices in sorted(pieces.items()))


@lru_cache(maxsize=16)
def obstacles_digest(environment: Environment) -> str:
    """Return the digest of the obstacles of an environment, to a micrometre, with their kinds and numbers; start and goal do not count."""
    solids, digest = environment.solids, hashlib.sha256()
    for index, shape in enumerate(solids.shapes()):
        digest.update(solids.label(index).encode())
        digest.update((np.round(1e6 * shapely.get_coordinates(shape)) + 0.0).tobytes())
    return digest.hexdigest()[:16]


def object_name(environment: Environment, one: int) -> str:
    """Return the name of an object of `objects_of`, see `object_names`."""
    return object_names(environment)[one]
