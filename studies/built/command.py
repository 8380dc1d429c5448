"""`vinewright reproduce built`."""

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

ENVIRONMENTS = ["soak-1", "soak-2", "soak-21"]
"""Random environments of 1.5 m by 1.5 m, of which obstacles cover up to a fifth: as large as benches are."""


@study_command
def built(
    benches: Annotated[
        int, typer.Option(min=1, max=10_000, help="Number of simulated benches in each environment.")
    ] = 67,
    samples: Annotated[int, typer.Option(min=16, max=10_000, help="Number of samples of each posterior.")] = 128,
    adapted: Annotated[
        int,
        typer.Option(
            min=0, max=10_000, help="Number of benches in each environment whose tubes are adapted if they fail."
        ),
    ] = 10,
    budget: Annotated[
        float, typer.Option(min=0, max=3600, help="Time to adapt each tube that fails, in seconds.")
    ] = 60.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Predict the success of built tubes from their trials, and adapt those that fail, on simulated benches.

    Ctrl-C keeps the benches done.
    """
    with readable_errors():
        from studies.built.plots import save_calibration
        from studies.built.report import report
        from studies.built.study import BenchCase, find_design, run_case
        from studies.random_environments import find_environment

        names = env or ENVIRONMENTS
        for name in names:
            find_environment(name)
        cases = [
            BenchCase(name, number, samples, budget if number < adapted else 0.0)
            for number in range(benches)
            for name in names
        ]
        study = Study(
            "built",
            cases,
            partial(map, run_case),
            report,
            {"calibration.png": save_calibration},
            parallel=True,
            unit="benches",
            prepare=lambda: find_design(names[0]),
            tell=str,
            module=__name__,
        )
        command = command_line(
            "reproduce built", benches=benches, samples=samples, adapted=adapted, budget=budget, env=env
        )
        return measure_study(study, command, out, force)
