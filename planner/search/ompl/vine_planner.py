"""The batched search as a planner of OMPL: every plan runs through its `solve`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from planner.search.guidance import Guidance
from planner.search.ompl.interface import base
from planner.search.ompl.vines import VineGrower
from planner.search.solutions import Solution, Solutions
from planner.search.sst import Search


class VinePlanner(base.Planner):  # type: ignore[misc]
    """Searches in batches, and keeps the vines that reach the goal again when they are grown at a smaller step.

    The search is SST*, or that of another planner (`planner.search.ompl.search`). `solve` goes on where it was until its termination
    condition is met, which is tested after each batch, or a solution costs less than the threshold of the objective; `clear` begins again,
    with other random numbers. The lowest-cost solution is the solution path of the problem definition.

    OMPL 2.0.1 cannot call `getPlannerData` and `getPlannerProgressProperties` of a planner in Python: to override the first ends the
    process. `planner_data` and `progress` have their content.
    """

    def __init__(
        self,
        information: Any,
        begin: Callable[[np.random.Generator], tuple[Search, Solutions]],
        seed: int = 0,
        growth: VineGrower | None = None,
    ) -> None:
        """Begin a search.

        Args:
            information: OMPL's `SpaceInformation` of a `VineSetup`.
            begin: Makes a search and its empty set of solutions.
            seed: Seed of the search and of its reverse tree.
            growth: Grows single vines in that space; None for the stand-in, which has no space.
        """
        self._begin, self._rng, self._seed, self._growth = begin, np.random.default_rng(seed), seed, growth
        self.search, self.solutions = begin(self._rng)
        super().__init__(information, self.search.name)
        self.guidance = Guidance(self.search, seed)
        self.tree_seconds = math.inf
        """Time that the reverse tree may grow before the next batch [s]."""
        self.publishes = True
        """Whether `solve` calls `publish` before it returns."""
        self._published: Solution | None = None

    def solve(self, until: Any) -> Any:
        """Search until a termination condition is met, or nothing better is left to try.

        Args:
            until: OMPL's `PlannerTerminationCondition`.
        Returns:
            OMPL's `PlannerStatus`.
        Raises:
            vinewright.CannotRun: The model cannot continue.
            Interrupted: Growth was cut short.
            WalledIn: No path wide enough for the tube leads to the goal.
        """
        while not until() and not self.search.exhausted and not self._is_satisfied():
            if self.guidance.is_wanted(solved=bool(self.solutions.best)):
                self.guidance.grow(self.tree_seconds)
            self.solutions.take(self.search.iterate(self.solutions.examine))
        if self.publishes:
            self.publish()
        return base.PlannerStatus(bool(self.solutions.best), False)

    def clear(self) -> None:
        """Forget the search and its solutions; the next one has other random numbers."""
        super().clear()
        self.search, self.solutions = self._begin(self._rng)
        self.guidance, self._published = Guidance(self.search, self._seed), None

    def progress(self) -> dict[str, Callable[[], str]]:
        """Return functions that give the progress as text, by their names and types as in OMPL's progress properties."""
        return {
            "best cost REAL": lambda: repr(self.solutions.best[0].cost if self.solutions.best else math.inf),
            "iterations INTEGER": lambda: str(self.search.iteration),
            "vine steps INTEGER": lambda: str(self.search.vine_steps),
            "graph states INTEGER": lambda: str(len(self.search.tree)),
        }

    def planner_data(self) -> Any:
        """Return the search tree as OMPL's `PlannerData`: each state is a vine, each edge has its cost.

        Raises:
            ModuleNotFoundError: OMPL is not installed.
        """
        from planner.search.ompl.paths import tree_data

        assert self._growth is not None
        return tree_data(self.getSpaceInformation(), self._growth, self.search)

    def publish(self) -> None:
        """Make the lowest-cost solution the solution path of the problem definition, if it is new and the space contains it."""
        problem, best = self.getProblemDefinition(), self.solutions.best
        if self._growth is None or problem is None or not best or best[0] is self._published:
            return
        from planner.search.ompl.paths import solution_path

        self._published = best[0]
        path = solution_path(self.getSpaceInformation(), self._growth, best[0])
        problem.clearSolutionPaths()
        if path is not None:
            problem.addSolutionPath(path, False, 0.0, self.getName())

    def _is_satisfied(self) -> bool:
        """Whether the best solution costs less than the threshold of the problem's objective, which is 0 unless someone sets it."""
        problem, best = self.getProblemDefinition(), self.solutions.best
        if not best or problem is None or not problem.hasOptimizationObjective():
            return False
        return bool(problem.getOptimizationObjective().isSatisfied(base.Cost(best[0].cost)))
