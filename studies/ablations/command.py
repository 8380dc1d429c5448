"""`vinewright reproduce ablations`."""

from __future__ import annotations

from studies.chosen_environments import check_environments
from vinewright.console.errors import readable_errors
from vinewright.console.options import ForceOption
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
def ablations(
    runs: RunsOption = 6,
    time_budget: BudgetOption = 5.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan with one part of the search at a time off or changed. Ctrl-C keeps the runs done."""
    with readable_errors():
        from studies.ablations.report import report
        from studies.ablations.study import cases
        from studies.planning_runs import study_of_runs

        names = check_environments(env or ["maze", "needle", "long"])
        study = study_of_runs("ablations", cases(names, runs, time_budget), report)
        command = command_line("reproduce ablations", runs=runs, time_budget=time_budget, env=env)
        return measure_study(study, command, out, force)
