"""A scheduler that runs already, here or elsewhere: its workers are used, and its end is noticed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.vinewright.cluster import cases
from tests.waiting import wait_until
from vinewright.cluster.cluster import CaseOutcome, SchedulerLost, WorkerKilled, connect

ROOT = Path(__file__).parents[3]
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Start]:
    """Start `dask scheduler` or `dask worker` as a user does; they end with the test."""
    with ExitStack() as held:

        def start(*arguments: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stderr=(tmp_path / f"{arguments[0]}.log").open("ab"),
            )
            held.callback(process.wait, 60)
            held.callback(process.kill)
            return process

        yield start


def address_in(file: Path) -> str:
    """The address that a scheduler wrote."""
    wait_until(lambda: file.exists() and file.stat().st_size)
    return str(json.loads(file.read_text())["address"])


@pytest.mark.slow
def test_the_end_of_the_scheduler_is_an_error_after_the_results_so_far(dask: Start, tmp_path: Path) -> None:
    """Cases wait for workers that come later; when the scheduler is killed, there is no more waiting."""
    file = tmp_path / "scheduler.json"
    scheduler = dask("scheduler", "--port", "0", "--scheduler-file", str(file))
    address = address_in(file)
    found: list[CaseOutcome[Any]] = []
    with connect(scheduler=address, connecting=3.0) as cluster:
        assert cluster.client.nthreads() == {}
        cluster.prepare(cases.square, 1, stopped=lambda: True)
        assert list(cluster.outcomes(cases.square, [1], stopped=lambda: True)) == []
        dask("worker", address, "--nthreads", "1", "--nanny")
        cluster.prepare(cases.square, 1)
        assert [one.result for one in cluster.outcomes(cases.threads, [0])] == [(1, 1)]
        outcomes = cluster.outcomes(cases.slow_square, range(4000))
        found += [next(outcomes) for _ in range(10)]
        scheduler.send_signal(signal.SIGKILL)
        with pytest.raises(SchedulerLost, match="the scheduler ended, or cannot be reached any more"):
            found.extend(outcomes)
        with pytest.raises(SchedulerLost):
            cluster.prepare(cases.square, 1)
    assert 10 <= len(found) < 4000
    assert {one.number: one.result for one in found} == {one.number: one.number**2 for one in found}


@pytest.mark.slow
def test_a_scheduler_that_runs_already_stays(dask: Start, tmp_path: Path) -> None:
    """It has the same guard against cases that kill workers, runs kernels on one thread, and serves the next one too."""
    file = tmp_path / "scheduler.json"
    scheduler = dask("scheduler", "--port", "0", "--scheduler-file", str(file))
    address = address_in(file)
    dask("worker", address, "--nthreads", "1", "--nworkers", "2")
    for _ in range(2):
        with connect(scheduler=address, connecting=3.0) as cluster:
            outcomes = {one.number: one for one in cluster.outcomes(cases.square_or_be_killed, [0, 1, 2, -1, 4, 5])}
            assert isinstance(outcomes.pop(3).failure, WorkerKilled)
            assert {k: one.result for k, one in outcomes.items()} == {k: k**2 for k in (0, 1, 2, 4, 5)}
    with connect(scheduler=address, connecting=3.0) as cluster:
        assert [one.result for one in cluster.outcomes(cases.threads, [0, 1])] == [(1, 1)] * 2
    assert scheduler.poll() is None
