"""The narrowest passages between the obstacles of an environment.

A passage is where two opposite points of the obstacles are nearest to each other: the disc between them, with their
distance as its diameter, contains no part of any obstacle. These are exactly the places where a wide enough tube gets
stuck between two sides, also between two sides of the same obstacle, and at the mouth of a dead end.
Every obstacle is taken apart into edges and discs, which are convex, so that each two of them make at most one passage.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import KDTree

from environments.environment import Environment

_SEAM = 1e-4
"""Narrower gaps are seams between obstacles that touch, but for rounding [m]."""
_MOST_PAIRS = 2_000_000
"""Maximum number of pairs of edges that are looked at for one width."""
_AT_ONCE = 4096
_ROUNDED = 1e-6
"""More than corners of merged obstacles are rounded [m]."""
_FRACTIONS = 0.5, 0.25, 0.75
"""Positions along two parallel edges at which a disc may fit between them, as a share of their overlap."""
_UNEVEN = 0.1
"""Maximum deviation of the sides of a corridor from straight lines, as a share of its width."""


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """A gap between two opposite points of obstacles."""

    ends: np.ndarray
    """The two points [m], shape (2, 2)."""

    @property
    def width(self) -> float:
        """Distance of the two points [m]: the diameter of the widest tube that fits."""
        return float(np.hypot(*(self.ends[1] - self.ends[0])))

    @property
    def middle(self) -> np.ndarray:
        """Position [m], shape (2,)."""
        middle: np.ndarray = self.ends.mean(axis=0)
        return middle


def narrowest_passages(environment: Environment, count: int = 3, most: float = math.inf) -> list[Passage]:
    """Return the narrowest gaps between obstacles, within the bounds.

    Gaps between an obstacle and the bounds count only if the bounds are walls. Gaps of less than 0.1 mm are seams. A straight
    corridor of constant width is one passage, and so are gaps nearer to each other than their width.

    Args:
        count: Maximum number of passages.
        most: Maximum width [m]; the search for wide ones takes longest.
    Returns:
        At most `count` passages, from the narrowest, and those of equal width from the longest corridor; fewer if there are
        no more, or if the outlines have too many corners close together.
    """
    edges = _edges(environment)
    size = float(np.hypot(*(environment.bounds[2:] - environment.bounds[:2])))
    widest, found = min(max(size / 2048, _SEAM), most), list[Passage]()
    while len(edges) > 1:
        pairs = _pairs(edges, widest)
        if pairs is None:
            break
        found = _find_passages(environment, edges, pairs, widest, count)
        if len(found) == count or widest > size or widest == most:
            break
        widest = min(2 * widest, most)
    return found


def passages_along(
    environment: Environment, line: shapely.Geometry, reach: float, count: int = 3, most: float = math.inf
) -> list[Passage]:
    """Return the narrowest gaps between those obstacles that are near to a line, and the walls at the bounds.

    Both sides of a gap that the line crosses are near to it, and so is what would divide the gap, if it is at most `reach` wide.

    Args:
        line: A line or a point [m].
        reach: Distance from it up to which obstacles are looked at [m].
        count: Maximum number of passages.
        most: Maximum width [m].
    Returns:
        As for `narrowest_passages`.
    """
    obstacles = environment.obstacles
    near = shapely.distance(np.array(obstacles.shapes(), dtype=object), line) < reach
    around = Environment(
        bounds=environment.bounds,
        start=environment.start,
        goal=environment.goal,
        obstacles=obstacles.part(near),
        edge=environment.edge,
    )
    return narrowest_passages(around, count, most)


def _edges(environment: Environment) -> np.ndarray:
    """Edges of polygons, merged where they touch, and of walls, and centres of circles: x1, y1, x2, y2, radius [m]."""
    obstacles = environment.solids
    merged = shapely.union_all([shapely.Polygon(corners) for corners in obstacles.polygons]).simplify(1e-9)
    rings = [np.asarray(ring.coords) for ring in _rings(merged)]
    sides = [np.column_stack([ring[:-1], ring[1:], np.zeros(len(ring) - 1)]) for ring in rings]
    circles = obstacles.circles[:, [0, 1, 0, 1, 2]]
    walls = obstacles.walls * [1, 1, 1, 1, 0.5]
    edges = np.vstack([np.empty((0, 5)), *sides, circles, walls])
    reach, bounds = edges[:, 4:], environment.bounds
    low, high = np.minimum(edges[:, :2], edges[:, 2:4]) - reach, np.maximum(edges[:, :2], edges[:, 2:4]) + reach
    seen: np.ndarray = edges[(high >= bounds[:2]).all(axis=1) & (low <= bounds[2:]).all(axis=1)]
    return seen


def _rings(merged: shapely.Geometry) -> Iterator[shapely.LinearRing]:
    for part in shapely.get_parts(merged):
        yield part.exterior
        yield from part.interiors


def _pairs(edges: np.ndarray, widest: float) -> np.ndarray | None:
    """Pairs of edges that may be at most `widest` [m] apart, shape (2, n); None if there are too many to look at."""
    reach = edges[:, 4:] + widest / 2
    low, high = np.minimum(edges[:, :2], edges[:, 2:4]) - reach, np.maximum(edges[:, :2], edges[:, 2:4]) + reach
    boxes = shapely.box(*low.T, *high.T)
    tree, pairs, total = shapely.STRtree(boxes), [], 0
    for first in range(0, len(boxes), 1024):
        one, other = tree.query(boxes[first : first + 1024])
        total += len(one)
        if total > 2 * _MOST_PAIRS:
            return None
        pairs.append(np.stack([one + first, other])[:, one + first < other])
    return np.hstack(pairs)


def _find_passages(
    environment: Environment, edges: np.ndarray, pairs: np.ndarray, widest: float, count: int
) -> list[Passage]:
    """Find the narrowest passages of at most `widest` [m] between pairs of edges."""
    ends, length, off = _nearest_points(edges[pairs[0]], edges[pairs[1]])
    width = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
    low, high = environment.bounds[:2] - 1e-9, environment.bounds[2:] + 1e-9
    inside = ((ends >= low) & (ends <= high)).all(axis=(1, 2)) & (width >= _SEAM) & (width <= widest)
    ends, length, width, off = ends[inside], length[inside], width[inside], off[inside]
    # Nearly all discs between the edges of a rough wall contain a corner, which is found much faster than a clearance.
    away = KDTree(np.vstack([edges[:, :2], edges[:, 2:4]])).query(ends.mean(axis=1))[0]
    empty = away >= width / 2 - _ROUNDED
    ends, length, width, off = ends[empty], length[empty], width[empty], off[empty]
    middle = ends.mean(axis=1)
    # Lengths are compared in micrometres, so that rounding does not decide about the order.
    order = np.lexsort([*middle.T.round(6), off, -length.round(6), width.round(6)])
    passages: list[Passage] = []
    for first in range(0, len(order), _AT_ONCE):
        some = order[first : first + _AT_ONCE]
        free = environment.solids.clearance(middle[some]) >= width[some] / 2 - 1e-7
        for candidate in map(Passage, ends[some[free]]):
            if not any(_in_one_corridor(one, candidate, edges) for one in passages):
                passages.append(candidate)
            if len(passages) == count:
                return passages
    return passages


def _in_one_corridor(one: Passage, other: Passage, edges: np.ndarray) -> bool:
    """Return whether two passages are near to each other, or are joined by two straight sides."""
    if np.hypot(*(one.middle - other.middle)) <= other.width:
        return True
    if other.width > (1 + _UNEVEN) * one.width:
        return False
    ends = min(other.ends, other.ends[::-1], key=lambda ends: np.hypot(*(ends - one.ends).T).sum())
    sides = np.linspace(one.ends, ends, 9)[1:-1].reshape(-1, 2)
    away = [np.abs(np.hypot(*(_project(point, edges) - point).T) - edges[:, 4]).min() for point in sides]
    return max(away) <= _UNEVEN * other.width


def _nearest_points(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nearest points of pairs of edges [m], shape (n, 2, 2), over which length edges are equally near [m], and `_FRACTIONS` by index.

    Parallel edges have points at each share of that length, others at the first. Edges that cross have no such points; theirs are
    somewhere, at a positive distance, where they are no passage.
    """
    a, b, c, d = one[:, :2], one[:, 2:4], other[:, :2], other[:, 2:4]
    # The nearest points include an end: project each end onto the other edge.
    mine = np.stack([_project(c, one), _project(d, one), a, b])
    theirs = np.stack([c, d, _project(a, other), _project(b, other)])
    distance = np.hypot(*np.moveaxis(theirs - mine, -1, 0))
    tied = distance <= distance.min(axis=0) + 1e-9
    along = b - a
    shares = ((mine - a) * along).sum(axis=2) / np.maximum((along**2).sum(axis=1), 1e-300)
    first, last = np.where(tied, shares, np.inf).min(axis=0), np.where(tied, shares, -np.inf).max(axis=0)
    length, several = (last - first) * np.hypot(*along.T), np.flatnonzero(last > first)
    pair = np.concatenate([np.arange(len(one)), *[several] * (len(_FRACTIONS) - 1)])
    off = np.repeat(np.arange(len(_FRACTIONS)), [len(one), *[len(several)] * (len(_FRACTIONS) - 1)])
    share = first[pair] + np.array(_FRACTIONS)[off] * (last - first)[pair]
    point = a[pair] + share[:, None] * along[pair]
    opposite = _project(point, other[pair])
    apart = opposite - point
    direction = apart / np.maximum(np.hypot(*apart.T), 1e-300)[:, None]
    ends = np.stack([point + one[pair, 4:] * direction, opposite - other[pair, 4:] * direction], axis=1)
    return ends, length[pair], off


def _project(point: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the point of each edge that is nearest to its point, or to the only one [m], shape (n, 2)."""
    along = edges[:, 2:4] - edges[:, :2]
    share = ((point - edges[:, :2]) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-300)
    nearest: np.ndarray = edges[:, :2] + np.clip(share, 0.0, 1.0)[:, None] * along
    return nearest
