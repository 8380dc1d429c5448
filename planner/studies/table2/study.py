"""Effect of the reverse tree: planning with and without it (paper 002, Table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planner.studies.planning_runs import Case, Record

MOMENTS = 1.0, 2.0, 5.0, 10.0
"""Times at which the solved runs are counted [s]."""


def cases(environments: Sequence[str], runs: int, seconds: float) -> list[Case]:
    """Every environment with seeds 0 ... runs - 1, alternately with and without the heuristic."""
    return [
        Case(environment, seed, seconds, heuristic)
        for environment in environments
        for seed in range(runs)
        for heuristic in (True, False)
    ]


def of_kind(records: Sequence[Record], environment: str, heuristic: bool) -> list[Record]:
    """Records of one environment, with the heuristic or without."""
    return [r for r in records if Path(r.case.environment).stem == environment and r.case.heuristic == heuristic]


def environments_of(records: Sequence[Record]) -> list[str]:
    """Environments that have runs both with and without the heuristic."""
    names = dict.fromkeys(Path(record.case.environment).stem for record in records)
    return [name for name in names if of_kind(records, name, True) and of_kind(records, name, False)]
