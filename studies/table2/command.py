"""`vinewright reproduce table2`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from studies.planning_runs import Record


@study_command
def table2(
    runs: RunsOption = 30,
    time_budget: BudgetOption = 10.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan many times without the reverse tree and with two kinds; compare times and costs. Ctrl-C keeps the runs done.

    Also once in each of 30 random environments, unless environments are given.
    """
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import known_environments, load_environment
        from environments.reach import goal_within_reach
        from planner.design.catalogue import Catalogue
        from planner.search.reverse.reverse_growth import ReverseGrowth
        from planner.search.run import MOST_SAMPLES
        from studies.curves import curves
        from studies.planning.study import PAPER
        from studies.planning_runs import study_of_runs
        from studies.random_environments import HELD_OUT
        from studies.table2.plots import save_trees
        from studies.table2.report import report
        from studies.table2.study import KINDS, by_kind, cases, environments_of

        names, params = env or [*PAPER, *(name for name in known_environments() if name not in PAPER)], VineParams()
        environments = [load_environment(name, params.radius) for name in names]
        for environment in environments:
            goal_within_reach(environment, params.radius, params.clearance)

        def draw_trees(path: Path, _records: list[Record]) -> None:
            reachable = Catalogue.of(params).reachable
            kinds = [(kind, switches.contact) for kind, switches in KINDS.items() if switches.heuristic]
            save_trees(
                path,
                [
                    (one, kind, ReverseGrowth(one, params, reachable, contact=contact).grow_until(MOST_SAMPLES))
                    for one in environments
                    for kind, contact in kinds
                ],
            )

        study = replace(
            study_of_runs("table2", cases(names, runs, time_budget, () if env else HELD_OUT), report),
            draw={**curves(by_kind), "reverse-trees.png": draw_trees},
            enough=lambda records: bool(environments_of(records)),
            least="any environment was planned with each kind of tree and without",
        )
        command = command_line("reproduce table2", runs=runs, time_budget=time_budget, env=env)
        return measure_study(study, command, out, force)
