"""Preparation of a sweep: its grid, a timed sample of its cases, and its manifest."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vinewright.sweeps.case import run_case
from vinewright.sweeps.grid import CaseGrid, make_grid, split_into_shards
from vinewright.sweeps.manifest import Manifest, program
from vinewright.sweeps.shard import compile_kernels_of
from vinewright.sweeps.study_file import StudyFile, check_study, read_study

SAMPLED, SAMPLING = 12, 60.0
"""Maximum number of cases of the sample, and the time after which no further case begins [s]."""
SHARD_SECONDS = 5.0
"""Least time of a shard [s]: much longer than the transport of its data takes."""


def load_grid(study: str | Path | Mapping[str, Any]) -> tuple[str, StudyFile, CaseGrid]:
    """Return the name, the content and the cases of the file of a sweep, or of its parsed content.

    Raises:
        InvalidStudy, InvalidEnvironment, InvalidTube, InvalidDesign: The study cannot be used; the message says why.
    """
    if isinstance(study, Mapping):
        checked = check_study(study)
        return "sweep", checked, make_grid(checked, Path())
    path = Path(study)
    checked = read_study(path)
    return path.stem, checked, make_grid(checked, path.parent)


def sample_size(cases: int) -> int:
    """Return the maximum number of cases of the sample: a small part of all cases, since their results are not kept."""
    return min(SAMPLED, 2 + cases // 10, cases)


def time_sample(grid: CaseGrid) -> Iterator[float]:
    """Compute randomly drawn cases; yield the time of each on one thread or on the device [s], excluding compilation."""
    device = grid.cases[0].device
    clock = time.process_time if device == "cpu" else time.perf_counter
    order = np.random.default_rng(0).permutation(len(grid.cases))[: sample_size(len(grid.cases))].tolist()
    manifest = Manifest("", "", grid, [range(number, number + 1) for number in order], 0.0, program(device))
    compile_kernels_of(manifest.shard(0))
    began = time.monotonic()
    for number in order:
        before = clock()
        run_case(grid.cases[number], grid.inputs)
        yield clock() - before
        if time.monotonic() > began + SAMPLING:
            return


def make_manifest(
    name: str, study: StudyFile, grid: CaseGrid, case_seconds: float, least: float = SHARD_SECONDS
) -> Manifest:
    """Make a manifest whose shards take at least the least time.

    Args:
        case_seconds: Expected time of a case [s].
        least: Least time of a shard [s].
    """
    shards = split_into_shards(len(grid.cases), case_seconds, least)
    return Manifest(name, study.description, grid, shards, round(case_seconds, 4), program(study.device))
