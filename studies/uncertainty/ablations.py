"""Plans with several numbers of particles, and without refinement."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.output.text import plural
from planner.plan.choice.refinement import grow_candidates
from planner.plan.choice.selection import NO_TRIALS, Champion, Choice, Selection, keep_candidates
from planner.plan.inputs import SUCCESS, Inputs
from planner.plan.plan import INTERRUPTED, search
from planner.search.run import Budget, Run
from planner.uncertainty.errors import named_errors
from studies.uncertainty.fresh_trials import FreshTrials, count_pair, grow_in_trials, make_fresh_worlds, plan_in_full

ABLATION_ENVIRONMENTS = "divider", "pickone", "needle"


@dataclass(frozen=True, slots=True)
class PlanVariant:
    """Settings of a plan."""

    particles: int = 1
    refined: bool = True

    def __str__(self) -> str:
        particles = plural(self.particles, "particle")
        return particles if self.refined else f"{particles}, no refinement"


VARIANTS = *(PlanVariant(particles) for particles in (1, 4, 8, 16)), PlanVariant(refined=False)


@dataclass(frozen=True, slots=True)
class AblationCase:
    """One plan to make."""

    environment: str
    seed: int
    variant: PlanVariant


@dataclass(frozen=True, slots=True, eq=False)
class AblatedDesigns:
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
            "lowest_cost": {"actuators": self.lowest.actuators, "reached_of": count_pair(self.lowest.estimate)},
            "chosen": {"actuators": self.chosen.actuators, "reached_of": count_pair(self.chosen.estimate)},
        }


@dataclass(frozen=True, slots=True, eq=False)
class AblationOutcome:
    """The result of a case."""

    case: AblationCase
    designs: AblatedDesigns | None
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


def ablation_cases(environments: Sequence[str], runs: int) -> list[AblationCase]:
    """Return the cases: each environment and seed 0 ... runs - 1 with every variant."""
    return [AblationCase(name, seed, variant) for name in environments for seed in range(runs) for variant in VARIANTS]


def run_ablations(cases: Sequence[AblationCase], seconds: float) -> Iterator[AblationOutcome]:
    """Plan each case, and grow its designs in fresh trials.

    Args:
        seconds: Time budget of each plan [s]; without refinement all of it is for the search.
    """
    for case in cases:
        environment = load_environment(case.environment, VineParams().radius)
        run, choice = (
            _plan_refined(environment, case, seconds)
            if case.variant.refined
            else _plan_unrefined(environment, case, seconds)
        )
        yield AblationOutcome(case, _test_designs(environment, run, choice) if choice else None)


def _plan_refined(environment: Environment, case: AblationCase, seconds: float) -> tuple[Run, Choice | None]:
    inputs = Inputs(seed=case.seed, time_budget_s=seconds, particles=case.variant.particles)
    result = plan_in_full(environment, inputs)
    return result.run, result.choice


def _plan_unrefined(environment: Environment, case: AblationCase, seconds: float) -> tuple[Run, Choice | None]:
    """Search all the time; for each number of actuators, choose the solution that does best in the worlds of a refinement."""
    run = Run.prepare(environment, VineParams(), seed=case.seed, keep=keep_candidates())
    if search(run, Budget(seconds), save=lambda: None) == INTERRUPTED:
        raise KeyboardInterrupt
    if not run.best:
        return run, None
    name, uncertainty = named_errors(environment, run.params, None)
    selection = Selection(run, uncertainty, left=lambda: math.inf, show=lambda _: None)
    designs = [solution.design for solution in run.solutions.best]
    grown = grow_candidates(designs, selection.worlds, np.arange(len(selection.worlds)))
    choice = Choice(name, uncertainty, SUCCESS)
    for actuators in sorted({design.actuators for design in designs}):
        candidates = [one for one in grown if one.design.actuators == actuators]
        likeliest = min(candidates, key=lambda candidate: candidate.loss).design
        choice.add(selection.with_trials(Champion(likeliest, NO_TRIALS, len(candidates)), 1))
    choice.add_trials(selection)
    return run, choice


def _test_designs(environment: Environment, run: Run, choice: Choice) -> AblatedDesigns:
    assert run.best is not None  # a choice needs a solution
    worlds = make_fresh_worlds(environment, choice.uncertainty)
    lowest, chosen = (grow_in_trials(design, worlds) for design in (run.best.design, choice.chosen.design))
    return AblatedDesigns(run.history[0].seconds, run.search.iteration, lowest, chosen)
