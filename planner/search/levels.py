"""Random choice of nodes by the distance of their tips from the goal, around obstacles."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dynamics.tube import VineParams
from dynamics.vine import Integers
from environments.environment import Environment
from environments.obstacles import Obstacles
from planner.search.block_field import BlockField
from planner.search.distance_field import DistanceField
from surrogate.kernels.compiled import Floats

POINTS = 2
"""Lattice points of the distances per clearance of the tube: a drawing needs no better ones."""
MOST_POINTS = 400_000
"""Maximum number of lattice points between which ways are looked for; in larger environments they are joined to blocks."""


def is_large(environment: Environment, params: VineParams) -> bool:
    """Whether the distances of an environment are those of blocks."""
    sides = (environment.bounds[2:] - environment.bounds[:2]) / (params.clearance / POINTS)
    return bool(np.prod(sides) > MOST_POINTS)


def warm_up_levels(environment: Environment, params: VineParams) -> None:
    """Compile the kernels of the levels of an environment, if it is large, with a small room."""
    if is_large(environment, params):
        size = 10 * params.clearance
        bounds, goal = np.array([0.0, 0.0, size, size]), np.array([size / 2, size / 2, params.clearance])
        room = Environment("", "", bounds, np.array([size / 4, size / 2, 0.0]), goal, Obstacles())
        BlockField(room, params.clearance, params.clearance, POINTS, MOST_POINTS, size)


class Levels:
    """Distances to the goal in levels, each as wide as the tube.

    A pose drawn at random from the bounds is seldom near the few tips that have grown farthest through clutter. All levels are drawn
    equally often, so the farthest tips are drawn often, and so are tips that must first grow away from the goal.
    """

    def __init__(self, environment: Environment, params: VineParams, reach: float, longest: float) -> None:
        """Compute the distances (less than 0.1 s for an environment of 2 m by 1 m, less than 1 s for one of 100 m by 50 m).

        Args:
            reach: Distance from the goal's centre within which a tip is in the goal [m].
            longest: Maximum length of a tube [m].
        """
        self._field = _distances(environment, params.clearance, reach, longest, is_large(environment, params))
        self._width = 2 * params.radius

    def draw(self, tips: Floats, count: int, rng: np.random.Generator) -> Integers:
        """Draw tips: first a level that has tips, then a tip in it, each with equal probability.

        Args:
            tips: x, y [m], shape (n, 2).
        Returns:
            Indices of tips, shape (count,).
        """
        level = np.floor(self._field.remaining(tips) / self._width)
        _, row, sizes = np.unique(level, return_inverse=True, return_counts=True)
        chosen = rng.integers(len(sizes), size=count)
        within = (rng.random(count) * sizes[chosen]).astype(np.int64)
        first = np.cumsum(sizes) - sizes
        return np.argsort(row, kind="stable")[first[chosen] + within]


@lru_cache(maxsize=2)
def _distances(
    environment: Environment, clearance: float, reach: float, longest: float, large: bool
) -> DistanceField | BlockField:
    """Compute distances to the goal; all searches of a plan share them, because those of a large environment take many megabytes."""
    if large:
        return BlockField(environment, clearance, reach, POINTS, MOST_POINTS, longest)
    return DistanceField(environment, clearance, reach, POINTS)
