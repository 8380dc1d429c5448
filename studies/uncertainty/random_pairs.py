"""Designs chosen under errors beside those of lowest cost, in random environments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from environments import Environment, generate_environment
from environments.reach import WalledIn
from environments.uncertainty import DEFAULT, PRESETS
from planner.design.design import Design
from planner.plan.inputs import Inputs
from studies.uncertainty.fresh_trials import FreshTrials, count_pair, grow_in_trials, make_fresh_worlds, plan_in_full
from vinewright.sweeps.report.paired import sign_test

DENSITY = 0.2
"""Share of the area that obstacles cover [-]: medium clutter, and the default of `vinewright environments new`."""
LEVEL = 0.05
"""Two designs differ by more than the noise of their trials if so uneven trials are less likely than this [-]."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanPair:
    """Two plans in one random environment."""

    seed: int
    """Seed of the environment and of the plans."""
    walled_in: bool = False
    """Whether no passage as wide as the tube leads to the goal."""
    fast: FreshTrials | None = None
    """The design of `--fast`; None without one."""
    chosen: FreshTrials | None = None
    """The design chosen under errors; None without one."""

    @property
    def both(self) -> tuple[FreshTrials, FreshTrials] | None:
        """The designs of `--fast` and of the plan under errors; None unless both were found."""
        return (self.fast, self.chosen) if self.fast and self.chosen else None

    @property
    def gain(self) -> float:
        """Success of the chosen design minus that of `--fast` [percentage points]; without a design the success is 0."""
        fast, chosen = (one.percent if one else 0.0 for one in (self.fast, self.chosen))
        return chosen - fast

    @property
    def verdict(self) -> str:
        """Whether the chosen design is better or worse than that of `--fast` by more than the noise of the trials, or alike.

        Both meet the same trials: only those count that one of them reached and the other missed (exact test of McNemar).
        """
        if not self.both:
            return "not compared"
        fast, chosen = (one.reached for one in self.both)
        more, less = int((chosen & ~fast).sum()), int((fast & ~chosen).sum())
        if sign_test(more, less) >= LEVEL:
            return "alike"
        return "better" if more > less else "worse"

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        found = {
            name: one and {"actuators": one.actuators, "reached_of": count_pair(one.estimate)}
            for name, one in (("fast", self.fast), ("chosen", self.chosen))
        }
        return {"seed": self.seed, "walled_in": self.walled_in, **found, "verdict": self.verdict}

    def __str__(self) -> str:
        words = [
            f"{one.percent:.0f} % with {one.actuators}" if one else "no design" for one in (self.fast, self.chosen)
        ]
        return f"environment {self.seed}: " + ("walled in" if self.walled_in else " -> ".join(words))


def make_environment(seed: int) -> Environment:
    """Make a random environment, identical to that of `vinewright environments new` with this seed."""
    return generate_environment(np.random.default_rng(seed), density=DENSITY, name=f"random-{seed}")


def run_pairs(seeds: Sequence[int], seconds: float) -> Iterator[PlanPair]:
    """Plan in each environment without and with errors, each in the same time, and grow both designs in the same trials."""
    for seed in seeds:
        environment = make_environment(seed)
        inputs = Inputs(seed=seed, time_budget_s=seconds, uncertainty=DEFAULT)
        try:
            fast = plan_in_full(environment, inputs.model_copy(update={"fast": True})).best
            choice = plan_in_full(environment, inputs).choice
        except WalledIn:
            yield PlanPair(seed, walled_in=True)
        else:
            yield _grow_pair(seed, environment, fast, choice.chosen.design if choice else None)


def _grow_pair(seed: int, environment: Environment, fast: Design | None, chosen: Design | None) -> PlanPair:
    worlds = make_fresh_worlds(environment, PRESETS[DEFAULT])
    both = (grow_in_trials(design, worlds) if design else None for design in (fast, chosen))
    return PlanPair(seed, False, *both)
