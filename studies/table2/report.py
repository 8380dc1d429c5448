"""The tables of planning with the kinds of reverse tree and without."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.output.markdown import markdown_table
from studies.planning.study import PAPER
from studies.planning_runs import Record, Summary, shown, shown_quartiles
from studies.table2.effects import Effect, Paired, effect, paired
from studies.table2.study import CONTACT, FREE, KINDS, MOMENTS, NONE, RANDOM, environments_of, of_kind
from vinewright.console.study import Report

PARTS = {"first": "time to the first solution", "cost": "cost at the end"}
PAIRS = (CONTACT, NONE), (CONTACT, FREE), (FREE, NONE)
"""Kinds that are compared, each with the second."""
EFFECTS = "environment", "tree", "compared with", "better", "ratio of medians", "p"
TREES = "environment", "tree", "vertices, mean", "grown in, mean s", "reaches the start"
SAME = "compared", "with", "what", "environments", "better in", "worse in", "ratio, median", "p"


def report(records: Sequence[Record]) -> Report:
    """Tables in Markdown, and the data of every run."""
    names = environments_of(records)
    fixed = [name for name in names if name != RANDOM]
    longest = max(record.case.time_budget for record in records)
    moments = [moment for moment in MOMENTS if moment <= longest]
    lines = [
        f"{len(records)} runs of at most {longest:g} s, each on one thread, as many at once as there are threads:",
        f"{_sizes(records, names)}. Times exclude compilation and include the reverse tree. A run finishes its current",
        "iteration, so it may find its first solution slightly after the time limit. *First* is the time to the first",
        "solution. A run without a solution counts as slower and costlier than any with one. Cost is",
        "actuators + length / 100 m.",
        "",
        *(line for part in PARTS for line in _effects(records, fixed, part)),
        *(_random(records) if RANDOM in names else []),
        "Each kind of tree in each environment: quartiles are given as median (lower ... upper), means are over runs with a",
        "solution. The values of paper 002 (Table 2) are means, on a GPU, of runs with its tree and without one. All random",
        "environments make one row.",
        "",
        *markdown_table(_columns(moments), [_row(records, name, kind, moments) for name in names for kind in KINDS]),
        "",
        "The trees at the end of the runs:",
        "",
        *markdown_table(TREES, [_tree_row(records, name, kind) for name in names for kind in (FREE, CONTACT)]),
        "",
        "![Share solved over time](success-vs-time.png)",
        "![Lowest cost over time](cost-vs-time.png)",
        "![The trees](reverse-trees.png)",
    ]
    content = {"runs": [record.content() for record in records]}
    return Report("Planning with the reverse trees and without", lines, content)


def _sizes(records: Sequence[Record], names: Sequence[str]) -> str:
    """How many runs of each kind there are where."""
    counts = {name: len(of_kind(records, name, NONE)) for name in names if name != RANDOM}
    most = sorted(set(counts.values()))
    words = [f"{' to '.join(map(str, most))} of each kind in each of {len(counts)} environments"] if counts else []
    if RANDOM in names:
        words.append(f"one of each kind in each of {len(of_kind(records, RANDOM, NONE))} random environments")
    return ", and ".join(words)


def _effects(records: Sequence[Record], names: Sequence[str], part: str) -> list[str]:
    """Effects of each kind on a part of the records."""
    if not names:
        return []
    found = {
        (name, *pair): effect(*([getattr(one, part) for one in of_kind(records, name, kind)] for kind in pair))
        for name in names
        for pair in PAIRS
    }
    clear = [key for key, one in found.items() if one.p < 0.05 / len(found)]
    named = [f"`{name}` ({one} against {other})" for name, one, other in clear]
    return [
        f"## Effect on the {PARTS[part]}",
        "",
        "*Better* is the share of pairs of a run of each kind in which that of the first is better, ties by half: 0.5 means no",
        "effect, 1 that each is better than each of the other. Intervals are 95 % bootstrap intervals; p is the probability of",
        "a difference at least as large without an effect (Mann-Whitney, two-sided), not corrected for the number of rows.",
        "",
        *markdown_table(EFFECTS, [_effect_row(key, one) for key, one in found.items()]),
        "",
        f"With a correction for {len(found)} comparisons (Bonferroni), at p < 0.05: {', '.join(named) or 'none'}.",
        "",
    ]


def _effect_row(key: tuple[str, str, str], one: Effect) -> list[str]:
    ratio = [shown(value) for value in (one.ratio, *one.ratio_interval)]
    return [
        *key,
        f"{one.better:.2f} ({one.interval[0]:.2f} ... {one.interval[1]:.2f})",
        f"{ratio[0]} ({ratio[1]} ... {ratio[2]})",
        f"{one.p:.2g}",
    ]


def _random(records: Sequence[Record]) -> list[str]:
    """Kinds compared in the same random environments."""
    solved = ", ".join(f"{kind} {Summary.of(of_kind(records, RANDOM, kind)).solved}" for kind in KINDS)
    rows = [_paired_row(pair, part, paired(records, *pair, part)) for part in PARTS for pair in PAIRS]
    return [
        "## Random environments",
        "",
        f"Solved of {len(of_kind(records, RANDOM, NONE))}: {solved}. Runs with the same environment and seed are compared. The",
        "ratio is over the environments that both solved, with a 95 % bootstrap interval over environments; p is that of a sign",
        "test over those that differ.",
        "",
        *markdown_table(SAME, rows),
        "",
    ]


def _paired_row(pair: tuple[str, str], part: str, one: Paired) -> list[str]:
    ratio = [shown(value) for value in (one.ratio, *one.interval)]
    counts = [str(count) for count in (one.count, one.better, one.worse)]
    return [*pair, PARTS[part], *counts, f"{ratio[0]} ({ratio[1]} ... {ratio[2]})", f"{one.p:.2g}"]


def _columns(moments: list[float]) -> list[str]:
    after = ", ".join(f"{moment:g}" for moment in moments)
    found = ["environment", "reverse tree", "solved", "first, mean s", "first, quartiles s", f"solved after {after} s"]
    found += ["cost at the end, mean", "cost, quartiles", "iteration, ms", "paper: first, s", "cost", "iteration, s"]
    return found


def _row(records: Sequence[Record], name: str, kind: str, moments: list[float]) -> list[str]:
    some = of_kind(records, name, kind)
    summary = Summary.of(some)
    solved = ", ".join(f"{np.mean([record.first <= moment for record in some]):.0%}" for moment in moments)
    known = name in PAPER and kind != CONTACT
    paper = [f"{figure:.2f}" for figure in PAPER[name][kind == FREE]] if known else ["-"] * 3
    return [
        name,
        kind,
        f"{summary.solved} of {summary.runs}",
        shown(summary.mean_first),
        shown_quartiles(summary.first),
        solved,
        shown(summary.mean_cost),
        shown_quartiles(summary.cost),
        shown(1e3 * summary.iteration, 0),
        *paper,
    ]


def _tree_row(records: Sequence[Record], name: str, kind: str) -> list[str]:
    some = of_kind(records, name, kind)
    known = sum(bool(record.tree_reaches_start) for record in some)
    return [
        name,
        kind,
        f"{np.mean([record.tree_vertices or 0 for record in some]):.0f}",
        f"{np.mean([record.tree_seconds or 0.0 for record in some]):.2f}",
        f"{known} of {len(some)}",
    ]
