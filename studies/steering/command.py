"""`vinewright reproduce steering`."""

from __future__ import annotations

from dataclasses import replace

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
def steering(
    runs: RunsOption = 6,
    time_budget: BudgetOption = 30.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan with constant pressures and with pressures that may change while the tube grows, the same seeds. Ctrl-C keeps the runs done."""
    with readable_errors():
        from studies.curves import curves
        from studies.planning_runs import study_of_runs
        from studies.steering.report import report
        from studies.steering.study import ENVIRONMENTS, by_kind, cases

        names = check_environments(env or ENVIRONMENTS)
        study = replace(study_of_runs("steering", cases(names, runs, time_budget), report), draw=curves(by_kind))
        command = command_line("reproduce steering", runs=runs, time_budget=time_budget, env=env)
        return measure_study(study, command, out, force)
