"""`vinewright reproduce funneling`."""

from __future__ import annotations

from typing import Annotated

import typer

from vinewright.console.errors import readable_errors
from vinewright.console.options import (
    ForceOption,
)
from vinewright.console.study import Study
from vinewright.console.study_options import (
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def funneling(
    vines: Annotated[int, typer.Option(min=20, max=1000, help="Number of vines in each fan.")] = 50,
    fields: Annotated[int, typer.Option(min=1, max=1000, help="Number of random fields of each density.")] = 20,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of fields and actuators.")] = 0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Grow fans of vines into random obstacles and measure how their ends concentrate. Ctrl-C keeps the fields done."""
    with readable_errors():
        from dynamics.tube import VineParams
        from studies.funneling.plots import save_fans, save_ratio
        from studies.funneling.report import FanFindings, report
        from studies.funneling.study import run_fields

        study = Study(
            "funneling",
            range(fields),
            lambda numbers: run_fields(numbers, vines, seed, VineParams()),
            lambda sets: report(FanFindings(sets, seed), VineParams()),
            {
                "funneling.png": lambda path, sets: save_fans(path, sets[0]),
                "funneling-ratio.png": lambda path, sets: save_ratio(path, FanFindings(sets, seed)),
            },
            "fields of each density",
            prepare=lambda: next(run_fields([0], 2, seed, VineParams())),
            module=__name__,
        )
        command = command_line("reproduce funneling", vines=vines, fields=fields, seed=seed)
        return measure_study(study, command, out, force)
