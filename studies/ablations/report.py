"""The table of ablations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from planner.output.markdown import markdown_table
from studies.ablations.study import VARIANTS
from studies.planning_runs import Record, Summary, shown, shown_quartiles
from vinewright.console.study import Report

COLUMNS = (
    "environment",
    "search",
    "solved",
    "first, quartiles s",
    "cost at the end, quartiles",
    "cost, mean",
    "iteration, ms",
)


def report(records: Sequence[Record]) -> Report:
    """A table of the runs, and all runs as data."""
    lines = [
        f"{len(records)} runs of {max(r.case.time_budget for r in records):g} s without the reverse tree, each on one",
        "thread, as many at once as there are threads. Times exclude compilation. *First* is the time to the first",
        "solution; cost is actuators + length / 100 m. Quartiles are given as median (lower ... upper); a run without a",
        "solution counts as slower and costlier than any with one. The best-near radius is in units of the witness",
        "radius. The default batch is 100, and at most 30 until the first solution.",
        "",
        *markdown_table(COLUMNS, _rows(records)),
    ]
    return Report("Effect of parts of the search", lines, {"runs": [record.content() for record in records]})


def _rows(records: Sequence[Record]) -> Iterator[list[str]]:
    for name in dict.fromkeys(Path(record.case.environment).stem for record in records):
        own = [record for record in records if Path(record.case.environment).stem == name]
        for label, kind in VARIANTS.items():
            if some := [record for record in own if (record.case.batch, record.case.switches) == kind]:
                yield _row(name, label, Summary.of(some))


def _row(name: str, label: str, summary: Summary) -> list[str]:
    return [
        name,
        label,
        f"{summary.solved} of {summary.runs}",
        shown_quartiles(summary.first),
        shown_quartiles(summary.cost),
        shown(summary.mean_cost),
        shown(1e3 * summary.iteration, 0),
    ]
