"""OMPL's control space of vines, with start, goal and cost: a `SimpleSetup` for any control planner.

OMPL frees and copies states without telling Python, so the whole vine is in the state, and no list of vines has to be kept in step.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from ompl import base, control, util

from dynamics.registry import load_propagator, propagators
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments.environment import Environment
from environments.environment_file import check_environment
from planner.design.design import Design
from planner.search.aiming import LONGEST_BEND
from planner.search.goal import goal_radius
from planner.search.ompl.vines import OmplVine, VineGrower
from planner.search.sst import DEFAULT_SWITCHES, LENGTH_COST
from planner.search.witnesses import HEADING_WEIGHT
from surrogate.kernels.compiled import Floats

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamics.propagator import Propagator
    from planner.search.ompl.vine_planner import VinePlanner

FACTS = 4
"""Numbers of a vine in its state before its bends and controls: status, segments, actuators and number."""
HEADINGS = 12
"""Maximum number of goal states that a planner may sample."""
FAILED = frozenset(float(status) for status in Status if status != Status.GROWN)
"""Statuses of states that are not valid."""
NO_LIMIT = 1e9
"""Bound of the numbers of a vine; OMPL needs one."""


class VineSetup(control.SimpleSetup):  # type: ignore[misc]
    """OMPL's `SimpleSetup` for a vine in an environment.

    A state is the pose of the tip, an SE(2) state, and the rest of the vine. Distances are those of the tips, with `HEADING_WEIGHT`.
    A control is a point in four dimensions, see `VineGrower.decode`: side, cell length and pressure on the grid that can be
    fabricated, and length. It is applied for one step.
    """

    def __init__(self, growth: VineGrower) -> None:
        """Build the space; the planner is the caller's choice."""
        states = _states(growth.environment, growth.max_segments)
        controls = control.RealVectorControlSpace(states, 4)
        controls.setBounds(_bounds([0, 0, 0, 1], [3, growth.cells, growth.pressures, LONGEST_BEND + 1]))
        super().__init__(controls)
        self.growth = growth
        information = self.getSpaceInformation()
        self.setStatePropagator(_propagation(growth))
        self.setStateValidityChecker(_is_valid)
        information.setPropagationStepSize(1.0)
        information.setMinMaxControlDuration(1, 1)
        self.setStartState(self.start())
        self.setGoal(_goal(information, growth))
        self.setOptimizationObjective(_objective(information, growth))

    def __repr__(self) -> str:
        return f"<VineSetup {self.growth.environment.name}: up to {self.growth.max_segments} segments>"

    __str__ = __repr__  # that of OMPL ends the process as long as there is no planner

    def start(self) -> Any:
        """Return a new state of the vine of zero length, for planners in Python.

        Of the problem definition's own, OMPL 2.0.1 gives away a state that it frees again later, which ends the process.
        """
        state = self.getStateSpace().allocState()
        write_vine(state, self.growth.start())
        return state

    def design(self, state: Any) -> Design:
        """Return the design of a state's vine.

        The vine was grown once. To check a design as `vinewright plan` does, grow it again at a smaller step.
        """
        return self.growth.design(read_vine(state, self.growth.max_segments))

    def best(self) -> Design | None:
        """Return the design of the solution path; None if the goal was not reached."""
        return self.design(self.getSolutionPath().getStates()[-1]) if self.haveExactSolutionPath() else None


def space(environment: Environment, tube: VineParams, propagator: str | type[Propagator] = "quasistatic") -> VineSetup:
    """Make OMPL's control space of a tube in an environment: a `SimpleSetup` that needs only a planner.

    Args:
        tube: See `vinewright.load_tube`.
        propagator: The model of the growing vine: one of `vinewright.propagators()`, or the class of your own.
    Raises:
        InvalidEnvironment: Start or goal lie at an impossible position.
        ValueError: The propagator is unknown, or grows vines of one section only.

    >>> import vinewright as vw
    >>> from ompl import control, util
    >>> util.setLogLevel(util.LOG_NONE)
    >>> setup = vw.ompl.space(vw.load_environment("divider"), vw.load_tube("prototype"))
    >>> setup.setPlanner(control.RRT(setup.getSpaceInformation()))
    >>> bool(setup.solve(0.1)) in (True, False)
    True
    """
    check_environment(environment, tube.radius)
    if isinstance(propagator, str) and propagator not in propagators():
        raise ValueError(f"propagator {propagator!r} must be one of {', '.join(propagators())}")
    model = load_propagator(propagator)
    if not model.capabilities.sections:
        raise ValueError(
            f"{getattr(propagator, '__name__', propagator)} models a tube as one arc; choose a propagator with sections"
        )
    return VineSetup(VineGrower(model(environment, tube)))


def sst_star(setup: VineSetup, seed: int = 0, batch: int = 100) -> VinePlanner:
    """Make the planner of `vinewright plan`, batched SST*, for a space of vines.

    Its solutions are vines that reach the goal again at an eighth of the growth step; the lowest-cost one is the solution path. It has
    up to ten, `planner.solutions.best`, and its search tree as `planner.planner_data()`.

    Args:
        setup: See `space`; give the planner to its `setPlanner`.
        seed: Seed of the search.
        batch: Maximum number of vines grown in each iteration.
    """
    # Both import this module.
    from planner.search.ompl.vine_planner import VinePlanner
    from planner.search.run import FEW, begin_search

    growth = setup.growth
    arguments = growth.environment, growth.propagator, growth.params, batch, FEW, DEFAULT_SWITCHES
    return VinePlanner(setup.getSpaceInformation(), partial(begin_search, *arguments), seed, growth)


def read_vine(state: Any, max_segments: int) -> OmplVine:
    """Read the vine of a state."""
    pose, rest = state[0], state[1]
    status, segments, actuators, number = (int(value) for value in rest[0:FACTS])
    bends = np.array(rest[FACTS : FACTS + max_segments])
    controls = np.array(rest[FACTS + max_segments : FACTS + 2 * max_segments]).astype(np.int32)
    tip = np.array([pose.getX(), pose.getY(), pose.getYaw()])
    return OmplVine(tip, bends, controls, segments, actuators, Status(status), number)


def write_vine(state: Any, vine: OmplVine) -> None:
    """Write a vine into a state. Its heading is within half a turn."""
    x, y, heading = vine.tip.tolist()
    pose, rest = state[0], state[1]
    pose.setXY(x, y)
    pose.setYaw(math.remainder(heading, 2 * math.pi))
    facts = [float(vine.status), float(vine.segments), float(vine.actuators), float(vine.number)]
    rest[0 : FACTS + 2 * len(vine.angles)] = [*facts, *vine.angles.tolist(), *vine.controls.tolist()]


def _states(environment: Environment, max_segments: int) -> Any:
    """Make the space of vines: poses of their tips within the bounds, and the other properties, which have no distance."""
    poses = base.SE2StateSpace()
    poses.setBounds(_bounds(environment.bounds[:2], environment.bounds[2:]))
    poses.setSubspaceWeight(1, HEADING_WEIGHT)
    count = FACTS + 2 * max_segments
    rest = base.RealVectorStateSpace(count)
    rest.setBounds(_bounds(np.full(count, -NO_LIMIT), np.full(count, NO_LIMIT)))
    states = base.CompoundStateSpace()
    states.addSubspace(poses, 1.0)
    states.addSubspace(rest, 0.0)
    states.lock()
    states.registerDefaultProjection(base.SubspaceProjectionEvaluator(states, 0))
    return states


def _bounds(low: Floats | list[float], high: Floats | list[float]) -> Any:
    bounds = base.RealVectorBounds(len(low))
    for axis, (least, most) in enumerate(zip(low, high, strict=True)):
        bounds.setLow(axis, float(least))
        bounds.setHigh(axis, float(most))
    return bounds


def _propagation(growth: VineGrower) -> Callable[[Any, Any, float, Any], None]:
    """Make the function with which OMPL grows a state; it must not refer to OMPL's objects, which own it."""

    def grow(state: Any, values: Any, _: float, result: Any) -> None:
        vine = read_vine(state, growth.max_segments)
        write_vine(result, growth.extend(vine, *growth.decode(*(values[axis] for axis in range(4)))))

    return grow


def _is_valid(state: Any) -> bool:
    """Whether no growth has failed with this state; sampled states are directions without a vine, and valid."""
    return state[1][0] not in FAILED


def _goal(information: Any, growth: VineGrower) -> Any:
    """Make the goal's disc; planners may also sample its centre, with any heading."""
    x, y, _ = growth.environment.goal.tolist()
    within, generator, bare = goal_radius(growth.environment, growth.params), util.RNG(), growth.start()

    class GoalDisc(base.GoalSampleableRegion):  # type: ignore[misc]
        def distanceGoal(self, state: Any) -> float:
            return max(math.hypot(state[0].getX() - x, state[0].getY() - y) - within, 0.0)

        def maxSampleCount(self) -> int:
            return HEADINGS

        def sampleGoal(self, state: Any) -> None:
            write_vine(state, replace(bare, tip=np.array([x, y, generator.uniformReal(-math.pi, math.pi)])))

    goal = GoalDisc(information)
    goal.setThreshold(1e-9)
    return goal


def _objective(information: Any, growth: VineGrower) -> Any:
    """Make the cost of a motion: the new actuators, plus `LENGTH_COST` per metre."""
    per_segment = LENGTH_COST * growth.params.segment_length

    class FewestActuators(base.OptimizationObjective):  # type: ignore[misc]
        def motionCost(self, one: Any, other: Any) -> Any:
            segments, actuators = (other[1][fact] - one[1][fact] for fact in (1, 2))
            return base.Cost(actuators + per_segment * segments)

        def stateCost(self, _: Any) -> Any:
            return base.Cost(0.0)

        def isSymmetric(self) -> bool:
            return False

    return FewestActuators(information)
