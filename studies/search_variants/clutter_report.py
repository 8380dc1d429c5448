"""Sections of the report of `clutter`, which compares the search as it was with the search as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planner.design.estimate import Estimate
from planner.output.markdown import markdown_table
from studies.planning_runs import RunRecord
from studies.search_variants.report import longest_budget
from studies.search_variants.study import (
    BEFORE,
    CLUTTER,
    FIRST_SEED,
    NOW,
    VariantStudy,
    group_by_density,
)
from vinewright.sweeps.report.paired import sign_test

ALL = "all"
SOON = 2.0
"""Time in which a first solution counts as soon [s]."""
SOLVABLE = "obstacles", "environments", "solved by any search, %"
FOUND = "obstacles", "search", "solvable", f"in {SOON:g} s", f"of the solvable in {SOON:g} s, %", "in the whole time"
PAIRS = "obstacles", "solvable", "both", "only now", "only before", "now / before", "p"

FirstTimes = Mapping[str, NDArray[np.float64]]
"""Times to the first solution of each variant [s], infinite without one: the same environments in the same order."""


def clutter(_study: VariantStudy, records: Sequence[RunRecord]) -> list[str]:
    """Return the sections of `clutter`."""
    parts, seconds = first_times(records), longest_budget(records)
    return [
        f"Random environments of the [soak](../reliability/README.md), from seed {FIRST_SEED} on: with lower seeds the search was",
        f"chosen. Each was searched once with each search for at most {seconds:g} s, until the first solution, on one thread, as many at",
        "once as there are threads. Times exclude compilation. *Radius* is the best-near radius in units of the witness radius, *batch*",
        "the number of vines grown at once; *now* has radius 4 and a first batch of 30, and until the first solution it draws three",
        "quarters of the nodes by their distance to the goal; it also aims growth at the goal, leaves pinned tips, and a",
        "reverse tree guides it if it finds nothing.",
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


def first_times(records: Sequence[RunRecord]) -> dict[str, FirstTimes]:
    """Return times to the first solution by density, and of all densities."""
    parts: dict[str, FirstTimes] = {
        density: {name: np.array([record.first for record in runs]) for name, runs in own.items()}
        for density, own in group_by_density(records).items()
    }
    return parts | {ALL: {name: np.concatenate([own[name] for own in parts.values()]) for name in CLUTTER.variants}}


def is_solvable(own: FirstTimes) -> NDArray[np.bool_]:
    """Return whether any search found a solution, for each environment."""
    return np.isfinite(np.min(list(own.values()), axis=0))


def _solvable_rows(parts: dict[str, FirstTimes]) -> Iterator[list[str]]:
    for density, own in parts.items():
        solvable = is_solvable(own)
        share = Estimate(int(solvable.sum()), len(solvable)).words()
        yield [density, str(len(solvable)), f"{solvable.sum()}: {share}"]


def _found_rows(parts: dict[str, FirstTimes]) -> Iterator[list[str]]:
    for density, own in parts.items():
        count = int(is_solvable(own).sum())
        for name, first in own.items():
            soon = int((first <= SOON).sum())
            share = Estimate(soon, count).words() if count else "-"
            yield [density, name, str(count), str(soon), share, str(int(np.isfinite(first).sum()))]


def _pair_rows(parts: dict[str, FirstTimes]) -> Iterator[list[str]]:
    for density, own in parts.items():
        now, before = own[NOW] <= SOON, own[BEFORE] <= SOON
        gained, lost = int((now & ~before).sum()), int((before & ~now).sum())
        ratio = f"{now.sum() / before.sum():.2f}" if before.any() else "-"
        counts = int(is_solvable(own).sum()), int((now & before).sum()), gained, lost
        yield [density, *map(str, counts), ratio, f"{sign_test(gained, lost):.2g}"]
