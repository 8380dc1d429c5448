"""`vinewright reproduce fitting`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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

if TYPE_CHECKING:
    from dynamics.recording import Recording


@study_command
def fitting(
    wall_growth: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The published wall experiment, an HDF5 file.")
    ] = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Fit the dynamic model to a known motion, and to the published wall experiment.

    Exit code 3 if the fitted stiffness or damping is inaccurate, or the fit of the wall experiment does not converge.
    """
    with readable_errors():
        from planner.recordings.fit_plots import save_fits
        from studies.fitting.report import missed_text, report
        from studies.fitting.study import STARTS, run_fits, split_fits
        from vinewright.commands.fit import load_experiment

        cases: list[tuple[float, float] | Recording] = [*STARTS]
        cases += [load_experiment(wall_growth)] if wall_growth else []

        def draw(path: Path, found: list[Any]) -> None:
            starts, wall = split_fits(found)
            save_fits(path, [starts[-1].found, *([wall] if wall else [])])

        study = Study(
            "fitting",
            cases,
            run_fits,
            lambda found: report(*split_fits(found)),
            {"fitting.png": draw},
            "fits",
            enough=lambda found: len(found) == len(cases),
            least="all fits were finished",
            module=__name__,
            inputs={"FILE": wall_growth} if wall_growth else {},
        )
        command = "vinewright reproduce fitting" + (" --wall-growth FILE" if wall_growth else "")
        return measure_study(study, command, out, force, missed_text)
