"""Making a sweep: its grid, a timed sample, and its folder."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vinewright.sweeps.case import run_case
from vinewright.sweeps.grid import Grid, grid_of, shards_of
from vinewright.sweeps.manifest import Manifest, program
from vinewright.sweeps.shard import compile_for
from vinewright.sweeps.study_file import StudyFile, checked_study, read_study

SAMPLED, SAMPLING = 12, 60.0
"""Maximum number of cases of the sample, and the time after which no other one is begun [s]."""
SHARD_SECONDS = 5.0
"""Least time of a shard [s]: much longer than what its transport takes."""


def study_and_grid(study: str | Path | Mapping[str, Any]) -> tuple[str, StudyFile, Grid]:
    """The name, the content and the cases of a file of a sweep, or of its parsed content.

    Raises:
        InvalidStudy, InvalidEnvironment, InvalidTube, InvalidDesign: It cannot be used; the message says why.
    """
    if isinstance(study, Mapping):
        checked = checked_study(study)
        return "sweep", checked, grid_of(checked, Path())
    path = Path(study)
    checked = read_study(path)
    return path.stem, checked, grid_of(checked, path.parent)


def sampled(cases: int) -> int:
    """Maximum number of cases of a sample: a small part of all, since their results are not kept."""
    return min(SAMPLED, 2 + cases // 10, cases)


def sample(grid: Grid) -> Iterator[float]:
    """Compute some cases, drawn at random; yields the time of each on one thread or on the device [s], without compilation."""
    device = grid.cases[0].device
    clock = time.process_time if device == "cpu" else time.perf_counter
    order = np.random.default_rng(0).permutation(len(grid.cases))[: sampled(len(grid.cases))].tolist()
    manifest = Manifest("", "", grid, [range(number, number + 1) for number in order], 0.0, program(device))
    compile_for(manifest.shard(0))
    began = time.monotonic()
    for number in order:
        before = clock()
        run_case(grid.cases[number], grid.inputs)
        yield clock() - before
        if time.monotonic() > began + SAMPLING:
            return


def manifest_of(name: str, study: StudyFile, grid: Grid, case_seconds: float, least: float = SHARD_SECONDS) -> Manifest:
    """A manifest with shards that take at least some time.

    Args:
        case_seconds: Expected time of a case [s].
        least: Least time of a shard [s].
    """
    shards = shards_of(len(grid.cases), case_seconds, least)
    return Manifest(name, study.description, grid, shards, round(case_seconds, 4), program(study.device))
