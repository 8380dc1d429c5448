"""The tables of steering."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from planner.output.markdown import markdown_table
from studies.planning_runs import Record, Summary, shown_quartiles
from studies.steering.study import KINDS, STEERED, actuators, by_kind, pairs
from vinewright.console.study import Report
from vinewright.sweeps.report.paired import sign_test

RUNS = (
    "environment",
    "pressures",
    "solved",
    "actuators, median (fewest ... most)",
    "changes, median",
    "first, quartiles s",
    "iterations, median",
)
PAIRS = "environment", "pairs", "fewer actuators if steered", "of them with changes", "as many", "more", "p"


def report(records: Sequence[Record]) -> Report:
    """Tables in Markdown, and the data of every run."""
    kinds = by_kind(records)
    budget = max(record.case.time_budget for record in records)
    lines = [
        f"Searches of {budget:g} s, each on one thread, as many at once as there are threads; times exclude compilation. For each seed",
        f"there is one search for designs with constant pressures, and one in which the pressures of up to {STEERED} actuators may change",
        "while the tube grows (`vinewright plan --steer`). Both count actuators first; neither refines its designs, nor tries them under",
        "errors. Every solution was grown again from the start at an eighth of the step. A run without a solution counts as slower, and",
        "as needing more actuators, than any with one.",
        "",
        *markdown_table(RUNS, _rows(kinds)),
        "",
        "Pairs with the same seed: which search needs fewer actuators, and in how many of them its best design changes a pressure. The",
        "search leaves out changes that its designs do not need, so one without changes was only found thanks to them. *p* is the",
        "probability that so many pairs or more differ the same way, if each that differs did so either way (sign test, two-sided).",
        "",
        *markdown_table(PAIRS, _pairs(kinds)),
        "",
        "![Share solved over time](success-vs-time.png)",
        "![Lowest cost over time](cost-vs-time.png)",
    ]
    return Report("Steering while the tube grows", lines, {"runs": [record.content() for record in records]})


def _rows(kinds: dict[str, dict[str, list[Record]]]) -> Iterator[list[str]]:
    for name, own in kinds.items():
        for kind in KINDS:
            if not (some := own[kind]):
                continue
            summary, numbers = Summary.of(some), sorted(map(actuators, some))
            yield [
                name,
                kind,
                f"{summary.solved} of {summary.runs}",
                f"{_number(statistics.median(numbers))} ({_number(numbers[0])} ... {_number(numbers[-1])})",
                f"{statistics.median(record.changes for record in some):g}",
                shown_quartiles(summary.first),
                f"{statistics.median(record.iterations for record in some):g}",
            ]


def _pairs(kinds: dict[str, dict[str, list[Record]]]) -> Iterator[list[str]]:
    for name, own in kinds.items():
        both = [(actuators(constant), actuators(steered), steered.changes) for constant, steered in pairs(own)]
        fewer, more = sum(b < a for a, b, _ in both), sum(b > a for a, b, _ in both)
        changing = sum(b < a and changes > 0 for a, b, changes in both)
        numbers = len(both), fewer, changing, len(both) - fewer - more, more
        yield [name, *map(str, numbers), f"{sign_test(fewer, more):.2g}"]


def _number(value: float) -> str:
    return f"{value:g}" if math.isfinite(value) else "-"
