"""`vinewright reproduce fewest`."""

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
def fewest(
    steps: Annotated[
        int, typer.Option(min=1, max=10**9, help="Number of vine-steps of the exhaustive search in each environment.")
    ] = 2_000_000,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Look exhaustively for designs with no or one actuator. Exit code 3 if the planner missed one.

    Ctrl-C keeps the environments done.
    """
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import load_environment
        from studies.chosen_environments import ENVIRONMENTS
        from studies.fewest.plots import save_map
        from studies.fewest.report import report
        from studies.fewest.study import FewestCase, list_missed, run_case

        cases = [FewestCase(name, steps) for name in env or ENVIRONMENTS]
        for case in cases:
            load_environment(case.environment, VineParams().radius)
        # Of the default environments the last take longest: begun first, they leave the others to fill the other process.
        study = Study(
            "fewest",
            cases[::-1],
            partial(map, run_case),
            lambda outcomes: report(outcomes[::-1], steps),
            {"fewest.png": lambda path, outcomes: save_map(path, outcomes[::-1])},
            parallel=True,
            unit="environments",
            prepare=lambda: run_case(FewestCase(cases[0].environment, 1, iterations=1)),
            tell=str,
            module=__name__,
        )
        return measure_study(study, command_line("reproduce fewest", steps=steps, env=env), out, force, list_missed)
