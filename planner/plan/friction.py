"""Searches with the friction that trials have on average: designs found without any may push their tip against walls."""

from __future__ import annotations

from functools import partial

from dynamics.quasistatic.propagator import QuasiStatic
from planner.plan.choice.selection import SLACK
from planner.plan.problem import Problem
from planner.search.run import Keep, Run

OWN_NUMBERS = 1_000_000
"""Added to the seed for each search: with the same random numbers it would make the choices of another one again."""
PARTS = 2
"""Number of searches that share the time: half of those with a solution after 6 s had it in the first 2 s, so that a search without
one begins again elsewhere."""
BATCH = 32
"""Maximum number of vines grown in each of its iterations. A vine with friction takes longer, so that there are few iterations: of 18
searches of 6 s in `needle` and `long`, 14 had a solution with batches of 32, 9 with batches of 100."""


def run_with_friction(run: Run, problem: Problem, number: int) -> Run:
    """Prepare a new search like that of a run, with the friction of the problem; each `number` has other random numbers."""
    make = partial(QuasiStatic, friction=problem.friction, device=problem.device)
    batch = min(run.search.batch, BATCH)
    keep = Keep(run.solutions.keep, SLACK, run.solutions.each_count)
    seed, switches = run.seed + (number + 1) * OWN_NUMBERS, run.search.switches
    return Run.prepare(run.environment, run.params, make, seed, batch, keep, switches)
