"""`vinewright reproduce imports`."""

from __future__ import annotations

from vinewright.console.errors import needs, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import FolderOption, measure_study, study_command


@study_command
def imports(out: FolderOption = None, force: ForceOption = False) -> int:
    """Import floors with known walls from maps, CAD plans, SVG plans and indoor maps. Ctrl-C keeps those done."""
    with readable_errors(), needs("import"):
        from studies.imports.plots import save_imports
        from studies.imports.report import report
        from studies.imports.study import make_cases, run_cases

        study = Study(
            "imports",
            make_cases(),
            run_cases,
            report,
            {"imports.png": save_imports},
            unit="imports",
            tell=str,
            module=__name__,
        )
        return measure_study(study, "vinewright reproduce imports", out, force)
