"""Seeded random environments with cluttered obstacles."""

import math
from collections.abc import Sequence

import numpy as np
import shapely

from environments.environment import Environment
from environments.obstacles import Obstacles, box_corners

_KINDS = ("boxes", "polygons", "circles")
_LARGEST_DENSITY = 0.6
_ATTEMPTS = 2000
_TOLERANCE = 0.002
"""Tolerance of the obstacle density, as a share of the area [-]."""


def generate_environment(
    rng: np.random.Generator,
    *,
    size: tuple[float, float] = (2.0, 2.0),
    density: float = 0.2,
    kinds: Sequence[str] = _KINDS,
    tube_radius: float = 0.03335,
    name: str = "clutter",
) -> Environment:
    """Scatter obstacles between a random start and a random goal that remain connected.

    The start is at least two tube radii from every obstacle, with six free tube radii ahead of it. The goal disc is free.
    Start and goal are at least half the diagonal apart and connected by a free path at least as wide as the tube.

    Args:
        rng: Source of all randomness.
        size: Width and height [m], each from 20 tube radii to 10 000 m and at most 10 times the other; the bounds
            start at (0, 0).
        density: Share of the area covered by the union of the obstacles [-], 0 to 0.6. It is met to 0.002 unless 2000
            attempts do not suffice, e.g. for dense clutter in a long, narrow environment.
        kinds: Any of "boxes", "polygons" and "circles".
        tube_radius: Tube radius [m], 0.001 to 1.
    Returns:
        The environment; lengths are multiples of 0.1 mm, so its file is readable.
    Raises:
        ValueError: An argument is out of its range.
    """
    _check_arguments(size, density, kinds, tube_radius)
    bounds = np.array([0.0, 0.0, *size])
    start, goal = _place_ends(rng, np.array(size), tube_radius)
    heading = start[2]
    ahead = start[:2] + 6 * tube_radius * np.array([math.cos(heading), math.sin(heading)])
    kept_free = shapely.union_all(
        [
            shapely.Point(start[:2]).buffer(2.05 * tube_radius),
            shapely.LineString([start[:2], ahead]).buffer(1.05 * tube_radius),
            shapely.Point(goal[:2]).buffer(1.05 * goal[2]),
        ]
    )
    obstacles = _scatter(rng, bounds, density, kinds, tube_radius, shapely.points([start[:2], goal[:2]]), kept_free)
    return Environment(name, f"Random clutter over {density:.0%} of the area.", bounds, start, goal, obstacles)


def _check_arguments(size: tuple[float, float], density: float, kinds: Sequence[str], tube_radius: float) -> None:
    if not 0.001 <= tube_radius <= 1:
        raise ValueError(f"tube_radius = {tube_radius} must be from 0.001 to 1 m")
    if not all(20 * tube_radius <= side <= 1e4 for side in size):
        raise ValueError(f"size = {size} must be from {20 * tube_radius:g} m (20 tube radii) to 10000 m on each side")
    if max(size) > 10 * min(size):
        raise ValueError(f"size = {size} must be at most 10 times as long as wide")
    if not 0 <= density <= _LARGEST_DENSITY:
        raise ValueError(f"density = {density} must be from 0 to {_LARGEST_DENSITY}")
    if not kinds or not set(kinds) <= set(_KINDS):
        raise ValueError(f"kinds = {kinds} must be one or more of {', '.join(_KINDS)}")


def _place_ends(rng: np.random.Generator, size: np.ndarray, tube_radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Draw a start pose and a goal disc within the bounds, far apart, with free space ahead of the start."""
    margin = 3 * tube_radius
    radius = round(margin, 4)
    while True:
        start, goal = _round_to_tenths_of_mm(rng.uniform(margin, size - margin, (2, 2)))
        heading = math.radians(round(rng.uniform(-180, 180), 1))
        ahead = start + 7 * tube_radius * np.array([math.cos(heading), math.sin(heading)])
        apart = math.dist(start, goal) >= 0.5 * math.hypot(*size)
        if apart and (ahead >= 0).all() and (ahead <= size).all():
            return np.array([*start, heading]), np.array([*goal, radius])


def _scatter(
    rng: np.random.Generator,
    bounds: np.ndarray,
    density: float,
    kinds: Sequence[str],
    tube_radius: float,
    ends: np.ndarray,
    kept_free: shapely.Geometry,
) -> Obstacles:
    size = bounds[2:]
    area = float(size.prod())
    solid = grown = shapely.Polygon()
    room = shapely.box(*bounds).buffer(-1.01 * tube_radius)
    found: dict[str, list[np.ndarray]] = {kind: [] for kind in _KINDS}
    for _ in range(_ATTEMPTS):
        missing = density * area - solid.area
        if missing <= _TOLERANCE * area:
            break
        kind = kinds[int(rng.integers(len(kinds)))]
        radius = size.min() * math.exp(rng.uniform(math.log(0.02), math.log(0.12)))
        numbers, shape = _draw(rng, kind, min(math.pi * radius**2, missing), size)
        if not shape.is_valid or shape.intersects(kept_free):
            continue
        # Slightly wider than the tube, because shapely approximates round corners by polygons.
        wider = grown.union(shape.buffer(1.01 * tube_radius))
        passages = shapely.get_parts(room.difference(wider))
        if shapely.contains(passages[:, None], ends).all(axis=1).any():
            found[kind].append(numbers)
            solid, grown = solid.union(shape), wider
    boxes = [(*corners[0], *corners[2]) for corners in found["boxes"]]
    return Obstacles(found["polygons"], np.array(found["circles"]).reshape(-1, 3), boxes=boxes)


def _draw(rng: np.random.Generator, kind: str, area: float, size: np.ndarray) -> tuple[np.ndarray, shapely.Geometry]:
    """Draw an obstacle of about the given area [m^2] within the bounds: its numbers as in `Obstacles`, and its shape."""
    if kind == "circles":
        radius = math.sqrt(area / math.pi)
        circle = _round_to_tenths_of_mm(np.array([*rng.uniform(radius, size - radius), radius]))
        return circle, shapely.Point(circle[:2]).buffer(circle[2], quad_segs=64)
    if kind == "boxes":
        aspect = math.exp(rng.uniform(-1, 1))
        outline = box_corners(0, 0, math.sqrt(area * aspect), math.sqrt(area / aspect))
    else:
        # Corners around a centre, less than half a turn apart: always simple, often concave.
        corners = rng.integers(3, 9)
        turn = 2 * math.pi * (np.arange(corners) + rng.uniform(-0.2, 0.2, corners) + rng.uniform()) / corners
        outline = rng.uniform(0.4, 1, corners)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
        outline *= math.sqrt(area / shapely.Polygon(outline).area)
    low, high = outline.min(axis=0), outline.max(axis=0)
    outline = _round_to_tenths_of_mm(outline + rng.uniform(-low, size - high))
    return outline, shapely.Polygon(outline)


def _round_to_tenths_of_mm(length: np.ndarray) -> np.ndarray:
    rounded: np.ndarray = np.round(length, 4)
    return rounded
