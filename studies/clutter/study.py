"""First solutions in dense random clutter, by the search as it was and as it is, with far more time than most of them take."""

from __future__ import annotations

from collections.abc import Sequence

from studies.defaults.study import BEFORE, NOW, SMALLER_BATCH, of_kind
from studies.defaults.study import KINDS as DEFAULTS
from studies.planning_runs import Case, Record
from studies.random_environments import SOAK_DENSITIES, SOAK_PREFIX, soak_kind

DENSITIES = 0.4, 0.5, 0.6
"""Shares of the area that obstacles cover [-]."""
FIRST_SEED = 168
"""Environments of lower seeds were used to choose how nodes are drawn."""
KINDS = {name: DEFAULTS[name] for name in (BEFORE, SMALLER_BATCH, NOW)}
"""The search as it was, with the first change of its defaults, and as it is."""


def cases(count: int, seconds: float) -> list[Case]:
    """Every kind of search in `count` environments of each density, with the seed of the environment, until the first solution."""
    return [
        Case(f"{SOAK_PREFIX}{seed}", seed, seconds, switches=switches, keep=keep, first=True)
        for seed in range(FIRST_SEED, FIRST_SEED + count * len(SOAK_DENSITIES))
        if soak_kind(seed)[0] in DENSITIES
        for switches, keep in KINDS.values()
    ]


def by_density(records: Sequence[Record]) -> dict[str, dict[str, list[Record]]]:
    """Runs by density and kind: of the environments in which every kind ran, in the same order for each kind."""
    found = {name: of_kind(records, name) for name in KINDS}
    complete = [place for place in found[BEFORE] if all(place in own for own in found.values())]
    densities = {
        f"{density:.0%}": [(name, seed) for name, seed in complete if soak_kind(seed)[0] == density]
        for density in DENSITIES
    }
    return {
        density: {name: [own[place] for place in places] for name, own in found.items()}
        for density, places in densities.items()
        if places
    }
