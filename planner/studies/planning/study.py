"""Measurements of what planning finds, and how soon."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dynamics.tube import VineParams
from environments import load_environment
from planner.provenance import machine
from planner.search.run import Budget, Run

PAPER = {
    "plus": {True: (20.63, 4.24, 5.65), False: (19.50, 4.04, 5.71)},
    "maze": {True: (19.95, 3.82, 6.86), False: (23.64, 3.91, 6.49)},
    "pickone": {True: (15.94, 3.08, 6.06), False: (14.66, 3.16, 5.88)},
    "needle": {True: (46.08, 5.09, 4.97), False: (50.50, 5.38, 5.00)},
    "long": {True: (27.95, 5.07, 6.07), False: (27.88, 5.21, 5.44)},
    "tube": {True: (6.25, 1.24, 5.88), False: (5.73, 1.24, 5.82)},
}
"""Paper 002, Table 2, on a GPU, with and without the heuristic: means of the time to the first solution [s], of the best
cost, and of the time of an iteration [s]."""


@dataclass(frozen=True, slots=True)
class PlanningOutcome:
    """What one planning run found."""

    environment: str
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


def measure_planning(
    environments: list[str], seeds: int, time_budget: float, batch: int
) -> Iterator[tuple[PlanningOutcome, Run]]:
    """Plan every environment with seeds 0 ... seeds - 1, one after the other."""
    params = VineParams()
    for name in environments:
        for seed in range(seeds):
            run = Run.prepare(load_environment(name, params.radius), params, seed=seed, batch=batch)
            for _ in run.run(Budget(time_budget)):
                pass
            first, best = (run.history[0], run.history[-1]) if run.history else (None, None)
            outcome = PlanningOutcome(
                environment=Path(name).stem,
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
            )
            yield outcome, run


def planning_report(outcomes: list[PlanningOutcome], command: str, time_budget: float) -> tuple[str, dict[str, Any]]:
    """A table for people, and the same figures with every run for programs."""
    lines = [
        "# Planning",
        "",
        f"Made by `{command}` on {machine()}. Compiling apart. Times are seconds to the first solution that survived its",
        f"replay; actuators and length are those of the best design after {time_budget:g} s. Paper 002 (Table 2): means, on a GPU.",
        "Pictures: the best design of each environment, `plan-NAME.png`.",
        "",
        "| environment | solved | first, median | first, worst | actuators, median | actuators, worst | length, median m "
        "| replays rejected | paper: first | paper: actuators |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(outcome.environment for outcome in outcomes):
        lines.append(_planning_row(name, [outcome for outcome in outcomes if outcome.environment == name]))
    content = {
        "schema": 1,
        "command": command,
        "machine": machine(),
        "time_budget_s": time_budget,
        "runs": [asdict(o) for o in outcomes],
    }
    return "\n".join(lines) + "\n", content


def _planning_row(name: str, outcomes: list[PlanningOutcome]) -> str:
    solved = [outcome for outcome in outcomes if outcome.first_s is not None]
    paper = [f"{figure:.1f}" for figure in PAPER[name][True][:2]] if name in PAPER else ["-", "-"]
    cells = ["-"] * 5
    if solved:
        # A run without a solution counts as slower than any with one.
        first = [outcome.first_s if outcome.first_s is not None else float("inf") for outcome in outcomes]
        actuators = [outcome.actuators or 0 for outcome in solved]
        cells = [
            f"{statistics.median(first):.2f}",
            f"{max(first):.2f}",
            f"{statistics.median(actuators):g}",
            f"{max(actuators)}",
            f"{statistics.median(outcome.length_m or 0.0 for outcome in solved):.2f}",
        ]
    replayed, rejected = sum(o.replayed for o in outcomes), sum(o.rejected for o in outcomes)
    return f"| {' | '.join([name, f'{len(solved)} of {len(outcomes)}', *cells, f'{rejected} of {replayed}', *paper])} |"
