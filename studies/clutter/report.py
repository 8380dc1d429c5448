"""Tables of dense clutter: how many environments have a design, and how many of those each search solves soon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planner.design.estimate import Estimate
from planner.output.markdown import markdown_table
from studies.clutter.study import FIRST_SEED, KINDS, by_density
from studies.defaults.study import BEFORE, NOW
from studies.planning_runs import Record
from vinewright.console.study import Report
from vinewright.sweeps.report.paired import sign_test

SOON = 2.0
"""Time in which a first solution counts as soon [s]."""
SOLVABLE = "obstacles", "environments", "solved by any search, %"
FOUND = "obstacles", "search", "solvable", f"in {SOON:g} s", f"of the solvable in {SOON:g} s, %", "in the whole time"
PAIRS = "obstacles", "solvable", "both", "only now", "only before", "now / before", "p"
ALL = "all"

Firsts = Mapping[str, NDArray[np.float64]]
"""Times to the first solution of each kind [s], infinite without one: the same environments in the same order."""


def report(records: Sequence[Record]) -> Report:
    """Tables in Markdown, and the data of every run."""
    parts = firsts(records)
    seconds = max(record.case.time_budget for record in records)
    lines = [
        f"Random environments of the [soak](../reliability/README.md), from seed {FIRST_SEED} on: with lower seeds the search was",
        f"chosen. Each was searched once with each search for at most {seconds:g} s, until the first solution, on one thread, as many at",
        "once as there are threads. Times exclude compilation. *Radius* is the best-near radius in units of the witness radius, *batch*",
        "the number of vines grown at once; *now* has radius 4 and a first batch of 30, and until the first solution it draws three",
        "quarters of the nodes by their distance to the goal.",
        "",
        "An environment counts as *solvable* if any of the searches found a design. Of the others it is not known whether they have one.",
        "Brackets: 95 % confidence interval (Wilson).",
        "",
        *markdown_table(SOLVABLE, _solvable_rows(parts)),
        "",
        *markdown_table(FOUND, _found_rows(parts)),
        "",
        f"The solvable environments that the search now and before (*{BEFORE}*) solved in {SOON:g} s, and the probability p of such a",
        "difference if both were the same (McNemar, exact).",
        "",
        *markdown_table(PAIRS, _pair_rows(parts)),
        "",
        "![Share solved over time](success-vs-time.png)",
    ]
    return Report("Dense clutter", lines, {"runs": [record.content() for record in records]})


def firsts(records: Sequence[Record]) -> dict[str, Firsts]:
    """Times to the first solution by density, and of all densities."""
    parts = {
        density: {name: np.array([record.first for record in own]) for name, own in kinds.items()}
        for density, kinds in by_density(records).items()
    }
    return parts | {ALL: {name: np.concatenate([own[name] for own in parts.values()]) for name in KINDS}}


def solvable(own: Firsts) -> NDArray[np.bool_]:
    """Whether any search found a solution, for each environment."""
    return np.isfinite(np.min(list(own.values()), axis=0))


def _solvable_rows(parts: dict[str, Firsts]) -> Iterator[list[str]]:
    for density, own in parts.items():
        some = solvable(own)
        yield [density, str(len(some)), f"{some.sum()}: {Estimate(int(some.sum()), len(some)).words()}"]


def _found_rows(parts: dict[str, Firsts]) -> Iterator[list[str]]:
    for density, own in parts.items():
        count = int(solvable(own).sum())
        for name, first in own.items():
            soon = int((first <= SOON).sum())
            share = Estimate(soon, count).words() if count else "-"
            yield [density, name, str(count), str(soon), share, str(int(np.isfinite(first).sum()))]


def _pair_rows(parts: dict[str, Firsts]) -> Iterator[list[str]]:
    for density, own in parts.items():
        now, before = own[NOW] <= SOON, own[BEFORE] <= SOON
        gained, lost = int((now & ~before).sum()), int((before & ~now).sum())
        ratio = f"{now.sum() / before.sum():.2f}" if before.any() else "-"
        counts = int(solvable(own).sum()), int((now & before).sum()), gained, lost
        yield [density, *map(str, counts), ratio, f"{sign_test(gained, lost):.2g}"]
