"""Tables of the reliability study: success by density, checks, memory and fuzzing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import linregress, t

from dynamics.tube import VineParams
from planner.design.estimate import Estimate
from planner.output.markdown import markdown_table
from studies.reliability.study import ReliabilityRecord
from vinewright.console.study import Report

FUZZ = "fuzz.json"
"""File of the fuzzing counts, in the folder of the report."""
FUZZED_BY = f"pytest -n 0 -m slow tests/fuzz --counts results/reliability/{FUZZ}"
COLUMNS = "obstacles", "environments", "walled in", "solved", "success %", "states checked", "deepest mm", "faults"
WARM_UP = 10
"""Number of first runs of a process that are ignored, because its memory still grows to its working size."""
LEAST_RUNS = 10
"""Minimum number of runs of a process for fitting a slope."""


@dataclass(frozen=True, slots=True)
class MemoryGrowth:
    """Resident memory of one process over its runs after warm-up."""

    runs: int
    last: float
    """Memory after the last run [MB]."""
    slope: float
    """Least-squares slope [MB / 100 runs]."""
    error: float
    """Half the 95 % confidence interval of the slope [MB / 100 runs]."""


def resident_memory(records: Sequence[ReliabilityRecord]) -> list[list[float]]:
    """Resident memory after each run of each process [MB], in the order in which the runs finished."""
    processes: dict[int, list[float]] = {}
    for record in records:
        if record.resident_mb is not None:
            processes.setdefault(record.process, []).append(record.resident_mb)
    return list(processes.values())


def fit_memory(values: Sequence[float]) -> MemoryGrowth | None:
    """Fit a line to the memory of one process; None with too few runs."""
    settled = values[WARM_UP:]
    if len(settled) < LEAST_RUNS:
        return None
    line = linregress(np.arange(len(settled)) / 100, settled)
    error = t.ppf(0.975, len(settled) - 2) * line.stderr
    return MemoryGrowth(len(settled), settled[-1], float(line.slope), float(error))


def success(records: Sequence[ReliabilityRecord]) -> Estimate | None:
    """Success rate in environments in which the goal is reachable; None without such environments."""
    reachable = [record for record in records if not record.walled_in]
    return Estimate(sum(r.actuators is not None for r in reachable), len(reachable)) if reachable else None


def by_density(records: Sequence[ReliabilityRecord]) -> dict[float, list[ReliabilityRecord]]:
    """Return the records by density, ascending."""
    densities = sorted({record.case.density for record in records})
    return {density: [r for r in records if r.case.density == density] for density in densities}


class InvalidCounts(ValueError):
    """Fuzzing counts that cannot be read."""


def report(records: Sequence[ReliabilityRecord], fuzz: Sequence[str]) -> Report:
    """Tables in Markdown, and the data of every run.

    Args:
        records: Records in the order in which the runs finished.
        fuzz: Lines from `fuzz_lines`.
    """
    tolerance = VineParams().penetration_tolerance
    seconds = records[0].case.time_budget
    sizes = sorted({record.case.size for record in records})
    shown = ", ".join(f"{width:g} m x {height:g} m" for width, height in sizes)
    lines = [
        "## Random environments",
        "",
        f"The planner ran in {len(records)} random environments of {shown}, with the quasistatic propagator, for",
        f"{seconds:g} s each on one thread, as many runs at once as there are threads. Obstacles are placed so that a",
        "passage as wide as the tube leads to the goal, although the actuators may not be able to follow it. Environments",
        "in which no such passage is found are counted as walled in. Brackets: 95 % confidence interval (Wilson).",
        "",
        "All nodes in the search tree at the end of each run, and all solutions, were checked. Shapely measured how deep",
        f"they penetrate the obstacles, with exact circles; {tolerance * 1e3:g} mm is allowed. All numbers must be finite,",
        "each tip must be at the end of its centreline and within the bounds, and solutions must end in the goal.",
        "",
        *markdown_table(
            COLUMNS, [*(_row(f"{part:.0%}", some) for part, some in by_density(records).items()), _row("all", records)]
        ),
        "",
    ]
    faulty = [record for record in records if record.faults]
    if faulty:
        lines += ["Faults, and how to reproduce them:", ""]
        lines += [f"- {'; '.join(record.faults)}: `{record.case.replayed_by}`" for record in faulty]
    else:
        lines.append("No run crashed, and all states passed these checks.")
    lines += ["", *_memory_lines(records), "", "![Success and memory](reliability.png)", "", *fuzz]
    return Report("Reliability", lines, {"runs": [record.content() for record in records]})


def _row(name: str, records: Sequence[ReliabilityRecord]) -> list[str]:
    estimate = success(records)
    checked = [record.checked for record in records if record.checked]
    return [
        name,
        str(len(records)),
        str(sum(record.walled_in for record in records)),
        str(estimate.reached if estimate else 0),
        estimate.words() if estimate else "-",
        f"{sum(one.states for one in checked)}",
        f"{1e3 * max((one.deepest for one in checked), default=0.0):.4f}",
        str(sum(bool(record.faults) for record in records)),
    ]


def _memory_lines(records: Sequence[ReliabilityRecord]) -> list[str]:
    lines = ["## Memory", ""]
    if not (processes := resident_memory(records)):
        return [*lines, "This system does not report the resident memory of a process."]
    lines += [
        "Resident memory of each process, recorded after each of its runs. The slope is that of a least-squares line,",
        f"without the first {WARM_UP} runs, with its 95 % confidence interval.",
        "",
    ]
    rows = []
    for number, values in enumerate(processes, start=1):
        memory = fit_memory(values)
        slope = f"{memory.slope:+.2f} ± {memory.error:.2f}" if memory else "too few runs"
        rows.append([f"{number}", f"{len(values)}", f"{values[-1]:.0f}", slope])
    return lines + markdown_table(("process", "runs", "at the end MB", "slope, MB in 100 runs"), rows)


def fuzz_lines(path: Path) -> list[str]:
    """Return the lines about the fuzzing counts, if the file exists.

    Raises:
        InvalidCounts: The file contains something else.
    """
    lines = ["## Fuzzing", ""]
    if not path.is_file():
        return [
            *lines,
            f"Not run. `{FUZZED_BY}` writes the counts, and the next report includes them.",
        ]
    try:
        kinds: dict[str, dict[str, int]] = json.loads(path.read_text(encoding="utf-8"))["kinds"]
        codes = sorted({code for outcomes in kinds.values() for code in outcomes}, key=int)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidCounts(f"{path} contains no fuzzing counts; delete it, or create it with {FUZZED_BY}") from None
    lines += [
        f"Made by `{FUZZED_BY}`. Hypothesis generated valid, almost valid and hostile input. Every example ended with one",
        "of the exit codes in the README; bad input gave an error message of one line, and no other error occurred.",
        "",
    ]
    columns = ["input", "examples", *(f"exit code {code}" for code in codes)]
    rows = (
        [kind, str(sum(outcomes.values())), *(str(outcomes.get(code, 0)) for code in codes)]
        for kind, outcomes in kinds.items()
    )
    return lines + markdown_table(columns, rows)


def missed_text(records: Sequence[ReliabilityRecord]) -> str:
    """Return the failed checks as text; empty if there are none."""
    faulty = sum(bool(record.faults) for record in records)
    return f"checks failed in {faulty} of {len(records)} environments" if faulty else ""
