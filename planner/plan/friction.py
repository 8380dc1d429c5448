"""Searches with the friction that trials have on average: designs found without any may push their tip against walls."""

from __future__ import annotations

from functools import partial

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments.environment import Environment
from planner.plan.choice.selection import SLACK
from planner.plan.options import Inputs
from planner.search.run import Keep, Run
from planner.uncertainty.errors import named_errors

PLANNER = "quasistatic"
"""The propagator whose searches can have friction."""
OWN_NUMBERS = 1_000_000
"""Added to the seed for each search: with the same random numbers it would make the choices of another one again."""
PARTS = 2
"""Number of searches that share the time: half of those with a solution after 6 s had it in the first 2 s, so that a search without
one begins again elsewhere."""
BATCH = 32
"""Maximum number of vines grown in each of its iterations. A vine with friction takes longer, so that there are few iterations: of 18
searches of 6 s in `needle` and `long`, 14 had a solution with batches of 32, 9 with batches of 100."""


def typical_friction(environment: Environment, tube: VineParams, options: Inputs) -> float | None:
    """The mean of the coefficients of friction in trials, in which solutions are searched for too; None if only one is possible.

    Most errors are as often too large as too small: without them a world is a typical one. Friction is at least 0, so that a
    search without any finds designs that are stopped by the least.
    """
    if options.fast or options.first or options.particles > 1 or options.propagator != PLANNER:
        return None
    _, uncertainty = named_errors(environment, tube, options.uncertainty)
    return sum(uncertainty.friction) / 2 if uncertainty.friction else None


def run_with_friction(run: Run, friction: float, number: int) -> Run:
    """A new search like that of a run, with friction; each `number` has other random numbers."""
    make, batch = partial(QuasiStatic, friction=friction), min(run.search.batch, BATCH)
    keep = Keep(run.solutions.keep, SLACK, run.solutions.each_count)
    seed, switches = run.seed + (number + 1) * OWN_NUMBERS, run.search.switches
    return Run.prepare(run.environment, run.params, make, seed, batch, keep, switches)
