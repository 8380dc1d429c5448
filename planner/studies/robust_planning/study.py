"""Gain from choosing designs by success rate, and the number of additional actuators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dynamics.tube import VineParams
from environments import load_environment
from planner.robustness.selection import CANDIDATES, FINAL, SLACK, THRESHOLD, Champion, Choice, Selection
from planner.robustness.trials import Spread
from planner.search.run import Budget, Keep, Run


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One planning run with evaluated designs: that of lowest cost, and the most robust for each number of actuators."""

    environment: str
    seed: int
    choice: Choice
    search_seconds: float
    trials: int
    """Total number of trials."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "environment": self.environment,
            "seed": self.seed,
            "search_s": round(self.search_seconds, 2),
            "trials": self.trials,
            **self.choice.content(),
        }


def run_cases(cases: Sequence[tuple[str, int]], seconds: float, level: float) -> Iterator[Evaluated]:
    """Plan each case and evaluate the designs with up to two actuators more than the lowest-cost design.

    Args:
        cases: Environments and seeds.
        seconds: Duration of each search [s].
        level: Standard deviation of obstacles and of bending [-].
    """
    params = VineParams()
    for name, seed in cases:
        environment = load_environment(name, params.radius)
        run = Run.prepare(environment, params, seed=seed, keep=Keep(CANDIDATES, SLACK))
        for _ in run.run(Budget(seconds)):
            pass
        counted: list[int] = []
        if designs := [solution.design for solution in run.solutions.best]:
            spread = Spread.of_levels(level, level)
            replayer = run.solutions.replayer
            selection = Selection(environment, spread, run.search.catalogue, seed, FINAL, counted.append, replayer)
            lowest = Champion(designs[0], selection.evaluate(designs[0]), 1)
            choice = Choice(level, THRESHOLD, lowest, list(selection.champions(designs)))
            yield Evaluated(environment.name, seed, choice, run.seconds, sum(counted))
