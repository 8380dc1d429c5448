"""The table of the study, and its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from planner.output.markdown import markdown_table
from studies.paper_errors.study import CLAIM, ENVIRONMENT, LEAST_HEIGHT, PLANNED, READINGS, PaperOutcome, cells
from vinewright.console.study import Report

FIGURE = "paper-errors.png"
ENOUGH = 0.9
"""Success that paper 002 reports up to the levels of `CLAIM` [-]."""


def report(outcomes: Sequence[PaperOutcome], seconds: float, trials: int) -> Report:
    """Make the report as Markdown, and its data."""
    ordered = sorted(outcomes, key=lambda one: ([r.name for r in READINGS].index(one.case.reading), one.case.seed))
    obstacles, bending = (f"{100 * level:g} %" for level in PLANNED)
    lines = [
        f"Designs for `{ENVIRONMENT}`, each planned for {seconds:g} s under errors of {obstacles} of obstacles and {bending} of",
        f"bending, for a tube that walls may squeeze to {LEAST_HEIGHT:g} of its diameter; success in {trials} fresh trials of each cell",
        "(95 % interval, Wilson). *Planned*: success in the trials of the plan. Bending: the",
        "standard deviation of pressure and of cell length of each actuator. Obstacles, two readings of paper 002, Fig. 9:",
        "",
        *[f"* *{one.name}*: {one.meaning}." for one in READINGS],
        "",
        *_verdicts(ordered),
        "",
        "## Success in percent",
        "",
        *_success_table(ordered),
        "",
        f"## Trials that miss with {100 * CLAIM['obstacles'][0]:g} % of obstacles",
        "",
        "*Closed*: no passage from start to goal is open to the squeezed tube, so that no design can succeed. *Narrow*: passages are",
        "open to the squeezed tube only. Both are parts of the misses; the other columns are the endings of all misses.",
        "",
        *_miss_table(ordered),
        "",
        f"![Success over the errors]({FIGURE})",
    ]
    content = {"time_budget_s": seconds, "trials": trials, "plans": [one.content() for one in ordered]}
    return Report("Designs for divider under the errors of paper 002", lines, content)


def _verdicts(outcomes: Sequence[PaperOutcome]) -> list[str]:
    """Say for each reading and axis in how many designs the paper's success is reached."""
    lines = []
    for reading in READINGS:
        own = [one for one in outcomes if one.case.reading == reading.name]
        for axis, levels in CLAIM.items():
            rates = [one.cells[levels].rate for one in own if one.cells]
            if not rates:
                continue
            reached, wanted = sum(rate >= ENOUGH for rate in rates), f"{100 * ENOUGH:g} %"
            lines.append(
                f"* *{reading.name}*, {100 * max(levels):g} % of {axis}: {reached} of {len(own)} plans have a design with "
                f"{wanted} success or more (paper 002: {wanted}); {100 * min(rates):.0f} to {100 * max(rates):.0f} %."
            )
    return lines


def _success_table(outcomes: Sequence[PaperOutcome]) -> list[str]:
    found = [one for one in outcomes if one.cells]
    columns = ["obstacles", "bending", *(f"{one.case.reading}, seed {one.case.seed}" for one in found)]
    rows = [["planned", "", *(str(one.planned) for one in found)]]
    rows.append(["actuators", "", *(str(one.design.actuators if one.design else "-") for one in found)])
    for levels in cells():
        rows.append(
            [*(f"{100 * level:g} %" for level in levels), *(one.cells[levels].words() for one in found if one.cells)]
        )
    return markdown_table(columns, rows)


def _miss_table(outcomes: Sequence[PaperOutcome]) -> list[str]:
    found = [(one, one.misses) for one in outcomes if one.misses]
    endings = list(found[0][1].endings) if found else []
    rows = [
        [
            one.case.reading,
            str(one.case.seed),
            str(misses.trials),
            str(sum(misses.endings.values())),
            str(misses.closed),
            str(misses.narrow),
            *(str(misses.endings[name]) for name in endings),
        ]
        for one, misses in found
    ]
    return markdown_table(["reading", "seed", "trials", "misses", "closed", "narrow", *endings], rows)
