"""`vinewright reproduce uncertainty-ablations`."""

from __future__ import annotations

from studies.chosen_environments import compile_kernels, load_environments
from vinewright.console.errors import readable_errors
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
def uncertainty_ablations(
    runs: RunsOption = 3,
    time_budget: BudgetOption = 30.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan under errors with other numbers of particles, and without refinement. Ctrl-C keeps the runs done."""
    with readable_errors():
        from studies.uncertainty_ablations.report import report
        from studies.uncertainty_ablations.study import ENVIRONMENTS, cases, run_cases

        names = env or [*ENVIRONMENTS]
        environments = load_environments(names)
        study = Study(
            "uncertainty-ablations",
            cases(names, runs),
            lambda several: run_cases(several, time_budget),
            lambda plans: report(plans, time_budget),
            prepare=lambda: compile_kernels(environments[0]),
            tell=str,
            least="a plan was finished",
        )
        command = command_line("reproduce uncertainty-ablations", runs=runs, time_budget=time_budget, env=env)
        return measure_study(study, command, out, force)
