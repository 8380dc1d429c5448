"""The report of a sweep, as a study of one case."""

from __future__ import annotations

from typing import Any

from vinewright.console.study import Study
from vinewright.sweeps.case import Row
from vinewright.sweeps.folder import SweepState
from vinewright.sweeps.manifest import program_difference
from vinewright.sweeps.report.analysis import SweepTable
from vinewright.sweeps.report.plots import save_map, save_over, save_predictors
from vinewright.sweeps.report.report import MAP, OVER, PREDICTORS, has_predictors, make_report


def make_report_study(state: SweepState, rows: list[Row]) -> Study[SweepState, SweepTable]:
    """Make the study that writes the report of a sweep; its only case has the table as its result."""
    data = SweepTable(rows, list(state.manifest.grid.cases[0].factors))
    pictures: dict[str, Any] = {}
    if data.varied:
        pictures[OVER] = lambda path, found: save_over(path, found[0])
    if has_predictors(data):
        pictures[PREDICTORS] = lambda path, found: save_predictors(path, found[0])
    if len(data.numeric) > 1:
        pictures[MAP] = lambda path, found: save_map(path, found[0])
    return Study(
        state.manifest.name,
        [state],
        lambda _: [data],
        lambda found: make_report(state, found[0], list(pictures)),
        pictures,
        "tables",
        tell=lambda found: f"{len(found.rows)} rows",
        module="" if program_difference(state.manifest.program) else "vinewright.sweeps.case",
    )
