"""Search by an OMPL planner instead of SST*, with the same solutions, costs, files and budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from ompl import base

from dynamics.jumps import follows_jump
from dynamics.propagator import CannotRun, Propagator
from dynamics.tube import VineParams
from dynamics.vine import Integers, Rollout, Status, convert_like
from environments.environment import Environment
from planner.search.ompl.planners import make_planner
from planner.search.ompl.setup import VineSetup
from planner.search.ompl.vines import OmplVine, VineGrower
from planner.search.reverse.seeded_ompl import quiet_ompl
from planner.search.sst import DEFAULT_SWITCHES, Search, Switches
from planner.search.tree import Candidates
from surrogate.kernels.compiled import Floats

MOST_SEED = 2**31
"""Upper limit of the seed of OMPL's random generators."""
IDLE = 1000
"""Number of calls of a planner without an extension after which it is given up."""


class OmplSearch(Search):
    """Vines grown by an OMPL planner, recorded in the tree of a `Search`; an iteration is a batch of extensions.

    OMPL's planners stop at a path to the goal; here they go on, and a vine is only valid while its cost may stay below `bound`, that
    of the solutions that are kept. So each of them improves with time, as in AO-RRT (Hauser & Zhou 2016), without beginning again.
    A search whose iteration was cut short cannot go on: its vines are in both trees. Repeat it from its seed.
    """

    repeated = True

    def __init__(
        self,
        environment: Environment,
        propagator: Propagator,
        params: VineParams,
        rng: np.random.Generator,
        batch: int,
        switches: Switches = DEFAULT_SWITCHES,
        planner: str = "rrt",
    ) -> None:
        """Set OMPL up.

        Args:
            planner: One of `planner.search.ompl.planners.planner_names`.
        Raises:
            NoPlanner: OMPL cannot make it.
        """
        super().__init__(environment, propagator, params, rng, batch, switches)
        self.name = planner
        self.growth = _RecordedGrowth(propagator, self)
        self.arrived: list[Candidates] = []
        """Vines in the goal that the planner has found in this iteration: none or one, because it stops there."""
        self._none = self._row(self.growth.start(), -1)[np.zeros(0, np.int64)]
        with quiet_ompl(int(rng.integers(MOST_SEED))):
            self.setup = VineSetup(self.growth)
            self.setup.setPlanner(make_planner(planner, self.setup.getSpaceInformation()))
            self.setup.setup()
            # The planner makes its random generators when it is first called.
            self.setup.solve(base.PlannerTerminationCondition(lambda: True))

    def grow(self) -> tuple[Candidates, Callable[[], None]]:
        """Let the planner extend its tree until a tip is in the goal, at most a batch of times.

        Returns:
            The vine in the goal, and a function that does nothing: all vines are in the trees already. An iteration that was cut
            short is not counted, and when the search is repeated from its beginning, there is no trace of it.
        Raises:
            CannotRun: The planner does not extend its tree any more, or something failed in it or in a function that it calls.
        """
        self.iteration += 1
        self.arrived = []
        growth, until, idle = self.growth, self.growth.asked + self.batch, 0
        enough = base.PlannerTerminationCondition(lambda: growth.asked >= until)
        with quiet_ompl():
            while growth.asked < until and not self.arrived:
                before = growth.asked
                try:
                    self.setup.solve(enough)  # returns at each path to the goal
                except (CannotRun, MemoryError):
                    raise
                except Exception as error:
                    raise CannotRun(f"OMPL's planner failed: {type(error).__name__}: {error}") from error
                self.setup.getProblemDefinition().clearSolutionPaths()
                idle = 0 if growth.asked > before else idle + 1
                if idle == IDLE:
                    status = self.setup.getLastPlannerStatus().asString()
                    raise CannotRun(f"OMPL's planner has ended: {status}; use another --planner")
        self.vine_steps = growth.vine_steps
        return self.arrived[0] if self.arrived else self._none, lambda: None

    def prune(self, slots: Integers) -> None:
        """Stop growing from nodes, except the root; they stay in OMPL's tree, so they stay in this tree."""
        self.tree.active[slots[self.tree.segments[slots] > 0]] = False

    @property
    def exhausted(self) -> bool:
        """Always False: OMPL's planners cannot tell that nothing is left to try."""
        return False

    def keep(self, before: OmplVine, vine: OmplVine, rollout: Rollout, record: int) -> OmplVine:
        """Add a vine to the tree; return it with its slot as its number."""
        tree, params = self.tree, self.params
        length = np.array([params.segment_length * before.segments])
        marked = tree.jumped[before.number] or follows_jump(rollout, before.tip[None, :2], length, params)[0, record]
        row = self._row(vine, before.number, bool(marked), record)
        (slot,) = tree.add(row)
        if self.growth.has_arrived(vine):
            self.arrived.append(row)
        return replace(vine, number=int(slot))

    def may_improve(self, tips: Floats, actuators: int, segments: Integers) -> NDArray[np.bool_]:
        """Return whether states may still lead to a solution that is kept, shape (n,)."""
        return self._least_cost(tips, np.full(len(segments), actuators), segments) < self.bound

    def _row(self, vine: OmplVine, parent: int, marked: bool = False, record: int = 0) -> Candidates:
        """Return a vine as a candidate."""
        angles = convert_like(self.propagator.start(0, 1).angles, vine.angles[None])
        return Candidates(
            angles, vine.controls[None], np.array([vine.segments]), vine.tip[None],
            np.array([vine.actuators]), np.zeros(1, bool), np.array([marked]), np.array([parent]),
            np.zeros(1, np.int64), np.array([record]), np.zeros((1, 0), bool),
        )  # fmt: skip


class _RecordedGrowth(VineGrower):
    """Growth of vines that a search records: only of those that it keeps."""

    def __init__(self, propagator: Propagator, search: OmplSearch) -> None:
        super().__init__(propagator)
        self.search = search

    def extend(self, vine: OmplVine, control: int, segments: int) -> OmplVine:
        if not self.search.tree.active[vine.number]:
            self.asked += 1
            return replace(vine, status=Status.STALLED)
        return super().extend(vine, control, segments)

    def may_improve(self, tips: Floats, actuators: int, segments: Integers) -> NDArray[np.bool_]:
        return self.search.may_improve(tips, actuators, segments)

    def number_vine(self, before: OmplVine, vine: OmplVine, rollout: Rollout, record: int) -> OmplVine:
        return self.search.keep(before, vine, rollout, record)
