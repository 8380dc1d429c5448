"""The chain of paper 002 (tree, SST*, penalty by gradient steps, network of the actuator), with parts replaced, and the default one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from dynamics.tube import VineParams
from environments import load_environment
from planner.plan.inputs import Inputs
from planner.plan.problem import Problem
from planner.search.run import Budget, Keep, Run
from planner.search.sst import LENGTH_COST
from studies.memory import largest_memory, run_apart

PAPER, DEFAULT = "paper 002", "default"
CHAINS: dict[str, dict[str, Any]] = {
    PAPER: {"heuristic": True, "propagator": "penalty", "solver": "gradient", "surrogate": "network"},
    DEFAULT: {},
    "without the tree": {"propagator": "penalty", "solver": "gradient", "surrogate": "network"},
    "table of forces": {"heuristic": True, "propagator": "penalty", "solver": "gradient", "surrogate": "table"},
    "Newton's method": {"heuristic": True, "propagator": "penalty", "solver": "newton", "surrogate": "network"},
    "exact contact": {"heuristic": True},
}
"""Options of a plan of each chain; after the first two each replaces one part of the first."""
ENVIRONMENTS = "plus", "maze", "pickone", "needle", "long", "tube", "divider", "building", "spiral"
"""The environments of paper 002, Table 2, and those that it does not have."""


@dataclass(frozen=True, slots=True)
class CardCase:
    """One search to make."""

    chain: str
    environment: str
    seed: int
    time_budget: float
    """Search time, excluding compilation [s]."""
    batch: int
    """Number of vines in each iteration with `penalty`; with exact contact it is the default."""


@dataclass(frozen=True, slots=True)
class CardRecord:
    """Outcome of one search."""

    case: CardCase
    device: str
    """Name of the device on which vines grew."""
    iterations: int
    seconds: float
    """Search time [s]."""
    vine_steps: int
    replayed: int
    """Number of candidates grown again at an eighth of the step, which is part of the search time."""
    history: list[tuple[float, int, float]]
    """Seconds, actuators and length [m] of each better solution."""
    memory: float
    """Largest memory of the process [MB]."""

    def __str__(self) -> str:
        """Return it as a line."""
        found = f"first solution after {self.first:.2f} s" if self.history else "no solution"
        return (
            f"{self.case.environment}, {self.case.chain}: {self.iterations} iterations in {self.seconds:.1f} s, {found}"
        )

    @property
    def first(self) -> float:
        """Time to the first solution [s]; infinite without one."""
        return self.history[0][0] if self.history else math.inf

    @property
    def cost(self) -> float:
        """Cost of the best solution at the end; infinite without one."""
        return self.history[-1][1] + LENGTH_COST * self.history[-1][2] if self.history else math.inf

    @property
    def iteration(self) -> float:
        """Mean time of an iteration [s]; infinite if none was finished."""
        return self.seconds / self.iterations if self.iterations else math.inf

    @property
    def rate(self) -> float:
        """Vine-steps per second, replays and the tree included in the time [1/s]."""
        return self.vine_steps / self.seconds

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {**asdict(self.case), **{name: part for name, part in asdict(self).items() if name != "case"}}


def make_cases(environments: Sequence[str], seconds: float, batch: int) -> list[CardCase]:
    """Return the searches, the most important first: the two whole chains everywhere, then the parts."""
    whole, parts = (PAPER, DEFAULT), tuple(CHAINS)[2:]
    return [
        CardCase(chain, environment, 0, seconds, batch)
        for chains in (whole, parts)
        for environment in environments
        for chain in chains
    ]


def run_cases(cases: Sequence[CardCase]) -> Iterator[CardRecord]:
    """Yield the outcome of each search, made in a process of its own."""
    return run_apart(run_case, cases)


def run_case(case: CardCase) -> CardRecord:
    """Search with one chain, after a search of one iteration elsewhere that compiles or loads what it needs."""
    options = Inputs(seed=case.seed, batch=case.batch, fast=True, time_budget_s=case.time_budget, **CHAINS[case.chain])
    if options.propagator != "penalty":
        options = options.model_copy(update={"batch": Inputs().batch})
    warm = _prepare("divider", options)
    next(warm.run(Budget(math.inf, iterations=1)))
    run = _prepare(case.environment, options)
    for _ in run.run(Budget(case.time_budget)):
        pass
    history = [(round(one.seconds, 3), one.actuators, round(one.length, 4)) for one in run.history]
    search, memory = run.search, round(largest_memory(), 1)
    name = run.propagator.device_name
    return CardRecord(
        replace(case, batch=options.batch),
        name,
        search.iteration,
        round(run.seconds, 3),
        search.vine_steps,
        run.solutions.replayed,
        history,
        memory,
    )


def _prepare(environment: str, options: Inputs) -> Run:
    """Do what a plan does up to its first iteration."""
    params = VineParams()
    problem = Problem.of(load_environment(environment, params.radius), params, options)
    return Run.prepare(
        problem.environment,
        problem.tube,
        problem.make,
        options.seed,
        options.batch,
        Keep(options.solutions),
        problem.switches(),
    )
