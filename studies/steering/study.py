"""Pairs of searches with the same seed: one for constant pressures, one that may steer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from planner.search.sst import Switches
from studies.planning_runs import Case, Record

ENVIRONMENTS = "long", "building"
"""Environments in which constant designs need several actuators."""
STEERED = 2
"""Maximum number of actuators that are steered."""
KINDS = {"constant": Switches(), f"up to {STEERED} steered": Switches(steer=STEERED)}
"""Switches of each kind of search."""


def cases(environments: Sequence[str], runs: int, seconds: float) -> list[Case]:
    """Every environment and kind with seeds 0 ... runs - 1."""
    return [
        Case(environment, seed, seconds, switches=switches)
        for environment in environments
        for seed in range(runs)
        for switches in KINDS.values()
    ]


def by_kind(records: Sequence[Record]) -> dict[str, dict[str, list[Record]]]:
    """Records by environment and kind, sorted by seed."""
    names = dict.fromkeys(Path(record.case.environment).stem for record in records)
    return {
        name: {
            kind: sorted(
                (one for one in records if Path(one.case.environment).stem == name and one.case.switches == switches),
                key=lambda one: one.case.seed,
            )
            for kind, switches in KINDS.items()
        }
        for name in names
    }


def actuators(record: Record) -> float:
    """Number of actuators of the best solution of a run within its time; infinite without one."""
    cost = record.in_time().cost
    return math.floor(cost) if math.isfinite(cost) else math.inf


def pairs(kinds: dict[str, list[Record]]) -> Iterator[tuple[Record, Record]]:
    """Runs of the two kinds of search in one environment with the same seed."""
    constant, steered = ({one.case.seed: one for one in some} for some in kinds.values())
    yield from ((constant[seed], steered[seed]) for seed in sorted(constant.keys() & steered.keys()))
