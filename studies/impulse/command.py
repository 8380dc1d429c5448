"""`vinewright reproduce impulse-runtime` and `impulse-clutter`."""

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
def impulse_runtime(out: FolderOption = None, force: ForceOption = False) -> int:
    """Time the steps of the impulse simulator with increasing numbers of bodies, and compare with OSQP. Ctrl-C keeps the sizes done."""
    with readable_errors():
        import osqp  # noqa: F401

        from studies.impulse.plots import save_runtime
        from studies.impulse.report import report
        from studies.impulse.study import cases, measure

        study = Study(
            "impulse-runtime",
            cases(),
            measure,
            report,
            {"impulse-runtime.png": save_runtime},
            "robots",
            module=__name__,
        )
        return measure_study(study, "vinewright reproduce impulse-runtime", out, force)


@study_command
def impulse_clutter(out: FolderOption = None, force: ForceOption = False) -> int:
    """Grow the robot of paper 000 through its cluttered environment: still frames and an animation."""
    with readable_errors():
        from studies.impulse.plots import make_clutter_pictures
        from studies.impulse.report import report_clutter
        from studies.impulse.study import make_clutter_robot, simulate_clutter

        study = Study(
            "impulse-clutter",
            [make_clutter_robot()],
            lambda cases: (simulate_clutter() for _ in cases),
            lambda motions: report_clutter(motions[0]),
            make_clutter_pictures(),
            "robots",
            module=__name__,
        )
        return measure_study(study, "vinewright reproduce impulse-clutter", out, force)
