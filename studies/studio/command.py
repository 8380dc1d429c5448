"""`vinewright reproduce studio`."""

from __future__ import annotations

from functools import partial

from vinewright.console.errors import needs, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import FolderOption, measure_study, study_command


@study_command
def studio(out: FolderOption = None, force: ForceOption = False) -> int:
    """Take pictures of the studio's views in a browser, and measure how long people wait. Ctrl-C keeps the cases done.

    Needs the extras test and studio, and Chromium.
    """
    with readable_errors(), needs("studio"):
        from studies.studio.browser import find_browser
        from studies.studio.report import report, save_view
        from studies.studio.study import CASES, VIEWS, run_cases

        find_browser()
        draw = {f"{name}.png": partial(save_view, name) for name in VIEWS}
        study = Study("studio", [*CASES], run_cases, report, draw, unit="cases", tell=str, module=__name__)
        return measure_study(study, "vinewright reproduce studio", out, force)
