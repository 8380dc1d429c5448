"""`vinewright reproduce actuators`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from vinewright.console.errors import readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import (
    EnvironmentsOption,
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def actuators(
    seeds: Annotated[
        int, typer.Option(min=1, max=1000, help="Number of seeds, from 0, for each actuator and environment.")
    ] = 2,
    iterations: Annotated[int, typer.Option(min=1, max=100_000, help="Number of iterations of each search.")] = 20,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Compare all actuators: force, curvature, and how many a plan needs in each environment. Ctrl-C keeps the plans done."""
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import load_environment
        from studies.actuators.plots import save_curvatures, save_forces, save_plans
        from studies.actuators.report import report
        from studies.actuators.study import ActuatorCase, cases, measure_range, run_case
        from studies.chosen_environments import ENVIRONMENTS
        from surrogate.registry import actuators as known

        every = cases(env or ENVIRONMENTS, seeds, iterations)
        for case in every:
            load_environment(case.environment, VineParams().radius)
        bars = [measure_range(kind) for kind in known()]
        study = Study(
            "actuators",
            every,
            partial(map, run_case),
            lambda outcomes: report(outcomes, bars),
            {
                "actuators-force.png": lambda path, _: save_forces(path, bars),
                "actuators-curvature.png": lambda path, _: save_curvatures(path, bars),
                "actuators-plans.png": save_plans,
            },
            parallel=True,
            unit="plans",
            prepare=lambda: run_case(ActuatorCase(every[0].kind, every[0].environment, 0, 1)),
            module=__name__,
        )
        return measure_study(
            study, command_line("reproduce actuators", seeds=seeds, iterations=iterations, env=env), out, force
        )
