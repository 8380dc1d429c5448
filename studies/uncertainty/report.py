"""Tables of the study of plans under errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from planner.output.markdown import markdown_table
from studies.fresh_trials import FRESH
from studies.uncertainty.study import FINE, OTHER_ERRORS, TARGETS, VERIFYING, Designs, Planned
from vinewright.console.study import Report

SUCCESS = (
    "environment",
    "to reach after 30 s",
    "plans with a design",
    "lowest cost: success %",
    "its actuators",
    "chosen: success %",
    "its actuators",
    f"in {FINE} trials",
    "the same with an eighth of the step",
)
STAGES = "environment", "first solution s", "search s", "refinement s", "trials s"
ERRORS = "environment", "as planned for: success %", *(f"{name}: success %" for name in OTHER_ERRORS)
EACH = "environment", "seed", "lowest cost", "chosen", "front: success % by number of actuators"
PICTURE = "fronts.png"


def report(plans: Sequence[Planned], seconds: float, errors: str, title: str = "Plans under errors") -> Report:
    """Tables in Markdown, and their data.

    Args:
        seconds: Time budget of each plan [s].
        errors: Name of the uncertainty.
    """
    lines = [
        f"Each plan took {seconds:g} s in all. The design of lowest cost that its search found, which is what `--fast` looks for,",
        f"and the chosen design were then grown in {FRESH} trials with the errors called `{errors}`, which no plan had seen.",
        "Tables have medians over the seeds, with the smallest and the largest; a plan without a design counts as 0 % success,",
        "and has no actuators and no times.",
        "",
        "## Success",
        "",
        f"The first {FINE} trials were also grown with an eighth of the growth step. What is to be reached is for errors of a workshop.",
        "",
        *markdown_table(SUCCESS, [_success(name, some) for name, some in by_environment(plans).items()]),
        "",
        f"![Success over the number of actuators]({PICTURE})",
        "",
        "The fronts are what the plans themselves say, from their own trials after refinement.",
        "",
        *_details(plans),
        "",
        "## Each run",
        "",
        *markdown_table(EACH, map(_each, plans)),
    ]
    return Report(title, lines, {"runs": [one.content() for one in plans]})


def by_environment(plans: Iterable[Planned]) -> dict[str, list[Planned]]:
    """Plans by the name of their environment, in the order in which it first comes."""
    found: dict[str, list[Planned]] = {}
    for one in plans:
        found.setdefault(one.environment, []).append(one)
    return found


def over(values: Sequence[float], form: str = ".0f") -> str:
    """Median of some values, with the smallest and the largest; a dash without values."""
    if not values:
        return "-"
    least, middle, most = (format(number, form) for number in (min(values), float(np.median(values)), max(values)))
    return middle + f" ({least} ... {most})" * (len(values) > 1)


def _success(name: str, some: list[Planned]) -> list[str]:
    def percent(of: Callable[[Designs], float]) -> str:
        return over([of(one.designs) if one.designs else 0.0 for one in some])

    found = _found(some)
    target = TARGETS.get(name)
    return [
        name,
        f"{target[0]} % with at most {target[1]}" if target else "-",
        f"{len(found)} of {len(some)}",
        percent(lambda one: one.lowest.percent),
        over([one.lowest.actuators for one in found]),
        percent(lambda one: one.chosen.percent),
        over([one.chosen.actuators for one in found]),
        percent(lambda one: one.coarse.percent),
        percent(lambda one: one.fine.percent),
    ]


def _found(some: Iterable[Planned]) -> list[Designs]:
    return [one.designs for one in some if one.designs]


def _details(plans: Sequence[Planned]) -> list[str]:
    """Times of the stages, other propagators, and other errors, of the plans with a design."""
    found = {name: designs for name, some in by_environment(plans).items() if (designs := _found(some))}
    return [
        "## Time of each stage",
        "",
        "Refinement includes the comparison of the solutions before it.",
        "",
        *markdown_table(STAGES, [_stages(name, designs) for name, designs in found.items()]),
        "",
        "## Other propagators",
        "",
        "Chosen designs that, grown as planned, reach the goal with another propagator too; a dash where the study was interrupted before.",
        "",
        *markdown_table(("environment", *VERIFYING), [_verified(name, designs) for name, designs in found.items()]),
        "",
        "## Which errors matter",
        "",
        f"The chosen designs in the same {FRESH} trials with one error changed; nothing was planned again. How much the",
        "compliance of contacts varies is an assumption.",
        "",
        *markdown_table(ERRORS, [_other_errors(name, designs) for name, designs in found.items()]),
    ]


def _stages(name: str, designs: list[Designs]) -> list[str]:
    stages = [one.stages for one in designs]
    return [
        name,
        over([one.first for one in stages], ".2f"),
        *(over([getattr(one, stage) for one in stages], ".1f") for stage in ("search", "refinement", "trials")),
    ]


def _verified(name: str, designs: list[Designs]) -> list[str]:
    grown = {other: [one.verified[other] for one in designs if other in one.verified] for other in VERIFYING}
    return [name, *(f"{sum(some)} of {len(some)}" if some else "-" for some in grown.values())]


def _other_errors(name: str, designs: list[Designs]) -> list[str]:
    changed = [over([one.other_errors[other].percent for one in designs]) for other in OTHER_ERRORS]
    return [name, over([one.chosen.percent for one in designs]), *changed]


def _each(one: Planned) -> list[str]:
    if not one.designs:
        return [one.environment, f"{one.seed}", "none found", "-", "-"]
    front = "; ".join(f"{actuators}: {100 * part.rate:.0f}" for actuators, part in one.designs.front.items())
    return [one.environment, f"{one.seed}", f"{one.designs.lowest}", f"{one.designs.chosen}", front]
