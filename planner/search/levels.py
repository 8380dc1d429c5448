"""Random choice of nodes by the distance of their tips from the goal, around obstacles."""

from __future__ import annotations

import numpy as np

from dynamics.tube import VineParams
from dynamics.vine import Integers
from environments.environment import Environment
from planner.search.block_field import BlockField
from planner.search.distance_field import DistanceField
from surrogate.kernels.compiled import Floats

POINTS = 2
"""Lattice points of the distances per clearance of the tube: a drawing needs no better ones."""
MOST_POINTS = 400_000
"""Maximum number of lattice points between which ways are looked for; in larger environments they are joined to blocks."""


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
        sides = (environment.bounds[2:] - environment.bounds[:2]) / (params.clearance / POINTS)
        self._field: DistanceField | BlockField = (
            DistanceField(environment, params.clearance, reach, POINTS)
            if np.prod(sides) <= MOST_POINTS
            else BlockField(environment, params.clearance, reach, POINTS, MOST_POINTS, longest)
        )
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
