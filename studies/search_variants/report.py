"""Reports of the studies of variants: columns that they share, and the sections of `ablations`, `ompl-planners` and `steering`."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence

from scipy.stats import mannwhitneyu

from planner.output.markdown import markdown_table
from planner.search.planners import SST_STAR
from studies.planning_runs import RunRecord, RunSummary, number_text, quartiles_text
from studies.search_variants.study import (
    CONSTANT,
    SOME_STEERED,
    STEERED,
    STEERING,
    Groups,
    VariantStudy,
    environment_name,
)
from vinewright.console.study import Report
from vinewright.sweeps.report.paired import sign_test

Sections = Callable[[VariantStudy, Sequence[RunRecord]], list[str]]
"""Returns the Markdown lines of the report of a study."""
Column = tuple[str, Callable[[RunSummary, Sequence[RunRecord]], str]]
"""Heading, and the text for the runs of one variant in one environment."""

SOLVED: Column = "solved", lambda summary, _: f"{summary.solved} of {summary.runs}"
FIRST: Column = "first, quartiles s", lambda summary, _: quartiles_text(summary.first)
COST: Column = "cost at the end, quartiles", lambda summary, _: quartiles_text(summary.cost)
MEAN_COST: Column = "cost, mean", lambda summary, _: number_text(summary.mean_cost)
ITERATION: Column = "iteration, ms", lambda summary, _: number_text(1e3 * summary.iteration, 0)
DIFFERENCES = "environment", "planner", "first, ratio", "p", "cost, difference of the means", "p"
LATE = 1e9
"""Time and cost of a run without a solution, in ranks."""
PAIRS = "environment", "pairs", "fewer actuators if steered", "of them with changes", "as many", "more", "p"
CURVES = "![Share solved over time](success-vs-time.png)", "![Lowest cost over time](cost-vs-time.png)"


def make_report(study: VariantStudy, sections: Sections, records: Sequence[RunRecord]) -> Report:
    """Make the report of a study: its sections in Markdown, and the data of every run."""
    return Report(study.title, sections(study, records), {"runs": [record.content() for record in records]})


def runs_table(groups: Groups, heading: str, columns: Sequence[Column]) -> list[str]:
    """Return a table with a row for each variant in each environment; `heading` is that of the variants."""
    rows = [
        [name, variant, *(text(RunSummary.of(runs), runs) for _, text in columns)]
        for name, own in groups.items()
        for variant, runs in own.items()
    ]
    return markdown_table(["environment", heading, *(title for title, _ in columns)], rows)


def longest_budget(records: Sequence[RunRecord]) -> float:
    """Largest time budget of runs [s]."""
    return max(record.case.time_budget for record in records)


def ablations(study: VariantStudy, records: Sequence[RunRecord]) -> list[str]:
    """Return the sections of `ablations`."""
    return [
        f"{len(records)} runs of {longest_budget(records):g} s without the reverse tree, each on one",
        "thread, as many at once as there are threads. Times exclude compilation. *First* is the time to the first",
        "solution; cost is actuators + length / 100 m. Quartiles are given as median (lower ... upper); a run without a",
        "solution counts as slower and costlier than any with one. The best-near radius is in units of the witness",
        "radius. The default batch is 100, and at most 30 until the first solution.",
        "",
        *runs_table(study.group(records), "search", (SOLVED, FIRST, COST, MEAN_COST, ITERATION)),
    ]


def ompl_planners(study: VariantStudy, records: Sequence[RunRecord]) -> list[str]:
    """Return the sections of `ompl-planners`."""
    groups = study.group(records)
    most = max(len(runs) for own in groups.values() for runs in own.values())
    late = max(record.seconds - record.case.time_budget for record in records)
    columns: list[Column] = [
        SOLVED,
        FIRST,
        ("vine-steps to the first, median", lambda _, runs: _first_steps(runs)),
        COST,
        MEAN_COST,
        ("vine-steps, median", lambda _, runs: f"{statistics.median(record.vine_steps for record in runs):,.0f}"),
    ]
    return [
        f"Up to {most} runs of {longest_budget(records):g} s of each planner in each environment, each on one",
        "thread, as many at once as there are threads, with the same propagator and the same replay of solutions. Times exclude",
        "compilation. *First* is the time to the first solution; cost is actuators + length / 100 m. Quartiles are given as median",
        "(lower ... upper); a run without a solution counts as slower and costlier than any with one; means are over runs with one.",
        "A *vine-step* is a growth step of one vine: SST* grows many vines at once, OMPL's planners one at a time, and vine-steps do",
        "not depend on that. Replays are not counted. A run ends with the iteration in which its time is over, here up to",
        f"{max(late, 0.0):.1f} s later; solutions that it finds then do not count.",
        "",
        *runs_table(groups, "planner", columns),
        "",
        f"OMPL's planners beside `{SST_STAR}`: the ratio of the median times to the first solution (below 1: OMPL's is sooner), the",
        "difference of the mean costs at the end (above 0: OMPL's is costlier), and the probability p of a difference at least as large",
        "if both were the same (Mann-Whitney, two-sided, not corrected for the number of comparisons).",
        "",
        *markdown_table(DIFFERENCES, _differences(groups)),
        "",
        *_counts(groups),
        "",
        *CURVES,
    ]


def _first_steps(runs: Sequence[RunRecord]) -> str:
    steps = [record.first_steps for record in runs if record.first_steps is not None]
    return f"{statistics.median(steps):,.0f}" if steps else "-"


def _differences(groups: Groups) -> Iterator[list[str]]:
    for name, own in groups.items():
        ours = own.get(SST_STAR, [])
        for planner, theirs in own.items():
            if planner == SST_STAR or not ours:
                continue
            theirs_in_all, ours_in_all = RunSummary.of(theirs), RunSummary.of(ours)
            # Infinite where there is no solution: such a ratio or difference is not shown.
            ratio = float(theirs_in_all.first[1] / ours_in_all.first[1]) if ours_in_all.solved else math.inf
            difference = theirs_in_all.mean_cost - ours_in_all.mean_cost
            tests = [f"{_p_value(theirs, ours, quantity):.2g}" for quantity in ("first", "cost")]
            yield [name, planner, number_text(ratio), tests[0], number_text(difference), tests[1]]


def _p_value(theirs: Sequence[RunRecord], ours: Sequence[RunRecord], quantity: str) -> float:
    ranked = ([min(getattr(record, quantity), LATE) for record in runs] for runs in (theirs, ours))
    return float(mannwhitneyu(*ranked).pvalue)


def _counts(groups: Groups) -> list[str]:
    """Count the environments in which each of OMPL's planners is sooner, or of lower cost."""
    lines = []
    for planner in dict.fromkeys(planner for own in groups.values() for planner in own if planner != SST_STAR):
        both = [
            (RunSummary.of(own[planner]), RunSummary.of(own[SST_STAR]))
            for own in groups.values()
            if {planner, SST_STAR} <= set(own)
        ]
        sooner = sum(theirs.first[1] < ours.first[1] for theirs, ours in both)
        cheaper = sum(theirs.cost[1] < ours.cost[1] for theirs, ours in both)
        lines.append(
            f"* `{planner}` has its median first solution sooner than `{SST_STAR}` in {sooner} of {len(both)} environments, and a lower "
            f"median cost at the end in {cheaper}."
        )
    return lines


def steering(study: VariantStudy, records: Sequence[RunRecord]) -> list[str]:
    """Return the sections of `steering`."""
    columns: list[Column] = [
        SOLVED,
        ("actuators, median (fewest ... most)", lambda _, runs: _actuators_text(runs)),
        ("changes, median", lambda _, runs: f"{statistics.median(record.changes for record in runs):g}"),
        FIRST,
        ("iterations, median", lambda _, runs: f"{statistics.median(record.iterations for record in runs):g}"),
    ]
    seconds = longest_budget(records)
    return [
        f"Searches of {seconds:g} s, each on one thread, as many at once as there are threads; times exclude compilation. For each seed",
        f"there is one search for designs with constant pressures, and one in which the pressures of up to {STEERED} actuators may change",
        "while the tube grows (`vinewright plan --steer`). Both count actuators first; neither refines its designs, nor tries them under",
        "errors. Every solution was grown again from the start at an eighth of the step. A run without a solution counts as slower, and",
        "as needing more actuators, than any with one.",
        "",
        *runs_table(study.group(records), "pressures", columns),
        "",
        "Pairs with the same seed: which search needs fewer actuators, and in how many of them its best design changes a pressure. The",
        "search leaves out changes that its designs do not need, so one without changes was only found thanks to them. *p* is the",
        "probability that so many pairs or more differ the same way, if each that differs did so either way (sign test, two-sided).",
        "",
        *markdown_table(PAIRS, _pairs(records)),
        "",
        *CURVES,
    ]


def actuator_count(record: RunRecord) -> float:
    """Number of actuators of the best solution of a run within its time; infinite without one."""
    cost = record.in_time().cost
    return math.floor(cost) if math.isfinite(cost) else math.inf


def seed_pairs(records: Sequence[RunRecord], environment: str) -> list[tuple[RunRecord, RunRecord]]:
    """Pair the runs of `STEERING` in one environment that have the same seed, in the order of the seeds."""
    constant, steered = (STEERING.runs_of(records, variant) for variant in (CONSTANT, SOME_STEERED))
    both = sorted(run for run in constant.keys() & steered.keys() if run[0] == environment)
    return [(constant[run], steered[run]) for run in both]


def _actuators_text(runs: Sequence[RunRecord]) -> str:
    counts = sorted(map(actuator_count, runs))
    middle, fewest, most = (
        f"{count:g}" if math.isfinite(count) else "-" for count in (statistics.median(counts), counts[0], counts[-1])
    )
    return f"{middle} ({fewest} ... {most})"


def _pairs(records: Sequence[RunRecord]) -> Iterator[list[str]]:
    for name in dict.fromkeys(map(environment_name, records)):
        both = [
            (actuator_count(constant), actuator_count(steered), steered.changes)
            for constant, steered in seed_pairs(records, name)
        ]
        fewer, more = sum(b < a for a, b, _ in both), sum(b > a for a, b, _ in both)
        changing = sum(b < a and changes > 0 for a, b, changes in both)
        numbers = len(both), fewer, changing, len(both) - fewer - more, more
        yield [name, *map(str, numbers), f"{sign_test(fewer, more):.2g}"]
