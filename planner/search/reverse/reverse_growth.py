"""Growth of the reverse tree: OMPL's RRT* over biarcs, rooted at the goal (paper 002, section 5.1)."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import shapely

from dynamics.scene import Scene
from dynamics.tube import VineParams
from environments.environment import Environment
from environments.reach import goal_within_reach
from planner.search.reverse.arc_collision import FREE, UNREACHED, arc_scene, biarc_cost, biarc_status
from planner.search.reverse.arc_price import ArcCurvatures
from planner.search.reverse.reverse_tree import ReverseTree
from planner.search.reverse.seeded_ompl import quiet_ompl
from planner.search.sst import LENGTH_COST
from surrogate.kernels.compiled import Floats
from surrogate.kernels.interruption import CUT, check_cut

HEADINGS = 12
"""Number of headings in which the goal may be entered."""
RANGE = {False: 0.25, True: 0.15}
"""Maximum extension towards a sampled pose, relative to the square root of the bounds' area, without contact and with it."""
TURNING = {False: 1.3, True: 0.4}
"""Turning radius of the Dubins paths for extensions, relative to the minimum that the actuators reach, without contact and with it.

Biarcs are slightly tighter than these paths. With contact, both numbers are those of a few tried with which most trees reached the
start of the shipped environments."""
REWIRE = 1 / 16
"""Rewire factor for e (1 + 1/d) log n neighbours (Karaman & Frazzoli, 2011); OMPL's default uses sixteen times as many."""
UNREACHABLE_COST = 1e6
"""Cost of an invalid motion, because OMPL sorts by cost before it checks validity."""


class ReverseGrowth:
    """A reverse tree that is growing.

    It can go on where it stopped. It is the same however often it stops: another growth with the same arguments, after as many
    samples, has the same tree. So it need not be stored.
    """

    def __init__(
        self,
        environment: Environment,
        params: VineParams,
        reachable: tuple[float, float],
        seed: int = 0,
        contact: bool = True,
    ) -> None:
        """Prepare to grow a tree.

        Args:
            reachable: Minimum and maximum curvature that the actuators reach [1/m].
            contact: Whether arcs along walls may have other curvatures, and cost less.
        Raises:
            WalledIn: No path wide enough for the tube leads to the goal.
            ValueError: The curvatures are not those of `ArcCurvatures.of`.
        """
        from ompl import geometric

        began = time.perf_counter()
        self._bends, self._radius, self._seed = ArcCurvatures.of(reachable, params, contact), params.clearance, seed
        region = goal_within_reach(environment, params.radius, params.clearance)
        goal = shapely.Point(environment.goal[:2])
        root = goal if region.contains(goal) else shapely.maximum_inscribed_circle(region).interpolate(0)
        self._scene, self._refused = arc_scene(environment, self._radius), [0, 0]
        with quiet_ompl(seed):
            self._information = _information(environment, self._scene, self._radius, self._bends, self._refused)
            self._planner = geometric.RRTstar(self._information)
            objective = _objective(self._information, self._scene, self._radius, self._bends)
            self._planner.setProblemDefinition(
                _problem(self._information, environment.bounds, (root.x, root.y), objective)
            )
            self._planner.setGoalBias(0.0)
            self._planner.setRewireFactor(REWIRE)
            size = float(np.sqrt(np.prod(environment.bounds[2:] - environment.bounds[:2])))
            self._planner.setRange(RANGE[contact] * size)
            self._planner.setup()
        self._seconds = time.perf_counter() - began

    def grow_until(self, samples: int, seconds: float = math.inf) -> ReverseTree:
        """Grow until a number of poses have been sampled since the beginning, and return the tree.

        It is deterministic unless the time ends it.

        Args:
            seconds: Time limit of this call [s].
        Raises:
            Interrupted: It was cut short.
        """
        from ompl import base

        began = time.perf_counter()
        planner = self._planner
        with quiet_ompl(self._seed):
            planner.solve(
                base.PlannerTerminationCondition(
                    lambda: planner.numIterations() >= samples or time.perf_counter() > began + seconds or bool(CUT[0])
                )
            )
            check_cut()
            data = base.PlannerData(self._information)
            planner.getPlannerData(data)
            vertices = range(data.numVertices())
            outward = np.array([_pose(data.getVertex(vertex).getState()) for vertex in vertices])
            parent = np.array([next(iter(data.getIncomingEdges(vertex)), -1) for vertex in vertices])
        # Headings point away from the goal in OMPL: a reversed biarc is the same curve, with the same outside.
        poses, refused = outward + np.array([0.0, 0.0, np.pi]), (self._refused[0], self._refused[1])
        done = planner.numIterations()
        tree = ReverseTree.of(self._scene, poses, parent, self._bends, self._radius, refused, done, 0.0)
        self._seconds += time.perf_counter() - began
        return replace(tree, seconds=self._seconds)


def _information(
    environment: Environment, scene: Scene, radius: float, bends: ArcCurvatures, refused: list[int]
) -> Any:
    """Make OMPL's space of poses with biarcs as motions; count motions rejected as out of reach and as blocked."""
    from ompl import base

    class Biarcs(base.MotionValidator):  # type: ignore[misc]
        def checkMotion(self, one: Any, other: Any) -> bool:
            status = biarc_status(scene, radius, bends, _pose(one), _pose(other))[0]
            if status != FREE:
                refused[0 if status == UNREACHED else 1] += 1
            return bool(status == FREE)

    space = base.DubinsStateSpace(TURNING[bends.touching > 0] / bends.most, False)
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


def _objective(information: Any, scene: Scene, radius: float, bends: ArcCurvatures) -> Any:
    """Make the cost of a motion: price of the arcs in actuators, plus LENGTH_COST per metre."""
    from ompl import base

    class ArcPrice(base.OptimizationObjective):  # type: ignore[misc]
        def motionCost(self, one: Any, other: Any) -> Any:
            cost = biarc_cost(scene, radius, bends, LENGTH_COST, _pose(one), _pose(other))
            return base.Cost(min(cost, UNREACHABLE_COST))

        def isSymmetric(self) -> bool:
            return False  # the biarc in the reverse direction is a different curve

    return ArcPrice(information)


def _problem(information: Any, bounds: Floats, root: tuple[float, float], objective: Any) -> Any:
    """Define the problem: start at the goal in every heading, and find the lowest-cost path to every pose."""
    from ompl import base

    problem = base.ProblemDefinition(information)
    state = information.getStateSpace().allocState()
    state.setXY(*root)
    for k in range(HEADINGS):
        state.setYaw(2 * math.pi * k / HEADINGS - math.pi)
        problem.addStartState(state)
    # RRT* needs a goal. We want the whole tree, so this goal is never sampled and cannot be reached.
    state.setXY(float(bounds[2]), float(bounds[3]))
    problem.setGoalState(state, 1e-12)
    problem.setOptimizationObjective(objective)
    return problem


def _pose(state: Any) -> tuple[float, float, float]:
    return state.getX(), state.getY(), state.getYaw()
