"""The tables of the study, and what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from planner.design.estimate import Estimate
from planner.output.markdown import markdown_table
from studies.halls.study import FIRST_SEED, HallRecord
from vinewright.console.study import Report

COLUMNS = (
    *("hall", "corners", "goal at m", "first solution s", "actuators", "length m"),
    *("success, %", "time s", "start, CPU s", "memory MB"),
)
PER_KIND = (
    "halls",
    "plans",
    "solved",
    "solved, %",
    "first solution s, median of the solved",
    "start, CPU s, largest",
    "memory MB, largest",
)
ALL = "all"


def report(records: Sequence[HallRecord]) -> Report:
    """Return the tables in Markdown, and the data."""
    seconds = max(record.case.time_budget for record in records)
    trials = "without refinement and trials (`--fast`)" if records[0].case.fast else "with refinement and trials"
    lines = [
        f"Random halls of 500 to 20 000 corners (`environments.halls`), from seed {FIRST_SEED} on, each planned with the default options",
        f"and a time budget of {seconds:g} s, {trials}, in a process of its own that has the machine to itself. A hall is *solved* if the",
        "first search found a design whose replay reaches the goal. *Start* is the CPU time from the file to the beginning of the",
        "search, without compilation; *memory* the largest of the process, with about 240 MB for Python and its libraries.",
        "",
        *markdown_table(PER_KIND, _kind_rows(records)),
        "",
        "Brackets: 95 % confidence interval (Wilson).",
        "",
        *markdown_table(COLUMNS, map(_row, records)),
        "",
        "![The halls and the designs' times](halls.png)",
    ]
    return Report("Halls", lines, {"plans": [record.content() for record in records]})


def _kind_rows(records: Sequence[HallRecord]) -> Iterator[list[str]]:
    kinds = list(dict.fromkeys(record.case.kind for record in records))
    for kind in (*kinds, ALL):
        own = [record for record in records if kind in (ALL, record.case.kind)]
        first = [record.first for record in own if record.first is not None]
        yield [
            kind,
            str(len(own)),
            str(len(first)),
            Estimate(len(first), len(own)).words(),
            f"{np.median(first):.2f}" if first else "-",
            f"{max(record.start for record in own):.1f}",
            f"{max(record.memory for record in own):.0f}",
        ]


def _row(record: HallRecord) -> list[str]:
    return [
        f"{record.case.name}, seed {record.case.seed}",
        str(record.corners),
        f"{record.away:.1f}",
        "-" if record.first is None else f"{record.first:.2f}",
        "-" if record.actuators is None else str(record.actuators),
        "-" if record.length is None else f"{record.length:.1f}",
        "-" if record.success is None else f"{100 * record.success:.0f}",
        f"{record.seconds:.0f}",
        f"{record.start:.1f}",
        f"{record.memory:.0f}",
    ]
