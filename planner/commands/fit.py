"""`vinewright fit`: stiffness and damping of a real vine from a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.console.answer import Answer, JsonOption
from planner.console.errors import BadInput, apart, needs, readable_errors
from planner.console.options import ForceOption

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.identification import Fit
    from dynamics.recording import Recording


def fit(
    recording: Annotated[
        Path, typer.Argument(metavar="RECORDING", help="A recording: .json, or .h5 of the published wall experiment.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the fit. Default: runs/fit-NAME, or the first free one of runs/fit-NAME-2, ...",
        ),
    ] = None,
    bodies: Annotated[
        int, typer.Option(min=2, max=60, help="Number of rigid bodies of the model, two for each link.")
    ] = 10,
    mass_per_length: Annotated[
        float | None,
        typer.Option(metavar="KG_PER_M", help="Mass per length of the tube in kg/m, instead of that in the recording."),
    ] = None,
    frames_per_second: Annotated[
        float | None,
        typer.Option(metavar="F", help="Frame rate in frames per second, for frames that have an index but no time."),
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Fit a dynamic model to a recording and report which parameters the data identify. Exit code 3 if the fit does not converge.

    Ctrl-C keeps the results so far.
    """
    answer = Answer(as_json)
    console = answer.console
    if bodies % 2:
        raise BadInput(f"--bodies {bodies} must be even: two for each link")
    with readable_errors(), needs("fit"):
        _check_numbers(mass_per_length, frames_per_second)
        from planner.fitting.report import fit_content
        from planner.runs.claim import claimed
        from planner.runs.folder import stem_of

        apart(out, recording, "recording")
        read = _read(recording, frames_per_second)
        with claimed(out, Path("runs") / f"fit-{stem_of(read)}", force) as folder:
            found = fit_with_progress(console, read, bodies, mass_per_length)
            _tell(console, found)
            _write(folder, found, converted=recording.suffix.lower() == ".h5")
    console.print(f"wrote {folder}/")
    done = found.convergence
    missed = "" if done.converged else f"the fit did not converge ({done.status} after {done.iterations} iterations)"
    return answer.end(fit_content(found), [folder], missed)


def _check_numbers(mass_per_length: float | None, frames_per_second: float | None) -> None:
    from dynamics.recording import MASSES, RATES

    for name, value, (least, most), unit in (
        ("--mass-per-length", mass_per_length, MASSES, " kg/m"),
        ("--frames-per-second", frames_per_second, RATES, ""),
    ):
        if value is not None and not least <= value <= most:
            raise BadInput(f"{name} {value:g} must be greater than 0: from {least:g} to {most:g}{unit}")


def _read(path: Path, frames_per_second: float | None) -> Recording:
    from dynamics.recording import load_recording

    return load_experiment(path) if path.suffix.lower() == ".h5" else load_recording(path, frames_per_second)


def load_experiment(path: Path) -> Recording:
    """The published wall experiment, with the checks of any recording.

    Raises:
        InvalidRecording: It cannot be used.
    """
    from dynamics.recording import InvalidRecording, check_recording
    from dynamics.recording_hdf5 import load_wall_growth

    read = load_wall_growth(path)
    try:
        check_recording(read)
    except InvalidRecording as error:
        raise InvalidRecording(f"{path}: {error}") from None
    return read


def fit_with_progress(console: Console, read: Recording, bodies: int = 10, mass_per_length: float | None = None) -> Fit:
    """Fit a recording, and show the progress on the console."""
    from dynamics.identification import fit as fit_recording
    from planner.console.progress import stoppable

    with stoppable(), console.status(f"{read.name}: fitting") as status:

        def tell(words: str) -> None:
            status.update(f"{read.name}: {words}")

        return fit_recording(read, bodies, mass_per_length, on_progress=tell)


def _tell(console: Console, found: Fit) -> None:
    from rich.table import Table

    from planner.fitting.report import rows, sentences

    table = Table("parameter", "value", "95 %", "identified")
    table.columns[1].justify = "right"
    for row in rows(found.parameters):
        table.add_row(*row)
    console.print(table)
    for sentence in sentences(found):
        console.print(sentence)


def _write(folder: Path, found: Fit, converted: bool) -> None:
    from dynamics.recording import write_recording
    from planner.runs.folder import write_folder, write_json

    def fill(fresh: Path) -> None:
        from planner.fitting.plots import save_fits
        from planner.fitting.report import fit_content
        from planner.fitting.tube import fitted_tube

        write_json(fresh / "fit.json", fit_content(found))
        (fresh / "tube.toml").write_text(fitted_tube(found), encoding="utf-8")
        save_fits(fresh / "fit.png", [found])
        if converted:
            write_recording(found.recording, fresh / "recording.json")

    write_folder(folder, fill)
