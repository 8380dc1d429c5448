"""What parts of the search are worth: planning with one of them off, or set otherwise, at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planner.bench import machine
from planner.sst import Switches
from planner.studies.runs import Case, Record, Summary, shown, shown_quartiles

VARIANTS: dict[str, tuple[int, Switches]] = {
    "as it is": (100, Switches()),
    "only the last state of a growth": (100, Switches(maximal_recording=False)),
    "new nodes may overlap": (100, Switches(subset=False)),
    "best-near radius 0": (100, Switches(best_near=0.0)),
    "best-near radius 1": (100, Switches(best_near=1.0)),
    "best-near radius 4": (100, Switches(best_near=4.0)),
    "batch 10": (10, Switches()),
    "batch 30": (30, Switches()),
    "batch 300": (300, Switches()),
    "batch 1000": (1000, Switches()),
}
"""Batch and switches of each kind; the best-near radius over that of a witness."""


def cases(environments: Sequence[str], runs: int, seconds: float) -> list[Case]:
    """Every environment and kind with seeds 0 ... runs - 1, without the heuristic."""
    return [
        Case(environment, seed, seconds, False, batch, switches)
        for environment in environments
        for seed in range(runs)
        for batch, switches in VARIANTS.values()
    ]


def report(records: Sequence[Record], command: str) -> tuple[str, dict[str, Any]]:
    """A table for people, and every run for programs."""
    lines = [
        "# What parts of the search are worth",
        "",
        f"Made by `{command}` on {machine()}: {len(records)} runs of {max(r.case.time_budget for r in records):g} s, each on one",
        "thread, as many at once as there are threads; no reverse tree. Compiling apart. Quartiles are median (lower ... upper),",
        "a run without a solution counting as slower and dearer than any with one.",
        "",
        "| environment | search | solved | first, quartiles s | cost at the end, quartiles | cost, mean | iteration, ms |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(Path(record.case.environment).stem for record in records):
        for label, kind in VARIANTS.items():
            some = [
                record
                for record in records
                if Path(record.case.environment).stem == name and (record.case.batch, record.case.switches) == kind
            ]
            if some:
                lines.append(_row(name, label, Summary.of(some)))
    content = {"schema": 1, "command": command, "machine": machine(), "runs": [r.content() for r in records]}
    return "\n".join(lines) + "\n", content


def _row(name: str, label: str, summary: Summary) -> str:
    cells = [
        name,
        label,
        f"{summary.solved} of {summary.runs}",
        shown_quartiles(summary.first),
        shown_quartiles(summary.cost),
        shown(summary.mean_cost),
        shown(1e3 * summary.iteration, 0),
    ]
    return f"| {' | '.join(cells)} |"
