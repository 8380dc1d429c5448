"""Planning runs: costs of the designs, and times to find them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dynamics.tube import VineParams
from environments import Environment
from planner.design.design import Design
from planner.drawing.search import TreeBranches
from planner.plan.run.branches import select_branches
from planner.search.planners import search_of
from planner.search.run import Budget, Run
from planner.search.sst import LENGTH_COST, Switches

PAPER = {
    "plus": {True: (20.63, 4.24, 5.65), False: (19.50, 4.04, 5.71)},
    "maze": {True: (19.95, 3.82, 6.86), False: (23.64, 3.91, 6.49)},
    "pickone": {True: (15.94, 3.08, 6.06), False: (14.66, 3.16, 5.88)},
    "needle": {True: (46.08, 5.09, 4.97), False: (50.50, 5.38, 5.00)},
    "long": {True: (27.95, 5.07, 6.07), False: (27.88, 5.21, 5.44)},
    "tube": {True: (6.25, 1.24, 5.88), False: (5.73, 1.24, 5.82)},
}
"""Values of paper 002, Table 2, on a GPU, with and without the heuristic: means of the time to the first solution [s], of the best
cost, and of the time of an iteration [s]."""


@dataclass(frozen=True, slots=True)
class PlanningOutcome:
    """Result of one planning run."""

    environment: str
    planner: str
    seed: int
    first_s: float | None
    """Time to the first solution [s], None without one."""
    first_actuators: int | None
    actuators: int | None
    length_m: float | None
    replayed: int
    rejected: int
    iterations: int
    vine_steps: int
    seconds: float
    history: list[tuple[float, float]]
    """Seconds and cost of each better solution."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanningResult:
    """A planning run, and the content of a figure if its design is the best so far in its environment."""

    outcome: PlanningOutcome
    best: tuple[Environment, Design, TreeBranches] | None
    """Environment, design, and the branches of the search tree."""


def run_cases(
    cases: Sequence[tuple[str, str, int]],
    grown_in: Mapping[str, tuple[Environment, VineParams]],
    time_budget: float,
    batch: int,
) -> Iterator[PlanningResult]:
    """Run cases in sequence.

    Args:
        cases: Names of environments and planners, and seeds.
        grown_in: Environments by name, and the tube to grow in each.
        time_budget: Time limit of each run [s].
        batch: Vines grown in each iteration.
    """
    lowest: dict[str, float] = {}
    for name, planner, seed in cases:
        switches = Switches(search=search_of(planner))
        run = Run.prepare(*grown_in[name], seed=seed, batch=batch, switches=switches)
        for _ in run.run(Budget(time_budget)):
            pass
        best = None
        if run.best and run.best.cost < lowest.get(name, math.inf):
            lowest[name] = run.best.cost
            best = run.environment, run.best.design, select_branches(run.search.tree, run.environment, run.params)
        yield PlanningResult(_outcome(Path(name).stem, planner, seed, run), best)


def _outcome(name: str, planner: str, seed: int, run: Run) -> PlanningOutcome:
    first, best = (run.history[0], run.history[-1]) if run.history else (None, None)
    return PlanningOutcome(
        environment=name,
        planner=planner,
        seed=seed,
        first_s=round(first.seconds, 3) if first else None,
        first_actuators=first.actuators if first else None,
        actuators=best.actuators if best else None,
        length_m=round(best.length, 3) if best else None,
        replayed=run.solutions.replayed,
        rejected=run.solutions.rejected,
        iterations=run.search.iteration,
        vine_steps=run.search.vine_steps,
        seconds=round(run.seconds, 2),
        history=[(round(m.seconds, 3), round(m.actuators + LENGTH_COST * m.length, 5)) for m in run.history],
    )
