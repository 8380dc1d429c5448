"""`vinewright reproduce sensing`."""

from __future__ import annotations

from functools import partial

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
def sensing(out: FolderOption = None, force: ForceOption = False) -> int:
    """Recover walls, pivots and shapes from length and contact angle, with and without noise. Ctrl-C keeps the deployments done."""
    with readable_errors():
        from studies.sensing.plots import save_sensing
        from studies.sensing.report import report
        from studies.sensing.study import cases, run_case

        run, draw = partial(map, run_case), {"sensing.png": save_sensing}
        study = Study("sensing", cases(), run, report, draw, parallel=True, unit="deployments", module=__name__)
        return measure_study(study, "vinewright reproduce sensing", out, force)
