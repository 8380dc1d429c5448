"""Tables of the study of plans under errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from planner.markdown import table
from planner.robustness.estimate import Estimate
from planner.studies.study import Report
from planner.studies.uncertainty.study import FINE, FRESH, Evaluated

COLUMNS = (
    "environment",
    "lowest cost: success %",
    "its actuators",
    "chosen: success %",
    "its actuators",
    f"in {FINE} trials",
    "the same with an eighth of the step",
    "first solution s",
    "also by impulse",
)
EACH = "environment", "seed", "lowest cost", "chosen", "front: success % by number of actuators"


def report(evaluated: Sequence[Evaluated], seconds: float, errors: str) -> Report:
    """Tables in Markdown, and their data.

    Args:
        seconds: Time budget of each plan [s].
        errors: Name of the uncertainty.
    """
    lines = [
        f"Each plan took {seconds:g} s in all. The design of lowest cost, which `--fast` returns, and the chosen design were then grown",
        f"in {FRESH} trials with the errors called `{errors}`, which no plan had seen. The table has medians over the seeds, with the",
        f"smallest and the largest; `impulse` grows the chosen design as planned. The first {FINE} trials were also grown with an eighth",
        "of the growth step.",
        "",
        *table(COLUMNS, [_row(name, some) for name, some in _by_environment(evaluated).items()]),
        "",
        "## Each run",
        "",
        *table(EACH, map(_each, evaluated)),
    ]
    return Report("Plans under errors", lines, {"runs": [one.content() for one in evaluated]})


def _by_environment(evaluated: Sequence[Evaluated]) -> dict[str, list[Evaluated]]:
    names = dict.fromkeys(one.environment for one in evaluated)
    return {name: [one for one in evaluated if one.environment == name] for name in names}


def _row(name: str, some: list[Evaluated]) -> list[str]:
    def over(value: Callable[[Evaluated], float], form: str = ".0f") -> str:
        values = [value(one) for one in some]
        least, middle, most = (format(number, form) for number in (min(values), float(np.median(values)), max(values)))
        return middle + f" ({least} ... {most})" * (len(values) > 1)

    return [
        name,
        over(lambda one: 100 * one.lowest.rate),
        over(lambda one: one.lowest_actuators),
        over(lambda one: 100 * one.chosen.rate),
        over(lambda one: one.actuators),
        over(lambda one: 100 * one.coarse.rate),
        over(lambda one: 100 * one.fine.rate),
        over(lambda one: one.first_s, ".2f"),
        f"{sum(one.impulse for one in some)} of {len(some)}",
    ]


def _each(one: Evaluated) -> list[str]:
    def words(estimate: Estimate, actuators: int) -> str:
        return f"{estimate} with {actuators}"

    front = "; ".join(f"{actuators}: {100 * part.rate:.0f}" for actuators, part in one.front.items())
    return [
        one.environment,
        f"{one.seed}",
        words(one.lowest, one.lowest_actuators),
        words(one.chosen, one.actuators),
        front,
    ]
