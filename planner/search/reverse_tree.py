"""The reverse tree: RRT* over biarcs, rooted at the goal (paper 002, section 5.1)."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from dynamics.tube import VineParams
from dynamics.vine import Integers
from environments.environment import Environment
from environments.reach import goal_within_reach
from planner.search.arc_collision import FREE, TOO_TIGHT, arc_scene, biarc_status
from planner.search.biarc import Biarc, biarc, biarcs
from planner.search.seeded_ompl import quiet_ompl
from planner.search.sst import LENGTH_COST
from surrogate.compiled import Floats, compiled

if TYPE_CHECKING:
    import networkx

HEADINGS = 12
"""Number of headings in which the goal may be entered."""
SAMPLES = 4000
"""Number of sampled poses."""
RANGE = 0.25
"""Maximum extension towards a sampled pose, relative to the square root of the bounds' area."""
TURNING = 1.3
"""Turning radius of the Dubins paths for extensions, relative to the minimum; their biarcs are slightly tighter."""
REWIRE = 1 / 16
"""Rewire factor for e (1 + 1/d) log n neighbours (Karaman & Frazzoli, 2011); OMPL's default uses sixteen times as many."""
STRAIGHT = 0.1
"""Maximum angle of an arc that needs no actuator [rad]."""
UNREACHABLE_COST = 1e6
"""Cost of an invalid motion, because OMPL sorts by cost before it checks validity."""


@dataclass(frozen=True, slots=True, eq=False)
class ReverseTree:
    """Contact-free paths to the goal; each edge is a biarc."""

    poses: Floats
    """x, y [m] and heading [rad] of a vine on its way to the goal, shape (vertices, 3)."""
    parent: Integers
    """The next vertex on the path to the goal, -1 at the goal, shape (vertices,)."""
    cost: Floats
    """Number of curved arcs on the path to the goal, plus LENGTH_COST per metre, shape (vertices,)."""
    radius: float
    """Minimum distance of the tube's axis from every obstacle [m]."""
    tightest: float
    """Maximum curvature of an arc [1/m]."""
    too_tight: int
    """Number of biarcs rejected because of a larger curvature."""
    blocked: int
    """Number of biarcs rejected because of an obstacle."""
    seconds: float
    """Computing time [s]."""

    @classmethod
    def grow(
        cls,
        environment: Environment,
        params: VineParams,
        tightest: float,
        seed: int = 0,
        samples: int = SAMPLES,
        seconds: float = math.inf,
    ) -> ReverseTree:
        """Grow the tree; deterministic for a seed unless the time limit is reached.

        Args:
            tightest: Maximum curvature that the actuators reach [1/m].
            samples: Number of poses to sample.
            seconds: Time limit [s].
        Raises:
            WalledIn: No path wide enough for the tube leads to the goal.
            ValueError: `tightest` is not positive and finite.
        """
        if not 0 < tightest < math.inf:
            raise ValueError(f"curvature limit {tightest} must be greater than 0 and finite, in 1/m")
        began = time.perf_counter()
        radius = params.clearance
        region = goal_within_reach(environment, params.radius, params.clearance)
        goal = shapely.Point(environment.goal[:2])
        root = goal if region.contains(goal) else shapely.maximum_inscribed_circle(region).interpolate(0)
        outward, parent, refused = _rrt_star(
            environment, radius, tightest, (root.x, root.y), seed, samples, began + seconds
        )
        poses = outward + np.array([0.0, 0.0, np.pi])
        cost = _costs(poses, parent)
        return cls(poses, parent, cost, radius, tightest, *refused, time.perf_counter() - began)

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
        tried = self.too_tight + self.blocked
        if not self.blocked:
            return f"all {tried} biarcs tried are tighter than the {self.tightest:.3g} 1/m that the actuators reach"
        return f"of {tried} biarcs tried {self.too_tight} are tighter than {self.tightest:.3g} 1/m, the others blocked"

    def graph(self) -> networkx.DiGraph[int]:
        """The tree as a graph: vertices with `pose` and `cost`, edges towards the goal with their `cost`."""
        import networkx

        graph: networkx.DiGraph[int] = networkx.DiGraph()
        for vertex, (pose, cost) in enumerate(zip(self.poses, self.cost, strict=True)):
            graph.add_node(vertex, pose=pose, cost=float(cost))
        children, arcs = self.edges
        for child, cost in zip(children.tolist(), arc_costs(arcs).sum(axis=0), strict=True):
            graph.add_edge(child, int(self.parent[child]), cost=float(cost))
        return graph


def arc_costs(arcs: Biarc) -> Floats:
    """Costs of the arcs of biarcs: one if curved, plus LENGTH_COST per metre; shape (2, ...)."""
    return (np.abs(arcs.sweep) > STRAIGHT) + LENGTH_COST * np.array(arcs.length)


@compiled()
def _motion_cost(
    tightest: float, length_cost: float, x0: float, y0: float, heading0: float, x1: float, y1: float, heading1: float
) -> float:
    k0, s0, k1, s1 = biarc(x0, y0, heading0, x1, y1, heading1)
    if not (abs(k0) <= tightest and abs(k1) <= tightest):
        return UNREACHABLE_COST
    curved = (abs(k0) * s0 > STRAIGHT) + (abs(k1) * s1 > STRAIGHT)
    return curved + length_cost * (s0 + s1)


def _costs(poses: Floats, parent: Integers) -> Floats:
    """Costs of the paths to the goal, summed over their edges."""
    children = np.flatnonzero(parent >= 0)
    edge, cost = np.zeros(len(poses)), np.zeros(len(poses))
    edge[children] = arc_costs(biarcs(poses[children], poses[parent[children]])).sum(axis=0)
    below = np.arange(len(poses))
    while (below >= 0).any():
        unfinished = below >= 0
        cost[unfinished] += edge[below[unfinished]]
        below = np.where(unfinished, parent[below], -1)
    return cost


# ---- OMPL ----


def _rrt_star(
    environment: Environment,
    radius: float,
    tightest: float,
    root: tuple[float, float],
    seed: int,
    samples: int,
    deadline: float,
) -> tuple[Floats, Integers, tuple[int, int]]:
    """Run OMPL's RRT* from a point in all headings.

    Headings point away from the goal here: a reversed biarc is the same curve.

    Returns:
        Poses and parents of the vertices, and the numbers of biarcs rejected as too tight and as blocked.
    """
    from ompl import base, geometric

    refused = [0, 0]
    with quiet_ompl(seed):
        information = _information(environment, radius, tightest, refused)
        planner = geometric.RRTstar(information)
        planner.setProblemDefinition(_problem(information, environment.bounds, tightest, root))
        planner.setGoalBias(0.0)
        planner.setRewireFactor(REWIRE)
        planner.setRange(RANGE * float(np.sqrt(np.prod(environment.bounds[2:] - environment.bounds[:2]))))
        planner.setup()
        planner.solve(
            base.PlannerTerminationCondition(
                lambda: planner.numIterations() >= samples or time.perf_counter() > deadline
            )
        )
        data = base.PlannerData(information)
        planner.getPlannerData(data)
        vertices = range(data.numVertices())
        poses = np.array([_pose(data.getVertex(vertex).getState()) for vertex in vertices])
        parent = np.array([next(iter(data.getIncomingEdges(vertex)), -1) for vertex in vertices])
    return poses, parent, (refused[0], refused[1])


def _information(environment: Environment, radius: float, tightest: float, refused: list[int]) -> Any:
    """OMPL's space of poses with biarcs as motions; counts those rejected as too tight and as blocked."""
    from ompl import base

    scene = arc_scene(environment, radius)

    class Biarcs(base.MotionValidator):  # type: ignore[misc]
        def checkMotion(self, one: Any, other: Any) -> bool:
            status = biarc_status(scene, radius, tightest, *_pose(one), *_pose(other))
            if status != FREE:
                refused[0 if status == TOO_TIGHT else 1] += 1
            return bool(status == FREE)

    space = base.DubinsStateSpace(TURNING / tightest, False)
    box = base.RealVectorBounds(2)
    for axis in range(2):
        box.setLow(axis, float(environment.bounds[axis]))
        box.setHigh(axis, float(environment.bounds[axis + 2]))
    space.setBounds(box)
    information = base.SpaceInformation(space)
    information.setStateValidityChecker(lambda _: True)  # the check of a motion includes its end
    information.setMotionValidator(Biarcs(information))
    information.setup()
    return information


def _problem(information: Any, bounds: Floats, tightest: float, root: tuple[float, float]) -> Any:
    """Start at the goal in every heading, and find the lowest-cost path to every pose."""
    from ompl import base

    class ArcCount(base.OptimizationObjective):  # type: ignore[misc]
        def motionCost(self, one: Any, other: Any) -> Any:
            return base.Cost(_motion_cost(tightest, LENGTH_COST, *_pose(one), *_pose(other)))

        def isSymmetric(self) -> bool:
            return False  # the biarc in the reverse direction is a different curve

    problem = base.ProblemDefinition(information)
    state = information.getStateSpace().allocState()
    state.setXY(*root)
    for k in range(HEADINGS):
        state.setYaw(2 * math.pi * k / HEADINGS - math.pi)
        problem.addStartState(state)
    # RRT* needs a goal. We want the whole tree, so this goal is never sampled and cannot be reached.
    state.setXY(float(bounds[2]), float(bounds[3]))
    problem.setGoalState(state, 1e-12)
    problem.setOptimizationObjective(ArcCount(information))
    return problem


def _pose(state: Any) -> tuple[float, float, float]:
    return state.getX(), state.getY(), state.getYaw()
