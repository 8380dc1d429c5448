"""The tables of planning with and without the reverse tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from planner.provenance import machine
from planner.studies.planning.study import PAPER
from planner.studies.planning_runs import Record, Summary, shown, shown_quartiles
from planner.studies.table2.study import MOMENTS, of_kind, places


def report(records: Sequence[Record], command: str) -> tuple[str, dict[str, Any]]:
    """Tables for people, and every run for programs."""
    longest = max(record.case.time_budget for record in records)
    moments = [moment for moment in MOMENTS if moment <= longest]
    lines = [
        "# Planning with and without the reverse tree",
        "",
        f"Made by `{command}` on {machine()}: {len(records)} runs of at most {longest:g} s, each on one thread, as many at",
        "once as there are threads. Compiling apart; the time that the reverse tree takes counts. A run ends with the iteration",
        "under way, so it may find its first solution a little after its time. Quartiles are median (lower ... upper), a run",
        "without a solution counting as slower and dearer than any with one; means are over runs with one. Paper 002 (Table 2):",
        "means, on a GPU. Cost is actuators + length / 100 m.",
        "",
        "| environment | reverse tree | solved | first, mean s | first, quartiles s | "
        f"solved after {', '.join(f'{moment:g}' for moment in moments)} s | cost at the end, mean | cost, quartiles "
        "| iteration, ms | paper: first, s | cost | iteration, s |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [_row(records, name, heuristic, moments) for name in places(records) for heuristic in (True, False)]
    lines += [
        "",
        "The tree itself, and what it changes: medians of the runs with it over those without, and the probability of a",
        "difference at least as large if it changed nothing (Mann-Whitney, two-sided).",
        "",
        "| environment | vertices, mean | grown in, mean s | knows the start | first, ratio | p | cost, difference | p |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [_tree_row(records, name) for name in places(records)]
    lines += ["", "![Solved by when](success-vs-time.png)", "![Best cost by when](cost-vs-time.png)"]
    lines += ["![The trees](reverse-trees.png)"]
    content = {"schema": 1, "command": command, "machine": machine(), "runs": [r.content() for r in records]}
    return "\n".join(lines) + "\n", content


def _row(records: Sequence[Record], name: str, heuristic: bool, moments: list[float]) -> str:
    some = of_kind(records, name, heuristic)
    summary = Summary.of(some)
    solved = ", ".join(f"{np.mean([record.first <= moment for record in some]):.0%}" for moment in moments)
    paper = [f"{figure:.2f}" for figure in PAPER[name][heuristic]] if name in PAPER else ["-"] * 3
    cells = [
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
    return f"| {' | '.join(cells)} |"


def _tree_row(records: Sequence[Record], name: str) -> str:
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
        one, other = ([min(getattr(record, part), 1e9) for record in some] for some in (guided, plain))
        cells += [shown(float(value)), f"{mannwhitneyu(one, other).pvalue:.2g}"]
    return f"| {' | '.join(cells)} |"
