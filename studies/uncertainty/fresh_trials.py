"""Plans of the studies, and the success of their designs in trials that no plan has seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.tube import VineParams
from environments import Environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.design.estimate import Estimate
from planner.output.text import plural
from planner.plan.inputs import Inputs
from planner.plan.plan import Result, plan
from planner.plan.problem import Problem
from planner.uncertainty.trials import Worlds, compute_goal_distances

TESTING = 3_000_000
"""Number of the first trial: plans use none of these."""
FRESH = 300
"""Number of trials of a design."""


@dataclass(frozen=True, slots=True, eq=False)
class FreshTrials:
    """A design in fresh trials."""

    actuators: int
    reached: NDArray[np.bool_]
    """Whether it reached the goal in each trial, shape (trials,)."""

    @property
    def estimate(self) -> Estimate:
        """Its success rate."""
        return Estimate(int(self.reached.sum()), len(self.reached))

    @property
    def percent(self) -> float:
        """Share of the trials that reached the goal [%]."""
        return 100 * self.estimate.rate

    def __str__(self) -> str:
        return f"{self.estimate} with {self.actuators}"

    @property
    def words(self) -> str:
        """Success and number of actuators, for a line by itself."""
        return f"{self.estimate} with {plural(self.actuators, 'actuator')}"


def plan_in_full(environment: Environment, inputs: Inputs, tube: VineParams | None = None) -> Result:
    """Plan with the default propagator.

    Args:
        tube: None for the default tube.
    Raises:
        KeyboardInterrupt: Ctrl-C ended it early; a study has no use for a plan that had less time than the others.
        WalledIn: No passage as wide as the tube leads to the goal.
    """
    result = plan(Problem.of(environment, tube or VineParams(), inputs))
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def make_fresh_worlds(environment: Environment, uncertainty: Uncertainty) -> Worlds:
    """Draw the worlds of the trials, equal for every design and seed."""
    return Worlds.draw(environment, VineParams(), uncertainty, range(TESTING, TESTING + FRESH), seed=0)


def grow_in_trials(design: Design, worlds: Worlds, trials: int | None = None) -> FreshTrials:
    """Grow a design in worlds, or in the first `trials` of them."""
    nearest = compute_goal_distances([design], worlds, np.arange(len(worlds) if trials is None else trials))[0][0]
    return FreshTrials(design.actuators, np.asarray(nearest <= 0.0))


def count_pair(estimate: Estimate) -> list[int]:
    """Return the number of trials that reached the goal and of all trials, for a JSON file."""
    return [estimate.reached, estimate.trials]
