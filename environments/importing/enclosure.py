"""Sorting of the outlines of a drawing into obstacles and outlines around the free space."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree

from environments.importing.curves import SAGITTA

_MOST_AROUND = 10
"""Outlines one within another around the free space, where neither start nor goal is known."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A closed curve of a drawing."""

    area: shapely.Polygon
    disc: tuple[float, float, float] | None
    """x, y, radius [m] of a circle."""


@dataclass(frozen=True, slots=True)
class SortedOutlines:
    """Outlines of a drawing, sorted into obstacles and outlines around the free space."""

    obstacles: list[Outline]
    solid: list[shapely.Polygon]
    """Walls between two outlines around the free space."""
    walls: list[np.ndarray]
    """Outlines around the free space that are bare lines, each of shape (n, 2)."""
    bounds: tuple[float, float, float, float] | None
    notes: list[str]


def sort_out(
    outlines: Sequence[Outline],
    filled: Sequence[shapely.Polygon],
    walls: np.ndarray,
    ends: Sequence[tuple[float, float]],
) -> SortedOutlines:
    """Sort outlines into obstacles and outlines around the free space.

    An outline around the start and the goal encloses free space, since nothing grows in a solid. Where neither is known,
    one that contains everything else does; one with nothing in it is an obstacle. Of several of these, one within the other,
    the innermost has free space inside, the ring between it and the next one is solid, and so on by turns. The outermost is a
    bare line if nothing is solid at it, and the bounds if it contains everything. All other outlines are obstacles.

    Args:
        outlines: Closed curves.
        filled: Areas that the drawing fills.
        walls: Rows x1, y1, x2, y2, thickness [m].
        ends: Positions of start and goal, as far as they are known [m].
    """
    order = sorted(outlines, key=lambda outline: -outline.area.area)
    rest = np.array([*filled, *shapely.linestrings(walls[:, :4].reshape(-1, 2, 2))], object)
    points = shapely.points(np.array(ends).reshape(-1, 2))
    areas = np.array([outline.area for outline in order], object)
    around: list[int] = []
    for k, outline in enumerate(order):
        if len(points):
            if shapely.covers(outline.area, points).all():
                around.append(k)
            continue
        content = np.concatenate([areas[k + 1 :], rest])
        if not len(content) or len(around) == _MOST_AROUND or not _contains(outline.area, content):
            break
        around.append(k)
    obstacles = [outline for k, outline in enumerate(order) if k not in set(around)]
    if not around:
        return SortedOutlines(obstacles, [], [], None, [])
    chain = [order[k].area for k in around]
    rings = [shapely.get_coordinates(area) for area in chain]
    bounds, notes = None, []
    others = np.concatenate([areas[[k for k in range(len(order)) if k != around[0]]], rest])
    min_x, min_y, max_x, max_y = chain[0].bounds
    name = f"the outline of {1000 * (max_x - min_x):.0f} x {1000 * (max_y - min_y):.0f} mm"
    if _contains(chain[0], others):
        bounds = min_x, min_y, max_x, max_y
        notes = [f"{name} that contains everything is taken as the bounds, with walls along it"]
    elif len(chain) == 1:
        notes = [f"{name} around start and goal is taken as walls with free space inside"]
    if len(chain) == 1:
        return SortedOutlines(obstacles, [], rings, bounds, notes)
    if not all(_contains(a, np.array([b], object)) for a, b in itertools.pairwise(chain)):
        return SortedOutlines(
            obstacles, [], rings, bounds, [*notes, "outlines around start and goal that cross are walls"]
        )
    notes = [f"{name} and {len(chain) - 1} within it enclose the free space; between the two innermost it is solid"]
    between = [(chain[k - 1], chain[k]) for k in range(len(chain) - 1, 0, -2)]
    solid = [part for a, b in between for part in shapely.get_parts(a.difference(b)) if part.area > 0]
    return SortedOutlines(obstacles, solid, rings[:1] if len(chain) % 2 else [], bounds, notes)


def _contains(area: shapely.Polygon, content: np.ndarray) -> bool:
    """Return whether all content is within an area, up to the tolerance of curves."""
    if not len(content):
        return True
    inner = shapely.bounds(content)
    low, high = np.array(area.bounds[:2]) - SAGITTA, np.array(area.bounds[2:]) + SAGITTA
    if (inner[:, :2] < low).any() or (inner[:, 2:] > high).any():
        return False
    wide = area.buffer(2 * SAGITTA)
    shapely.prepare(wide)
    return bool(shapely.covers(wide, content).all())


def drop_edges(outlines: list[Outline], edges: Sequence[np.ndarray]) -> list[Outline]:
    """Drop outlines that repeat the edge of a filled area, which defines itself where it is solid."""
    if not edges or not outlines:
        return outlines
    shapes = shapely.polygons([shapely.LinearRing(edge) for edge in edges if len(edge) > 2])
    known, mine = _signatures(shapes), _signatures(np.array([outline.area for outline in outlines]))
    distance, _ = cKDTree(known).query(mine, distance_upper_bound=20 * SAGITTA)
    return [outline for outline, far in zip(outlines, np.isinf(distance), strict=True) if far]


def _signatures(shapes: np.ndarray) -> np.ndarray:
    """Box and centroid of areas [m], which are equal for equal areas, shape (n, 6)."""
    return np.column_stack([shapely.bounds(shapes), shapely.get_coordinates(shapely.centroid(shapes))])
