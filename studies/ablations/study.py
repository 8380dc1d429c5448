"""Effect of parts of the search: planning with one part disabled or changed at a time."""

from __future__ import annotations

from collections.abc import Sequence

from planner.search.sst import Switches
from studies.planning_runs import Case

VARIANTS: dict[str, tuple[int, Switches]] = {
    "default": (100, Switches()),
    "only the last state of each vine": (100, Switches(maximal_recording=False)),
    "new nodes may overlap": (100, Switches(subset=False)),
    "best-near radius 0": (100, Switches(best_near=0.0)),
    "best-near radius 1": (100, Switches(best_near=1.0)),
    "best-near radius 2": (100, Switches(best_near=2.0)),
    "best-near radius 8": (100, Switches(best_near=8.0)),
    "no nodes drawn by distance to the goal": (100, Switches(levels=False)),
    "batch 100 from the beginning": (100, Switches(first_batch=100)),
    "batch 10": (10, Switches()),
    "batch 30": (30, Switches()),
    "batch 300": (300, Switches()),
    "batch 1000": (1000, Switches()),
}
"""Batch size and switches of each kind; the selection radius is relative to the witness radius."""


def cases(environments: Sequence[str], runs: int, seconds: float) -> list[Case]:
    """Every environment and kind with seeds 0 ... runs - 1, without the heuristic."""
    return [
        Case(environment, seed, seconds, batch, switches)
        for environment in environments
        for seed in range(runs)
        for batch, switches in VARIANTS.values()
    ]
