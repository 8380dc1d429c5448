"""A planning run: a search within a budget, and its solutions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from dynamics.propagator import Propagator, PropagatorFactory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout
from environments.environment import Environment
from environments.obstacles import Obstacles
from planner.search.begun import BegunSearch, BegunSolutions
from planner.search.levels import warm_up_levels
from planner.search.reverse.cost_to_go import CostToGo
from planner.search.reverse.reverse_growth import ReverseGrowth
from planner.search.reverse.reverse_tree import ReverseTree
from planner.search.solutions import DEFAULT_SLACK, SPREAD, Solution, Solutions
from planner.search.sst import DEFAULT_SWITCHES, Search, Switches
from planner.search.steered.search import SteeredSearch
from planner.search.steered.solutions import SteeredSolutions
from surrogate.kernels.interruption import Interrupted

BeginSearch = Callable[[np.random.Generator], tuple[Search, Solutions]]
TIME_SPENT = "time budget spent"
"""Why a search has ended that used its time."""
TREE_SHARE = 0.1
"""Maximum share of the time budget for the reverse tree."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Stop criteria; the first one that is met ends the search."""

    seconds: float
    """Search time [s]."""
    iterations: int | None = None
    """Maximum number of iterations; None for no limit."""
    first: bool = False
    """Stop at the first solution."""
    target_actuators: int | None = None
    """Stop at a solution with no more actuators than this."""

    def part(self, share: float) -> Budget:
        """The budget of one of several searches: a share of the time [-]. A limit of iterations holds for each of them instead,
        and the time is then that of each: otherwise the machine would decide where they end."""
        return self if self.iterations is not None else replace(self, seconds=share * self.seconds)


@dataclass(frozen=True, slots=True)
class Keep:
    """Limits of the solutions that a search keeps."""

    count: int = 10
    """Maximum number of distinct solutions."""
    slack: float = DEFAULT_SLACK
    """Maximum cost above that of the best solution, in actuators, once there are so many."""
    each_count: bool = False
    """Whether to keep a shape once for each number of actuators; otherwise once for each sequence of their sides."""
    spread: float = SPREAD
    """Maximum cost above that of the best solution while there are fewer; at least `slack`."""


FEW = Keep()


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """An improvement of the best solution."""

    seconds: float
    """Search time at which it was found [s]."""
    actuators: int
    """Number of its actuators."""
    length: float
    """Length of the tube [m]."""


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """Counts and history of a run that is repeated from its beginning."""

    iterations: int
    seconds: float
    history: list[HistoryEntry]


@dataclass(slots=True)
class Run:
    """A search and its solutions; iterate over `run` to advance it."""

    environment: Environment
    """Where the vines grow."""
    params: VineParams
    """The tube and its actuators."""
    propagator: Propagator
    """The model of the growing vine."""
    setup: Any
    """OMPL's `SimpleSetup` with the planner, see `planner.search.ompl.setup.VineSetup`; where OMPL is not published, a stand-in."""
    planner: Any
    """The planner of the setup, a `planner.search.ompl.vine_planner.VinePlanner`, which has the search and its solutions."""
    seed: int
    """Seed of the search and of the reverse tree."""
    seconds: float = 0.0
    """Search time so far, including the reverse tree, excluding compilation [s]."""
    prepare_seconds: float = 0.0
    """Time before the search, including compilation [s]; what the first snap needs is `Solutions.preparing`."""
    history: list[HistoryEntry] = field(default_factory=list)
    """Improvements of the best solution, the first one first."""
    past: EarlierRun | None = None
    """Counts and history when its checkpoint was written, until it has repeated that; otherwise None."""

    @classmethod
    def prepare(
        cls,
        environment: Environment,
        params: VineParams,
        make: PropagatorFactory = QuasiStatic,
        seed: int = 0,
        batch: int = 100,
        keep: Keep = FEW,
        switches: Switches = DEFAULT_SWITCHES,
    ) -> Run:
        """Build the search, and compile the kernels if necessary.

        Args:
            make: The model of the growing vine.
            keep: Which solutions to keep.
            switches: Parts of the search to disable or change.
        """
        began = time.perf_counter()
        model = make(environment, params)
        warm_up(model)
        if switches.heuristic:
            _warm_up_heuristic(params)
        if switches.levels:
            warm_up_levels(environment, params)
        begin = partial(begin_search, environment, model, params, batch, keep, switches)
        run = cls.of(environment, params, model, begin, seed)
        run.prepare_seconds = time.perf_counter() - began
        return run

    @classmethod
    def of(
        cls, environment: Environment, params: VineParams, propagator: Propagator, begin: BeginSearch, seed: int
    ) -> Run:
        """Set OMPL up for a search that compiles nothing more.

        Args:
            propagator: The model of the growing vine.
            begin: Makes the search from its random numbers, and the set of its solutions.
        """
        # Here, because the program excludes what is imported before a plan from the collection of garbage, which OMPL takes for a leak.
        from planner.search.ompl.interface import make_setup
        from planner.search.ompl.vine_planner import VinePlanner

        setup = make_setup(propagator)
        planner = VinePlanner(setup.getSpaceInformation(), begin, seed, getattr(setup, "growth", None))
        planner.publishes = False  # it takes time that no search needs
        setup.setPlanner(planner)
        return cls(environment, params, propagator, setup, planner, seed)

    @property
    def search(self) -> Search:
        """The search tree and what extends it."""
        return self.planner.search

    @property
    def solutions(self) -> Solutions:
        """The solutions that are kept."""
        return self.planner.solutions

    @property
    def reverse_tree(self) -> ReverseTree | None:
        """The reverse tree, as far as it has grown; None before it begins."""
        return self.planner.guidance.tree

    @property
    def best(self) -> Solution | None:
        """The lowest-cost solution so far."""
        return self.solutions.best[0] if self.solutions.best else None

    def run(self, budget: Budget) -> Iterator[Run]:
        """Search, yielding after every iteration, until the budget is spent or growth is cut short.

        Raises:
            WalledIn: No path wide enough for the tube leads to the goal (with a reverse tree only).
        """
        start = time.perf_counter() - self.seconds - self.solutions.preparing
        while not self.ended(budget):
            best = self.best
            try:
                self._iterate(budget)
            except Interrupted:
                self.seconds = time.perf_counter() - start - self.solutions.preparing
                return
            improved = self.best and (best is None or self.best.cost < best.cost)
            self.seconds = time.perf_counter() - start - self.solutions.preparing
            if improved and self.best:
                design = self.best.design
                self.history.append(HistoryEntry(self.seconds, design.actuators, design.length))
            if self.past and self.search.iteration == self.past.iterations:
                self.seconds, self.history, self.past = self.past.seconds, self.past.history, None
                start = time.perf_counter() - self.seconds - self.solutions.preparing
            yield self

    def ended(self, budget: Budget) -> str | None:
        """Reason why the search has ended; None if it can continue."""
        if self.past:
            return None
        target = math.inf if budget.first else -1 if budget.target_actuators is None else budget.target_actuators
        if self.best and self.best.design.actuators <= target:
            return "target reached"
        if self.search.exhausted:
            return "nothing better left to try"
        if budget.iterations is not None and self.search.iteration >= budget.iterations:
            return "iterations done"
        return TIME_SPENT if self.seconds >= budget.seconds else None

    def _iterate(self, budget: Budget) -> None:
        """Let the planner search for one more iteration.

        Raises:
            Interrupted: Growth was cut short.
            WalledIn: See `run`.
        """
        from planner.search.ompl.interface import base, without_log

        self.planner.tree_seconds = self._tree_seconds(budget)
        until = self.search.iteration + 1
        with without_log():
            self.setup.solve(base.PlannerTerminationCondition(lambda: self.search.iteration >= until))

    def _tree_seconds(self, budget: Budget) -> float:
        """Return the time that the reverse tree may grow before the next iteration [s]."""
        if budget.iterations is not None:  # the result must be reproducible
            return math.inf
        if not self.search.switches.heuristic:
            return self.seconds
        return TREE_SHARE * budget.seconds - (self.reverse_tree.seconds if self.reverse_tree else 0.0)


def begin_search(
    environment: Environment,
    propagator: Propagator,
    params: VineParams,
    batch: int,
    keep: Keep,
    switches: Switches,
    rng: np.random.Generator,
) -> tuple[Search, Solutions]:
    """Make a search and its empty set of solutions.

    Args:
        propagator: The model of the growing vine.
        batch: Maximum number of vines grown in each iteration.
        keep: Which solutions to keep.
        switches: Parts of the search to disable or change.
        rng: Its random numbers.
    """
    arguments = environment, propagator, params, rng, batch, switches
    kept = keep.count, keep.each_count, keep.slack, keep.spread
    if switches.steer:
        steered = SteeredSearch(*arguments)
        return steered, SteeredSolutions(steered, *kept)
    if switches.known:
        begun = BegunSearch(*arguments)
        return begun, BegunSolutions(begun, *kept)
    search: Search = (switches.search or Search)(*arguments)
    return search, Solutions(search, *kept)


def warm_up(propagator: Propagator) -> Rollout:
    """Compile the kernels by growing one segment."""
    length = propagator.params.segment_length
    return propagator.grow(propagator.start(1, 2), Actuation(np.zeros((1, 2)), np.ones((1, 2))), length, length)


def _warm_up_heuristic(params: VineParams) -> None:
    """Compile the kernels of the reverse tree by growing one in an empty environment."""
    room = Environment("", "", np.array([0.0, 0.0, 2.0, 2.0]), np.zeros(3), np.array([1.0, 1.0, 0.1]), Obstacles())
    CostToGo(ReverseGrowth(room, params, (0.5, 3.0)).grow_until(20))
