"""The table of ablations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planner.provenance import machine
from planner.studies.ablations.study import VARIANTS
from planner.studies.planning_runs import Record, Summary, shown, shown_quartiles


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
