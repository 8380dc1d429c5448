"""`vinewright reproduce pack`."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import Annotated

import typer

from vinewright.console.errors import BadInput, readable_errors, remedy
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import FolderOption, command_line, measure_study, study_command


@study_command
def pack(
    trials: Annotated[int, typer.Option(min=1, max=100_000, help="Number of trials of each design.")] = 400,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Build designs of all types from the files of their packs alone, and grow them. Ctrl-C keeps those done."""
    with readable_errors():
        if find_spec("pypdf") is None:
            raise BadInput(f"this needs pypdf, which the extra test has: {remedy('test')}")
        from studies.pack.plots import save_checklist, save_guide, save_pattern
        from studies.pack.report import report
        from studies.pack.study import make_cases, missed, run_case

        study = Study(
            "pack",
            make_cases(trials),
            partial(map, run_case),
            report,
            {
                "checklist.png": save_checklist,
                "guide-1.png": partial(save_guide, half=0),
                "guide-2.png": partial(save_guide, half=1),
                "pattern.png": save_pattern,
            },
            unit="packs",
            tell=str,
            module=__name__,
        )
        return measure_study(study, command_line("reproduce pack", trials=trials), out, force, missed)
