"""Obstacles that are shifted, each by itself: contacts are differentiable in where they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import shapely
import torch
from torch import Tensor

from dynamics.penalty.solids import TensorSolids
from dynamics.vine import Integers
from environments.obstacles import Obstacles
from surrogate.kernels.compiled import Floats

CLOSE = 1e-6
"""Edges and corners farther from all obstacles [m] belong to none: to the walls around the bounds."""


class Owners(NamedTuple):
    """The obstacle to which each edge and corner belongs, in the order of `Obstacles.shapes`; -1 for none."""

    of_edge: Tensor
    """Shape (edges,)."""
    of_corner: Tensor
    """Shape (corners,)."""

    @classmethod
    def of(cls, obstacles: Obstacles, solids: TensorSolids) -> Owners:
        """Find the obstacles of all edges and corners."""
        edges, corners = (part.numpy(force=True).astype(float) for part in (solids.edges, solids.corners))
        walls, circles = obstacles.walls, obstacles.circles
        half = walls[:, 4] / 2
        of_polygon, of_point = (
            np.hypot(_to_outlines(obstacles, points), radius[:, None])
            for points, radius in (
                (0.5 * (edges[:, :2] + edges[:, 2:4]), edges[:, 4]),
                (corners[:, :2], corners[:, 2]),
            )
        )
        ends = [np.column_stack([walls[:, k : k + 2], half]) for k in (0, 2)]
        to_wall = _apart(edges[:, :5], np.column_stack([walls[:, :4], half]))
        to_end = np.minimum(*(_apart(corners[:, :3], end) for end in ends))
        no_circle = np.full((len(edges), len(circles)), np.inf)
        every_edge = np.hstack([of_polygon, no_circle, to_wall])
        every_corner = np.hstack([of_point, _apart(corners[:, :3], circles), to_end])
        device = solids.edges.device
        return cls(*(torch.as_tensor(_nearest(one), device=device) for one in (every_edge, every_corner)))

    def shift(self, solids: TensorSolids, shifts: Tensor) -> TensorSolids:
        """Shift the obstacles, by less than the margin of the contacts; the grid stays as it is.

        Args:
            shifts: Along x and y [m], shape (obstacles, 2).
        """
        none = shifts.new_zeros(1, 2)
        every = torch.cat([shifts, none])  # those of no obstacle, -1, stay
        by_edge, by_corner = every[self.of_edge], every[self.of_corner]
        edges = torch.cat([solids.edges[:, :4] + by_edge.repeat(1, 2), solids.edges[:, 4:]], 1)
        corners = torch.cat([solids.corners[:, :2] + by_corner, solids.corners[:, 2:]], 1)
        return solids._replace(edges=edges, corners=corners)


def _to_outlines(obstacles: Obstacles, points: Floats) -> Floats:
    """Distance of points to the outline of each polygon [m], shape (points, polygons)."""
    outlines = shapely.boundary(obstacles.outlines())
    return np.asarray(shapely.distance(shapely.points(points)[:, None], outlines[None]))


def _apart(rows: Floats, others: Floats) -> Floats:
    """Distance of each two rows, shape (rows, others)."""
    return np.asarray(np.linalg.norm(rows[:, None] - others[None], axis=2))


def _nearest(distances: Floats) -> Integers:
    if not distances.shape[1]:
        return np.full(len(distances), -1)
    return np.where(distances.min(axis=1) < CLOSE, distances.argmin(axis=1), -1)
