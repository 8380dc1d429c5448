"""Tables of exact contact on a CUDA device: what is unknown comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from planner.output.markdown import markdown_table
from planner.output.provenance import machine
from studies.gpu.precision import GROUPS, HOLDS, VINES, Precision, share_of
from studies.gpu.study import LENGTH, NAMES, EarlierMeasurements, Found, Lockstep, TrialSpeed, merge_earlier
from studies.gpu.traffic import BATCH, Traffic
from studies.gpu.usage import WARPS, Usage
from studies.rollouts.study import RolloutSpeed
from vinewright.console.study import Report

MULTIPROCESSORS, BANDWIDTH, CLOCK, CACHE = 132, 4.8e12, 1.98e9, 50e6
"""Data of an H200: multiprocessors, memory bandwidth [bytes/s], clock [Hz] and second-level cache [bytes], from its data sheet."""
LATENCY = 30, 700
"""Cycles of an access to the first-level cache, and to memory, about; the truth is between."""
Kind = TypeVar("Kind", Usage, Lockstep, Traffic, Precision, RolloutSpeed, TrialSpeed)
TARGET = 10e6
"""Vine-steps per second that an H200 should reach."""


def report(found: Sequence[Found], earlier: EarlierMeasurements | None = None) -> Report:
    """Tables in Markdown, and their data; of an earlier report what `found` has no like of."""
    old = merge_earlier(earlier.found, found) if earlier else []
    known_on = earlier.known_on if earlier and _of(Lockstep, old) else machine()
    found = [*found, *old]
    usage, steps, traffic = _of(Usage, found), _of(Lockstep, found), _of(Traffic, found)
    speeds, trials, precision = _of(RolloutSpeed, found), _of(TrialSpeed, found), _of(Precision, found)
    content: dict[str, Any] = {
        name: [asdict(one) for one in found if isinstance(one, kind)] for kind, name in NAMES.items()
    }
    if old and earlier:  # the report is as old as its oldest part
        content["depends_on"] = earlier.depends_on
    measured = any(not one.device.startswith("cpu") for one in speeds)
    lines = [
        *_unknown(measured),
        *_speeds(speeds),
        *_trials(trials),
        *([f"What follows was measured without a device, on {known_on}.", ""] if measured and usage else []),
        *_usage(usage),
        *_lanes(steps, traffic),
        *_precision(precision, traffic),
        *([] if measured else _estimate(usage, traffic)),
    ]
    return Report("Exact contact on a CUDA device", lines, content | {"known_on": known_on})


def _of(kind: type[Kind], found: Sequence[Found]) -> list[Kind]:
    return [one for one in found if isinstance(one, kind)]


def _unknown(measured: bool) -> list[str]:
    if measured:
        return []
    return [
        "**No CUDA device was at hand: nothing here was run on one.** Unknown are the speed on a device, how often accesses hit",
        "its caches, what branches within a step cost, and the time of a launch. The compiled code was translated to C and run on",
        "a processor: there it grows the vines of the CPU, to rounding (`tests/dynamics/test_ptx.py`). The same command on a machine",
        "with a device measures the speed, and leaves the estimate out.",
        "",
    ]


def _section(title: str, words: Sequence[str], columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a heading, an explanation and a table; nothing without rows."""
    return [f"## {title}", "", *words, "", *markdown_table(columns, rows), ""] if rows else []


def _speeds(found: Sequence[RolloutSpeed]) -> list[str]:
    rows = [
        [one.environment, one.model, one.device, str(one.batch), f"{one.seconds:.3g}", f"{one.rate:,.0f}"]
        for one in sorted(found, key=lambda one: (one.model, one.environment, one.device, one.batch))
    ]
    words = [
        f"Random vines that grow to {LENGTH:g} m; the best of three. Steps at constant length are not counted. Algorithm 1 is that of",
        "paper 002, `--propagator penalty --solver gradient`, for which the paper gives about 6 s for 100 vines on its GPU.",
    ]
    return _section("Speed", words, ("environment", "propagator", "device", "batch", "seconds", "vine-steps/s"), rows)


def _trials(found: Sequence[TrialSpeed]) -> list[str]:
    rows = [
        [
            one.device,
            str(one.trials),
            f"{one.prepare_s:.2f}",
            f"{one.grow_s:.2f}",
            f"{1e6 * one.prepare_s / one.trials:.1f}",
            f"{1e6 * (one.prepare_s + one.grow_s) / one.trials:.0f}",
        ]
        for one in found
    ]
    words = [
        "One straight vine in each of many worlds of `divider` with the errors of a workshop.",
    ]
    return _section(
        "Trials",
        words,
        ("device", "trials", "drawing worlds s", "growing s", "drawing one us", "both us"),
        rows,
    )


def _usage(found: Sequence[Usage]) -> list[str]:
    rows = [
        [
            one.kernel,
            one.capability,
            str(one.registers),
            f"{one.warps} of {WARPS}",
            str(one.stack_bytes),
            str(one.stored_bytes),
            str(one.loaded_bytes),
            str(one.argument_bytes),
            f"{one.compile_s:.0f} + {one.assemble_s:.0f}",
        ]
        for one in found
    ]
    columns = (
        "kernel",
        "capability",
        "registers",
        "warps per multiprocessor",
        "local memory bytes",
        "spill stores bytes",
        "spill loads bytes",
        "arguments bytes",
        "compiling s",
    )
    words = [
        "One vine in each thread, float64; compiled by NVVM and ptxas, without a device. Local memory is that of a thread.",
        "`grow_lanes` grows vines, `hold_lanes` bends those that are held at their length.",
    ]
    return _section("The kernels", words, columns, rows)


def _lanes(steps: Sequence[Lockstep], traffic: Sequence[Traffic]) -> list[str]:
    counted = {one.environment: one for one in traffic}
    rows = [
        [
            one.environment,
            f"{one.steps:.0f}",
            *[f"{share:.2f}" for share in one.shares.values()],
            f"{near.share_of_lanes:.2f}",
            f"{1e-3 * near.read_bytes:.1f}",
            f"{1e-3 * near.written_bytes:.1f}",
            f"{1e-3 * near.touched_bytes:.1f}",
            f"{1e-3 * near.reserved_bytes:.0f}",
        ]
        for one in steps
        if (near := counted.get(one.environment))
    ]
    columns = (
        "environment",
        "steps per vine",
        "lanes that step, as vines come",
        "sorted by their steps",
        "lanes that work, as vines come",
        "kB read per step",
        "kB written per step",
        "kB touched per vine",
        "kB reserved per vine",
    )
    words = [
        f"Random vines of {LENGTH:g} m, on the CPU, put into warps of 32. A lane steps until its vine has ended. The work of a lane in",
        f"a step is the number of bytes that it reads and writes in its work space, counted in {BATCH} vines on a simulated device;",
        "lanes begin each step together. Tables, obstacles and records are not counted.",
    ]
    return _section("Warps and memory", words, columns, rows)


def _precision(found: Sequence[Precision], traffic: Sequence[Traffic]) -> list[str]:
    rows = []
    for arrays in dict.fromkeys(one.arrays for one in found):
        own = [one for one in found if one.arrays == arrays]
        share = [share_of(arrays, one.accessed) for one in traffic]
        rows.append(
            [
                f"{arrays}: {', '.join(f'`{path}`' for path in GROUPS[arrays])}",
                "yes" if all(one.holds for one in own) else "no",
                *[f"{min(getattr(one, name) for one in own):.3f}" for name in ("alike", "near")],
                f"{1e6 * max(one.farthest_m for one in own):.2g}",
                f"{min(share):.2f} to {max(share):.2f}" if share else "",
            ]
        )
    words = [
        "The kernel as compiled for the CPU, with some arrays of its work space in float32, against all in float64:",
        f"{VINES} random vines of {LENGTH:g} m in each of {', '.join(dict.fromkeys(one.environment for one in found))}.",
        f"Single precision holds where all end in the same way within {1e6 * HOLDS:g} micrometre; the worst environment counts.",
        "The last column is the share of the bytes that the kernel reads and writes in its work space. The kernels for a device",
        "have all in float64: without one, nothing shows that they would be faster.",
    ]
    columns = "arrays", "holds", "end alike", "within 1 um", "farthest apart um", "share of accesses"
    return _section("Single precision", words, columns, rows)


def _estimate(usage: Sequence[Usage], traffic: Sequence[Traffic]) -> list[str]:
    newest = [one for one in usage if (one.kernel, one.capability) == ("grow_lanes", "9.0")]
    if not newest:
        return []
    resident = MULTIPROCESSORS * newest[0].warps * 32
    rows = []
    for one in traffic:
        each = one.read_bytes + one.written_bytes
        latency = [resident * CLOCK * one.share_of_lanes / (each / 8 * cycles) for cycles in LATENCY]
        memory = BANDWIDTH * one.share_of_lanes / each
        rows.append(
            [
                one.environment,
                f"{1e-6 * resident * one.touched_bytes:.0f}",
                *[f"{1e-6 * rate:.0f}" for rate in (memory, *latency)],
            ]
        )
    words = [
        f"{MULTIPROCESSORS} multiprocessors hold {resident} vines at once. Rates in millions of vine-steps per second, growing or at",
        "constant length, if the only limit were the bandwidth of memory and no access hit a cache; and if it were the latency of",
        f"accesses that wait for each other, assumed as {LATENCY[0]} cycles in the first-level cache or {LATENCY[1]} in memory.",
        "Arithmetic, branches within a step and spilled registers come on top: each is a bound, not what is to be expected. The target is",
        f"{1e-6 * TARGET:.0f}. What the resident vines touch compares with a second-level cache of {1e-6 * CACHE:.0f} MB.",
    ]
    return _section(
        "Estimate for an H200",
        words,
        ("environment", "MB touched", "bandwidth", "latency, all cached", "latency, none cached"),
        rows,
    )
