"""Computation of a shard, identical on a worker and in this process."""

from __future__ import annotations

import time
import traceback
from dataclasses import replace
from pathlib import Path

from vinewright.sweeps.case import Case, run_case
from vinewright.sweeps.errors import OtherProgram
from vinewright.sweeps.folder import ShardResult
from vinewright.sweeps.manifest import Shard, program_difference

_LONGEST = 500
"""Maximum length of a message about a shard that failed."""


def run_shard(shard: Shard) -> ShardResult:
    """Compute the rows of a shard.

    Raises:
        OtherProgram: This process has other versions, so its results may differ.
    """
    if difference := program_difference(shard.program):
        raise OtherProgram(f"a worker has other versions: the sweep was made for {difference}")
    began = time.perf_counter()
    rows = [run_case(case, shard.inputs) for case in shard.cases]
    return ShardResult(shard.digest, rows, time.perf_counter() - began)


def compile_kernels_of(shard: Shard) -> None:
    """Compute a small part of the first case of a shard, so that its kernels are compiled and in the cache."""
    run_case(_shorten(shard.cases[0]), shard.inputs)


def _shorten(case: Case) -> Case:
    limits = {"time_budget_s": 0.5, "iterations": None}
    trials = case.trials and replace(case.trials, number=2)
    return replace(case, plan={**case.plan, **limits} if case.plan else {}, trials=trials)


def failure_message(failure: BaseException) -> str:
    """Return the reason why a shard failed, in one line."""
    text = " ".join(str(getattr(failure, "message", failure)).split()) or type(failure).__name__
    frames = traceback.extract_tb(failure.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{text[:_LONGEST]}{where}"
