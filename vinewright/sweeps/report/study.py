"""The report of a sweep, as a study of one case."""

from __future__ import annotations

from typing import Any

from vinewright.console.study import Study
from vinewright.sweeps.case import Row
from vinewright.sweeps.folder import State
from vinewright.sweeps.report.analysis import Data
from vinewright.sweeps.report.plots import save_map, save_over, save_predictors
from vinewright.sweeps.report.report import MAP, OVER, PREDICTORS, has_predictors, report


def study_of(state: State, rows: list[Row]) -> Study[State, Data]:
    """The report of a sweep as a study with one case, whose result is the table."""
    data = Data(rows, list(state.manifest.grid.cases[0].factors))
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
        lambda found: report(state, found[0], list(pictures)),
        pictures,
        "tables",
        tell=lambda found: f"{len(found.rows)} rows",
    )
