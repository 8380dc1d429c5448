"""Tables of the measurements of the cluster, and what they mean for a large one."""

from __future__ import annotations

from collections.abc import Sequence

from planner.output.markdown import markdown_table
from studies.sweep_engine.study import NAP, SLEEPING, Measured
from vinewright.console.study import Report
from vinewright.sweeps.make import SHARD_SECONDS

CORES = 1000
"""Size of the cluster that is extrapolated to."""
MOST_OVERHEAD, LEAST_EFFICIENCY = 0.05, 0.9
"""Targets: time that a worker loses for each shard [s], and share of two cores that computes."""


def report(found: Sequence[Measured]) -> Report:
    """Tables in Markdown, and their data."""
    content = {"measurements": [one.content() for one in found], "same_bytes": same_bytes(found)}
    return Report("Sweeps on a cluster", [*_real(found), *_sleeping(found), *_large(found)], content)


def _real(found: Sequence[Measured]) -> list[str]:
    some = _of(found, "serial", "cluster")
    if not some:
        return []
    base = some[0] if some[0].kind == "serial" else None
    rows = [
        [
            "serial, no cluster" if one.kind == "serial" else f"{one.workers} worker{'s' * (one.workers > 1)}",
            f"{one.wall_s:.1f}",
            f"{one.computing_s / one.shards:.2f}",
            f"{1e3 * one.overhead_s:.0f}",
            f"{one.computing_share:.3f}",
            f"{base.wall_s / one.wall_s:.2f}" if base else "-",
            one.digest[:12],
        ]
        for one in some
    ]
    same = "all tables have the same bytes" if same_bytes(found) else "THE TABLES DIFFER"
    columns = (
        "",
        "wall s",
        "computing s per shard",
        "overhead ms per shard",
        "computing share",
        "speed against serial",
        "SHA-256 of the table",
    )
    return [
        f"{some[0].shards} shards of plans in `maze`. Scheduler, workers and client are processes of their own on one machine; results",
        "go over TCP, and only the client has the folder of the sweep. Kernels were compiled and loaded before. The overhead",
        f"is the time that a worker does not compute, divided by the number of its shards. Result: {same}.",
        "",
        *markdown_table(columns, rows),
        "",
        *_efficiency(some),
    ]


def _efficiency(some: Sequence[Measured]) -> list[str]:
    by = {(one.kind, one.workers): one for one in some}
    lines = []
    if ("cluster", 2) in by:
        share = by["cluster", 2].computing_share
        lines += [
            f"Efficiency of two workers: they compute in {share:.3f} of their time (target: above {LEAST_EFFICIENCY:g}), the end included,",
            "when one of them has nothing left to do. Two threads of a processor that share a core slow each other down: that is in the",
            "time of a shard, not in this share.",
        ]
    if ("cluster", 1) in by:
        overhead = 1e3 * by["cluster", 1].overhead_s
        lines.append(
            f"Overhead with one worker: {overhead:.0f} ms per shard (target: under {1e3 * MOST_OVERHEAD:g} ms)."
        )
    return lines


def _sleeping(found: Sequence[Measured]) -> list[str]:
    some = _of(found, "sleep")
    if not some:
        return []
    rows = [
        [
            str(one.workers),
            f"{one.wall_s:.1f}",
            f"{one.rate:.0f}",
            f"{1e3 * one.overhead_s:.1f}",
            f"{one.memory_mb[0]:.0f}",
            f"{one.memory_mb[-1]:.0f}",
        ]
        for one in some
    ]
    columns = "processes", "wall s", "shards per s", "overhead ms per shard", "memory at first MB", "memory at last MB"
    return [
        "",
        f"## {SLEEPING} shards that sleep {1e3 * NAP:g} ms",
        "",
        "On processes of this machine, with client and scheduler in one process, whose resident memory is given. Shards are submitted",
        "a few at a time for each thread, so the scheduler never knows more of them.",
        "",
        *markdown_table(columns, rows),
    ]


def _large(found: Sequence[Measured]) -> list[str]:
    """What limits a large cluster, from the rates measured."""
    sleeping, files = _of(found, "sleep"), _of(found, "files")
    if not sleeping or not files:
        return []
    rate, written = max(one.rate for one in sleeping), files[0].rate
    least, name = min((rate, "client and scheduler"), (written, "the writing of result files"))
    needed = CORES / SHARD_SECONDS
    verdict = "more than enough" if least > 1.5 * needed else "just enough" if least >= needed else "not enough"
    grown = max((one.memory_mb[-1] - one.memory_mb[0]) / SLEEPING for one in sleeping) * 1e3
    return [
        "",
        f"## On paper: {CORES} cores",
        "",
        f"Client and scheduler pass on {rate:.0f} shards per second at most, on this machine; the client writes {written:.0f} result",
        f"files per second, each flushed to the disk. {CORES} cores with shards of {SHARD_SECONDS:g} s end {needed:.0f} shards per",
        f"second: {verdict}.",
        f"The lowest limit is that of {name}, at about {least * SHARD_SECONDS:.0f} cores with shards of {SHARD_SECONDS:g} s. Longer shards",
        f"move that limit in proportion: with `--shard-seconds 60` it is at about {least * 60:.0f} cores. Memory of client and scheduler",
        f"grew by {grown:.1f} kB per shard, so a million shards need about {grown:.1f} GB if that goes on. These are extrapolations from",
        "one machine: a network's latency, and a file system that others use, are not in them.",
    ]


def same_bytes(found: Sequence[Measured]) -> bool:
    """Whether all tables are identical."""
    return len({one.digest for one in found if one.digest}) <= 1


def missed(found: Sequence[Measured]) -> str:
    """What the measurements do not meet; empty if nothing."""
    return "" if same_bytes(found) else "the tables of serial and parallel runs differ"


def _of(found: Sequence[Measured], *kinds: str) -> list[Measured]:
    return [one for one in found if one.kind in kinds]
