"""The tables of planning with and without the reverse tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import mannwhitneyu

from planner.markdown import table
from planner.studies.planning.study import PAPER
from planner.studies.planning_runs import Record, Summary, shown, shown_quartiles
from planner.studies.study import Report
from planner.studies.table2.study import MOMENTS, environments_of, of_kind

SIGNIFICANT = 0.05
"""Probability below which a difference counts as significant."""
TREES = (
    *("environment", "vertices, mean", "grown in, mean s", "reaches the start", "first, ratio", "p"),
    *("cost, difference", "p"),
)


def report(records: Sequence[Record]) -> Report:
    """Tables in Markdown, and the data of every run."""
    names = environments_of(records)
    longest = max(record.case.time_budget for record in records)
    moments = [moment for moment in MOMENTS if moment <= longest]
    lines = [
        f"{len(records)} runs of at most {longest:g} s, each on one thread, as many at once as there are threads. Times",
        "exclude compilation and include the reverse tree. A run finishes its current iteration, so it may find its first",
        "solution slightly after the time limit. *First* is the time to the first solution. Quartiles are given as median",
        "(lower ... upper); a run without a solution counts as slower and costlier than any with one. Means are over runs",
        "with a solution. The values of paper 002 (Table 2) are means, on a GPU. Cost is actuators + length / 100 m.",
        "",
        *table(_columns(moments), [_row(records, name, tree, moments) for name in names for tree in (True, False)]),
        "",
        "The tree itself and its effect: the ratio of the median times with and without the tree, the difference of the",
        "median costs, and the probability p of a difference at least as large if the tree had no effect (Mann-Whitney,",
        "two-sided).",
        "",
        *table(TREES, [_tree_row(records, name) for name in names]),
        "",
        *_significant(records, names),
        "",
        "![Share solved over time](success-vs-time.png)",
        "![Lowest cost over time](cost-vs-time.png)",
        "![The trees](reverse-trees.png)",
    ]
    content = {"runs": [record.content() for record in records]}
    return Report("Planning with and without the reverse tree", lines, content)


def _columns(moments: list[float]) -> list[str]:
    after = ", ".join(f"{moment:g}" for moment in moments)
    found = ["environment", "reverse tree", "solved", "first, mean s", "first, quartiles s", f"solved after {after} s"]
    found += ["cost at the end, mean", "cost, quartiles", "iteration, ms", "paper: first, s", "cost", "iteration, s"]
    return found


def _row(records: Sequence[Record], name: str, heuristic: bool, moments: list[float]) -> list[str]:
    some = of_kind(records, name, heuristic)
    summary = Summary.of(some)
    solved = ", ".join(f"{np.mean([record.first <= moment for record in some]):.0%}" for moment in moments)
    paper = [f"{figure:.2f}" for figure in PAPER[name][heuristic]] if name in PAPER else ["-"] * 3
    return [
        name,
        "yes" if heuristic else "no",
        f"{summary.solved} of {summary.runs}",
        shown(summary.mean_first),
        shown_quartiles(summary.first),
        solved,
        shown(summary.mean_cost),
        shown_quartiles(summary.cost),
        shown(1e3 * summary.iteration, 0),
        *paper,
    ]


def _tree_row(records: Sequence[Record], name: str) -> list[str]:
    guided, plain = of_kind(records, name, True), of_kind(records, name, False)
    known = sum(bool(record.tree_reaches_start) for record in guided)
    cells = [
        name,
        f"{np.mean([record.tree_vertices or 0 for record in guided]):.0f}",
        f"{np.mean([record.tree_seconds or 0.0 for record in guided]):.2f}",
        f"{known} of {len(guided)}",
    ]
    with np.errstate(invalid="ignore"):
        medians = {part: [getattr(Summary.of(some), part)[1] for some in (guided, plain)] for part in ("first", "cost")}
        ratio, difference = np.divide(*medians["first"]), np.subtract(*medians["cost"])
    for value, part in ((ratio, "first"), (difference, "cost")):
        cells += [shown(float(value)), f"{_p_value(guided, plain, part):.2g}"]
    return cells


def _p_value(guided: Sequence[Record], plain: Sequence[Record], part: str) -> float:
    one, other = ([min(getattr(record, part), 1e9) for record in some] for some in (guided, plain))
    return float(mannwhitneyu(one, other).pvalue)


def _significant(records: Sequence[Record], names: Sequence[str]) -> list[str]:
    """Significant effects of the tree, and their direction."""
    lines = []
    for part, words in (("first", "the time to the first solution"), ("cost", "the cost at the end")):
        found = []
        for name in names:
            pair = of_kind(records, name, True), of_kind(records, name, False)
            if (p := _p_value(*pair, part)) < SIGNIFICANT:
                ranks = [np.mean([min(getattr(record, part), 1e9) for record in some]) for some in pair]
                found.append(f"`{name}` ({'lower' if ranks[0] < ranks[1] else 'higher'} with the tree, p = {p:.2g})")
        lines.append(f"At p < {SIGNIFICANT:g}, the tree changes {words} in {', '.join(found) or 'no environment'}.")
    return [
        *lines,
        "The other differences are not significant. The p-values are not corrected for the number of comparisons.",
    ]
