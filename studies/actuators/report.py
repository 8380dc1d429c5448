"""The tables of the study, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from planner.output.markdown import markdown_table
from studies.actuators.study import CELL, MIXED, ActuatorOutcome, ActuatorRange
from surrogate.registry import actuators
from vinewright.console.study import Report
from vinewright.sweeps.report.paired import PairedEffect

STRAINS = 0.02, 0.1, 0.2
PRESSURES = 10e3, 20e3, 35e3


def report(outcomes: Sequence[ActuatorOutcome], bars: Sequence[ActuatorRange]) -> Report:
    """Return the report in Markdown, and the data."""
    first = next(iter(actuators()))
    planned = {one.case.kind for one in outcomes}
    kinds = [kind for kind in (*actuators(), MIXED) if kind in planned]
    effects = {kind: compare_actuators(outcomes, kind, first) for kind in kinds if kind != first}
    seeds = sorted({one.case.seed for one in outcomes})
    lines = [
        "All registered actuators with their default dimensions, which are for strips of 54 to 60 mm lay-flat width, on the",
        "prototype's tube with the corrected physics. [Tubes](../../docs/howto/tubes.md#actuators) says what of each model is published,",
        "derived and assumed: those of fPAM and cPAM were compared with no measurement.",
        "",
        "## Force and curvature",
        "",
        f"*Force* per pressure [mm²] of a cell of {1e3 * CELL:g} mm at three strains, by the analytic model. *Work* per pressure and",
        "length of cell, from 1 % of strain on [mm²]. *Curvature* of the centreline in free space [1/m] over all cells on the grid, at",
        "three pressures, then over all pressures.",
        "",
        *markdown_table(_BAR_COLUMNS, map(_bar_row, bars)),
        "",
        "![Force against contraction](actuators-force.png)",
        "",
        "![Reachable curvature against pressure](actuators-curvature.png)",
        "",
        *_ranking(bars),
        "",
        "## Actuators that a plan needs",
        "",
        f"Fewest actuators after {outcomes[0].case.iterations} iterations of the search, one number for each of the seeds",
        f"{', '.join(map(str, seeds))}; a dash stands for no design. A number of iterations, not of seconds, ends a search: the numbers",
        f"do not depend on the machine. `{MIXED}`: all types may be mixed along one tube; each is drawn as often as the others.",
        "",
        *markdown_table(("environment", *kinds), _environment_rows(outcomes, kinds)),
        *effects_table(effects, first),
        "",
        "![Fewest actuators](actuators-plans.png)",
    ]
    content = {
        "bars": [one.content() for one in bars],
        "plans": [one.content() for one in outcomes],
        "iterations": outcomes[0].case.iterations,
        f"more_than_{first}": {
            kind: None if one is None else {"mean": one.mean, "interval_95": list(one.interval), "p": one.p}
            for kind, one in effects.items()
        },
    }
    return Report("Actuators", lines, content)


def compare_actuators(outcomes: Sequence[ActuatorOutcome], kind: str, first: str) -> PairedEffect | None:
    """Actuators that plans with one type have more than those with another, over pairs of environment and seed that both solved."""
    found = {(one.case.kind, one.environment, one.case.seed): one.actuators for one in outcomes}
    differences, groups = [], []
    for (other, environment, seed), number in found.items():
        base = found.get((first, environment, seed))
        if other == kind and number is not None and base is not None:
            differences.append(number - base)
            groups.append(environment)
    return PairedEffect.of(differences, groups) if differences else None


_BAR_COLUMNS = (
    *("actuator", "full contraction", *(f"force at {100 * strain:g} %" for strain in STRAINS), "work"),
    *(f"curvature at {1e-3 * pressure:g} kPa" for pressure in PRESSURES),
    "curvature",
)


def _bar_row(one: ActuatorRange) -> list[str]:
    ranges = [one.range_at(pressure) for pressure in PRESSURES]
    ranges.append((float(one.curvature.min()), float(one.curvature.max())))
    return [
        one.kind,
        f"{100 * one.strain[-1]:.1f} %",
        *(f"{1e6 * one.at(strain):.0f}" for strain in STRAINS),
        f"{1e6 * one.work:.0f}",
        *(f"{low:.2f}" if high - low < 5e-3 else f"{low:.2f} to {high:.2f}" for low, high in ranges),
    ]


def _ranking(bars: Sequence[ActuatorRange]) -> list[str]:
    """Compare the order of the actuators by the models with the published order."""
    known = {one.kind: one for one in bars}
    strongest = max(bars, key=lambda one: one.at(STRAINS[1])).kind
    sharpest = max(bars, key=lambda one: float(one.curvature.max())).kind
    stronger = "more" if known["cpam"].at(STRAINS[1]) > known["pouch"].at(STRAINS[1]) else "less"
    more = "more" if known["cpam"].curvature.max() > known["pouch"].curvature.max() else "less"
    return [
        f"At {100 * STRAINS[1]:g} % of strain `{strongest}` pulls most; `{sharpest}` bends the tube most. Kübler et al. (2024) measured",
        "pouch motors, cPAMs and fPAMs on vine robots: by their abstract, cPAMs bend best and pull most. Here a cPAM pulls",
        f"{stronger} than a pouch motor of the same width at {100 * STRAINS[1]:g} %, and bends the tube {more}. The model of the pouch",
        "motor leaves out that its flat sides resist; the model of the cPAM has sides, which take force away near full contraction. So",
        "the figures of the pouch motor are optimistic, and the curvatures of these two should not be ranked here.",
    ]


def _environment_rows(outcomes: Sequence[ActuatorOutcome], kinds: Sequence[str]) -> list[list[str]]:
    names = dict.fromkeys(one.environment for one in outcomes)
    rows = []
    for name in names:
        cells = []
        for kind in kinds:
            own = sorted(
                (o for o in outcomes if (o.environment, o.case.kind) == (name, kind)), key=lambda o: o.case.seed
            )
            cells.append(", ".join("-" if one.actuators is None else str(one.actuators) for one in own))
        rows.append([name, *cells])
    totals = [[one.actuators for one in outcomes if one.case.kind == kind] for kind in kinds]
    solved = [[number for number in own if number is not None] for own in totals]
    rows.append(["solved", *(f"{len(some)} of {len(own)}" for some, own in zip(solved, totals, strict=True))])
    rows.append(["mean", *(f"{mean(some):.2f}" if some else "-" for some in solved)])
    return rows


def effects_table(effects: dict[str, PairedEffect | None], first: str) -> list[str]:
    """Differences between the actuators, with intervals."""
    rows = [
        [kind, f"{one.mean:+.2f}", f"{one.interval[0]:+.2f} to {one.interval[1]:+.2f}", f"{one.p:.2g}"]
        for kind, one in effects.items()
        if one is not None
    ]
    if not rows:
        return []
    return [
        "",
        f"Actuators that plans have more than those with `{first}`, over the pairs of environment and seed that both solved: mean, 95 %",
        "interval by the bootstrap within environments, and p of a permutation test. The environments are fixed: this says nothing of",
        "others.",
        "",
        *markdown_table(("actuator", "more actuators", "95 % interval", "p"), rows),
    ]
