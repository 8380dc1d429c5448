"""Sweeps on a cluster: what is missing is computed, and every result is kept as soon as it comes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from vinewright.cluster.cluster import Cluster
from vinewright.sweeps.errors import OtherProgram
from vinewright.sweeps.folder import Folder
from vinewright.sweeps.shard import compile_for, message_of, run_shard


@dataclass
class Progress:
    """How far a sweep is."""

    total: int
    """Number of shards."""
    done: int
    failed: int
    """Number of shards that were set aside."""
    seconds: float = 0.0
    """Computing time of the shards that were done since the start, all threads together [s]."""
    finished: int = 0
    """Number of these shards."""

    @property
    def left(self) -> int:
        """Number of shards that are still to be done."""
        return self.total - self.done - self.failed

    def seconds_left(self, threads: int) -> float | None:
        """Expected time until the end [s]; None while nothing is known."""
        if not self.finished or not threads:
            return None
        return self.left * self.seconds / self.finished / threads


def run_sweep(folder: Folder, cluster: Cluster) -> Generator[Progress]:
    """Compute the missing shards of a sweep; yields the progress after each of them, before that once before
    and once after kernels were compiled on the workers.

    Their order is random: so the time left is known early, and a sweep that is stopped has some of everything.
    Ends early when the sweep is cancelled. Closing the iterator early cancels what is being computed.

    Raises:
        OtherProgram: A worker has other versions.
        SchedulerLost: The scheduler ended; everything that was done is kept.
        UnwritableFolder: A result cannot be kept, for example since the disk is full.
    """
    manifest, state = folder.manifest, folder.state()
    missing: list[int] = np.random.default_rng(0).permutation(state.missing).tolist()
    progress = Progress(len(manifest.shards), len(state.seconds), len(state.failures))
    yield progress
    if not missing:
        return
    cluster.prepare(compile_for, manifest.shard(missing[0]), lambda: folder.cancelled)
    yield progress
    shards = (manifest.shard(number) for number in missing)
    with closing(cluster.outcomes(run_shard, shards, lambda: folder.cancelled)) as outcomes:
        for outcome in outcomes:
            number = missing[outcome.number]
            if isinstance(outcome.failure, OtherProgram):
                raise outcome.failure
            if outcome.failure:
                folder.set_aside(number, message_of(outcome.failure))
                progress.failed += 1
            elif outcome.result:
                folder.keep(number, outcome.result)
                progress.done += 1
                progress.finished += 1
                progress.seconds += outcome.result.seconds
            yield progress
