"""`vinewright reproduce uncertainty` and `uncertainty-random`."""

from __future__ import annotations

from typing import Annotated

import typer

from studies.chosen_environments import compile_kernels, load_environments
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import (
    BudgetOption,
    EnvironmentsOption,
    FolderOption,
    RunsOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def uncertainty(
    runs: RunsOption = 3,
    time_budget: BudgetOption = 60.0,
    errors: Annotated[str, typer.Option(help="Errors of the trials: the name of a preset.")] = "workshop",
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan under errors, and measure how often the designs reach the goal in new trials. Ctrl-C keeps the runs done."""
    with readable_errors():
        from environments.uncertainty import uncertainty_of
        from studies.uncertainty.plots import save_fronts
        from studies.uncertainty.report import FRONTS, report
        from studies.uncertainty.study import ENVIRONMENTS, run_cases

        try:
            uncertainty_of(errors)
        except ValueError as error:
            raise BadInput(f"--errors: {error}") from None
        names = env or [*ENVIRONMENTS]
        environments = load_environments(names)
        study = Study(
            "uncertainty",
            [(environment, seed) for environment in names for seed in range(runs)],
            lambda cases: run_cases(cases, time_budget, errors),
            lambda plans: report(plans, time_budget, errors),
            {FRONTS: save_fronts},
            prepare=lambda: compile_kernels(environments[0]),
            tell=str,
            least="a plan was finished",
            module=__name__,
        )
        command = command_line("reproduce uncertainty", runs=runs, errors=errors, time_budget=time_budget, env=env)
        return measure_study(study, command, out, force)


@study_command
def uncertainty_random(
    count: Annotated[int, typer.Option(min=1, max=1000, help="Number of random environments.")] = 10,
    time_budget: BudgetOption = 15.0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in random environments with --fast and under errors, and compare the designs. Ctrl-C keeps the environments done."""
    with readable_errors():
        from studies.uncertainty.plots import save_scatter
        from studies.uncertainty.random_pairs import make_environment, run_pairs
        from studies.uncertainty.report import SCATTER, report_pairs

        study = Study(
            "uncertainty-random",
            range(count),
            lambda seeds: run_pairs(seeds, time_budget),
            lambda pairs: report_pairs(pairs, time_budget),
            {SCATTER: save_scatter},
            "environments",
            prepare=lambda: compile_kernels(make_environment(0)),
            tell=str,
            least="an environment was compared",
            module=__name__,
        )
        command = command_line("reproduce uncertainty-random", count=count, time_budget=time_budget)
        return measure_study(study, command, out, force)
