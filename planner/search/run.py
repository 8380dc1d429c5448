"""A planning run: a search within a budget, and its solutions."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec

import numpy as np

from dynamics.propagator import Propagator, PropagatorFactory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout
from environments.environment import Environment
from environments.obstacles import Obstacles
from planner.search.levels import warm_up_levels
from planner.search.reverse.cost_to_go import CostToGo
from planner.search.reverse.reverse_growth import ReverseGrowth
from planner.search.reverse.reverse_tree import ReverseTree
from planner.search.solutions import DEFAULT_SLACK, SPREAD, Solution, Solutions
from planner.search.sst import DEFAULT_SWITCHES, Search, Switches
from planner.search.steered.search import SteeredSearch
from planner.search.steered.solutions import SteeredSolutions
from surrogate.kernels.interruption import Interrupted

TIME_SPENT = "time budget spent"
"""Why a search has ended that used its time."""
TREE_SHARE = 0.1
"""Maximum share of the time budget for the reverse tree."""
UNGUIDED = 4
"""Number of iterations without a solution after which a reverse tree guides a search."""
FIRST_SAMPLES = 1000
"""Number of poses that the reverse tree samples before the search. It grows on after 1, 2, 4, 8 ... iterations, each time to this
number for every iteration done, and one more."""
MOST_SAMPLES = 16000
"""Maximum number of poses that the reverse tree samples."""


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
    search: Search
    """The search tree and what extends it."""
    solutions: Solutions
    """The solutions that are kept."""
    seed: int
    """Seed of the search and of the reverse tree."""
    reverse_tree: ReverseTree | None = None
    """The reverse tree, as far as it has grown."""
    seconds: float = 0.0
    """Search time so far, including the reverse tree, excluding compilation [s]."""
    prepare_seconds: float = 0.0
    """Time before the search, including compilation [s]; what the first snap needs is `Solutions.preparing`."""
    history: list[HistoryEntry] = field(default_factory=list)
    """Improvements of the best solution, the first one first."""
    past: EarlierRun | None = None
    """Counts and history when its checkpoint was written, until it has repeated that; otherwise None."""
    growth: ReverseGrowth | None = None
    """Growth of the reverse tree; None before it begins, and in a run that was resumed until the tree grows again."""

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
        arguments = environment, model, params, np.random.default_rng(seed), batch, switches
        kept = keep.count, keep.each_count, keep.slack, keep.spread
        if switches.steer:
            search: Search = (steered := SteeredSearch(*arguments))
            solutions: Solutions = SteeredSolutions(steered, *kept)
        else:
            search = (switches.search or Search)(*arguments)
            solutions = Solutions(search, *kept)
        run = cls(environment, params, model, search, solutions, seed)
        run.prepare_seconds = time.perf_counter() - began
        return run

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
            try:
                if self.search.switches.heuristic or self._lost:
                    self._grow_tree(budget)
                examined = self.search.iterate(self.solutions.examine)
            except Interrupted:
                self.seconds = time.perf_counter() - start - self.solutions.preparing
                return
            improved = self.solutions.take(examined)
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

    @property
    def _lost(self) -> bool:
        """Whether a reverse tree may help: there is no solution after some iterations, and OMPL is installed."""
        waited = self.best is None and self.search.iteration >= UNGUIDED
        return waited and self.search.switches.lost and find_spec("ompl") is not None

    def _grow_tree(self, budget: Budget) -> None:
        """Grow the reverse tree, if it is time for that, and guide the search by the result.

        A run that was resumed grows the tree again from the seed: what has grown there is the same.
        """
        iteration, known = self.search.iteration, self.reverse_tree
        samples = min(FIRST_SAMPLES * (iteration + 1), MOST_SAMPLES)
        if iteration & (iteration - 1) or (known and known.samples >= samples):
            return
        # With a budget of iterations the result must be reproducible, so the tree has no time limit.
        spent = known.seconds if known else 0.0
        share = TREE_SHARE * budget.seconds - spent if self.search.switches.heuristic else self.seconds
        left = share if budget.iterations is None else math.inf
        if left <= 0:
            return
        if not self.growth:
            reachable = self.search.catalogue.reachable
            contact = self.search.switches.contact
            self.growth = ReverseGrowth(self.environment, self.params, reachable, self.seed, contact)
        tree = self.growth.grow_until(samples, left)
        if not known or tree.samples > known.samples:
            self.follow(tree)

    def follow(self, tree: ReverseTree) -> None:
        """Guide the search by a reverse tree from now on, if it has edges."""
        self.reverse_tree = tree
        if not tree.failure:
            self.search.guide(CostToGo(tree))


def warm_up(propagator: Propagator) -> Rollout:
    """Compile the kernels by growing one segment."""
    length = propagator.params.segment_length
    return propagator.grow(propagator.start(1, 2), Actuation(np.zeros((1, 2)), np.ones((1, 2))), length, length)


def _warm_up_heuristic(params: VineParams) -> None:
    """Compile the kernels of the reverse tree by growing one in an empty environment."""
    room = Environment("", "", np.array([0.0, 0.0, 2.0, 2.0]), np.zeros(3), np.array([1.0, 1.0, 0.1]), Obstacles())
    CostToGo(ReverseGrowth(room, params, (0.5, 3.0)).grow_until(20))
