"""Search of the best setting of one kind of change: starts are raced, then the best are followed by CMA-ES (Hansen, 2016; `cma`).

All candidates meet the same tubes with errors that fit the trials; their loss is the smooth one of refinement.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynamics.vine import Integers
from planner.adapting.changes import Change, Variant
from planner.built.posterior import Posterior
from planner.built.predicting import Setting
from planner.plan.choice.refinement import Candidate
from surrogate.kernels.compiled import Floats

WORLDS, FIRST = 32, 8
"""Number of tubes with errors that fit the trials in which candidates are compared, and of those in which all starts are."""
FINALISTS = 6
"""Number of starts that are compared in all these tubes."""
FOLLOWED = 3
"""Number of starts that are followed, one after the other, at most."""
POPULATION = 10
"""Number of candidates of a generation."""
SPREAD = 0.5
"""Initial standard deviation of all unknowns."""
PATIENCE = 6
"""Number of generations without a better candidate after which a start is followed no further."""
LEAST_GAIN = 5e-3
"""A candidate whose loss is lower by less is not much better [-]."""
EFFORT = 1e-3
"""Loss of a change by one unit of the search in one unknown [-]: of changes that do the same, the smallest is best."""
IMPOSSIBLE = 1e3
"""Loss of a candidate that cannot be made [-]: more than any other."""


@dataclass(frozen=True, slots=True)
class Limit:
    """When to stop: by time for people, by generations for results that can be repeated."""

    seconds: float = np.inf
    """Time for all searches together [s]."""
    generations: int | None = None
    """Number of generations of each kind of change; None for no limit."""
    stopped: Callable[[], bool] = lambda: False
    """Returns whether to end soon and keep what was found; it is asked between generations."""

    def of(self, until: float) -> Callable[[int], bool]:
        """Return a function that says whether a search may go on after a number of generations.

        Args:
            until: When to stop, of `time.monotonic` [s].
        """
        return lambda done: (
            time.monotonic() < until and (self.generations is None or done < self.generations) and not self.stopped()
        )


def split(posterior: Posterior, seed: int) -> tuple[Integers, Integers]:
    """Return the samples in which candidates are compared, and the others, by which the best are judged.

    Copies of one sample are on one side: success in tubes that a search has seen is too high.
    """
    _, group = np.unique(posterior.normal, axis=0, return_inverse=True)
    order = np.random.default_rng([seed, 11]).permutation(group.max() + 1)
    seen = order[: min(WORLDS, max(len(order) // 2, 1))]
    first = np.array([np.flatnonzero(group == one)[0] for one in seen])
    others = np.flatnonzero(~np.isin(group, seen))
    return first, others if len(others) else first


class Search:
    """Search of the best setting of one kind of change; what was found so far is there whenever it is interrupted."""

    def __init__(self, change: Change, rows: Integers, seed: int) -> None:
        """Choose the tubes.

        Args:
            rows: Samples of the posterior.
        """
        self.change, self.rows, self.seed = change, rows, seed
        self.best: Setting | None = None
        self.posterior = change.variants[0].posterior if change.variants else None
        """Errors of the tube of the best setting."""
        self.lowest = np.inf
        self.generations = 0

    def run(self, may_go_on: Callable[[int], bool]) -> None:
        """Race the starts and follow the best; at least one start is tried."""
        ends = self._race(may_go_on)
        for variant, start in ends:
            if not may_go_on(self.generations):
                break
            if start.size:
                self._follow(variant, start, may_go_on)

    def _race(self, may_go_on: Callable[[int], bool]) -> list[tuple[Variant, Floats]]:
        """Return the best starts, best first: all are grown in a few tubes, the best of them in all."""
        starts = [(variant, start) for variant in self.change.variants for start in variant.starts]
        # In turn from each variant, so that a search that has to end soon has tried all of them.
        turn = np.argsort([k for variant in self.change.variants for k in range(len(variant.starts))], kind="stable")
        left = [starts[k] for k in turn.tolist()]
        if len(left) > FINALISTS:
            losses = [
                self._loss(variant, start, FIRST) if k == 0 or may_go_on(0) else IMPOSSIBLE
                for k, (variant, start) in enumerate(left)
            ]
            left = [left[k] for k in np.argsort(losses, kind="stable")[:FINALISTS].tolist()]
        ranked = []
        for k, (variant, start) in enumerate(left):
            if k and not may_go_on(0):
                break
            ranked.append((self._compare(variant, start), k))
        return [left[k] for _, k in sorted(ranked)[:FOLLOWED]]

    def _follow(self, variant: Variant, start: Floats, may_go_on: Callable[[int], bool]) -> None:
        """Improve a start until there is no better candidate."""
        import cma  # takes a second

        options: dict[str, Any] = {"seed": self.seed + 1, "verbose": -9, "popsize": POPULATION}
        # CMA-ES needs two unknowns: a second one has no effect.
        padded = np.pad(start, (0, max(2 - start.size, 0)))
        evolution, idle, lowest = cma.CMAEvolutionStrategy(padded, SPREAD, options), 0, np.inf
        while idle < PATIENCE and may_go_on(self.generations) and not evolution.stop():
            asked = [np.asarray(point) for point in evolution.ask()]
            losses = [self._compare(variant, point[: start.size]) for point in asked]
            evolution.tell(asked, losses)
            idle = 0 if min(losses) < lowest - LEAST_GAIN else idle + 1
            lowest = min(lowest, *losses)
            self.generations += 1

    def _compare(self, variant: Variant, point: Floats) -> float:
        """Return the loss of a candidate in all tubes, and keep it if it is the best."""
        made = variant.make(point)
        if made is None:
            return IMPOSSIBLE + float(np.linalg.norm(point))
        loss = self._loss_of(made, variant, WORLDS) + EFFORT * float(point @ point)
        if loss < self.lowest:
            self.best, self.posterior, self.lowest = made, variant.posterior, loss
        return loss

    def _loss(self, variant: Variant, point: Floats, worlds: int) -> float:
        made = variant.make(point)
        return IMPOSSIBLE if made is None else self._loss_of(made, variant, worlds)

    def _loss_of(self, setting: Setting, variant: Variant, worlds: int) -> float:
        """Return the loss of a setting in the first of the tubes."""
        tube, rows = variant.posterior.tube, self.rows[:worlds]
        passing = np.random.default_rng([self.seed, 12]).standard_normal((len(rows), len(tube.unknowns)))
        nearest = tube.grow(tube.pair(variant.posterior.normal[rows], passing), setting).nearest
        # It is not judged as planned: its trials count alone.
        return Candidate(setting.design, nearest, -np.inf).loss


def part_of(posterior: Posterior, rows: Integers) -> Posterior:
    """Return a posterior with some of its samples."""
    normal = posterior.normal[rows]
    return replace(posterior, normal=normal, different=len(np.unique(normal, axis=0)))
