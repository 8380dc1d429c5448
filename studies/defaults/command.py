"""`vinewright reproduce defaults`."""

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
def defaults(
    runs: RunsOption = 4,
    time_budget: BudgetOption = 10.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan with the defaults of the search as they were and with changes, the same seeds. Ctrl-C keeps the runs done."""
    with readable_errors():
        from environments import known_environments
        from studies.defaults.report import report
        from studies.defaults.study import cases
        from studies.planning_runs import study_of_runs

        names = check_environments(env or known_environments())
        study = study_of_runs("defaults", cases(names, runs, time_budget), report)
        command = command_line("reproduce defaults", runs=runs, time_budget=time_budget, env=env)
        return measure_study(study, command, out, force)
