"""A cave: chambers, and winding passages of changing width between neighbouring ones."""

from __future__ import annotations

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import Delaunay

MARGIN = 1.2
"""Distance of the middle of chambers and passages from the bounds [m]."""
NARROWEST = 0.25
"""Least radius of a passage [m]."""


def make_caves(rng: np.random.Generator, width: float, height: float) -> shapely.Geometry:
    """Return the free space of a cave [m]."""
    low, high = np.array([MARGIN, MARGIN]), np.array([width, height]) - MARGIN
    nodes = rng.uniform(low, high, (max(int(width * height / 12), 6), 2))
    corners = Delaunay(nodes).simplices
    pairs = np.unique(np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])), axis=0)
    length = np.hypot(*(nodes[pairs[:, 1]] - nodes[pairs[:, 0]]).T)
    graph = coo_array((length, pairs.T), shape=(len(nodes), len(nodes)))
    tree = minimum_spanning_tree(graph).tocoo()
    further = pairs[rng.random(len(pairs)) < 0.12]
    free: list[shapely.Geometry] = [shapely.Point(node).buffer(rng.uniform(0.4, 1.1)) for node in nodes]
    for one, other in [*zip(tree.row, tree.col, strict=True), *further]:
        free += _passage(rng, nodes[one], nodes[other], low, high)
    return shapely.union_all(free)


def _passage(
    rng: np.random.Generator, begin: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray
) -> list[shapely.Geometry]:
    """Return the pieces of a passage between two points, which overlap."""
    along = end - begin
    count = max(int(np.hypot(*along) / 0.5), 2)
    share = np.linspace(0, 1, count + 1)
    # A random walk that is pulled back to zero at both ends.
    walk = np.cumsum(rng.normal(0, 0.2, count + 1))
    walk -= walk[0] + share * (walk[-1] - walk[0])
    side = np.array([-along[1], along[0]]) / np.hypot(*along)
    points = np.clip(begin + share[:, None] * along + walk[:, None] * side, low, high)
    radius = np.clip(rng.uniform(0.25, 0.6) + np.cumsum(rng.normal(0, 0.08, count + 1)), NARROWEST, 0.9)
    return [
        shapely.LineString(points[k : k + 2]).buffer(min(radius[k], radius[k + 1]), quad_segs=6) for k in range(count)
    ]
