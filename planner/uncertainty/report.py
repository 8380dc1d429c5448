"""Report of a survey and its margins, as tables."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import asdict
from typing import Any

from planner.design.design import type_of
from planner.design.estimate import NONE_STANDS_OUT, Estimate
from planner.output.markdown import markdown_table
from planner.uncertainty.dead import DeadActuator, dead_table
from planner.uncertainty.sensitivity import Margin, smallest_margin
from planner.uncertainty.survey import ALL, Survey, cell_name

SOURCE_COLUMNS = (
    "source",
    "success %",
    "ended elsewhere",
    "stalled",
    "left the bounds",
    "no room",
    "not at rest",
    "not finite",
)
ENOUGH = 0.9
"""Required success rate [-]."""
PAPER = {"obstacles": 0.1, "bending": 0.12}
"""Levels up to which paper 002 (section 7.3) reports that rate [-]."""


def robustness_report(
    survey: Survey,
    margins: Sequence[Margin],
    varied: int,
    levels: Sequence[float] = (),
    dead: Sequence[DeadActuator] = (),
) -> tuple[list[str], dict[str, Any]]:
    """Make the report as Markdown, and its data for a JSON file.

    Args:
        margins: Margins of all parameters; may be empty.
        varied: Number of parameters; there are fewer margins if their search was interrupted.
        levels: Levels of the grid, ascending [-]; none for no grid.
        dead: Success without the pressure of each actuator.
    """
    interrupted = survey.done < survey.asked or len(margins) < varied
    stopped = [f"**Interrupted** after {survey.done} of {survey.asked} trials and {len(margins)} of {varied} margins."]
    grid = {cell_name(one, other) for one in levels for other in levels}
    lines = [*stopped * interrupted, *_preface(survey), *_source_table(survey, grid)]
    lines += [*_grid_table(survey, levels), "", _verdict(survey, levels)] if grid else []
    together = survey.estimate_all()
    lines += [*_influences(together), *dead_table(dead), *margin_table(margins, varied)]
    content = {
        "interrupted": interrupted,
        "trials_done": survey.done,
        "trials_asked": survey.asked,
        "seconds": {name: round(seconds, 2) for name, seconds in survey.seconds.items()},
        "trials": survey.trials,
        "seed": survey.seed,
        "levels": list(levels),
        "spreads": {name: uncertainty.content() for name, uncertainty in survey.uncertainties.items()},
        "counts": survey.counts,
        "success": {name: _success(survey, name) for name in survey.uncertainties},
        "weakest": together.weakest,
        "influences": [one.content() for one in together.influences or ()],
        "dead_actuators": [one.content() for one in dead],
        "margins": [asdict(margin) for margin in margins],
    }
    return lines, content


def _success(survey: Survey, name: str) -> dict[str, Any] | None:
    """Return the success rate of an uncertainty for a JSON file; None without trials."""
    estimate = survey.estimate(name)
    if estimate is None:
        return None
    interval = [round(end, 4) for end in estimate.interval]
    return {
        "rate": estimate.rate,
        "interval_95": interval,
        "trials": estimate.trials,
        "complete": survey.complete(name),
    }


def title(survey: Survey) -> str:
    """Return the heading of the report."""
    return f"Robustness of a design for {' '.join(survey.environment.name.split())}"


def _preface(survey: Survey) -> list[str]:
    """Return lines with the design, the number of trials and the distribution of the errors."""
    design = survey.design
    seconds, slowest = sum(survey.seconds.values()), max(survey.seconds, key=survey.seconds.__getitem__)
    actuators = [
        f"{1e3 * s.start:.0f} to {1e3 * s.end:.0f} mm {s.side}, {f'{type_of(s, design)}, '.removeprefix(', ')}cells of "
        f"{1e3 * s.l_0:.0f} mm at {1e-3 * s.pressure:g} kPa{'' if s.on else ' (off)'}"
        for s in design.actuated
    ]
    actuators += [
        f"{1e3 * s.start:.0f} to {1e3 * s.end:.0f} mm {s.side}, preformed, curvature {s.curvature:.3g} /m"
        for s in design.preformed
    ]
    return [
        f"{survey.done} trials in {seconds:.0f} s. Slowest: {sum(survey.counts[slowest].values())} trials of {slowest} in "
        f"{survey.seconds[slowest]:.1f} s.",
        f"The design: {design.words.replace('no actuators', '0 actuators')}, {1e3 * design.built:.0f} mm of tube"
        + "".join(f"; {actuator}" for actuator in actuators)
        + ".",
        "A trial succeeds if the tip reaches the goal while the vine grows. Brackets: 95 % confidence interval (Wilson).",
        "Errors are independent and normally distributed, with the standard deviations in the names of their sources;",
        "friction is uniform in its range. A trial has the same random numbers in every row.",
        *(
            [
                "Errors that were learnt from trials of the built tube have means and correlations; together, they take the place of",
                "others.",
            ]
            if survey.uncertainties[ALL].learnt
            else []
        ),
        "",
    ]


def _source_table(survey: Survey, grid: Container[str]) -> list[str]:
    """Make the table of all errors together and of each source alone: all uncertainties that are not in the grid."""
    lines = ["## All errors together, and one source at a time", ""]
    rows = []
    for name, counts in survey.counts.items():
        if name not in grid:
            ways = [f"{count / sum(counts.values()):.1%}" for way, count in counts.items() if way != "reached"]
            rows.append([f"**{name}**" if name == ALL else name, success_text(survey, name), *ways])
    return [*lines, *markdown_table(SOURCE_COLUMNS, rows)]


def _grid_table(survey: Survey, levels: Sequence[float]) -> list[str]:
    """Make the table of success by the levels of obstacles and of bending."""
    lines = [
        "",
        "## Obstacles and bending together",
        "",
        "Success in percent. Rows: level of obstacles; columns: level of bending; both are standard deviations.",
        "*Obstacles*: the size of each object, relative to its size, and its x and y, relative to its width (or the width of",
        "the tube, if that is greater). *Bending*: the pressure and the cell length of each actuator; an error in cell length",
        "also changes the length of the actuator.",
        "",
    ]
    rows = [
        [f"**{100 * obstacles:g} %**", *(success_text(survey, cell_name(obstacles, bending)) for bending in levels)]
        for obstacles in levels
    ]
    return lines + markdown_table(["", *(f"{100 * level:g} %" for level in levels)], rows)


def success_text(survey: Survey, name: str) -> str:
    """Return the success rate in percent with its interval, and the number of trials if not all are done."""
    estimate = survey.estimate(name)
    if estimate is None:
        return "not evaluated"
    progress = "" if survey.complete(name) else f", {estimate.trials} of {survey.trials} trials"
    return estimate.words() + progress


def _verdict(survey: Survey, levels: Sequence[float]) -> str:
    """Return the maximum level of each axis alone at which the success rate is sufficient; of both together if the grid has no
    level 0."""
    if 0.0 not in levels:
        parts = [
            _sufficient_range(survey, [(level, level) for level in levels], "obstacles and bending variation together")
        ]
    else:
        parts = []
        for axis, paper in PAPER.items():
            cells = [(level, 0.0) if axis == "obstacles" else (0.0, level) for level in levels]
            held = _sufficient_range(survey, cells, f"{axis} variation")
            parts.append(f"{held} (paper 002, for its design: {100 * paper:g} %)")
    return f"At least {100 * ENOUGH:g} % success in {survey.trials} trials: {'; '.join(parts)}."


def _sufficient_range(survey: Survey, cells: Sequence[tuple[float, float]], what: str) -> str:
    """Return the last of ascending cells up to which the success rate is sufficient, as text; only complete cells are
    judged."""
    held, open_from = None, None
    for cell in cells:
        estimate = survey.estimate(cell_name(*cell))
        if estimate is None or not survey.complete(cell_name(*cell)):
            open_from = max(cell)
            break
        if estimate.rate < ENOUGH:
            break
        held = max(cell)
    if open_from is None:
        return f"at no level of {what}" if held is None else f"up to {100 * held:g} % of {what}"
    if held is None:
        return f"no verdict on {what}, because its trials are not all done"
    return f"at least up to {100 * held:g} % of {what} (from {100 * open_from:g} % on, not all trials are done)"


def _influences(together: Estimate) -> list[str]:
    """Return the errors on which success depends, or that there is none."""
    if together.weakest is None:
        return []
    lines = together.influence_lines or [f"{NONE_STANDS_OUT.capitalize()}."]
    return ["", "## Errors that decide", "", *lines]


def margin_table(margins: Sequence[Margin], varied: int) -> list[str]:
    """Make the table of the margins, of which there should be `varied`."""
    lines = ["", "## Margins", ""]
    if len(margins) < varied:
        lines += [f"Interrupted: {len(margins)} of {varied} margins were measured.", ""]
    if not margins:
        return lines[:-1]
    ordered = sorted(margins, key=lambda margin: margin.share)
    lines += [
        "How far each parameter can deviate, with all others as planned, before the goal is lost. The first row has the",
        f"smallest margin. Deviations up to {', '.join(sorted({f'{m.most:g} {m.unit}' for m in margins}))} were searched.",
        "*Place* is the position of a section along the tube; a section that begins at the base is shortened instead of",
        "moved towards the base. An obstacle is named by its kind and its number in the file; all that touch move as one.",
        f"Smallest margin, by the smallest deviation tried that misses the goal: {least.words}."
        if (least := smallest_margin(margins))
        else "No single deviation that was tried misses the goal.",
        "",
    ]
    rows = [[one.name, margin_words(one, one.less, "-"), margin_words(one, one.more, "+")] for one in ordered]
    return lines + markdown_table(("parameter", "downwards", "upwards"), rows)


def margin_words(margin: Margin, value: float, sign: str) -> str:
    """Return a margin with its sign and unit; `or more` if it is the whole searched range."""
    if not value:
        return f"0 {margin.unit}"
    return f"{sign}{value:.3g} {margin.unit}{' or more' if value > margin.most - 1e-9 else ''}"
