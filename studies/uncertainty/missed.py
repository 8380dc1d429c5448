"""Environments that need more time: those where an earlier study's chosen designs miss too often."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from planner.plan.inputs import SUCCESS

DATA = Path("uncertainty") / "data.json"
"""The data of the study, below the folder of all results."""


class InvalidData(ValueError):
    """The data of the earlier study cannot be used; the one-line message says what to do."""


class _Chosen(BaseModel):
    reached_of: tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(gt=0)]]


class _Run(BaseModel):
    environment: str
    chosen: _Chosen | None = None


class _Data(BaseModel):
    runs: list[_Run]


def find_missed(results: Path) -> list[str]:
    """Environments in which the median seed's chosen design has less than the usual success; without a design it has none.

    Args:
        results: Folder of all results.
    Raises:
        InvalidData: There is no readable report of the study there.
    """
    file = results / DATA
    try:
        runs = _Data.model_validate_json(file.read_bytes()).runs
    except (OSError, ValidationError):
        reason = f"{file} is no data of `vinewright reproduce uncertainty`; run that first, or give --env"
        raise InvalidData(reason) from None
    rates: dict[str, list[float]] = {}
    for run in runs:
        reached, trials = run.chosen.reached_of if run.chosen else (0, 1)
        rates.setdefault(run.environment, []).append(reached / trials)
    return [name for name, some in rates.items() if np.median(some) < SUCCESS]
