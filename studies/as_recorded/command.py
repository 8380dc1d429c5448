"""`vinewright reproduce as-recorded`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import FolderOption, measure_study, study_command


@study_command
def as_recorded(
    recordings: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Folder with recorded growths of one passive tube (*.json), at least two."),
    ],
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Predict each recorded growth of a real tube from the others. Ctrl-C keeps the recordings done."""
    with readable_errors():
        from studies.as_recorded.plots import save_predictions
        from studies.as_recorded.report import report
        from studies.as_recorded.study import list_cases, run_cases
        from studies.validation.recordings import read_recordings

        recorded = read_recordings(recordings)
        if len(recorded) < 2:
            raise BadInput(f"{recordings} contains one recording; at least two are needed, to predict one from another")
        study = Study(
            "as-recorded",
            list_cases(recorded),
            run_cases,
            report,
            {"as-recorded.png": save_predictions},
            parallel=True,
            unit="recordings",
            tell=str,
            module=__name__,
            inputs={"DIR": recordings},
        )
        return measure_study(study, "vinewright reproduce as-recorded --recordings DIR", out, force)
