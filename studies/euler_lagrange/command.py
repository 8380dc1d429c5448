"""`vinewright reproduce euler-lagrange`."""

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
def euler_lagrange(out: FolderOption = None, force: ForceOption = False) -> int:
    """Reproduce the figures of paper 004, with and without a controller. Exit code 3 if the tracking error is too large."""
    with readable_errors():
        from studies.euler_lagrange.plots import pictures
        from studies.euler_lagrange.report import missed_text, report
        from studies.euler_lagrange.study import cases, list_experiments, run_cases, run_experiment, split_results

        every = cases()
        study = Study(
            "euler-lagrange",
            every,
            run_cases,
            lambda found: report(*split_results(found)),
            pictures(),
            "motions",
            prepare=lambda: run_experiment(list_experiments()[0]),
            enough=lambda found: len(found) == len(every),
            least="all motions were computed",
            module=__name__,
        )
        return measure_study(study, "vinewright reproduce euler-lagrange", out, force, missed_text)
