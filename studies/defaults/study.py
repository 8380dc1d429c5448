"""Defaults of the search, compared with what they were before: the same seeds in every environment, one change at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planner.search.run import Keep
from planner.search.sst import Switches
from studies.planning_runs import Case, Record

FIVE, TEN = Keep(5, spread=0.0), Keep(10)
"""Which solutions were kept before, of nearly the lowest cost, and which are now."""
BEFORE, SMALLER_BATCH, NOW = "radius 2, batch 100", "radius 4, first batch 30", "now"
KINDS: dict[str, tuple[Switches, Keep]] = {
    BEFORE: (Switches(best_near=2.0, first_batch=100, levels=False), FIVE),
    "radius 4": (Switches(best_near=4.0, first_batch=100, levels=False), FIVE),
    "first batch 30": (Switches(best_near=2.0, first_batch=30, levels=False), FIVE),
    SMALLER_BATCH: (Switches(best_near=4.0, first_batch=30, levels=False), FIVE),
    "radius 2, batch 100, ten solutions": (Switches(best_near=2.0, first_batch=100, levels=False), TEN),
    NOW: (Switches(), TEN),
}
"""Best-near radius in units of the witness radius, batch until the first solution, whether nodes are drawn by their distance to the
goal until then, and which solutions are kept."""


def cases(environments: Sequence[str], runs: int, seconds: float) -> list[Case]:
    """Seeds 0 ... runs - 1, each in every environment with every kind: a study that is stopped has them equally often."""
    return [
        Case(environment, seed, seconds, switches=switches, keep=keep)
        for seed in range(runs)
        for environment in environments
        for switches, keep in KINDS.values()
    ]


def of_kind(records: Sequence[Record], kind: str) -> dict[tuple[str, int], Record]:
    """Records of a kind by environment and seed."""
    return {
        (Path(record.case.environment).stem, record.case.seed): record
        for record in records
        if (record.case.switches, record.case.keep) == KINDS[kind]
    }
