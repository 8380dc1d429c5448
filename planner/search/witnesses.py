"""Witnesses: the sparse set of tip poses of SST*, each represented by one vine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats

HEADING_WEIGHT = 0.1
"""Distance equivalent to a difference of heading [m/rad]."""
_TURN = 2 * np.pi * HEADING_WEIGHT


def pose_tree(poses: Floats) -> KDTree:
    """Make a nearest-neighbour search in SE(2), distance sqrt(dx^2 + dy^2 + (w dheading)^2), headings periodic."""
    return KDTree(embed(poses), boxsize=[0.0, 0.0, _TURN])


def embed(poses: Floats) -> Floats:
    """Return coordinates of poses x, y [m], heading [rad], shape (n, 3), for queries of `pose_tree`."""
    heading = np.mod(poses[:, 2] * HEADING_WEIGHT, _TURN)
    # The modulus of a tiny negative number is the period itself, which KDTree refuses.
    return np.column_stack([poses[:, :2], np.where(heading >= _TURN, 0.0, heading)])


def unscale(poses: Floats, size: float) -> Floats:
    """Divide the positions of poses by `size`, the size of the tube relative to the prototype."""
    return poses / [size, size, 1.0]


class Witnesses:
    """Poses that represent their neighbourhood, each with the lowest-cost nodes in it (Li et al. 2016, Alg. 6-7).

    A node also has a level, the number of worlds in which it survives. A witness keeps the nodes that none with at least their
    level and at most their cost dominates: at most one of each level.
    """

    def __init__(self, levels: int = 1) -> None:
        self.levels = levels
        self.poses: Floats = np.empty((0, 3))
        self.node: Integers = np.empty((0, levels), np.int64)
        """Nodes that represent each witness, by level; -1 where there is none."""
        self.cost: Floats = np.empty((0, levels))
        """Cost of those nodes; infinite without a node."""

    def undominated(self, poses: Floats, costs: Floats, radius: float, level: Integers) -> NDArray[np.bool_]:
        """Return whether no known node dominates each candidate, whose level is at most the given one, shape (n,)."""
        witness = self._nearest(poses, radius)
        known = witness >= 0
        undominated = np.ones(len(poses), bool)
        undominated[known] = costs[known] < self._least_from(self.cost)[witness[known], level[known]]
        return undominated

    def best(
        self, poses: Floats, costs: Floats, radius: float, subset: bool = True, level: Integers | None = None
    ) -> tuple[Integers, Integers]:
        """Choose the candidates to keep, at most one of each level per neighbourhood of a radius [m].

        Args:
            subset: Whether this also applies to candidates far from every known witness; if not, all of those are kept.
            level: Level of each candidate; None if there is only one.
        Returns:
            Indices of the candidates, and the witness of each; new witnesses are added where none is near.
        """
        level = np.zeros(len(poses), np.int64) if level is None else level
        witness = self._nearest(poses, radius)
        known = self._undominated(np.flatnonzero(witness >= 0), witness, costs, level)
        fresh = far = np.flatnonzero(witness < 0)
        if subset:
            fresh = _apart(poses, costs, fresh, radius)
        witness[fresh] = len(self.poses) + np.arange(len(fresh))
        self.poses = np.vstack([self.poses, poses[fresh]])
        self.node = np.vstack([self.node, np.full((len(fresh), self.levels), -1)])
        self.cost = np.vstack([self.cost, np.full((len(fresh), self.levels), np.inf)])
        chosen = np.concatenate([known, fresh])
        if self.levels > 1 and subset:
            # Costlier candidates near the new witnesses may survive in more worlds.
            covered = np.setdiff1d(far, fresh)
            witness[covered] = self._nearest(poses[covered], radius)
            chosen = self._undominated(np.concatenate([chosen, covered]), witness, costs, level)
        return chosen, witness[chosen]

    def represent(self, witness: Integers, slots: Integers, costs: Floats, level: Integers | None = None) -> Integers:
        """Let nodes represent their witnesses; return the nodes that they dominate, which represent none from then on."""
        level = np.zeros(len(witness), np.int64) if level is None else level
        replaced = []
        for w, slot, cost, at in zip(witness.tolist(), slots.tolist(), costs.tolist(), level.tolist(), strict=True):
            worse = np.flatnonzero((self.node[w, : at + 1] >= 0) & (self.cost[w, : at + 1] >= cost))
            replaced += self.node[w, worse].tolist()
            self.node[w, worse], self.cost[w, worse] = -1, np.inf
            self.node[w, at], self.cost[w, at] = slot, cost
        return np.array(replaced, np.int64)

    def forget(self, dead: NDArray[np.bool_]) -> None:
        """Clear the witnesses of pruned nodes; `dead` is indexed by node."""
        gone = (self.node >= 0) & dead[self.node]
        self.node[gone] = -1
        self.cost[gone] = np.inf

    def _nearest(self, poses: Floats, radius: float) -> Integers:
        """Return the nearest witness of each pose, -1 if none is within the radius."""
        witness = np.full(len(poses), -1)
        if len(self.poses) and len(poses):
            distance, nearest = pose_tree(self.poses).query(embed(poses), distance_upper_bound=radius)
            near = np.isfinite(distance)
            witness[near] = nearest[near]
        return witness

    @staticmethod
    def _least_from(cost: Floats) -> Floats:
        """Return the lowest cost of each level and those above it, shape (witnesses, levels)."""
        return np.minimum.accumulate(cost[:, ::-1], axis=1)[:, ::-1]

    def _undominated(self, among: Integers, witness: Integers, costs: Floats, level: Integers) -> Integers:
        """Return the candidates that neither a known node nor another candidate of the same witness dominates, by witness and
        level."""
        among = among[costs[among] < self._least_from(self.cost)[witness[among], level[among]]]
        among = among[np.lexsort((costs[among], level[among], witness[among]))]
        key = witness[among] * self.levels + level[among]
        among = among[np.unique(key, return_index=True)[1]]
        if self.levels == 1:
            return among
        named, row = np.unique(witness[among], return_inverse=True)
        least = np.full((len(named), self.levels + 1), np.inf)
        least[row, level[among]] = costs[among]
        return among[costs[among] < self._least_from(least)[row, level[among] + 1]]


def _apart(poses: Floats, costs: Floats, among: Integers, radius: float) -> Integers:
    """Return a subset of candidates whose neighbourhoods do not overlap, chosen in order of cost."""
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
