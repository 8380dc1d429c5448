"""Sections of the reports of `defaults` and `clutter`, which compare the search as it was with the search as it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planner.design.estimate import Estimate
from planner.output.markdown import markdown_table
from studies.planning_runs import RunRecord, number_text
from studies.search_variants.report import COST, FIRST, Column, longest_budget, runs_table
from studies.search_variants.study import (
    BEFORE,
    CLUTTER,
    FIRST_SEED,
    NOW,
    VariantStudy,
    environment_name,
    group_by_density,
)
from vinewright.sweeps.report.paired import PairedEffect, sign_test

COLUMNS: Sequence[Column] = (
    ("solved in time", lambda _, runs: _solved_in_time(runs)),
    FIRST,
    COST,
    ("actuators, mean", lambda _, runs: _mean_actuators(runs)),
    ("solutions, mean", lambda _, runs: number_text(float(np.mean([record.kept for record in runs])), 1)),
)
EFFECTS = "environment", "change", "pairs", "first, ratio", "p", "pairs solved", "cost, difference", "p"
ALL = "all"
SOON = 2.0
"""Time in which a first solution counts as soon [s]."""
SOLVABLE = "obstacles", "environments", "solved by any search, %"
FOUND = "obstacles", "search", "solvable", f"in {SOON:g} s", f"of the solvable in {SOON:g} s, %", "in the whole time"
PAIRS = "obstacles", "solvable", "both", "only now", "only before", "now / before", "p"

FirstTimes = Mapping[str, NDArray[np.float64]]
"""Times to the first solution of each variant [s], infinite without one: the same environments in the same order."""


def defaults(study: VariantStudy, records: Sequence[RunRecord]) -> list[str]:
    """Return the sections of `defaults`."""
    seconds = longest_budget(records)
    return [
        f"{len(records)} runs of {seconds:g} s without the reverse tree, each on one thread, as many at once as there are threads.",
        "Times exclude compilation. The best-near radius is in units of the witness radius. The batch is 100; a *first batch* of 30 is",
        "that until the first solution. Up to five solutions are kept, whose cost exceeds the lowest by at most 0.005 once there is one;",
        "the cost of *ten solutions* may exceed it by 2.05 while there are fewer than ten. *Now* has radius 4, a first batch of 30 and",
        "ten solutions, and until the first one it draws three quarters of the nodes by their distance to the goal. *Solved in time*",
        "counts the runs whose first solution came within the time; a run finishes its current iteration, so it may find one later.",
        "Quartiles are given as median (lower ... upper); a run without a solution counts as slower and costlier than any with one.",
        "",
        *runs_table(study.group(records), "search", COLUMNS),
        "",
        f"Effects over pairs of runs with the same seed, compared with *{BEFORE}*: the ratio of the times to the first solution",
        "(geometric mean; a run without one counts as its whole time), and the difference of the cost at the end (mean, of the pairs",
        "that were both solved), with intervals of 95 % (bootstrap within each environment). p is the probability of a mean at least",
        "as far from no effect if the sign of each pair's difference were a coin's (two-sided). It is not corrected for the number of",
        "comparisons; with n pairs it is at least 2 / 2^n.",
        "",
        *markdown_table(EFFECTS, _effects(study, records)),
    ]


def _solved_in_time(runs: Sequence[RunRecord]) -> str:
    return f"{sum(record.first <= record.case.time_budget for record in runs)} of {len(runs)}"


def _mean_actuators(runs: Sequence[RunRecord]) -> str:
    actuators = [math.floor(record.cost) for record in runs if record.history]
    return number_text(float(np.mean(actuators)) if actuators else math.inf)


def _effects(study: VariantStudy, records: Sequence[RunRecord]) -> Iterator[list[str]]:
    before = study.runs_of(records, BEFORE)
    for name in (ALL, *dict.fromkeys(map(environment_name, records))):
        for variant in study.variants:
            after = study.runs_of(records, variant)
            pairs = [key for key in before if key in after and name in (ALL, key[0])]
            if variant != BEFORE and pairs:
                yield [name, variant, *_effect_cells([(key[0], before[key], after[key]) for key in pairs])]


def _effect_cells(pairs: Sequence[tuple[str, RunRecord, RunRecord]]) -> list[str]:
    """Return the cells of pairs: environment, run before, and run after."""
    solved = [(name, before, after) for name, before, after in pairs if before.history and after.history]
    first = PairedEffect.of(
        [math.log(min(after.first, after.seconds) / min(before.first, before.seconds)) for _, before, after in pairs],
        [name for name, _, _ in pairs],
    )
    cells = [str(len(pairs)), _effect_text(first, math.exp), number_text(first.p, 3), str(len(solved))]
    if not solved:
        return [*cells, "-", "-"]
    cost = PairedEffect.of([after.cost - before.cost for _, before, after in solved], [name for name, _, _ in solved])
    return [*cells, _effect_text(cost, float), number_text(cost.p, 3)]


def _effect_text(effect: PairedEffect, scale: Callable[[float], float]) -> str:
    """Return mean and interval, transformed, as text."""
    mean, low, high = map(scale, (effect.mean, *effect.interval))
    return f"{mean:.2f} ({low:.2f} ... {high:.2f})"


def clutter(_study: VariantStudy, records: Sequence[RunRecord]) -> list[str]:
    """Return the sections of `clutter`."""
    parts, seconds = first_times(records), longest_budget(records)
    return [
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
