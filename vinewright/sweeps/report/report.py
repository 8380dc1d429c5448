"""The report of a sweep: tables over all factors, and correlations with success."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from planner.output.markdown import markdown_table
from vinewright.console.study import Report
from vinewright.sweeps.folder import SweepState
from vinewright.sweeps.report.analysis import COMPARED, FEATURES, Mean, SweepTable, value_text

CONTACT = "contact_share"
OVER, PREDICTORS, MAP = "over.png", "predictors.png", "map.png"


def make_report(state: SweepState, data: SweepTable, pictures: list[str]) -> Report:
    """Make the report: tables in Markdown, and their data."""
    manifest, seconds = state.manifest, sum(state.seconds.values())
    total = len(manifest.grid.cases)
    outcomes = Counter(str(row["outcome"]) for row in data.rows if "outcome" in row)
    lines = [
        f"{len(data.rows)} of {total} cases are done, in {seconds / 3600:.2g} core hours.",
        *[f"Outcomes: {', '.join(f'{count} {name}' for name, count in outcomes.items())}."] * bool(outcomes),
        "Means are over the cases with a design: a value with which fewer cases are solved looks easier than it is. Brackets contain",
        "95 % intervals by the bootstrap over environments, of which random ones with the same start and goal count as one.",
        "",
        *markdown_table(_columns(data, ""), [_cells(data, name, name) for name in data.groups]),
    ]
    for factor in data.varied:
        lines += ["", f"## Over {factor}", "", *_over(data, factor)]
    lines += ["", f"![Success and actuators over what varies]({OVER})"] * (OVER in pictures)
    lines += [*_differences(data), *_slopes(data), *_predictors(data, pictures)]
    lines += ["", "## Maps", "", f"![Success and actuators over pairs of factors]({MAP})"] * (MAP in pictures)
    content = {"cases": total, "program": manifest.program, "rows": [*data.rows]}
    return Report(manifest.description.rstrip(".") or f"Sweep {manifest.name}", lines, content)


def _columns(data: SweepTable, first: str) -> list[str]:
    return [first, "designs", *["success %"] * data.has_trials, "actuators"]


def _cells(data: SweepTable, name: str, label: str) -> list[str]:
    cell = data.cell(None, data.groups[name])
    return [
        label,
        f"{cell.found} of {cell.cases}",
        *[_mean(cell.success, 1)] * data.has_trials,
        _mean(cell.actuators, 2),
    ]


def _over(data: SweepTable, factor: str) -> list[str]:
    """Return the lines of the table over a factor, for each group."""
    rows = []
    groups = data.groups if factor in {*data.numeric, "environment", "tube", "design"} else {"all": data.everything}
    for name, where in groups.items():
        for cell in data.cells(factor, where):
            label = value_text(cell.value) if len(groups) == 1 else f"{value_text(cell.value)}, {name}"
            rows.append(
                [
                    label,
                    f"{cell.found} of {cell.cases}",
                    *[_mean(cell.success, 1)] * data.has_trials,
                    _mean(cell.actuators, 2),
                ]
            )
    return markdown_table(_columns(data, factor), rows)


def _differences(data: SweepTable) -> Iterator[str]:
    """Yield the tables of differences between groups, over pairs of cases that differ only in their group."""
    for first, second in data.pairs_of_groups:
        effects = data.paired_effects(data.groups[first], data.groups[second])
        if not effects:
            continue
        yield from (
            "",
            f"## {second} less {first}",
            "",
            "Over the pairs of cases with a design that differ in nothing else, averaged within each environment first:",
            "",
        )
        rows = []
        for name, (effect, count) in effects.items():
            low, high = effect.interval
            label = f"{name} [{COMPARED[name]}]" if COMPARED[name] else name
            rows.append([label, f"{effect.mean:+.3g} ({low:+.3g} ... {high:+.3g})", f"{effect.p:.2g}", str(count)])
        yield from markdown_table(("", "mean difference", "p (permutation)", "pairs"), rows)


def _slopes(data: SweepTable) -> Iterator[str]:
    """Yield the tables of the change of the number of actuators per unit of each quantity."""
    slopes = {name: data.slopes(which) for name, which in data.groups.items()} if data.numeric else {}
    if not any(slopes.values()):
        return
    yield from ("", "## Actuators per unit of each quantity", "", "From one linear fit to all quantities:", "")
    rows = [[name, *(_mean(found.get(factor), 4, "+") for factor in data.numeric)] for name, found in slopes.items()]
    yield from markdown_table(("", *data.numeric), rows)
    within = {factor: [data.slope_within(factor, which) for which in data.groups.values()] for factor in data.numeric}
    rows = [[factor, *(_mean(slope, 4, "+") for slope in found)] for factor, found in within.items() if any(found)]
    if rows:
        yield from (
            "",
            "Within the same environment only, which leaves out what makes environments hard for all cases:",
            "",
        )
        yield from markdown_table(("", *data.groups), rows)


def has_predictors(data: SweepTable) -> bool:
    """Return whether there are enough cases with trials for correlations with success."""
    return data.has_trials and len(data.rows) >= 10


def _predictors(data: SweepTable, pictures: list[str]) -> Iterator[str]:
    """Yield the tables of correlations with success."""
    if not has_predictors(data):
        return
    yield from (
        "",
        "## What goes with success",
        "",
        "Spearman's rank correlation of the share of successful trials with quantities of the case and of its design as planned.",
        "A correlation is not a cause, and an interval that contains 0 does not tell in which direction it is.",
        "",
    )
    names = [*data.numeric, *FEATURES]
    rows = [[name, *(_mean(data.correlation(name, which), 2, "+") for which in data.groups.values())] for name in names]
    yield from markdown_table(("", *data.groups), rows)
    if PREDICTORS in pictures:
        yield from ("", f"![Rank correlations with success]({PREDICTORS})")
    yield from _contact(data)


def _contact(data: SweepTable) -> Iterator[str]:
    """Yield the table of correlations between success and contact with walls, for each value of each quantity."""
    yield from (
        "",
        "## Where contact goes with success",
        "",
        "Rank correlation of success with the share of the growth during which the tube touches a wall (`contact_share`), and the",
        "mean of that share, for each value of each quantity:",
        "",
    )
    columns = [f"{what}, {name}" for name in data.groups for what in ("correlation", "mean share")]
    rows = []
    for factor in data.numeric:
        for value in data.quantities(factor):
            here = data.equal(factor, value)
            both = [
                (data.correlation(CONTACT, here & group), data.mean(CONTACT, here & group))
                for group in data.groups.values()
            ]
            cells = [text for correlation, mean in both for text in (_mean(correlation, 2, "+"), _mean(mean, 2))]
            rows.append([f"{factor} {value_text(value)}", *cells])
    yield from markdown_table(("", *columns), rows or [["all", *["-"] * len(columns)]])


def _mean(mean: Mean | None, digits: int, sign: str = "") -> str:
    if mean is None or not math.isfinite(mean.value):
        return "-"
    value, low, high = (f"{round(number, digits) + 0.0:{sign}.{digits}f}" for number in (mean.value, *mean.interval))
    return f"{value} ({low} ... {high})" if math.isfinite(mean.interval[0]) else value
