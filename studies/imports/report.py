"""The tables of the study, and what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from planner.output.markdown import markdown_table
from studies.imports.floors import FIRST_SEED
from studies.imports.study import PLAN_SECONDS, STEP, ImportRecord
from vinewright.console.study import Report

COLUMNS = (
    "file",
    "floor",
    "kB",
    "corners",
    "mean mm",
    "largest mm",
    "area %",
    "unknown %",
    "time s",
    "memory MB",
    "actuators",
    "success %",
)
PER_KIND = (
    "kind",
    "files",
    "mean mm, median",
    "largest mm, median",
    "largest mm, largest",
    "time s, largest",
    "memory MB, largest",
)


def report(records: Sequence[ImportRecord]) -> Report:
    """Return the tables in Markdown, and the data."""
    lines = [
        f"Random floors (`environments.halls`, seeds from {FIRST_SEED} on) are written as files of four kinds, eight variants each, and",
        "imported with the options that the variant needs, each in a process of its own. *Mean* and *largest* are distances of the edges",
        f"of the free space around the start from the true ones, at points {1e3 * STEP:.0f} mm apart; *largest* both ways. *Area* is",
        "free in one of the two only, over the true free area. *Time* includes loading the libraries, *memory* is the largest of the",
        "process. Cells of the maps are 50 mm, in one 20 mm; half a diagonal of a cell is 35 and 14 mm. The last columns are plans in some",
        f"imports, with the default options and a time budget of {PLAN_SECONDS:g} s.",
        "",
        *markdown_table(PER_KIND, _kind_rows(records)),
        "",
        *markdown_table(COLUMNS, map(_row, records)),
        "",
        "![Imports with plans in them](imports.png)",
    ]
    return Report("Imports", lines, {"imports": [record.content() for record in records]})


def _kind_rows(records: Sequence[ImportRecord]) -> Iterator[list[str]]:
    for kind in dict.fromkeys(record.case.kind for record in records):
        own = [record for record in records if record.case.kind == kind]
        largest = [1e3 * record.largest for record in own]
        yield [
            kind,
            str(len(own)),
            f"{np.median([1e3 * record.mean for record in own]):.2f}",
            f"{np.median(largest):.1f}",
            f"{max(largest):.1f}",
            f"{max(record.seconds for record in own):.1f}",
            f"{max(record.memory for record in own):.0f}",
        ]


def _row(record: ImportRecord) -> list[str]:
    return [
        f"{record.case.kind}: {record.case.variant}",
        record.case.floor[0],
        f"{record.size / 1e3:.0f}",
        str(record.corners),
        f"{1e3 * record.mean:.2f}",
        f"{1e3 * record.largest:.1f}",
        f"{100 * record.area:.2f}",
        "-" if record.unknown is None else f"{100 * record.unknown:.1f}",
        f"{record.seconds:.2f}",
        f"{record.memory:.0f}",
        ("no design" if record.case.planned else "-") if record.actuators is None else str(record.actuators),
        "-" if record.success is None else f"{100 * record.success:.0f}",
    ]
