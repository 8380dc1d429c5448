"""`vinewright reproduce halls`."""

from __future__ import annotations

from typing import Annotated

import typer

from vinewright.console.errors import readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import (
    BudgetOption,
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def halls(
    runs: Annotated[int, typer.Option(min=1, max=1000, help="Number of maps of each hall.")] = 2,
    time_budget: BudgetOption = 20.0,
    fast: Annotated[bool, typer.Option("--fast", help="Without refinement and trials.")] = False,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in large random halls: corridors with rooms, warehouse racks, caves and race tracks. Ctrl-C keeps the plans done."""
    with readable_errors():
        from studies.halls.plots import save_halls
        from studies.halls.report import report
        from studies.halls.study import make_cases, run_cases

        study = Study(
            "halls",
            make_cases(runs, time_budget, fast),
            run_cases,
            report,
            {"halls.png": save_halls},
            unit="plans",
            tell=str,
            module=__name__,
        )
        command = command_line("reproduce halls", runs=runs, time_budget=time_budget) + " --fast" * fast
        return measure_study(study, command, out, force)
