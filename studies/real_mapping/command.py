"""`vinewright reproduce real-mapping`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vinewright.console.errors import readable_errors
from vinewright.console.options import (
    ForceOption,
)
from vinewright.console.study import Study
from vinewright.console.study_options import (
    FolderOption,
    measure_study,
    study_command,
)


@study_command
def real_mapping(
    recordings: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder with recorded growths of passive tubes (*.json).")
    ],
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Map real environments from recordings, and compare with their measured walls. Ctrl-C keeps the cases done."""
    with readable_errors():
        from studies.real_mapping.plots import save_found
        from studies.real_mapping.report import report
        from studies.real_mapping.study import cases, run_cases
        from studies.validation.recordings import read_recordings

        study = Study(
            "real-mapping",
            cases(read_recordings(recordings)),
            run_cases,
            report,
            {"real-mapping.png": save_found},
            parallel=True,
            unit="cases",
            module=__name__,
            inputs={"DIR": recordings},
        )
        return measure_study(study, "vinewright reproduce real-mapping --recordings DIR", out, force)
