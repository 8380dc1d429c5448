"""Paper 002, Fig. 4: the tree of one search at several iterations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.tube import VineParams
from dynamics.vine import Integers
from environments import load_environment
from planner.design.design import Design
from planner.search.run import Budget, Run
from planner.search.tree import branches_of
from surrogate.kernels.compiled import Floats

ENVIRONMENT = "long"
"""The environment of Fig. 4."""
MARKS = 1, 5, 25, 50
"""Iterations after which the tree is kept, beside those of the first solution and of the end."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeSnapshot:
    """A copy of the tree after an iteration: nodes that are pruned later are in it."""

    iteration: int
    branches: list[Floats]
    """Joints of each node from its parent's tip to its own [m], each of shape (n, 2)."""
    actuators: Integers
    """Number of actuators of each node's vine, shape (branches,)."""
    best: Design | None
    """The solution of lowest cost; None before the first."""
    first: bool
    """Whether the first solution was found in this iteration."""

    @classmethod
    def of(cls, run: Run, first: bool) -> TreeSnapshot:
        """Copy what is drawn of a search, which is not changed."""
        tree = run.search.tree
        slots = np.flatnonzero(tree.used & (tree.parent >= 0))
        return cls(
            run.search.iteration,
            branches_of(tree, run.environment.start, run.params, slots),
            tree.actuators[slots].astype(np.int64),
            run.best.design if run.best else None,
            first,
        )

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        counts = np.bincount(self.actuators).tolist()
        found: dict[str, Any] = {
            "iteration": self.iteration,
            "first_solution": self.first,
            "branches_by_actuators": counts,
        }
        if self.best:
            found |= {"actuators": self.best.actuators, "length_mm": round(1e3 * self.best.length, 3)}
        return found


def keep_trees(run: Run, iterations: int) -> Iterator[TreeSnapshot]:
    """Search, and yield the tree after each of `MARKS`, after the first solution, and at the end."""
    budget, before = Budget(math.inf, iterations=iterations), None
    for _ in run.run(budget):
        first = before is None and run.best is not None
        before = run.best
        if first or run.search.iteration in MARKS or run.ended(budget):
            yield TreeSnapshot.of(run, first)


def search_in_steps(iterations: int, seed: int) -> list[TreeSnapshot]:
    """Search in `ENVIRONMENT`, and return its tree at several iterations."""
    params = VineParams()
    return [*keep_trees(Run.prepare(load_environment(ENVIRONMENT, params.radius), params, seed=seed), iterations)]
