"""Planning runs by SST* and by OMPL's planners."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from studies.planning_runs import Case, Record


def cases(environments: Sequence[str], planners: Sequence[str], runs: int, seconds: float) -> list[Case]:
    """Every environment and planner with seeds 0 ... runs - 1, the seeds outermost: a study that is interrupted has as many of each."""
    return [
        Case(environment, seed, seconds, planner=planner)
        for seed in range(runs)
        for environment in environments
        for planner in planners
    ]


def by_planner(records: Sequence[Record]) -> dict[str, dict[str, list[Record]]]:
    """Runs by environment and planner, both in the order of the cases, with what they found in time."""
    found: dict[str, dict[str, list[Record]]] = {}
    for record in records:
        own = found.setdefault(Path(record.case.environment).stem, {})
        own.setdefault(record.case.planner, []).append(record.in_time())
    return found
