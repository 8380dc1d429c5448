"""Length of the shortest path of a tube's axis to the goal, around obstacles, from a lattice of points."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from environments.environment import Environment
from planner.search.free_lattice import Lattice, free_points
from surrogate.kernels.compiled import Floats

POINTS = 4
"""Lattice points per clearance of the tube, unless others are asked for."""
SHORTER = float(np.cos(np.pi / 8))
"""Least length of a straight line over that of the shortest way along the eight directions of a lattice [-]."""


class DistanceField:
    """Lower bounds of the length that a tip still has to grow to the goal; its axis keeps the tube's clearance from obstacles.

    Points of the lattice are free if they are at least the clearance less one lattice step from all obstacles. So a path through a gap
    between obstacles that is a little too narrow is still counted, and no free path is missed.
    """

    def __init__(self, environment: Environment, clearance: float, reach: float, points: int = POINTS) -> None:
        """Compute the field (about 0.3 s for an environment of 2 m by 1 m).

        Args:
            clearance: Least distance of the tube's axis from obstacles [m].
            reach: Distance from the goal's centre within which a tip is in the goal [m].
            points: Lattice points per clearance, at least 2: with 1 a way would lead through thin walls.
        """
        self.goal, self.reach, self.step = np.asarray(environment.goal[:2], float), reach, clearance / points
        self.low = np.asarray(environment.bounds[:2], float)
        size = np.ceil((environment.bounds[2:] - self.low) / self.step).astype(int) + 1
        x, y = np.meshgrid(*(self.low[k] + self.step * np.arange(size[k]) for k in (0, 1)), indexing="ij")
        lattice = np.stack([x, y], axis=-1)
        first = Lattice(float(self.low[0]), float(self.low[1]), self.step)
        free = free_points(first, (int(size[0]), int(size[1])), environment.solids, clearance - self.step)
        number = np.arange(free.size).reshape(free.shape)
        rows, columns, lengths = [], [], []
        for i, j in ((1, 0), (0, 1), (1, 1), (1, -1)):
            here = np.s_[: size[0] - i, max(-j, 0) : size[1] - max(j, 0)]
            there = np.s_[i:, max(j, 0) : size[1] + min(j, 0)]
            both = free[here] & free[there]
            rows.append(number[here][both])
            columns.append(number[there][both])
            lengths.append(np.full(len(rows[-1]), SHORTER * self.step * np.hypot(i, j)))
        ends = np.concatenate(rows), np.concatenate(columns)
        graph = coo_array((np.concatenate(lengths), ends), shape=(free.size, free.size)).tocsr()
        away = np.linalg.norm(lattice - self.goal, axis=-1)
        # The goal's edge is at most a step from the points inside.
        inside = free & (away <= max(reach, away.min() + self.step))
        self.field = dijkstra(graph, directed=False, indices=number[inside], min_only=True).reshape(free.shape)

    def remaining(self, tips: Floats) -> Floats:
        """Remaining length from tips to the goal [m], shape (...): at least the straight line to the goal's edge, negative
        inside.

        Args:
            tips: x, y [m], shape (..., 2).
        """
        straight = np.linalg.norm(tips - self.goal, axis=-1) - self.reach
        index = np.clip(np.rint((tips - self.low) / self.step).astype(int), 0, np.array(self.field.shape) - 1)
        around = self.field[index[..., 0], index[..., 1]] - self.step
        return np.where(np.isfinite(around) & (straight > 0.0), np.maximum(straight, around), straight)
