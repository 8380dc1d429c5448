"""Homotopy classes of paths: which obstacles a path passes, and on which side.

Obstacles between which no tube fits are one island, and so are those that reach the bounds, which no path goes around. Each other
island has a point from which a ray goes upwards. A path crosses these rays in an order and in directions; without crossings that are
taken back at once, they are its word. Two paths with the same ends can be moved into one another without passing through an island if, and
only if, they have the same word (the free group of the plane without these points; Bhattacharya, Likhachev and Kumar 2012).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import shapely

from environments.environment import Environment

SHIFT = 1e-9
"""Rays are shifted by multiples of this, so that no two of them lie on one line [m]."""
PASSED = np.pi / 2
"""An island is passed if the path turns by more than this about its point [rad]."""

Word = tuple[int, ...]
"""Crossings of rays: number of the island from 1, positive towards larger x."""


@dataclass(frozen=True, slots=True, eq=False)
class Islands:
    """The islands of an environment, for tubes of a clearance."""

    environment: Environment
    members: tuple[tuple[int, ...], ...]
    """Obstacles of each island, as indices of `environment.solids` [-]."""
    points: np.ndarray
    """A point within each island [m], shape (islands, 2)."""

    @classmethod
    def of(cls, environment: Environment, clearance: float) -> Islands:
        """Find the islands. What the base is mounted in is none.

        Args:
            clearance: Least distance of a tube's axis from obstacles [m].
        """
        import networkx  # here, since it takes a quarter of a second, which no search has to wait for

        shapes, edge = np.array(environment.solids.shapes(), dtype=object), shapely.box(*environment.bounds).exterior
        graph: networkx.Graph[int] = networkx.Graph()
        graph.add_nodes_from(range(-1, len(shapes)))  # -1: the outside
        if len(shapes):
            pairs = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=2 * clearance)
            graph.add_edges_from(pairs.T.tolist())
            outside = shapely.dwithin(shapes, edge, clearance) | environment.mounted
            graph.add_edges_from((-1, index) for index in np.flatnonzero(outside).tolist())
        groups = [tuple(sorted(group)) for group in networkx.connected_components(graph) if -1 not in group]
        largest = [max(group, key=lambda index: (shapely.area(shapes[index]), -index)) for group in sorted(groups)]
        points = [shapes[index].representative_point() for index in largest]
        return cls(environment, tuple(sorted(groups)), shapely.get_coordinates(points).reshape(-1, 2))

    def word(self, path: np.ndarray) -> Word:
        """Return the word of a path.

        Args:
            path: Points from its beginning to its end [m], shape (n, 2).
        """
        x = self.points[:, 0] + SHIFT * np.arange(len(self.points))
        (x0, y0), (x1, y1) = path[:-1].T[..., None], path[1:].T[..., None]
        link, island = np.nonzero((x0 <= x) != (x1 <= x))
        part = (x[island] - x0[link, 0]) / (x1 - x0)[link, 0]
        above = y0[link, 0] + part * (y1 - y0)[link, 0] > self.points[island, 1]
        order = np.lexsort((part, link))
        sign = np.where((x1 > x0)[link, 0], 1, -1)
        return reduce_word((sign * (island + 1))[order][above[order]].tolist())

    def turns(self, path: np.ndarray) -> np.ndarray:
        """Return the angle by which a path turns about the point of each island [rad], shape (islands,): positive, if it has the
        island on its left.

        Args:
            path: See `word`.
        """
        away = path[:, None] - self.points
        change = np.diff(np.arctan2(away[..., 1], away[..., 0]), axis=0)
        turned: np.ndarray = ((change + np.pi) % (2 * np.pi) - np.pi).sum(axis=0)
        return turned

    def passed(self, path: np.ndarray) -> tuple[list[str], list[str]]:
        """Return the names of the islands that a path passes, on its left and on its right.

        Args:
            path: See `word`.
        """
        turns = self.turns(path)
        left, right = (np.flatnonzero(sign * turns > PASSED) for sign in (1, -1))
        names = [self.environment.solids.names(group) for group in self.members]
        return [names[k] for k in left.tolist()], [names[k] for k in right.tolist()]


def reduce_word(crossings: Iterable[int]) -> Word:
    """Return crossings without those that the next one takes back."""
    word: list[int] = []
    for one in crossings:
        if word and word[-1] == -one:
            word.pop()
        else:
            word.append(one)
    return tuple(word)
