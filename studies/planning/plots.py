"""Figures of the best design in each environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from planner.drawing.plan import save_plan
from studies.planning.study import PlanningResult


def pictures(environments: Sequence[str]) -> dict[str, Callable[[Path, Sequence[PlanningResult]], None]]:
    """Return the functions that draw the best design in each environment, by file name; they draw nothing if there is no design."""
    return {f"plan-{name}.png": partial(_save_best, name) for name in environments}


def _save_best(name: str, path: Path, found: Sequence[PlanningResult]) -> None:
    best = [one.best for one in found if one.best and one.outcome.environment == name]
    if best:
        save_plan(path, *best[-1])
