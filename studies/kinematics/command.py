"""`vinewright reproduce kinematics`."""

from __future__ import annotations

from vinewright.console.errors import readable_errors
from vinewright.console.options import (
    ForceOption,
)
from vinewright.console.study import Study
from vinewright.console.study_options import (
    FolderOption,
    measure_study,
    study_command,
)


@study_command
def kinematics(out: FolderOption = None, force: ForceOption = False) -> int:
    """Grow vines with one turn into a wall, and compare with the kinematics of paper 003. Ctrl-C keeps the collisions done."""
    with readable_errors():
        from studies.kinematics.plots import save_kinematics
        from studies.kinematics.report import report
        from studies.kinematics.study import cases, run_cases

        study = Study(
            "kinematics", cases(), run_cases, report, {"kinematics.png": save_kinematics}, "collisions", module=__name__
        )
        return measure_study(study, "vinewright reproduce kinematics", out, force)
