"""`vinewright reproduce mapping`."""

from __future__ import annotations

from typing import Annotated

import typer

from vinewright.console.errors import readable_errors
from vinewright.console.options import (
    ForceOption,
)
from vinewright.console.study import Study
from vinewright.console.study_options import (
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def mapping(
    places: Annotated[int, typer.Option(min=2, max=1000, help="Number of environments of each kind.")] = 10,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Map random environments with vines: compare policies, turns and kinds of information. Ctrl-C keeps the environments done."""
    with readable_errors():
        from studies.mapping.plots import save_curves, save_example
        from studies.mapping.report import report
        from studies.mapping.study import cases, keep_whole_environments, run_cases, time_choice

        loop: list[float] = []
        study = Study(
            "mapping",
            cases(places),
            run_cases,
            lambda records: report(keep_whole_environments(records), loop[0]),
            {
                "mapping.png": lambda path, records: save_curves(path, keep_whole_environments(records)),
                "mapping-example.png": lambda path, _records: save_example(path),
            },
            "cases",
            prepare=lambda: loop.append(time_choice()),
            enough=lambda records: len(keep_whole_environments(records)) >= len(cases(2)),
            least="two environments of each kind were mapped",
            module=__name__,
        )
        return measure_study(study, command_line("reproduce mapping", places=places), out, force)
