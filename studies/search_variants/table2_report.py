"""Sections of the report of `table2`: planning with the kinds of reverse tree and without."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.output.markdown import markdown_table
from studies.planning.study import PAPER
from studies.planning_runs import RunRecord, RunSummary, number_text, quartiles_text
from studies.search_variants.comparisons import (
    PairedComparison,
    UnpairedComparison,
    compare_paired,
    compare_unpaired,
)
from studies.search_variants.report import CURVES, FIRST, ITERATION, SOLVED, Column, longest_budget
from studies.search_variants.study import CONTACT, FREE, NONE, RANDOM, Groups, VariantStudy

MOMENTS = 1.0, 2.0, 5.0, 10.0
"""Times at which the solved runs are counted [s]."""
PARTS = {"first": "time to the first solution", "cost": "cost at the end"}
PAIRS = (CONTACT, NONE), (CONTACT, FREE), (FREE, NONE)
"""Kinds that are compared, each with the second."""
EFFECTS = "environment", "tree", "compared with", "better", "ratio of medians", "p"
TREES = "environment", "tree", "vertices, mean", "grown in, mean s", "reaches the start"
SAME = "compared", "with", "what", "environments", "better in", "worse in", "ratio, median", "p"
PAPER_COLUMNS = "paper: first, s", "cost", "iteration, s"


def table2(study: VariantStudy, records: Sequence[RunRecord]) -> list[str]:
    """Return the sections of `table2`."""
    groups = study.complete_groups(records)
    longest = longest_budget(records)
    columns = _columns([moment for moment in MOMENTS if moment <= longest])
    return [
        f"{len(records)} runs of at most {longest:g} s, each on one thread, as many at once as there are threads:",
        f"{_sizes(groups)}. Times exclude compilation and include the reverse tree. A run finishes its current",
        "iteration, so it may find its first solution slightly after the time limit. *First* is the time to the first",
        "solution. A run without a solution counts as slower and costlier than any with one. Cost is",
        "actuators + length / 100 m.",
        "",
        *(line for part in PARTS for line in _effects(groups, part)),
        *(_random(groups[RANDOM]) if RANDOM in groups else []),
        "Each kind of tree in each environment: quartiles are given as median (lower ... upper), means are over runs with a",
        "solution. The values of paper 002 (Table 2) are means, on a GPU, of runs with its tree and without one. All random",
        "environments make one row.",
        "",
        *markdown_table(
            ["environment", "reverse tree", *(title for title, _ in columns), *PAPER_COLUMNS],
            [
                [name, kind, *(text(RunSummary.of(runs), runs) for _, text in columns), *_paper_cells(name, kind)]
                for name, own in groups.items()
                for kind, runs in own.items()
            ],
        ),
        "",
        "The trees at the end of the runs:",
        "",
        *markdown_table(
            TREES, [_tree_row(name, kind, own[kind]) for name, own in groups.items() for kind in (FREE, CONTACT)]
        ),
        "",
        *CURVES,
        "![The trees](reverse-trees.png)",
    ]


def _sizes(groups: Groups) -> str:
    """Count the runs of each kind in each environment, as text."""
    counts = {name: len(own[NONE]) for name, own in groups.items() if name != RANDOM}
    sizes = sorted(set(counts.values()))
    words = [f"{' to '.join(map(str, sizes))} of each kind in each of {len(counts)} environments"] if counts else []
    if RANDOM in groups:
        words.append(f"one of each kind in each of {len(groups[RANDOM][NONE])} random environments")
    return ", and ".join(words)


def _effects(groups: Groups, part: str) -> list[str]:
    """Return the section on the effects of each kind on a part of the records."""
    effects = {
        (name, *pair): compare_unpaired(*([getattr(record, part) for record in own[kind]] for kind in pair))
        for name, own in groups.items()
        if name != RANDOM
        for pair in PAIRS
    }
    if not effects:
        return []
    clear = [key for key, effect in effects.items() if effect.p < 0.05 / len(effects)]
    named = [f"`{name}` ({kind} against {reference})" for name, kind, reference in clear]
    return [
        f"## Effect on the {PARTS[part]}",
        "",
        "*Better* is the share of pairs of a run of each kind in which that of the first is better, ties by half: 0.5 means no",
        "effect, 1 that each is better than each of the other. Intervals are 95 % bootstrap intervals; p is the probability of",
        "a difference at least as large without an effect (Mann-Whitney, two-sided), not corrected for the number of rows.",
        "",
        *markdown_table(EFFECTS, [_effect_row(key, effect) for key, effect in effects.items()]),
        "",
        f"With a correction for {len(effects)} comparisons (Bonferroni), at p < 0.05: {', '.join(named) or 'none'}.",
        "",
    ]


def _effect_row(key: tuple[str, str, str], effect: UnpairedComparison) -> list[str]:
    ratio = [number_text(value) for value in (effect.ratio, *effect.ratio_interval)]
    return [
        *key,
        f"{effect.better:.2f} ({effect.interval[0]:.2f} ... {effect.interval[1]:.2f})",
        f"{ratio[0]} ({ratio[1]} ... {ratio[2]})",
        f"{effect.p:.2g}",
    ]


def _random(own: dict[str, list[RunRecord]]) -> list[str]:
    """Return the section that compares the kinds in the same random environments."""
    solved = ", ".join(f"{kind} {RunSummary.of(runs).solved}" for kind, runs in own.items())
    rows = [
        _paired_row((kind, reference), part, compare_paired(own[kind], own[reference], part))
        for part in PARTS
        for kind, reference in PAIRS
    ]
    return [
        "## Random environments",
        "",
        f"Solved of {len(own[NONE])}: {solved}. Runs with the same environment and seed are compared. The",
        "ratio is over the environments that both solved, with a 95 % bootstrap interval over environments; p is that of a sign",
        "test over those that differ.",
        "",
        *markdown_table(SAME, rows),
        "",
    ]


def _paired_row(pair: tuple[str, str], part: str, comparison: PairedComparison) -> list[str]:
    ratio = [number_text(value) for value in (comparison.ratio, *comparison.interval)]
    counts = [str(count) for count in (comparison.count, comparison.better, comparison.worse)]
    return [*pair, PARTS[part], *counts, f"{ratio[0]} ({ratio[1]} ... {ratio[2]})", f"{comparison.p:.2g}"]


def _columns(moments: list[float]) -> list[Column]:
    return [
        SOLVED,
        ("first, mean s", lambda summary, _: number_text(summary.mean_first)),
        FIRST,
        (
            f"solved after {', '.join(f'{moment:g}' for moment in moments)} s",
            lambda _, runs: ", ".join(f"{np.mean([run.first <= moment for run in runs]):.0%}" for moment in moments),
        ),
        ("cost at the end, mean", lambda summary, _: number_text(summary.mean_cost)),
        ("cost, quartiles", lambda summary, _: quartiles_text(summary.cost)),
        ITERATION,
    ]


def _paper_cells(name: str, kind: str) -> list[str]:
    known = name in PAPER and kind != CONTACT
    return [f"{value:.2f}" for value in PAPER[name][kind == FREE]] if known else ["-"] * 3


def _tree_row(name: str, kind: str, runs: Sequence[RunRecord]) -> list[str]:
    reaching = sum(bool(record.tree_reaches_start) for record in runs)
    return [
        name,
        kind,
        f"{np.mean([record.tree_vertices or 0 for record in runs]):.0f}",
        f"{np.mean([record.tree_seconds or 0.0 for record in runs]):.2f}",
        f"{reaching} of {len(runs)}",
    ]
