"""`vinewright reproduce card`."""

from __future__ import annotations

from typing import Annotated

import typer

from studies.chosen_environments import check_environments
from vinewright.console.errors import readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import (
    BudgetOption,
    EnvironmentsOption,
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def card(
    time_budget: BudgetOption = 60.0,
    batch: Annotated[
        int, typer.Option(min=1, max=100_000, help="Number of vines grown in each iteration with penalty.")
    ] = 100,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Search with the chain of paper 002 as written, with parts replaced, and by default. Ctrl-C keeps the searches done.

    Needs the extra torch.
    """
    with readable_errors():
        from studies.card.report import report
        from studies.card.study import ENVIRONMENTS, make_cases, run_cases

        names = check_environments(env or ENVIRONMENTS)
        study = Study(
            "card",
            make_cases(names, time_budget, batch),
            run_cases,
            report,
            unit="searches",
            tell=str,
            module=__name__,
        )
        command = command_line("reproduce card", time_budget=time_budget, batch=batch, env=env)
        return measure_study(study, command, out, force)
