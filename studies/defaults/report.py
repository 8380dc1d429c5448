"""Tables of the defaults: what each change does in every environment, and its effect over pairs of runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from planner.output.markdown import markdown_table
from studies.defaults.study import BEFORE, KINDS, of_kind
from studies.planning_runs import Record, Summary, shown, shown_quartiles
from vinewright.console.study import Report
from vinewright.sweeps.report.paired import Effect

COLUMNS = (
    "environment",
    "search",
    "solved in time",
    "first, quartiles s",
    "cost at the end, quartiles",
    "actuators, mean",
    "solutions, mean",
)
EFFECTS = "environment", "change", "pairs", "first, ratio", "p", "pairs solved", "cost, difference", "p"
ALL = "all"


def report(records: Sequence[Record]) -> Report:
    """A table of the runs, one of the effects, and all runs as data."""
    seconds = max(record.case.time_budget for record in records)
    lines = [
        f"{len(records)} runs of {seconds:g} s without the reverse tree, each on one thread, as many at once as there are threads.",
        "Times exclude compilation. The best-near radius is in units of the witness radius. The batch is 100; a *first batch* of 30 is",
        "that until the first solution. Up to five solutions are kept, whose cost exceeds the lowest by at most 0.005 once there is one;",
        "the cost of *ten solutions* may exceed it by 2.05 while there are fewer than ten. *Now* has radius 4, a first batch of 30 and",
        "ten solutions, and until the first one it draws three quarters of the nodes by their distance to the goal. *Solved in time*",
        "counts the runs whose first solution came within the time; a run finishes its current iteration, so it may find one later.",
        "Quartiles are given as median (lower ... upper); a run without a solution counts as slower and costlier than any with one.",
        "",
        *markdown_table(COLUMNS, _rows(records)),
        "",
        f"Effects over pairs of runs with the same seed, compared with *{BEFORE}*: the ratio of the times to the first solution",
        "(geometric mean; a run without one counts as its whole time), and the difference of the cost at the end (mean, of the pairs",
        "that were both solved), with intervals of 95 % (bootstrap within each environment). p is the probability of a mean at least",
        "as far from no effect if the sign of each pair's difference were a coin's (two-sided). It is not corrected for the number of",
        "comparisons; with n pairs it is at least 2 / 2^n.",
        "",
        *markdown_table(EFFECTS, _effects(records)),
    ]
    return Report("Defaults of the search", lines, {"runs": [record.content() for record in records]})


def _names(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(Path(record.case.environment).stem for record in records))


def _rows(records: Sequence[Record]) -> Iterator[list[str]]:
    for name in _names(records):
        for kind in KINDS:
            some = [record for (place, _), record in of_kind(records, kind).items() if place == name]
            if some:
                yield _row(name, kind, some)


def _row(name: str, kind: str, some: list[Record]) -> list[str]:
    summary = Summary.of(some)
    actuators = [math.floor(record.cost) for record in some if record.history]
    in_time = sum(record.first <= record.case.time_budget for record in some)
    return [
        name,
        kind,
        f"{in_time} of {len(some)}",
        shown_quartiles(summary.first),
        shown_quartiles(summary.cost),
        shown(float(np.mean(actuators)) if actuators else math.inf),
        shown(float(np.mean([record.kept for record in some])), 1),
    ]


def _effects(records: Sequence[Record]) -> Iterator[list[str]]:
    before = of_kind(records, BEFORE)
    for name in (ALL, *_names(records)):
        for kind in KINDS:
            after = of_kind(records, kind)
            pairs = [key for key in before if key in after and name in (ALL, key[0])]
            if kind != BEFORE and pairs:
                yield [name, kind, *_effect([(key[0], before[key], after[key]) for key in pairs])]


def _effect(pairs: Sequence[tuple[str, Record, Record]]) -> list[str]:
    """Cells of some pairs: environment, run before, and run after."""
    solved = [(place, one, other) for place, one, other in pairs if one.history and other.history]
    first = Effect.of(
        [math.log(min(other.first, other.seconds) / min(one.first, one.seconds)) for _, one, other in pairs],
        [place for place, _, _ in pairs],
    )
    cells = [str(len(pairs)), _shown(first, math.exp), shown(first.p, 3), str(len(solved))]
    if not solved:
        return [*cells, "-", "-"]
    cost = Effect.of([other.cost - one.cost for _, one, other in solved], [place for place, _, _ in solved])
    return [*cells, _shown(cost, float), shown(cost.p, 3)]


def _shown(effect: Effect, scale: Callable[[float], float]) -> str:
    """Mean and interval, transformed."""
    mean, low, high = map(scale, (effect.mean, *effect.interval))
    return f"{mean:.2f} ({low:.2f} ... {high:.2f})"
