"""`vinewright reproduce reliability`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import (
    BudgetOption,
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def reliability(
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Number of random environments.")] = 300,
    time_budget: BudgetOption = 2.0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in many random environments; check every state with Shapely, and the memory. Exit code 3 if a check fails.

    Ctrl-C keeps the runs done.
    """
    with readable_errors():
        from studies.reliability.plots import save_reliability
        from studies.reliability.report import FUZZ, InvalidCounts, fuzz_lines, missed_text, report
        from studies.reliability.study import cases, record_death, run_case

        try:
            fuzz = fuzz_lines((out or Path("results")) / "reliability" / FUZZ)
        except InvalidCounts as error:
            raise BadInput(str(error)) from None
        every = cases(count, time_budget)
        study = Study(
            "reliability",
            every,
            partial(map, run_case),
            lambda records: report(records, fuzz),
            {"reliability.png": save_reliability},
            parallel=True,
            died=record_death,
            unit="environments",
            prepare=lambda: run_case(replace(every[0], time_budget=1e-3)),
            kept=(FUZZ,),
            module=__name__,
        )
        command = command_line("reproduce reliability", count=count, time_budget=time_budget)
        return measure_study(study, command, out, force, missed_text)
