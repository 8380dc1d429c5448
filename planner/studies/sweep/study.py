"""The report of a sweep, as a study of one case."""

from __future__ import annotations

from typing import Any

from planner.studies.study import Study
from planner.studies.sweep.analysis import Data
from planner.studies.sweep.plots import save_map, save_over, save_predictors
from planner.studies.sweep.report import MAP, OVER, PREDICTORS, has_predictors, report
from planner.sweep.case import Row
from planner.sweep.folder import State


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
