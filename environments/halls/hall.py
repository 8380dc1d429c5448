"""Halls as environments: free space becomes ragged outlines, with start and goal in it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from environments.environment import Environment
from environments.halls.caves import make_caves
from environments.halls.corridors import make_corridors
from environments.halls.racks import make_racks
from environments.halls.tracks import make_tracks
from environments.importing.cut import cut_holes, extract_polygons
from environments.obstacles import Obstacles

HALLS: dict[str, Callable[[np.random.Generator, float, float], shapely.Geometry]] = {
    "corridors": make_corridors,
    "racks": make_racks,
    "caves": make_caves,
    "tracks": make_tracks,
}
"""Functions that make the free space of each kind of hall [m], of a width and a height."""
CORNERS = 500, 20_000
"""Least and largest number of corners."""
SIDES = 8.0, 100.0
"""Least and largest side of a hall [m]."""
ROUGHNESS = 8e-3
"""Largest distance of ragged corners from the wall [m]."""
_RAGGED = 0.2
"""The same, in distances between corners [-], so that outlines do not cross themselves."""
LENGTHS = 3.0, 20.0
"""Least and largest length of the way from start to goal [m], on a grid."""
_CELL = 0.2
"""Cell of that grid [m]."""
_ATTEMPTS = 200


def generate_hall(
    kind: str,
    rng: np.random.Generator,
    *,
    size: tuple[float, float] = (20.0, 15.0),
    corners: int = 2000,
    tube_radius: float = 0.03335,
    name: str = "hall",
) -> Environment:
    """Make a hall with ragged walls, and a passage for the tube from a random start to a random goal.

    The start is at least two tube radii from every obstacle, with six free tube radii ahead of it. The goal disc is free. The way
    between them is 3 to 20 m long.

    Args:
        kind: One of `HALLS`.
        rng: Source of all randomness.
        size: Width and height [m], each 8 to 100; the bounds start at (0, 0).
        corners: Number of corners of the walls, 500 to 20 000; they are met to about a third.
        tube_radius: Tube radius [m], 0.001 to 0.1.
    Returns:
        The environment; lengths are multiples of 0.1 mm, so its file is readable.
    Raises:
        ValueError: An argument is out of its range.
    """
    _check_arguments(kind, size, corners, tube_radius)
    while True:
        free = _largest(HALLS[kind](rng, *size))
        free = _largest(_roughen(rng, free, corners))
        if (ends := _place_ends(rng, free, tube_radius)) is not None:
            break
    start, goal = ends
    solid = shapely.box(0.0, 0.0, *size).difference(free)
    pieces = [piece for polygon in extract_polygons(solid) for piece in cut_holes(polygon)]
    polygons = [corner for piece in pieces for corner in _round(piece)]
    described = f"Random {kind} with {sum(map(len, polygons))} corners."
    return Environment(name, described, np.array([0.0, 0.0, *size]), start, goal, Obstacles(polygons))


def _check_arguments(kind: str, size: tuple[float, float], corners: int, tube_radius: float) -> None:
    if kind not in HALLS:
        raise ValueError(f"kind = {kind!r} must be one of {', '.join(HALLS)}")
    if not all(SIDES[0] <= side <= SIDES[1] for side in size):
        raise ValueError(f"size = {size} must be from {SIDES[0]:g} to {SIDES[1]:g} m on each side")
    if not CORNERS[0] <= corners <= CORNERS[1]:
        raise ValueError(f"corners = {corners} must be from {CORNERS[0]} to {CORNERS[1]}")
    if not 0.001 <= tube_radius <= 0.1:
        raise ValueError(f"tube_radius = {tube_radius} must be from 0.001 to 0.1 m")


def _largest(shape: shapely.Geometry) -> shapely.Polygon:
    """Return the largest polygon of a geometry."""
    return max(extract_polygons(shape), key=lambda part: part.area)


def _roughen(rng: np.random.Generator, free: shapely.Polygon, corners: int) -> shapely.Geometry:
    """Return free space whose outlines have about a number of corners, each moved a little, as in a measured map."""
    rings = [free.exterior, *free.interiors]
    spacing = sum(ring.length for ring in rings) / corners
    most = min(ROUGHNESS, _RAGGED * spacing)
    ragged = []
    for ring in rings:
        points = _spread(shapely.get_coordinates(ring), spacing)
        ragged.append(np.round(points + rng.uniform(-most, most, points.shape), 4))
    made = shapely.Polygon(ragged[0], ragged[1:])
    return made if made.is_valid else shapely.make_valid(made)


def _spread(points: np.ndarray, spacing: float) -> np.ndarray:
    """Return points on a closed line about a spacing apart [m], with its own corners where they are no closer than that, shape (n, 2)."""
    line = shapely.LineString(points)
    simple = shapely.get_coordinates(line.simplify(0.25 * spacing))
    fine = shapely.get_coordinates(shapely.segmentize(shapely.LineString(simple), spacing))[:-1]
    return fine if len(fine) > 2 else points[:-1]


def _round(piece: shapely.Polygon) -> list[np.ndarray]:
    """Return the corners of a piece, rounded to a tenth of a millimetre; several pieces where it is thinner than that somewhere."""
    rounded = shapely.set_precision(piece, 1e-4)
    return [
        np.round(shapely.get_coordinates(hole_free)[:-1], 4)
        for part in extract_polygons(rounded)
        for hole_free in cut_holes(part)
    ]


def _place_ends(
    rng: np.random.Generator, free: shapely.Polygon, tube_radius: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """Draw a start pose and a goal disc with a passage between them; None if none was found."""
    # A little wider than the tube, because shapely approximates round corners by polygons, and outlines are rounded.
    passage = _largest(free.buffer(-1.05 * tube_radius - 2e-4))
    radius = round(max(3 * tube_radius, 0.05), 4)
    low, high = np.split(np.array(passage.bounds), 2)
    shapely.prepare([passage, free])
    for _ in range(_ATTEMPTS):
        start = np.round(rng.uniform(low, high), 4)
        heading = math.radians(round(rng.uniform(-180, 180), 1))
        ahead = start + 6 * tube_radius * np.array([math.cos(heading), math.sin(heading)])
        path = shapely.LineString([start, ahead]).buffer(tube_radius)
        room = shapely.Point(start).buffer(1.1 * tube_radius)
        if not (passage.covers(path) and passage.covers(room)):
            continue
        for goal in _reached(rng, passage, start):
            if free.covers(shapely.Point(goal).buffer(1.05 * radius)):
                return np.array([*start, heading]), np.array([*goal, radius])
    return None


def _reached(rng: np.random.Generator, passage: shapely.Polygon, start: np.ndarray) -> np.ndarray:
    """Return some positions whose way from the start along a grid has a length of `LENGTHS` [m], in random order, shape (n, 2)."""
    low, high = np.split(np.array(passage.bounds), 2)
    x, y = (np.arange(first, last, _CELL) for first, last in zip(low, high, strict=True))
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    free = shapely.contains_xy(passage, grid[..., 0], grid[..., 1])
    number, ends, lengths = np.arange(free.size).reshape(free.shape), [], []
    for i, j in ((1, 0), (0, 1)):
        here, there = np.s_[: len(x) - i, : len(y) - j], np.s_[i:, j:]
        both = free[here] & free[there]
        ends.append(np.stack([number[here][both], number[there][both]]))
        lengths.append(np.full(both.sum(), _CELL))
    graph = coo_array((np.concatenate(lengths), np.concatenate(ends, axis=1)), shape=(free.size, free.size)).tocsr()
    away = np.where(free, np.hypot(*np.moveaxis(grid - start, -1, 0)), np.inf)
    # Steps along two axes are up to 1.4 times as long as the way.
    left = dijkstra(graph, directed=False, indices=int(away.argmin()))
    cells = np.flatnonzero((left >= LENGTHS[0] * math.sqrt(2)) & (left <= LENGTHS[1]))
    chosen = rng.permutation(cells)[:20]
    found: np.ndarray = np.round(grid.reshape(-1, 2)[chosen], 4)
    return found
