"""The table of the study of robust planning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.provenance import machine
from planner.robustness.selection import CANDIDATES, FINAL, THRESHOLD, Champion
from planner.studies.robust_planning.study import Judged


def report(judged: Sequence[Judged], command: str, seconds: float, took: float) -> tuple[str, dict[str, Any]]:
    """Tables for people, and the same for programs.

    Args:
        seconds: Of each search [s].
        took: The whole study [s].
    """
    level = judged[0].choice.level
    lines = [
        "# Planning for success",
        "",
        f"Made by `{command}` on {machine()}, in {took:.0f} s. Each search took {seconds:g} s and kept up to {CANDIDATES} distinct",
        f"solutions with up to two actuators more than the cheapest. Success: {FINAL} trials in which obstacles, pressures and cell",
        f"lengths differ from the plan by {100 * level:g} % (standard deviations), with 95 % intervals; none of these trials chose the",
        "design. For each number of actuators the likeliest of the solutions and their variants was found by successive halving.",
        "",
        "| environment | seed | cheapest: actuators | its success % | likeliest with as many | with one more | with two more | trials |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in judged:
        cheapest = one.choice.cheapest
        cells = [one.environment, f"{one.seed}", f"{cheapest.design.actuators}", str(cheapest.estimate)]
        others = [_with_more(one, more) for more in range(3)]
        cells += [str(other.estimate) if other else "-" for other in others]
        lines.append(f"| {' | '.join([*cells, f'{one.trials}'])} |")
    lines += ["", "## What it gains", ""]
    for name in dict.fromkeys(one.environment for one in judged):
        lines.append(f"- {_gain([one for one in judged if one.environment == name])}")
    content = {
        "schema": 1,
        "command": command,
        "machine": machine(),
        "seconds": round(took, 1),
        "runs": [one.content() for one in judged],
    }
    return "\n".join(lines) + "\n", content


def _with_more(one: Judged, more: int) -> Champion | None:
    """The champion with so many more actuators than the cheapest, where there is one."""
    wanted = one.choice.cheapest.design.actuators + more
    return next((champion for champion in one.choice.champions if champion.design.actuators == wanted), None)


def _gain(judged: Sequence[Judged]) -> str:
    """Mean gain over the cheapest design, in points, by the price in actuators."""
    words = ["with as many actuators", "with one more", "with two more"]
    parts = []
    for more in range(3):
        pairs = [(one.choice.cheapest, other) for one in judged if (other := _with_more(one, more))]
        if pairs:
            gain = np.mean([100 * (other.estimate.rate - cheapest.estimate.rate) for cheapest, other in pairs])
            parts.append(f"{gain:+.0f} points {words[more]} ({len(pairs)} of {len(judged)} runs)")
    met = sum(one.choice.met for one in judged)
    mean = 100 * np.mean([one.choice.cheapest.estimate.rate for one in judged])
    return (
        f"{judged[0].environment}: from {mean:.0f} % on the mean {', '.join(parts)}; {100 * THRESHOLD:g} % is reached in "
        f"{met} of {len(judged)} runs."
    )
