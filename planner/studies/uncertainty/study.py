"""Success of planned designs under errors, in trials that no plan has seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.impulse.propagator import Impulse
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.design import Design
from planner.plan import Result, plan
from planner.replay import grow_designs
from planner.robustness.errors import named_errors
from planner.robustness.estimate import Estimate
from planner.runs.inputs import Inputs
from planner.search.solutions import REFINED
from planner.worlds.trials import Worlds, nearest_to_goal

PAPER = "plus", "maze", "pickone", "needle", "long", "tube", "divider"
"""Environments of paper 002 in which designs are planned."""
TESTING = 3_000_000
"""Number of the first trial: plans use none of these."""
FRESH, FINE = 300, 100
"""Number of trials of a design, and of those that are grown again with an eighth of the step."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One plan, and the success of its designs in fresh trials."""

    environment: str
    seed: int
    first_s: float
    """Time to the first solution as planned [s]."""
    lowest_actuators: int
    lowest: Estimate
    """Of the design of lowest cost, which `--fast` would return."""
    actuators: int
    chosen: Estimate
    """Of the chosen design."""
    coarse: Estimate
    """The same in the first `FINE` trials."""
    fine: Estimate
    """The same in the same trials with an eighth of the growth step."""
    told: Estimate
    """What the plan says of it."""
    front: dict[int, Estimate]
    """What the plan says of each number of actuators."""
    impulse: bool
    """Whether the chosen design, as planned, reaches the goal with the propagator `impulse` too."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""

        def counted(one: Estimate) -> list[int]:
            return [one.reached, one.trials]

        return {
            "environment": self.environment,
            "seed": self.seed,
            "first_s": round(self.first_s, 3),
            "lowest_cost": {"actuators": self.lowest_actuators, "reached_of": counted(self.lowest)},
            "chosen": {"actuators": self.actuators, "reached_of": counted(self.chosen)},
            "chosen_at_the_step": counted(self.coarse),
            "chosen_at_an_eighth_of_the_step": counted(self.fine),
            "told": counted(self.told),
            "front": {str(actuators): counted(one) for actuators, one in self.front.items()},
            "impulse": self.impulse,
        }


def run_cases(cases: Sequence[tuple[str, int]], seconds: float, errors: str) -> Iterator[Evaluated]:
    """Plan each case, and try its designs.

    Args:
        cases: Environments and seeds.
        seconds: Time budget of each plan [s].
        errors: Name of the uncertainty.
    """
    params = VineParams()
    for name, seed in cases:
        environment = load_environment(name, params.radius)
        inputs = Inputs(seed=seed, time_budget_s=seconds, uncertainty=errors)
        result = plan(environment, params, inputs, QuasiStatic)
        if result.choice and result.run.best:
            yield _evaluated(environment, params, seed, result)


def _evaluated(environment: Environment, params: VineParams, seed: int, result: Result) -> Evaluated:
    choice, best = result.choice, result.run.best
    assert choice is not None  # the caller has checked it
    assert best is not None
    _, uncertainty = named_errors(environment, params, choice.errors)
    worlds = Worlds.drawn(environment, params, uncertainty, range(TESTING, TESTING + FRESH), seed=0)

    def tried(design: Design, among: Worlds, trials: int) -> Estimate:
        nearest = nearest_to_goal([design], among, np.arange(trials))[0]
        return Estimate(int((nearest <= 0.0).sum()), trials)

    chosen, lowest = choice.chosen.design, best.design
    return Evaluated(
        environment.name,
        seed,
        result.history[0].seconds,
        lowest.actuators,
        tried(lowest, worlds, FRESH),
        chosen.actuators,
        tried(chosen, worlds, FRESH),
        tried(chosen, worlds, FINE),
        tried(chosen, worlds.refined(REFINED), FINE),
        choice.chosen.estimate,
        {one.design.actuators: one.estimate for one in choice.front},
        grow_designs([chosen], environment, Impulse(environment, params))[0].reached,
    )
