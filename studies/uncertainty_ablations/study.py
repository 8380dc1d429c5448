"""Plans with several numbers of particles, and without refinement."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.plan.choice.refinement import grown_candidates
from planner.plan.choice.selection import NO_TRIALS, Champion, Choice, Selection, keep_candidates
from planner.plan.inputs import SUCCESS, Inputs
from planner.plan.plan import INTERRUPTED, search
from planner.search.run import Budget, Run
from planner.uncertainty.errors import named_errors
from studies.fresh_trials import FreshTrials, counts, fresh_worlds, planned, tried

ENVIRONMENTS = "divider", "pickone", "needle"


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to plan."""

    particles: int = 1
    refined: bool = True

    def __str__(self) -> str:
        return f"{self.particles} particle{'s' * (self.particles != 1)}" + ", no refinement" * (not self.refined)


VARIANTS = *(Variant(particles) for particles in (1, 4, 8, 16)), Variant(refined=False)


@dataclass(frozen=True, slots=True)
class Case:
    """One plan to make."""

    environment: str
    seed: int
    variant: Variant


@dataclass(frozen=True, slots=True, eq=False)
class Designs:
    """The designs of one plan, and their success in fresh trials."""

    first_s: float
    """Time to the first solution as planned [s]."""
    iterations: int
    """Number of iterations of the search."""
    lowest: FreshTrials
    """The design of lowest cost that the search found."""
    chosen: FreshTrials

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "first_s": round(self.first_s, 3),
            "iterations": self.iterations,
            "lowest_cost": {"actuators": self.lowest.actuators, "reached_of": counts(self.lowest.estimate)},
            "chosen": {"actuators": self.chosen.actuators, "reached_of": counts(self.chosen.estimate)},
        }


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """The result of a case."""

    case: Case
    designs: Designs | None
    """None if no design was found."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file; without a design, `first_s` and what follows is missing."""
        case, variant = self.case, self.case.variant
        made = {"environment": case.environment, "seed": case.seed}
        made |= {"particles": variant.particles, "refined": variant.refined}
        return made | (self.designs.content() if self.designs else {})

    def __str__(self) -> str:
        found = self.designs.chosen.words if self.designs else "no design"
        return f"{self.case.environment}, seed {self.case.seed}, {self.case.variant}: {found}"


def cases(environments: Sequence[str], runs: int) -> list[Case]:
    """Each environment with seeds 0 ... runs - 1, planned in every way."""
    return [Case(name, seed, variant) for name in environments for seed in range(runs) for variant in VARIANTS]


def run_cases(several: Sequence[Case], seconds: float) -> Iterator[Planned]:
    """Plan each case, and try its designs.

    Args:
        seconds: Time budget of each plan [s]; without refinement all of it is for the search.
    """
    for case in several:
        environment = load_environment(case.environment, VineParams().radius)
        run, choice = (
            _refined(environment, case, seconds) if case.variant.refined else _plain(environment, case, seconds)
        )
        yield Planned(case, _tried(environment, run, choice) if choice else None)


def _refined(environment: Environment, case: Case, seconds: float) -> tuple[Run, Choice | None]:
    inputs = Inputs(seed=case.seed, time_budget_s=seconds, particles=case.variant.particles)
    result = planned(environment, inputs)
    return result.run, result.choice


def _plain(environment: Environment, case: Case, seconds: float) -> tuple[Run, Choice | None]:
    """Search all the time; for each number of actuators, choose the solution that does best in the worlds of a refinement."""
    run = Run.prepare(environment, VineParams(), seed=case.seed, keep=keep_candidates())
    if search(run, Budget(seconds), save=lambda: None) == INTERRUPTED:
        raise KeyboardInterrupt
    if not run.best:
        return run, None
    name, uncertainty = named_errors(environment, run.params, None)
    selection = Selection(run, uncertainty, left=lambda: math.inf, show=lambda _: None)
    designs = [solution.design for solution in run.solutions.best]
    grown = grown_candidates(designs, selection.worlds, np.arange(len(selection.worlds)))
    choice = Choice(name, uncertainty, SUCCESS)
    for actuators in sorted({design.actuators for design in designs}):
        some = [one for one in grown if one.design.actuators == actuators]
        likeliest = min(some, key=lambda one: one.loss).design
        choice.add(selection.with_trials(Champion(likeliest, NO_TRIALS, len(some)), 1))
    choice.add_trials(selection)
    return run, choice


def _tried(environment: Environment, run: Run, choice: Choice) -> Designs:
    assert run.best is not None  # a choice needs a solution
    worlds = fresh_worlds(environment, choice.uncertainty)
    lowest, chosen = (tried(design, worlds) for design in (run.best.design, choice.chosen.design))
    return Designs(run.history[0].seconds, run.search.iteration, lowest, chosen)
