"""`vinewright bench plan`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import (
    ForceOption,
    PhysicsOption,
    TubeOption,
    environment_and_tube,
)
from vinewright.console.study import Study
from vinewright.console.study_options import (
    BudgetOption,
    EnvironmentsOption,
    FolderOption,
    PlannersOption,
    command_line,
    measure_study,
)

if TYPE_CHECKING:
    from studies.planning.study import PlanningResult
from studies.chosen_environments import ENVIRONMENTS

FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="ompl",
        help="Also write OMPL's benchmark logs, and a database of them for its Planner Arena.",
    ),
]


def bench_plan(
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Number of runs (seeds) in each environment.")] = 5,
    time_budget: BudgetOption = 10.0,
    batch: Annotated[int, typer.Option(min=1, max=2000, help="Number of vines grown in each iteration.")] = 100,
    env: EnvironmentsOption = None,
    planner: PlannersOption = None,
    tube: TubeOption = None,
    physics: PhysicsOption = None,
    form: FormatOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in every environment with many seeds; report times and actuators, and draw the best designs. Ctrl-C keeps the runs done."""
    if form not in (None, "ompl"):
        raise BadInput(f"--format {form}: the only one is ompl")
    with readable_errors():
        from planner.output.text import plural
        from planner.search.planners import SST_STAR, search_of
        from planner.search.run import Run
        from studies.planning.ompl_log import log_writers
        from studies.planning.plots import pictures
        from studies.planning.report import report
        from studies.planning.study import run_cases

        names, planners = env or ENVIRONMENTS, planner or [SST_STAR]
        for one in planners:
            search_of(one)
        stems = [Path(name).stem for name in names]
        logs = {}
        if form:
            import ompl  # noqa: F401 - its reader makes the database, after all runs

            logs = log_writers(stems, time_budget)
        grown_in = {name: environment_and_tube(name, tube, physics=physics) for name in names}

        def tell(found: PlanningResult) -> str:
            run = found.outcome
            planned_by = f"{run.planner} " if len(planners) > 1 else ""
            if run.actuators is None or run.first_s is None:
                end = "no solution"
            else:
                end = f"{plural(run.actuators, 'actuator')}, first after {run.first_s} s"
            return f"{run.environment} {planned_by}seed {run.seed}: {end}"

        study = Study(
            "planning",
            [(name, one, seed) for name in names for seed in range(seeds) for one in planners],
            lambda cases: run_cases(cases, grown_in, time_budget, batch),
            lambda found: report([one.outcome for one in found], time_budget),
            {**pictures(stems), **logs},
            prepare=lambda: Run.prepare(*grown_in[names[0]]),
            tell=tell,
            module=__name__,
        )
        command = command_line(
            "bench plan",
            **{"seeds": seeds, "time_budget": time_budget, "batch": batch, "env": env, "planner": planner},
            **{"tube": tube, "physics": physics, "format": form},
        )
        return measure_study(study, command, out, force)
