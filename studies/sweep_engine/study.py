"""Measurements of the cluster that runs sweeps."""

from __future__ import annotations

import hashlib
import multiprocessing
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil

from planner.output.folder import write_folder
from vinewright.cluster.cluster import Cluster, connect
from vinewright.cluster.worker import call, pack, use_one_thread
from vinewright.sweeps.case import Row
from vinewright.sweeps.execution import run_sweep
from vinewright.sweeps.folder import ShardResult, SweepFolder
from vinewright.sweeps.make import SHARD_SECONDS, load_grid, make_manifest, time_sample
from vinewright.sweeps.manifest import Manifest, read_manifest
from vinewright.sweeps.shard import compile_kernels_of, run_shard
from vinewright.sweeps.table import write_table

SHARDS = 16
WORKERS = 1, 2, 4
SLEEPING, NAP = 10_000, 0.01
"""Number of sleeping shards, and how long each sleeps [s]."""
SLEEPERS = 2, 8
"""Numbers of processes in which they sleep."""
FILES = 500
"""Number of result files that are written to measure how fast."""


@dataclass(frozen=True, slots=True)
class Case:
    """One measurement."""

    kind: str
    """ "serial", "cluster", "sleep" or "files"."""
    workers: int = 1


@dataclass(frozen=True, slots=True)
class Measured:
    """Shards that were run in one way."""

    kind: str
    workers: int
    shards: int
    wall_s: float
    """Time from the first shard's submission to the last result."""
    computing_s: float = 0.0
    """Sum of the times of the shards, inside of their workers."""
    digest: str = ""
    """SHA-256 of the table as CSV; empty where there is none."""
    memory_mb: list[float] = field(default_factory=list)
    """Resident memory of the process with client and scheduler, at equal intervals."""

    @property
    def overhead_s(self) -> float:
        """Time of a worker that is not computing, for each shard [s]."""
        return (self.wall_s * self.workers - self.computing_s) / self.shards

    @property
    def computing_share(self) -> float:
        """Share of the workers' time in which they compute [-]."""
        return self.computing_s / (self.wall_s * self.workers)

    @property
    def rate(self) -> float:
        """Shards per second."""
        return self.shards / self.wall_s

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return asdict(self)


def cases() -> list[Case]:
    """All measurements; those that need a quiet machine most come first."""
    return [
        Case("serial"),
        *(Case("cluster", workers) for workers in WORKERS),
        *(Case("sleep", workers) for workers in SLEEPERS),
        Case("files"),
    ]


def study_content(seeds: int) -> dict[str, Any]:
    """A study of plans with some seeds in `maze`."""
    plan = {"fast": True, "iterations": 12, "seed": {"first": 0, "last": seeds - 1}}
    return {"schema": 1, "environments": {"files": ["maze"]}, "plan": plan, "trials": {"number": 20}}


def manifest() -> Manifest:
    """`SHARDS` shards of at least `SHARD_SECONDS` each."""
    _, _, grid = load_grid(study_content(100))
    each = float(np.mean([*time_sample(grid)]))
    cases_each = int(np.ceil(SHARD_SECONDS / each))
    name, checked, grid = load_grid(study_content(SHARDS * cases_each))
    return make_manifest(name, checked, grid, each)


def measure(several: Sequence[Case], made: Manifest) -> Iterator[Measured]:
    """Run the measurements in sequence, each in a folder of its own."""
    for case in several:
        if case.kind == "sleep":
            yield _sleeping(case.workers)
            continue
        with TemporaryDirectory() as parent:
            folder = Path(parent) / "sweep"
            write_folder(folder, made.write)
            if case.kind == "cluster":
                yield _on_cluster(case.workers, folder)
            else:
                yield _serial(folder) if case.kind == "serial" else _files(folder)


def _measured(kind: str, workers: int, wall: float, folder: SweepFolder) -> Measured:
    """What is known of a sweep that is done."""
    rows, state = folder.table()
    path = folder.path.with_suffix(".csv")
    write_table(rows, path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Measured(kind, workers, len(state.seconds), wall, sum(state.seconds.values()), digest)


def _serial(path: Path) -> Measured:
    """All shards one after the other in a process of their own, on one thread and without a cluster."""
    with multiprocessing.get_context("spawn").Pool(1, use_one_thread) as pool:
        wall = pool.apply(_one_after_the_other, (path,))
    return _measured("serial", 1, wall, SweepFolder(path, read_manifest(path)))


def _one_after_the_other(path: Path) -> float:
    folder = SweepFolder(path, read_manifest(path))
    compile_kernels_of(folder.manifest.shard(0))
    began = time.perf_counter()
    for number in folder.state().missing:
        folder.keep(number, run_shard(folder.manifest.shard(number)))
    return time.perf_counter() - began


def _on_cluster(workers: int, path: Path) -> Measured:
    """Scheduler and workers as processes of their own, which share nothing with this one."""
    folder = SweepFolder(path, read_manifest(path))
    with _processes(workers) as address, connect(scheduler=address) as cluster:
        cluster.client.wait_for_workers(workers)
        _warm(cluster, folder)
        steps = run_sweep(folder, cluster)
        next(steps), next(steps)  # kernels are compiled in between
        began = time.perf_counter()
        for _ in steps:
            pass
        wall = time.perf_counter() - began
    return _measured("cluster", workers, wall, folder)


def _warm(cluster: Cluster, folder: SweepFolder) -> None:
    """Load the kernels on every worker, which otherwise is a part of its first shard."""
    from distributed import wait

    # By `call`, like every shard: a worker that imports kernels before it has set its threads uses all of the machine's.
    given = pack(compile_kernels_of, folder.manifest.shard(0))
    addresses = [*cluster.client.nthreads()]
    wait([cluster.client.submit(call, given, workers=[one], key=f"warm-{k}") for k, one in enumerate(addresses)])


@contextmanager
def _processes(workers: int) -> Iterator[str]:
    """A scheduler and workers, started as Dask's documentation does; yields the scheduler's address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    dask = str(Path(sys.executable).with_name("dask"))
    port, quiet = address.rsplit(":", 1)[1], {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    commands = [[dask, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]]
    with TemporaryDirectory() as scratch:
        worker = [dask, "worker", address, "--nthreads", "1", "--no-dashboard", "--local-directory", scratch]
        commands += [worker] * workers
        running = [subprocess.Popen(command, **quiet) for command in commands]  # type: ignore[call-overload]
        try:
            yield address
        finally:
            for process in reversed(running):
                process.terminate()
            for process in running:
                process.wait(20)


def _sleeping(workers: int) -> Measured:
    """Shards that do nothing, on processes of this machine; the memory is that of client and scheduler, 20 times."""
    memory, process = [], psutil.Process()
    with connect(workers) as cluster:
        began = time.perf_counter()
        for count, outcome in enumerate(cluster.outcomes(_nap, range(SLEEPING))):
            assert outcome.failure is None
            if count % (SLEEPING // 20) == 0:
                memory.append(round(process.memory_info().rss / 1e6, 1))
        wall = time.perf_counter() - began
    return Measured("sleep", workers, SLEEPING, wall, SLEEPING * NAP, memory_mb=memory)


def _nap(number: int) -> int:
    time.sleep(NAP)
    return number


def _files(path: Path) -> Measured:
    """Result files of a shard, written one after the other as the client writes them."""
    folder = SweepFolder(path, read_manifest(path))
    row: Row = {f"column_{k}": 1.0 / (k + 1) for k in range(30)}
    began = time.perf_counter()
    for _ in range(FILES):
        folder.keep(0, ShardResult("", [row], 1.0))
    return Measured("files", 1, FILES, time.perf_counter() - began)
