"""`vinewright reproduce clutter`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from vinewright.console.errors import readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study_options import (
    BudgetOption,
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def clutter(
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Number of random environments of each density.")] = 24,
    time_budget: BudgetOption = 20.0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in dense random clutter with the search as it was and as it is, until the first solution. Ctrl-C keeps the runs done."""
    with readable_errors():
        from studies.clutter.report import report
        from studies.clutter.study import by_density, cases
        from studies.curves import save_success
        from studies.planning_runs import study_of_runs

        study = replace(
            study_of_runs("clutter", cases(count, time_budget), report),
            draw={"success-vs-time.png": lambda path, records: save_success(path, by_density(records))},
            enough=lambda records: bool(by_density(records)),
            least="any environment was searched with each search",
        )
        return measure_study(study, command_line("reproduce clutter", count=count, time_budget=time_budget), out, force)
