"""The reverse tree: paths to the goal, whose edges are biarcs (paper 002, section 5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynamics.scene import Scene
from dynamics.vine import Integers
from planner.search.reverse.arc_collision import biarc_prices
from planner.search.reverse.arc_price import STRAIGHT, ArcCurvatures
from planner.search.reverse.biarc import Biarc, biarcs
from planner.search.sst import LENGTH_COST
from surrogate.kernels.compiled import Floats

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, slots=True, eq=False)
class ReverseTree:
    """Paths to the goal, without contact or along walls; each edge is a biarc."""

    poses: Floats
    """x, y [m] and heading [rad] of a vine on its way to the goal, shape (vertices, 3)."""
    parent: Integers
    """The next vertex on the path to the goal, -1 at the goal, shape (vertices,)."""
    arc_cost: Floats
    """Cost of the two arcs to the next vertex, each its price in actuators plus LENGTH_COST per metre; shape (2, edges), in the
    order of `edges`."""
    cost: Floats
    """Cost of the path to the goal, shape (vertices,)."""
    bends: ArcCurvatures
    """Curvatures of arcs."""
    radius: float
    """Minimum distance of the tube's axis from every obstacle [m]."""
    refused: tuple[int, int]
    """Numbers of biarcs rejected because of their curvatures, and because of an obstacle."""
    samples: int
    """Number of poses that were sampled."""
    seconds: float
    """Computing time [s]."""

    @classmethod
    def of(
        cls,
        scene: Scene,
        poses: Floats,
        parent: Integers,
        bends: ArcCurvatures,
        radius: float,
        refused: tuple[int, int],
        samples: int,
        seconds: float,
    ) -> ReverseTree:
        """Make a tree from its vertices; compute its costs. Arguments as the attributes; see `arc_scene` for the scene."""
        children = np.flatnonzero(parent >= 0)
        start, end = poses[children], poses[parent[children]]
        arcs = biarcs(start, end)
        prices = biarc_prices(scene, radius, bends, start, end)
        # The reversed biarc was checked: by a rounding error this one may be out of reach. Older trees have gentler arcs.
        prices = np.where(np.isfinite(prices), prices, np.abs(arcs.sweep) > STRAIGHT)
        arc_cost = prices + LENGTH_COST * np.array(arcs.length)
        edge = np.zeros(len(poses))
        edge[children] = arc_cost.sum(axis=0)
        return cls(poses, parent, arc_cost, _sum_costs(edge, parent), bends, radius, refused, samples, seconds)

    @property
    def edges(self) -> tuple[Integers, Biarc]:
        """The vertices that have a parent, and the biarcs to their parents."""
        children = np.flatnonzero(self.parent >= 0)
        return children, biarcs(self.poses[children], self.poses[self.parent[children]])

    @property
    def failure(self) -> str | None:
        """Reason why the tree has no edges; None if it has."""
        if (self.parent >= 0).any():
            return None
        unreached, blocked = self.refused
        reach = f"outside the {self.bends.least:.3g} to {self.bends.most:.3g} 1/m that the actuators reach"
        if not blocked:
            return f"all {unreached} biarcs tried have curvatures {reach}"
        return f"of {unreached + blocked} biarcs tried {unreached} have curvatures {reach}, the others are blocked"

    def graph(self) -> networkx.DiGraph[int]:
        """Return the tree as a graph: vertices with `pose` and `cost`, edges towards the goal with their `cost`."""
        import networkx

        graph: networkx.DiGraph[int] = networkx.DiGraph()
        for vertex, (pose, cost) in enumerate(zip(self.poses, self.cost, strict=True)):
            graph.add_node(vertex, pose=pose, cost=float(cost))
        children = np.flatnonzero(self.parent >= 0)
        for child, cost in zip(children.tolist(), self.arc_cost.sum(axis=0), strict=True):
            graph.add_edge(child, int(self.parent[child]), cost=float(cost))
        return graph


def _sum_costs(edge: Floats, parent: Integers) -> Floats:
    """Sum the costs of the paths to the goal over their edges."""
    cost, below = np.zeros(len(parent)), np.arange(len(parent))
    while (below >= 0).any():
        unfinished = below >= 0
        cost[unfinished] += edge[below[unfinished]]
        below = np.where(unfinished, parent[below], -1)
    return cost
