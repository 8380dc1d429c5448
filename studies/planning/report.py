"""The table of planning results and times."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict

from planner.output.markdown import markdown_table
from studies.planning.study import PAPER, PlanningOutcome
from vinewright.console.study import Report

COLUMNS = (
    "environment",
    "planner",
    "solved",
    "first, median",
    "first, worst",
    "actuators, median",
    "actuators, worst",
    "length, median m",
    "replays rejected",
    "paper: first",
    "paper: actuators",
)


def report(outcomes: Sequence[PlanningOutcome], time_budget: float) -> Report:
    """Return a table in Markdown, and the data of every run."""
    kinds = dict.fromkeys((outcome.environment, outcome.planner) for outcome in outcomes)
    lines = [
        "*First* is the time in seconds to the first solution confirmed by its replay, excluding compilation. Actuators",
        f"and length are those of the best design after {time_budget:g} s. *Replays rejected*: candidates that missed the",
        "goal with an eighth of the step size, or need an ambiguous snap. The values of paper 002 (Table 2) are means, on a GPU.",
        "The pictures",
        "`plan-NAME.png` show the best design for each environment.",
        "",
        *markdown_table(COLUMNS, (_row(kind, outcomes) for kind in kinds)),
    ]
    return Report("Planning", lines, {"time_budget_s": time_budget, "runs": [asdict(one) for one in outcomes]})


def _row(kind: tuple[str, str], every: Sequence[PlanningOutcome]) -> list[str]:
    name, planner = kind
    outcomes = [outcome for outcome in every if (outcome.environment, outcome.planner) == kind]
    solved = [outcome for outcome in outcomes if outcome.first_s is not None]
    paper = [f"{figure:.1f}" for figure in PAPER[name][True][:2]] if name in PAPER else ["-", "-"]
    cells = ["-"] * 5
    if solved:
        # A run without a solution counts as slower than any with one.
        first = [outcome.first_s if outcome.first_s is not None else float("inf") for outcome in outcomes]
        actuators = [outcome.actuators or 0 for outcome in solved]
        cells = [
            f"{statistics.median(first):.2f}",
            f"{max(first):.2f}",
            f"{statistics.median(actuators):g}",
            f"{max(actuators)}",
            f"{statistics.median(outcome.length_m or 0.0 for outcome in solved):.2f}",
        ]
    replayed, rejected = sum(o.replayed for o in outcomes), sum(o.rejected for o in outcomes)
    return [name, planner, f"{len(solved)} of {len(outcomes)}", *cells, f"{rejected} of {replayed}", *paper]
