"""Sweeps on a cluster: missing shards are computed, and every result is written as soon as it arrives."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from vinewright.cluster.cluster import Cluster
from vinewright.sweeps.errors import OtherProgram
from vinewright.sweeps.folder import SweepFolder
from vinewright.sweeps.shard import compile_kernels_of, failure_message, run_shard


@dataclass
class SweepProgress:
    """Progress of a sweep: shards that are done, set aside and left."""

    total: int
    """Number of shards."""
    done: int
    failed: int
    """Number of shards that were set aside."""
    seconds: float = 0.0
    """Computing time of the shards completed since the start, summed over all threads [s]."""
    finished: int = 0
    """Number of shards completed since the start."""

    @property
    def left(self) -> int:
        """Number of shards that are still to be done."""
        return self.total - self.done - self.failed

    def seconds_left(self, threads: int) -> float | None:
        """Return the expected time until the end [s]; None before a shard is complete or without threads."""
        if not self.finished or not threads:
            return None
        return self.left * self.seconds / self.finished / threads


def run_sweep(folder: SweepFolder, cluster: Cluster) -> Generator[SweepProgress]:
    """Compute the missing shards of a sweep.

    Yields the progress before and after kernels are compiled on the workers, then after each shard. The order of the shards is
    random, so that the time left is known early and a stopped sweep has results from all parts of the grid. Ends early when the
    sweep is cancelled. Closing the iterator early cancels the shards that are running.

    Raises:
        OtherProgram: A worker has other versions.
        SchedulerLost: The scheduler ended; all earlier results are kept.
        UnwritableFolder: A result cannot be written, for example because the disk is full.
    """
    manifest, state = folder.manifest, folder.state()
    missing: list[int] = np.random.default_rng(0).permutation(state.missing).tolist()
    progress = SweepProgress(len(manifest.shards), len(state.seconds), len(state.failures))
    yield progress
    if not missing:
        return
    cluster.prepare(compile_kernels_of, manifest.shard(missing[0]), lambda: folder.cancelled)
    yield progress
    shards = (manifest.shard(number) for number in missing)
    with closing(cluster.outcomes(run_shard, shards, lambda: folder.cancelled)) as outcomes:
        for outcome in outcomes:
            number = missing[outcome.number]
            if isinstance(outcome.failure, OtherProgram):
                raise outcome.failure
            if outcome.failure:
                folder.set_aside(number, failure_message(outcome.failure))
                progress.failed += 1
            elif outcome.result:
                folder.keep(number, outcome.result)
                progress.done += 1
                progress.finished += 1
                progress.seconds += outcome.result.seconds
            yield progress
