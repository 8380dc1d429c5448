"""`vinewright reproduce studio`."""

from __future__ import annotations

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
def studio(out: FolderOption = None, force: ForceOption = False) -> int:
    """Measure the speed of the studio's page in headless Chromium: frames a second, reactions, traffic."""
    with readable_errors():
        from studies.studio.pictures import NAMES, save_picture
        from studies.studio.report import report
        from studies.studio.study import Case, browser_path, measure

        browser_path()
        cases = [Case(5, 0), Case(100, 1000), Case(1000, 1000), Case(1000, 5000)]
        study = Study("studio", cases, measure, report, {name: save_picture(name) for name in NAMES}, "cases")
        return measure_study(study, command_line("reproduce studio"), out, force)
