"""Cost-to-go of a vine's tip, from the reverse tree."""

from __future__ import annotations

import numpy as np

from dynamics.tube import VineParams
from planner.search.reverse.biarc import pose_on
from planner.search.reverse.reverse_tree import ReverseTree
from planner.search.sst import LENGTH_COST
from planner.search.witnesses import embed, pose_tree, unscale
from surrogate.kernels.compiled import Floats

SPACING = 50e-3
"""Spacing of the points sampled along the tree's edges, for the prototype [m]."""


class CostToGo:
    """Cost from a pose to the goal along the nearest edge of a reverse tree.

    It is an estimate, no bound. It may be too low: the nearest edge has another pose, arcs up to `STRAIGHT` are taken as straight,
    and the price of arcs along walls is a mean. It may be too high: the tree has few of all paths, two arcs to the same side may
    be one actuator, and a vine in contact may go where no biarc does.
    """

    def __init__(self, tree: ReverseTree) -> None:
        children, arcs = tree.edges
        self._size = tree.radius / VineParams().clearance
        costs = tree.arc_cost
        after = tree.cost[tree.parent[children]]
        joints = pose_on(tree.poses[children], arcs.curvature[0], arcs.length[0])
        points, to_go = [tree.poses], [tree.cost]
        for k, (begin, after_arc) in enumerate([(tree.poses[children], after + costs[1]), (joints, after)]):
            count = np.maximum(np.round(arcs.length[k] / (SPACING * self._size)).astype(int), 1)
            edge = np.repeat(np.arange(len(children)), count)
            fraction = (np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)) / count[edge]
            length = fraction * arcs.length[k][edge]
            points.append(pose_on(begin[edge], arcs.curvature[k][edge], length))
            # On an arc its actuator is still needed, but only the rest of its length.
            to_go.append(after_arc[edge] + costs[k][edge] - LENGTH_COST * length)
        self.points = np.concatenate(points)
        """x, y [m], heading [rad] along the tree, shape (points, 3)."""
        self.costs = np.concatenate(to_go)
        """Cost from there to the goal, shape (points,)."""
        self._nearest = pose_tree(unscale(self.points, self._size))
        # Axes on opposite sides of a wall of any thickness are further apart than this.
        self._known_within = 2 * tree.radius / self._size

    def __call__(self, poses: Floats) -> Floats:
        """Return the costs from poses x, y [m], heading [rad], shape (n, 3), to the goal; infinite far from the tree."""
        distance, nearest = self._nearest.query(embed(unscale(poses, self._size)))
        return np.where(distance < self._known_within, self.costs[nearest], np.inf)
