"""Tables of the study in random environments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from environments.uncertainty import DEFAULT
from planner.output.markdown import markdown_table
from studies.fresh_trials import FRESH, FreshTrials
from studies.planning_runs import quartiles, shown_quartiles
from studies.uncertainty_random.study import DENSITY, LEVEL, Compared
from vinewright.console.study import Report
from vinewright.sweeps.report.paired import sign_test

SUMMARY = "", "plans with a design", "success %: median (quartiles)", "actuators: median (quartiles)"
EACH = "environment", "--fast", "chosen", "chosen is"
PICTURE = "random.png"


def report(compared: Sequence[Compared], seconds: float) -> Report:
    """Tables in Markdown, and their data.

    Args:
        seconds: Time budget of each plan [s].
    """
    open_ones = [one for one in compared if not one.walled_in]
    kinds = {"`--fast`": [one.fast for one in open_ones], "chosen under errors": [one.chosen for one in open_ones]}
    lines = [
        f"Random environments of 2 m by 2 m with obstacles on {100 * DENSITY:g} % of the area",
        "(`vinewright environments new FILE --seed K`). In each, one plan with `--fast` and one under errors, with the same seed",
        f"and {seconds:g} s each; both designs were then grown in the same {FRESH} trials with the errors called `{DEFAULT}`, which",
        "no plan had seen. A plan without a design counts as 0 % success.",
        "",
        *_reached(compared, open_ones),
        "",
        *markdown_table(SUMMARY, [_summary(name, some) for name, some in kinds.items()]),
        "",
        *_difference(open_ones),
        "",
        f"![Success of the two designs]({PICTURE})",
        "",
        "## Each environment",
        "",
        *markdown_table(EACH, map(_each, compared)),
    ]
    return Report("Plans under errors in random environments", lines, {"environments": [o.content() for o in compared]})


def _reached(compared: Sequence[Compared], open_ones: Sequence[Compared]) -> list[str]:
    fast, chosen = (
        sum(bool(one) for one in some) for some in ([o.fast for o in open_ones], [o.chosen for o in open_ones])
    )
    return [
        f"Of {len(compared)} environments, {len(compared) - len(open_ones)} had no passage as wide as the tube to the goal; of the other",
        f"{len(open_ones)}, `--fast` found a design in {fast}, and the plan under errors in {chosen}.",
    ]


def _summary(name: str, some: Sequence[FreshTrials | None]) -> list[str]:
    found = [one for one in some if one]
    success = shown_quartiles(quartiles(np.array([one.percent if one else 0.0 for one in some])), 0) if some else "-"
    actuators = shown_quartiles(quartiles(np.array([float(one.actuators) for one in found])), 0) if found else "-"
    return [name, f"{len(found)} of {len(some)}", success, actuators]


def _difference(open_ones: Sequence[Compared]) -> list[str]:
    """What the trials of both designs say, in words."""
    both = [one for one in open_ones if one.both]
    if not both:
        return ["No environment has a design of both."]
    verdicts = Counter(one.verdict for one in both)
    gains = np.array([one.gain for one in both])
    higher, lower = int((gains > 0).sum()), int((gains < 0).sum())
    chance = sign_test(higher, lower)
    return [
        f"Of the {len(both)} environments with a design of both, the chosen one is better in {verdicts['better']}, worse in",
        f"{verdicts['worse']} and alike in {verdicts['alike']}. Better and worse mean by more than the noise of the trials: exact test",
        f"of McNemar at {100 * LEVEL:g} %, in each environment by itself. The difference in success has a median and quartiles of",
        f"{shown_quartiles(quartiles(gains), 0)} percentage points. It is above 0 in {higher} environments and below in {lower}:",
        f"if both signs were equally likely, a split at least as uneven would have a probability of {chance:.2g} (two-sided sign",
        "test). This holds for the environments of one generator and one density.",
    ]


def _each(one: Compared) -> list[str]:
    if one.walled_in:
        return [f"{one.seed}", "walled in", "walled in", "-"]
    return [f"{one.seed}", *(f"{design}" if design else "none found" for design in (one.fast, one.chosen)), one.verdict]
