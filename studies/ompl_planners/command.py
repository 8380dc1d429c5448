"""`vinewright reproduce ompl-planners`."""

from __future__ import annotations

from dataclasses import replace

from studies.chosen_environments import check_environments
from vinewright.console.errors import readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study_options import (
    BudgetOption,
    EnvironmentsOption,
    FolderOption,
    PlannersOption,
    RunsOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def ompl_planners(
    runs: RunsOption = 10,
    time_budget: BudgetOption = 30.0,
    env: EnvironmentsOption = None,
    planner: PlannersOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan many times with SST* and with each of OMPL's planners; compare times and costs. Ctrl-C keeps the runs done."""
    with readable_errors():
        from environments import known_environments
        from planner.search.ompl.planners import available_planners
        from planner.search.planners import SST_STAR, search_of
        from studies.curves import curves
        from studies.ompl_planners.report import report
        from studies.ompl_planners.study import by_planner, cases
        from studies.planning_runs import study_of_runs

        names = check_environments(env or known_environments())
        planners = planner or [SST_STAR, *available_planners()]
        for one in planners:
            search_of(one)
        study = replace(
            study_of_runs("ompl-planners", cases(names, planners, runs, time_budget), report),
            draw=curves(by_planner),
        )
        command = command_line("reproduce ompl-planners", runs=runs, time_budget=time_budget, env=env, planner=planner)
        return measure_study(study, command, out, force)
