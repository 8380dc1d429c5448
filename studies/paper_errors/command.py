"""`vinewright reproduce paper-errors`."""

from __future__ import annotations

from typing import Annotated

import typer

from studies.chosen_environments import compile_kernels, load_environments
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
def paper_errors(
    runs: Annotated[int, typer.Option(min=1, max=100, help="Number of plans of each reading.")] = 3,
    time_budget: BudgetOption = 60.0,
    trials: Annotated[int, typer.Option(min=1, max=100_000, help="Number of trials of each cell.")] = 1000,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan for divider under the errors of paper 002, Fig. 9, and measure success as they grow. Ctrl-C keeps the plans done."""
    with readable_errors():
        from studies.paper_errors.plots import save_success
        from studies.paper_errors.report import FIGURE, report
        from studies.paper_errors.study import ENVIRONMENT, READINGS, PaperCase, run_cases

        environments = load_environments([ENVIRONMENT])
        study = Study(
            "paper-errors",
            [PaperCase(reading.name, seed) for reading in READINGS for seed in range(runs)],
            lambda cases: run_cases(cases, time_budget, trials),
            lambda outcomes: report(outcomes, time_budget, trials),
            {FIGURE: save_success},
            "plans",
            prepare=lambda: compile_kernels(environments[0]),
            tell=str,
            least="a plan was finished",
            module=__name__,
        )
        command = command_line("reproduce paper-errors", runs=runs, time_budget=time_budget, trials=trials)
        return measure_study(study, command, out, force)
