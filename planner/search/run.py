"""A planning run: search until the budget is spent, keeping what was found."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dynamics.propagator import Propagator, PropagatorFactory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation
from environments.environment import Environment
from environments.obstacles import Obstacles
from planner.search.catalogue import Catalogue
from planner.search.cost_to_go import CostToGo
from planner.search.reverse_tree import ReverseTree
from planner.search.solutions import Solution, Solutions
from planner.search.sst import ALTERNATIVES, AS_IT_IS, Search, Switches

TREE_SHARE = 0.1
"""Greatest share of the time that the reverse tree may take."""


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop; whichever comes first."""

    seconds: float
    iterations: int | None = None
    first: bool = False
    """Stop at the first solution."""
    target_actuators: int | None = None
    """Stop at a solution with no more actuators than this."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Which solutions a search keeps."""

    count: int = 5
    """How many distinct ones."""
    slack: float = ALTERNATIVES
    """How much costlier than the best they may be, in actuators."""


FEW = Keep()


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One improvement of the best solution."""

    seconds: float
    actuators: int
    length: float
    """Length of the tube [m]."""


@dataclass(slots=True)
class Run:
    """A search and what it found; iterate over `run` to advance it."""

    environment: Environment
    params: VineParams
    propagator: Propagator
    search: Search
    solutions: Solutions
    heuristic: bool
    """Whether a reverse tree is to guide the search."""
    seed: int
    """Seed of the search and of the reverse tree."""
    reverse_tree: ReverseTree | None = None
    """What guides the search; grown when it begins."""
    seconds: float = 0.0
    """Time searched so far, that of the reverse tree included, excluding compilation [s]."""
    prepare_seconds: float = 0.0
    """Time before the search, including compilation [s]."""
    history: list[HistoryEntry] = field(default_factory=list)

    @classmethod
    def prepare(
        cls,
        environment: Environment,
        params: VineParams,
        make: PropagatorFactory = QuasiStatic,
        seed: int = 0,
        batch: int = 100,
        keep: Keep = FEW,
        heuristic: bool = False,
        switches: Switches = AS_IT_IS,
    ) -> Run:
        """Build the search, and compile the kernels where that has not been done.

        Args:
            make: The model of the growing vine.
            keep: Which solutions to keep.
            heuristic: Whether to be guided by cost-to-go, from a reverse tree.
            switches: Parts of the search to turn off.
        """
        began = time.perf_counter()
        model, catalogue = make(environment, params), Catalogue.of(params)
        warm_up(model)
        if heuristic:
            _warm_up_heuristic(params)
        search = Search(environment, model, params, catalogue, np.random.default_rng(seed), batch, switches, keep.slack)
        run = cls(environment, params, model, search, Solutions(search, keep.count), heuristic, seed)
        run.prepare_seconds = time.perf_counter() - began
        return run

    @property
    def best(self) -> Solution | None:
        """The lowest-cost solution so far."""
        return self.solutions.best[0] if self.solutions.best else None

    def run(self, budget: Budget) -> Iterator[Run]:
        """Search, yielding after every iteration, until the budget is spent.

        Raises:
            WalledIn: No tube can get to the goal, and the heuristic was asked for.
        """
        start = time.perf_counter() - self.seconds
        if self.heuristic and not self.reverse_tree:
            # Whoever counts iterations wants the same search again, so then no clock decides about the tree.
            self._guide(TREE_SHARE * budget.seconds if budget.iterations is None else math.inf)
        while not self.ended(budget):
            improved = self.solutions.offer(self.search.iterate())
            self.seconds = time.perf_counter() - start
            if improved and self.best:
                design = self.best.design
                self.history.append(HistoryEntry(self.seconds, design.actuators, design.length))
            yield self

    def ended(self, budget: Budget) -> str | None:
        """Why there is nothing more to do, in words; None while there is."""
        target = math.inf if budget.first else -1 if budget.target_actuators is None else budget.target_actuators
        if self.best and self.best.design.actuators <= target:
            return "target reached"
        if self.search.exhausted:
            return "nothing better left to try"
        if budget.iterations is not None and self.search.iteration >= budget.iterations:
            return "iterations done"
        return "time budget spent" if self.seconds >= budget.seconds else None

    def _guide(self, seconds: float) -> None:
        tightest = self.search.catalogue.reachable[1]
        self.follow(ReverseTree.grow(self.environment, self.params, tightest, self.seed, seconds=seconds))

    def follow(self, tree: ReverseTree) -> None:
        """Be guided by a reverse tree from now on, if it has left the goal."""
        self.reverse_tree = tree
        if not tree.complaint:
            self.search.guide(CostToGo(tree))


def warm_up(propagator: Propagator) -> None:
    """Have the kernels compiled, by growing one segment."""
    length = propagator.params.segment_length
    propagator.grow(propagator.start(1, 2), Actuation(np.zeros((1, 2)), np.ones((1, 2))), length, length)


def _warm_up_heuristic(params: VineParams) -> None:
    """The same for the reverse tree, by growing one in an empty room."""
    room = Environment("", "", np.array([0.0, 0.0, 2.0, 2.0]), np.zeros(3), np.array([1.0, 1.0, 0.1]), Obstacles())
    CostToGo(ReverseTree.grow(room, params, 3.0, samples=20))
