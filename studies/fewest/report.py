"""The table of the study, and what it means."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.design.catalogue import LEAST_CELLS
from planner.output.markdown import markdown_table
from studies.fewest.study import ITERATIONS, FewestOutcome
from vinewright.console.study import Report

COLUMNS = (
    *("environment", "planner", "without actuator", "with one", "verdict", "vines", "vine-steps"),
    *("largest box mm", "1/m", "largest doubt", "doubtful", "into the goal", "time s"),
)


def report(outcomes: Sequence[FewestOutcome], most_steps: int) -> Report:
    """Return the table in Markdown, and the data."""
    lines = [
        f"*Planner*: fewest actuators after {ITERATIONS} iterations, seed 0. *Without actuator*, *with one*: whether there is a",
        "design, confirmed by a replay at an eighth of the step without an ambiguous snap. Without an actuator there is only one",
        "vine. With one, a vine is straight up to a start, bent up to an end, and straight again, as long as it can grow, at most as",
        f"long as in the search; its start and end are ends of segments, its actuator has at least {LEAST_CELLS} cells and is one of",
        "those that the search draws, on either side. It reaches the goal if its tip is there at the end of any segment.",
        "",
        "These vines are grown on a grid: at the corners of boxes in start, curvature and length of the actuator. The *doubt* of a",
        "box is how far the tips of its eight corners part, over the way around obstacles that the nearest of them has left to the",
        "goal, at the length at which that is most. All boxes are halved as often as the budget allows, then the most doubtful ones,",
        "down to single segments and single entries of the catalogue. *Largest box* is the spacing of the coarsest part of the grid,",
        "in start and length of the actuator and in curvature; *largest doubt* and *doubtful* (boxes with a doubt of 1 or more) are",
        "those of the boxes that are not down to single segments and entries. Where a design is known the grid is refined little, and",
        "these say nothing.",
        "",
        "**Proven means**, for 1 actuator: the one straight vine is no design. For 2: no vine with one actuator on this grid is, and no",
        "box is doubtful. That is no theorem: a vine between those grown may snap elsewhere, or pass a narrow gate that all its",
        "neighbours miss. All of this is the default model, without friction unless the environment has it.",
        "*Into the goal* is the share of the grown vines with one actuator whose tip enters the goal, before any replay.",
        f"A search ends after {most_steps:,} vine-steps (steps at constant length included); its time is that of one thread.".replace(
            ",", " "
        ),
        "",
        *markdown_table(COLUMNS, map(_row, outcomes)),
        "",
        *_missed_lines(outcomes),
        "![Nearest distance of any vine to the goal](fewest.png)",
        "",
        "Each panel: where the actuator starts and how it bends, coloured by how near a tip comes to the goal for any length of the",
        "actuator. Between the vines that were grown, the colour is that of the nearest one.",
    ]
    content = {"most_vine_steps": most_steps, "environments": [one.content() for one in outcomes]}
    return Report("Fewest actuators", lines, content)


def _row(one: FewestOutcome) -> list[str]:
    coverage = one.coverage
    doubt = "-" if coverage.best else f"{coverage.doubt:.2f}" if math.isfinite(coverage.doubt) else "in the goal"
    return [
        one.environment,
        "-" if one.planned is None else str(one.planned),
        coverage.straight.words,
        coverage.one.words,
        one.verdict,
        str(coverage.vines),
        str(coverage.steps),
        f"{1e3 * coverage.spacing * one.segment_length:.0f}",
        f"{coverage.curvature_step:.2f}",
        doubt,
        "-" if coverage.best else str(coverage.doubtful),
        f"{100 * coverage.share:.2f} %",
        f"{one.seconds:.0f}",
    ]


def _missed_lines(outcomes: Sequence[FewestOutcome]) -> list[str]:
    """Return the lines about designs that the planner missed."""
    lines = [
        f"**{one.environment}: the planner missed a design with fewer actuators; it is in data.json.**"
        for one in outcomes
        if one.missed
    ]
    return [*lines, ""] if lines else []
