"""`vinewright reproduce snaps`."""

from __future__ import annotations

from typing import Annotated

import typer

from vinewright.console.errors import readable_errors
from vinewright.console.options import (
    ForceOption,
)
from vinewright.console.study import Study
from vinewright.console.study_options import (
    EnvironmentsOption,
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def snaps(
    vines: Annotated[int, typer.Option(min=1, max=1000, help="Number of random vines in each environment.")] = 60,
    iterations: Annotated[int, typer.Option(min=1, max=100_000, help="Number of iterations of each search.")] = 16,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Measure wrong branches, equilibria, snaps of designs and times, without and with rests. Ctrl-C keeps the cases done."""
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import load_environment
        from studies.snaps.plots import save_branches, save_designs
        from studies.snaps.report import report
        from studies.snaps.study import cases, prepare, run_cases

        for name in env or []:
            load_environment(name, VineParams().radius)
        study = Study(
            "snaps",
            cases(env),
            lambda several: run_cases(several, vines, iterations),
            report,
            {"branches.png": save_branches, "designs.png": save_designs},
            "cases",
            prepare=prepare,
            module=__name__,
        )
        command = command_line("reproduce snaps", vines=vines, iterations=iterations, env=env)
        return measure_study(study, command, out, force)
