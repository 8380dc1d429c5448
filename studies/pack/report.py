"""The table of the study, and what it means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.output.markdown import markdown_table
from studies.pack.plots import PICTURED
from studies.pack.study import CLOSE, TIP, PackRecord
from vinewright.console.study import Report

COLUMNS = (
    *("design", "types", "actuators", "cells mm", "seams mm", "places mm", "tip mm"),
    *("promised, %", "built, same trials, %", "inside", "built, other trials, %", "meets"),
)
LEAST = 1e-6
"""Smallest difference that is written as a number [mm]."""


def report(records: Sequence[PackRecord]) -> Report:
    """Return the table in Markdown, and the data."""
    trials, holding = records[0].case.trials, sum(record.holds for record in records)
    lines = [
        "Designs of all types of actuator, each in a room of its own, are exported. A builder has two of the files: `pattern.dxf`,",
        "read with ezdxf, and the printed `template-letter.pdf`, read with pypdf. They say what sections, cells, seams, sides,",
        "places and pressures there are (`studies/pack/builder.py`). The design that was built is grown in the same room.",
        "",
        f"**{holding} of {len(records)}** designs are those of their packs and succeed as the cover says.",
        "",
        *markdown_table(COLUMNS, map(_row, records)),
        "",
        "*Cells*, *seams*, *places*: the largest difference of a cell length, of a seam's width, and of the start or end of a",
        "section; *tip*: the distance of the grown tips. The built design is that of the pack if these lengths differ by less than",
        f"{1e3 * CLOSE:g} mm and the tips by less than {1e3 * TIP:g} mm, and sides, types and numbers of cells are equal.",
        "",
        "*Promised*: the success that the cover states under workshop errors and its 95 % confidence interval, in whole percent,",
        f"from {trials} trials of the pack. *Built*: success of the built design with its interval (Wilson), in the same trials and in",
        "as many others. *Inside*: the first of these rates lies within the interval on the cover; *meets*: the interval of the second",
        "overlaps that on the cover.",
        "",
        "Not compared: the acceptance test (its ranges come from few tubes here), printed parts and plumbing. No film was cut: builder,",
        "errors and growth are simulated.",
        "",
        *_failures(records),
        "## Pages",
        "",
        f"The template of the design *{PICTURED}* on A4, as `export` writes it with all other files. The guide begins with a list",
        "of questions, and says which pages and files answer each.",
        "",
        "![The list of the guide: could I build it from the files alone?](checklist.png)",
        "",
        "![The cover and the first pages of the builder's guide](guide-1.png)",
        "",
        "![The other pages of the builder's guide](guide-2.png)",
        "",
        "![The sheets of the pattern](pattern.png)",
    ]
    return Report("Packs", lines, {"packs": [record.content() for record in records]})


def _row(record: PackRecord) -> list[str]:
    found, types = record.comparison, ", ".join(record.types) or "none"
    start = [record.case.name, types, str(record.actuators)]
    if found is None or record.promised is None:
        return [*start, *["-"] * (len(COLUMNS) - len(start))]
    rate, low, high = (f"{100 * value:.0f}" for value in record.promised)
    return [
        *start,
        *map(_difference, (found.cell, found.seam, found.place, found.tip)),
        f"{rate} ({low} ... {high})",
        record.estimate.words(),
        _yes(record.inside),
        record.elsewhere.words(),
        _yes(record.meets),
    ]


def _difference(length: float) -> str:
    """Return a length [m] in millimetres, as text."""
    return f"{1e3 * length:.2g}" if 1e3 * length >= LEAST else f"< {LEAST:g}"


def _yes(true: bool) -> str:
    return "yes" if true else "**no**"


def _failures(records: Sequence[PackRecord]) -> Iterator[str]:
    """Yield a list of the designs that could not be built, or are others than those of their packs."""
    for record in records:
        if record.failure:
            yield f"* {record.case.name} was not built: {record.failure}"
        elif record.comparison and not record.comparison.same:
            yield f"* {record.case.name} was built as another design."
    if any(record.failure or (record.comparison and not record.comparison.same) for record in records):
        yield ""
