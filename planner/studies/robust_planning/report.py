"""Tables of the robust planning study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.markdown import table
from planner.robustness.selection import CANDIDATES, FINAL, THRESHOLD, Champion
from planner.studies.robust_planning.study import Evaluated
from planner.studies.study import Report

COLUMNS = (
    *(
        "environment",
        "seed",
        "lowest cost: actuators",
        "its success %",
        "most successful with as many",
        "with one more",
    ),
    *("with two more", "trials"),
)


def report(evaluated: Sequence[Evaluated], seconds: float) -> Report:
    """Tables in Markdown, and their data.

    Args:
        seconds: Duration of each search [s].
    """
    level = evaluated[0].choice.level
    lines = [
        f"Each search took {seconds:g} s and kept up to {CANDIDATES} distinct solutions with up to two actuators more than",
        "the solution of lowest cost. For each number of actuators, successive halving chose the most successful of these",
        f"solutions and their variants. Success is the share of {FINAL} trials, with 95 % intervals, in which obstacles,",
        f"pressures and cell lengths differ from the plan by {100 * level:g} % (standard deviation). These trials were not",
        "used to choose the design.",
        "",
        *table(COLUMNS, map(_row, evaluated)),
        "",
        "## Gain",
        "",
    ]
    for name in dict.fromkeys(one.environment for one in evaluated):
        lines.append(f"- {_gain([one for one in evaluated if one.environment == name])}")
    return Report("Robust planning", lines, {"runs": [one.content() for one in evaluated]})


def _row(one: Evaluated) -> list[str]:
    lowest = one.choice.lowest_cost
    cells = [one.environment, f"{one.seed}", f"{lowest.design.actuators}", str(lowest.estimate)]
    others = [_with_more(one, more) for more in range(3)]
    return [*cells, *(str(other.estimate) if other else "-" for other in others), f"{one.trials}"]


def _with_more(one: Evaluated, more: int) -> Champion | None:
    """The champion with this many more actuators than the lowest-cost design; None if there is none."""
    wanted = one.choice.lowest_cost.design.actuators + more
    return next((champion for champion in one.choice.champions if champion.design.actuators == wanted), None)


def _gain(evaluated: Sequence[Evaluated]) -> str:
    """Mean gain over the lowest-cost design, in percentage points, by number of additional actuators."""
    words = ["with as many actuators", "with one more", "with two more"]
    parts = []
    for more in range(3):
        pairs = [(one.choice.lowest_cost, other) for one in evaluated if (other := _with_more(one, more))]
        if pairs:
            gain = np.mean([100 * (other.estimate.rate - lowest.estimate.rate) for lowest, other in pairs])
            parts.append(f"{gain:+.0f} points {words[more]} ({len(pairs)} of {len(evaluated)} runs)")
    met = sum(one.choice.met for one in evaluated)
    mean = 100 * np.mean([one.choice.lowest_cost.estimate.rate for one in evaluated])
    return (
        f"{evaluated[0].environment}: from {mean:.0f} % on average {', '.join(parts)}; {100 * THRESHOLD:g} % is reached in "
        f"{met} of {len(evaluated)} runs."
    )
