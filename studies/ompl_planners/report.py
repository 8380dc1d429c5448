"""The tables of SST* beside OMPL's planners."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from scipy.stats import mannwhitneyu

from planner.output.markdown import markdown_table
from planner.search.planners import SST_STAR
from studies.ompl_planners.study import by_planner
from studies.planning_runs import Record, Summary, shown, shown_quartiles
from vinewright.console.study import Report

RUNS = (
    *(
        "environment",
        "planner",
        "solved",
        "first, quartiles s",
        "vine-steps to the first, median",
        "cost at the end, quartiles",
    ),
    *("cost, mean", "vine-steps, median"),
)
DIFFERENCES = "environment", "planner", "first, ratio", "p", "cost, difference of the means", "p"
LATE = 1e9
"""Time and cost of a run without a solution, in ranks."""


def report(records: Sequence[Record]) -> Report:
    """Tables in Markdown, and the data of every run."""
    kinds = by_planner(records)
    runs = max(len(some) for own in kinds.values() for some in own.values())
    late = max(record.seconds - record.case.time_budget for record in records)
    lines = [
        f"Up to {runs} runs of {max(record.case.time_budget for record in records):g} s of each planner in each environment, each on one",
        "thread, as many at once as there are threads, with the same propagator and the same replay of solutions. Times exclude",
        "compilation. *First* is the time to the first solution; cost is actuators + length / 100 m. Quartiles are given as median",
        "(lower ... upper); a run without a solution counts as slower and costlier than any with one; means are over runs with one.",
        "A *vine-step* is a growth step of one vine: SST* grows many vines at once, OMPL's planners one at a time, and vine-steps do",
        "not depend on that. Replays are not counted. A run ends with the iteration in which its time is over, here up to",
        f"{max(late, 0.0):.1f} s later; solutions that it finds then do not count.",
        "",
        *markdown_table(RUNS, _rows(kinds)),
        "",
        f"OMPL's planners beside `{SST_STAR}`: the ratio of the median times to the first solution (below 1: OMPL's is sooner), the",
        "difference of the mean costs at the end (above 0: OMPL's is costlier), and the probability p of a difference at least as large",
        "if both were the same (Mann-Whitney, two-sided, not corrected for the number of comparisons).",
        "",
        *markdown_table(DIFFERENCES, _differences(kinds)),
        "",
        *_counts(kinds),
        "",
        "![Share solved over time](success-vs-time.png)",
        "![Lowest cost over time](cost-vs-time.png)",
    ]
    return Report("OMPL's planners", lines, {"runs": [record.content() for record in records]})


def _rows(kinds: dict[str, dict[str, list[Record]]]) -> Iterator[list[str]]:
    for name, own in kinds.items():
        for planner, some in own.items():
            summary = Summary.of(some)
            first = [record.first_steps for record in some if record.first_steps is not None]
            yield [
                name,
                planner,
                f"{summary.solved} of {summary.runs}",
                shown_quartiles(summary.first),
                f"{statistics.median(first):,.0f}" if first else "-",
                shown_quartiles(summary.cost),
                shown(summary.mean_cost),
                f"{statistics.median(record.vine_steps for record in some):,.0f}",
            ]


def _differences(kinds: dict[str, dict[str, list[Record]]]) -> Iterator[list[str]]:
    for name, own in kinds.items():
        ours = own.get(SST_STAR, [])
        for planner, theirs in own.items():
            if planner == SST_STAR or not ours:
                continue
            one, other = Summary.of(theirs), Summary.of(ours)
            # Infinite where there is no solution: such a ratio or difference is not shown.
            ratio = float(one.first[1] / other.first[1]) if other.solved else math.inf
            difference = one.mean_cost - other.mean_cost
            tests = [f"{_p_value(theirs, ours, part):.2g}" for part in ("first", "cost")]
            yield [name, planner, shown(ratio), tests[0], shown(difference), tests[1]]


def _p_value(one: Sequence[Record], other: Sequence[Record], part: str) -> float:
    ranked = ([min(getattr(record, part), LATE) for record in some] for some in (one, other))
    return float(mannwhitneyu(*ranked).pvalue)


def _counts(kinds: dict[str, dict[str, list[Record]]]) -> list[str]:
    """In how many environments each of OMPL's planners is sooner, or of lower cost."""
    lines = []
    for planner in dict.fromkeys(planner for own in kinds.values() for planner in own if planner != SST_STAR):
        both = [
            (Summary.of(own[planner]), Summary.of(own[SST_STAR]))
            for own in kinds.values()
            if {planner, SST_STAR} <= set(own)
        ]
        sooner = sum(theirs.first[1] < ours.first[1] for theirs, ours in both)
        cheaper = sum(theirs.cost[1] < ours.cost[1] for theirs, ours in both)
        lines.append(
            f"* `{planner}` has its median first solution sooner than `{SST_STAR}` in {sooner} of {len(both)} environments, and a lower "
            f"median cost at the end in {cheaper}."
        )
    return lines
