"""Witnesses: the sparse set of tip poses of SST*, each represented by one vine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from dynamics.vine import Integers
from surrogate.compiled import Floats

HEADING_WEIGHT = 0.1
"""Distance equivalent to a difference of heading [m/rad]."""
_TURN = 2 * np.pi * HEADING_WEIGHT


def pose_tree(poses: Floats) -> KDTree:
    """Nearest-neighbour search in SE(2), distance sqrt(dx^2 + dy^2 + (w dheading)^2), headings periodic."""
    return KDTree(embed(poses), boxsize=[0.0, 0.0, _TURN])


def embed(poses: Floats) -> Floats:
    """Coordinates of poses x, y [m], heading [rad], shape (n, 3), for queries of `pose_tree`."""
    heading = np.mod(poses[:, 2] * HEADING_WEIGHT, _TURN)
    # The modulus of a tiny negative number is the period itself, which KDTree refuses.
    return np.column_stack([poses[:, :2], np.where(heading >= _TURN, 0.0, heading)])


def unscaled(poses: Floats, size: float) -> Floats:
    """Poses with positions divided by `size`, the size of the tube relative to the prototype."""
    return poses / [size, size, 1.0]


class Witnesses:
    """Poses that represent their neighbourhood, each with the lowest-cost node in it (Li et al. 2016, Alg. 6-7)."""

    def __init__(self) -> None:
        self.poses: Floats = np.empty((0, 3))
        self.node: Integers = np.empty(0, np.int64)
        """Node that represents each witness; -1 if it was pruned."""
        self.cost: Floats = np.empty(0)
        """Cost of that node; infinite without a node."""

    def best(self, poses: Floats, costs: Floats, radius: float, subset: bool = True) -> tuple[Integers, Integers]:
        """Choose the candidates to keep, at most one per neighbourhood of a radius [m].

        Args:
            subset: Whether this also applies to candidates far from every known witness; if not, all of those are kept.
        Returns:
            Indices of the candidates, and the witness of each; new witnesses are added where none is near.
        """
        witness = np.full(len(poses), -1)
        if len(self.poses) and len(poses):
            distance, nearest = pose_tree(self.poses).query(embed(poses), distance_upper_bound=radius)
            near = np.isfinite(distance)
            witness[near] = nearest[near]
        known = np.flatnonzero(witness >= 0)
        known = known[costs[known] < self.cost[witness[known]]]
        known = known[np.lexsort((costs[known], witness[known]))]
        known = known[np.unique(witness[known], return_index=True)[1]]
        fresh = np.flatnonzero(witness < 0)
        if subset:
            fresh = _apart(poses, costs, fresh, radius)
        witness[fresh] = len(self.poses) + np.arange(len(fresh))
        self.poses = np.vstack([self.poses, poses[fresh]])
        self.node = np.append(self.node, np.full(len(fresh), -1))
        self.cost = np.append(self.cost, np.full(len(fresh), np.inf))
        chosen = np.concatenate([known, fresh])
        return chosen, witness[chosen]

    def forget(self, dead: NDArray[np.bool_]) -> None:
        """Clear the witnesses of pruned nodes; `dead` is indexed by node."""
        gone = (self.node >= 0) & dead[self.node]
        self.node[gone] = -1
        self.cost[gone] = np.inf


def _apart(poses: Floats, costs: Floats, among: Integers, radius: float) -> Integers:
    """A subset of candidates whose neighbourhoods do not overlap, chosen in order of cost."""
    if not len(among):
        return among
    order = among[np.argsort(costs[among], kind="stable")]
    pairs = pose_tree(poses[order]).query_ball_point(embed(poses[order]), radius)
    covered = np.zeros(len(order), bool)
    kept = []
    for position, neighbours in enumerate(pairs):
        if not covered[position]:
            kept.append(position)
            covered[neighbours] = True
    return order[kept]
