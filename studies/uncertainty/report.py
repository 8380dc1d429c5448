"""Reports of the studies of plans under errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from environments.uncertainty import DEFAULT
from planner.output.markdown import markdown_table
from planner.plan.more_time import measure_gains
from studies.planning_runs import quartiles, quartiles_text
from studies.uncertainty.fresh_trials import FRESH, FreshTrials
from studies.uncertainty.random_pairs import DENSITY, LEVEL, PlanPair
from studies.uncertainty.study import FINE, LONGEST, OTHER_ERRORS, TARGETS, VERIFYING, DesignsUnderErrors, PlanOutcome
from vinewright.console.study import Report
from vinewright.sweeps.report.paired import sign_test

SUCCESS = (
    "environment",
    "to reach",
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
EACH = (
    "environment",
    "seed",
    "lowest cost",
    "chosen",
    "front: success % by number of actuators",
    "after each round",
    "end",
)
PAIR_SUMMARY = "", "plans with a design", "success %: median (quartiles)", "actuators: median (quartiles)"
PAIRS = "environment", "--fast", "chosen", "chosen is"
FRONTS, SCATTER = "fronts.png", "random.png"


def report(plans: Sequence[PlanOutcome], seconds: float, errors: str) -> Report:
    """Make the report of `uncertainty`.

    Args:
        seconds: Time budget of each plan [s].
        errors: Name of the uncertainty.
    """
    lines = [
        f"Each plan took {seconds:g} s at most; less if its design was enough and more time brought no fewer actuators. The design",
        "of lowest cost that its search found, which is what `--fast` looks for,",
        f"and the chosen design were then grown in {FRESH} trials with the errors called `{errors}`, which no plan had seen.",
        "Tables have medians over the seeds, with the smallest and the largest; a plan without a design counts as 0 % success,",
        "and has no actuators and no times.",
        "",
        "## Success",
        "",
        f"The first {FINE} trials were also grown with an eighth of the growth step. What is to be reached is for errors of a workshop.",
        "",
        *markdown_table(SUCCESS, [_success_row(name, some) for name, some in by_environment(plans).items()]),
        "",
        f"![Success over the number of actuators]({FRONTS})",
        "",
        "The fronts are what the plans themselves say, from their own trials after refinement.",
        "",
        *_detail_sections(plans),
        "",
        "## More time",
        "",
        "A plan goes on in rounds until its design is enough; each takes about as long as all before. Success is that of the plan's own",
        "trials; a plan that ends below what is wanted says which of these lines is about it.",
        "",
        *(
            f"* {gain.words[0].upper()}{gain.words[1:]}."
            for gain in measure_gains([one.designs.rounds for one in plans if one.designs])
        ),
        "",
        "## Each run",
        "",
        *markdown_table(EACH, map(_run_row, plans)),
    ]
    return Report("Plans under errors", lines, {"runs": [one.content() for one in plans]})


def by_environment(plans: Iterable[PlanOutcome]) -> dict[str, list[PlanOutcome]]:
    """Sort plans by the name of their environment, in the order in which it first comes."""
    found: dict[str, list[PlanOutcome]] = {}
    for one in plans:
        found.setdefault(one.environment, []).append(one)
    return found


def median_text(values: Sequence[float], form: str = ".0f") -> str:
    """Return the median of values, with the smallest and the largest; a dash without values."""
    if not values:
        return "-"
    least, middle, most = (format(number, form) for number in (min(values), float(np.median(values)), max(values)))
    return f"{middle} ({least} ... {most})" if len(values) > 1 else middle


def _success_row(name: str, some: list[PlanOutcome]) -> list[str]:
    def percent(of: Callable[[DesignsUnderErrors], float]) -> str:
        return median_text([of(one.designs) if one.designs else 0.0 for one in some])

    found = _designs_of(some)
    target = TARGETS.get(name)
    return [
        name,
        f"{target[0]} % with at most {target[1]}" if target else "-",
        f"{len(found)} of {len(some)}",
        percent(lambda one: one.lowest.percent),
        median_text([one.lowest.actuators for one in found]),
        percent(lambda one: one.chosen.percent),
        median_text([one.chosen.actuators for one in found]),
        percent(lambda one: one.coarse.percent),
        percent(lambda one: one.fine.percent),
    ]


def _designs_of(some: Iterable[PlanOutcome]) -> list[DesignsUnderErrors]:
    return [one.designs for one in some if one.designs]


def _detail_sections(plans: Sequence[PlanOutcome]) -> list[str]:
    """Return the sections on stages, other propagators and other errors, of the plans with a design."""
    found = {name: designs for name, some in by_environment(plans).items() if (designs := _designs_of(some))}
    return [
        "## Time of each stage",
        "",
        "Refinement includes the comparison of the solutions before it.",
        "",
        *markdown_table(STAGES, [_stages_row(name, designs) for name, designs in found.items()]),
        "",
        "## Other propagators",
        "",
        "Chosen designs that, grown as planned, reach the goal with another propagator too; a dash where the study was interrupted before,",
        f"and for `penalty` where tubes are longer than {LONGEST['penalty']:g} m, which take it minutes.",
        "",
        *markdown_table(
            ("environment", *VERIFYING), [_verification_row(name, designs) for name, designs in found.items()]
        ),
        "",
        "## Which errors matter",
        "",
        f"The chosen designs in the same {FRESH} trials with one error changed; nothing was planned again. How much the",
        "compliance of contacts varies is an assumption.",
        "",
        *markdown_table(ERRORS, [_errors_row(name, designs) for name, designs in found.items()]),
    ]


def _stages_row(name: str, designs: list[DesignsUnderErrors]) -> list[str]:
    stages = [one.stages for one in designs]
    return [
        name,
        median_text([one.first for one in stages], ".2f"),
        *(median_text([getattr(one, stage) for one in stages], ".1f") for stage in ("search", "refinement", "trials")),
    ]


def _verification_row(name: str, designs: list[DesignsUnderErrors]) -> list[str]:
    grown = {other: [one.verified[other] for one in designs if other in one.verified] for other in VERIFYING}
    return [name, *(f"{sum(some)} of {len(some)}" if some else "-" for some in grown.values())]


def _errors_row(name: str, designs: list[DesignsUnderErrors]) -> list[str]:
    changed = [median_text([one.other_errors[other].percent for one in designs]) for other in OTHER_ERRORS]
    return [name, median_text([one.chosen.percent for one in designs]), *changed]


def _run_row(one: PlanOutcome) -> list[str]:
    if not one.designs:
        return [one.environment, f"{one.seed}", "none found", "-", "-", "-", "-"]
    rounds = ", ".join(part.words for part in one.designs.rounds)
    front = "; ".join(f"{actuators}: {100 * part.rate:.0f}" for actuators, part in one.designs.front.items())
    return [
        one.environment,
        f"{one.seed}",
        f"{one.designs.lowest}",
        f"{one.designs.chosen}",
        front,
        rounds,
        one.designs.ended,
    ]


def report_pairs(compared: Sequence[PlanPair], seconds: float) -> Report:
    """Make the report of `uncertainty-random`.

    Args:
        seconds: Time budget of each plan [s].
    """
    reachable = [one for one in compared if not one.walled_in]
    kinds = {"`--fast`": [one.fast for one in reachable], "chosen under errors": [one.chosen for one in reachable]}
    lines = [
        f"Random environments of 2 m by 2 m with obstacles on {100 * DENSITY:g} % of the area",
        "(`vinewright environments new FILE --seed K`). In each, one plan with `--fast` and one under errors, with the same seed",
        f"and {seconds:g} s each; both designs were then grown in the same {FRESH} trials with the errors called `{DEFAULT}`, which",
        "no plan had seen. A plan without a design counts as 0 % success.",
        "",
        *_reached_lines(compared, reachable),
        "",
        *markdown_table(PAIR_SUMMARY, [_pair_summary(name, some) for name, some in kinds.items()]),
        "",
        *_difference_lines(reachable),
        "",
        f"![Success of the two designs]({SCATTER})",
        "",
        "## Each environment",
        "",
        *markdown_table(PAIRS, map(_pair_row, compared)),
    ]
    return Report(
        "Plans under errors in random environments", lines, {"environments": [pair.content() for pair in compared]}
    )


def _reached_lines(compared: Sequence[PlanPair], reachable: Sequence[PlanPair]) -> list[str]:
    fast, chosen = (
        sum(bool(one) for one in some)
        for some in ([pair.fast for pair in reachable], [pair.chosen for pair in reachable])
    )
    return [
        f"Of {len(compared)} environments, {len(compared) - len(reachable)} had no passage as wide as the tube to the goal; of the other",
        f"{len(reachable)}, `--fast` found a design in {fast}, and the plan under errors in {chosen}.",
    ]


def _pair_summary(name: str, some: Sequence[FreshTrials | None]) -> list[str]:
    found = [one for one in some if one]
    success = quartiles_text(quartiles(np.array([one.percent if one else 0.0 for one in some])), 0) if some else "-"
    actuators = quartiles_text(quartiles(np.array([float(one.actuators) for one in found])), 0) if found else "-"
    return [name, f"{len(found)} of {len(some)}", success, actuators]


def _difference_lines(reachable: Sequence[PlanPair]) -> list[str]:
    """Compare the trials of both designs, in words."""
    both = [one for one in reachable if one.both]
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
        f"{quartiles_text(quartiles(gains), 0)} percentage points. It is above 0 in {higher} environments and below in {lower}:",
        f"if both signs were equally likely, a split at least as uneven would have a probability of {chance:.2g} (two-sided sign",
        "test). This holds for the environments of one generator and one density.",
    ]


def _pair_row(one: PlanPair) -> list[str]:
    if one.walled_in:
        return [f"{one.seed}", "walled in", "walled in", "-"]
    return [f"{one.seed}", *(f"{design}" if design else "none found" for design in (one.fast, one.chosen)), one.verdict]
