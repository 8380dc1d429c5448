"""Effect of the reverse tree: planning without one, and with two kinds (paper 002, Table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planner.search.sst import Switches
from studies.planning_runs import Case, Record
from studies.random_environments import PREFIX

MOMENTS = 1.0, 2.0, 5.0, 10.0
"""Times at which the solved runs are counted [s]."""
NONE, FREE, CONTACT = "none", "contact-free", "contact-aware"
KINDS = {NONE: Switches(), FREE: Switches(heuristic=True, contact=False), CONTACT: Switches(heuristic=True)}
"""Searches with each kind of reverse tree."""
RANDOM = "random"
"""Name of all random environments together."""


def cases(environments: Sequence[str], runs: int, seconds: float, seeds: Sequence[int] = ()) -> list[Case]:
    """Every kind in turn in every environment with seeds 0 ... runs - 1, and once in each random environment.

    Args:
        seeds: Seeds of random environments, and of the runs in them.
    """
    places = [(name, seed) for name in environments for seed in range(runs)]
    places += [(f"{PREFIX}{seed}", seed) for seed in seeds]
    return [Case(name, seed, seconds, switches=kind) for name, seed in places for kind in KINDS.values()]


def place_of(record: Record) -> str:
    """Name of the environment of a record; `RANDOM` for all random ones."""
    name = Path(record.case.environment).stem
    return RANDOM if name.startswith(PREFIX) else name


def of_kind(records: Sequence[Record], environment: str, kind: str) -> list[Record]:
    """Records of one environment, or of all random ones, with a kind of tree."""
    return [one for one in records if place_of(one) == environment and one.case.switches == KINDS[kind]]


def environments_of(records: Sequence[Record]) -> list[str]:
    """Environments that have runs of every kind."""
    names = dict.fromkeys(place_of(record) for record in records)
    return [name for name in names if all(of_kind(records, name, kind) for kind in KINDS)]


def by_kind(records: Sequence[Record]) -> dict[str, dict[str, list[Record]]]:
    """Runs by environment and kind of tree, of the environments that have runs of every kind."""
    return {name: {kind: of_kind(records, name, kind) for kind in KINDS} for name in environments_of(records)}
