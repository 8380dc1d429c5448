"""Table of what particles and refinement contribute."""

from __future__ import annotations

from collections.abc import Sequence

from environments.uncertainty import DEFAULT
from planner.output.markdown import markdown_table
from studies.fresh_trials import FRESH
from studies.uncertainty.report import over
from studies.uncertainty_ablations.study import VARIANTS, Designs, Planned, Variant
from vinewright.console.study import Report

COLUMNS = (
    "environment",
    "plan",
    "with a design",
    "chosen: success %",
    "its actuators",
    "lowest cost: success %",
    "its actuators",
    "first solution s",
    "iterations of the search",
)
EACH = "environment", "seed", "plan", "chosen", "lowest cost"


def report(plans: Sequence[Planned], seconds: float) -> Report:
    """Tables in Markdown, and their data.

    Args:
        seconds: Time budget of each plan [s].
    """
    kinds = [(name, variant) for name in dict.fromkeys(one.case.environment for one in plans) for variant in VARIANTS]
    rows = [_row(name, variant, some) for name, variant in kinds if (some := _of_kind(plans, name, variant))]
    lines = [
        f"Each plan took {seconds:g} s. Without refinement the search had all of this time; then, for each number of actuators, the",
        "solution that did best in the worlds of a refinement was tried, and one of them chosen as usual, without a limit of time.",
        f"The chosen design and that of lowest cost that the same search found were grown in {FRESH} trials with the errors called",
        f"`{DEFAULT}`, which no plan had seen. The table has medians over the seeds, with the smallest and the largest; a plan without a",
        "design counts as 0 % success, and has no actuators and no times.",
        "",
        *markdown_table(COLUMNS, rows),
        "",
        "## Each run",
        "",
        *markdown_table(EACH, map(_each, plans)),
    ]
    return Report("What particles and refinement contribute", lines, {"runs": [one.content() for one in plans]})


def _of_kind(plans: Sequence[Planned], name: str, variant: Variant) -> list[Designs | None]:
    return [one.designs for one in plans if one.case.environment == name and one.case.variant == variant]


def _row(name: str, variant: Variant, some: list[Designs | None]) -> list[str]:
    found = [one for one in some if one]
    return [
        name,
        f"{variant}",
        f"{len(found)} of {len(some)}",
        over([one.chosen.percent if one else 0.0 for one in some]),
        over([one.chosen.actuators for one in found]),
        over([one.lowest.percent if one else 0.0 for one in some]),
        over([one.lowest.actuators for one in found]),
        over([one.first_s for one in found], ".2f"),
        over([one.iterations for one in found]),
    ]


def _each(one: Planned) -> list[str]:
    designs = [f"{one.designs.chosen}", f"{one.designs.lowest}"] if one.designs else ["none found", "-"]
    return [one.case.environment, f"{one.case.seed}", f"{one.case.variant}", *designs]
