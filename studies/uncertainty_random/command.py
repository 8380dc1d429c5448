"""`vinewright reproduce uncertainty-random`."""

from __future__ import annotations

from typing import Annotated

import typer

from studies.chosen_environments import compile_kernels
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
def uncertainty_random(
    count: Annotated[int, typer.Option(min=1, max=1000, help="Number of random environments.")] = 30,
    time_budget: BudgetOption = 30.0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in random environments with --fast and under errors, and compare the designs. Ctrl-C keeps the environments done."""
    with readable_errors():
        from studies.uncertainty_random.plots import save_scatter
        from studies.uncertainty_random.report import PICTURE, report
        from studies.uncertainty_random.study import environment_of, run_cases

        study = Study(
            "uncertainty-random",
            range(count),
            lambda seeds: run_cases(seeds, time_budget),
            lambda compared: report(compared, time_budget),
            {PICTURE: save_scatter},
            "environments",
            prepare=lambda: compile_kernels(environment_of(0)),
            tell=str,
            least="an environment was compared",
        )
        command = command_line("reproduce uncertainty-random", count=count, time_budget=time_budget)
        return measure_study(study, command, out, force)
