"""`vinewright fit`: stiffness and damping of a real vine from a recording."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, apart, readable_errors
from vinewright.console.options import ForceOption

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from dynamics.recording import Recording
    from planner.recordings.identification import RecordingFit, SearchStep

PLAIN_EVERY = 2.0
"""Seconds between progress lines where there is no terminal."""

JointsOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Stiffness and damping of the joints: equal, each (its own), or coupled (also between neighbours); after equal ones.",
    ),
]


def fit(
    recording: Annotated[
        Path, typer.Argument(metavar="RECORDING", help="A recording: .json, or .h5 of the published wall experiment.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the fit. Default: the first free one of runs/fit-NAME, runs/fit-NAME-2 and so on.",
        ),
    ] = None,
    bodies: Annotated[
        int, typer.Option(min=2, max=60, help="Number of rigid bodies of the model, two for each link.")
    ] = 10,
    joints: JointsOption = "equal",
    mass_per_length: Annotated[
        float | None,
        typer.Option(metavar="KG_PER_M", help="Mass per length of the tube in kg/m, instead of that in the recording."),
    ] = None,
    frames_per_second: Annotated[
        float | None,
        typer.Option(metavar="F", help="Frame rate in frames per second, for frames that have an index but no time."),
    ] = None,
    time_budget: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="End the fit after this time in seconds and keep the best so far. Default: no limit."
        ),
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Fit a dynamic model to a recording and report which parameters the data identify. Exit code 3 if the fit does not converge.

    Ctrl-C keeps the best fit so far.
    """
    answer = Answer(as_json)
    console = answer.console
    _check_model(bodies, joints)
    with readable_errors():
        _check_numbers(mass_per_length, frames_per_second)
        if time_budget is not None and not 0 < time_budget < 1e7:
            raise BadInput(f"--time-budget {time_budget:g} must be greater than 0 and finite, in seconds")
        # Imported now, because it takes long, and Ctrl-C should end the command at once.
        from planner.output.claim import claim
        from planner.output.folder import stem_of
        from planner.recordings.fit_plots import save_fits
        from planner.recordings.fit_report import fit_content

        apart(out, recording, "recording")
        read = _read(recording, frames_per_second)
        _warn_of_mass(console, recording, read, mass_per_length)
        with claim(out, Path("runs") / f"fit-{stem_of(read.name)}", force) as folder:
            found = fit_with_progress(console, read, bodies, mass_per_length, time_budget or math.inf, joints=joints)
            _print_fit(console, found)
            _write(folder, found, save_fits, converted=recording.suffix.lower() == ".h5")
    console.print(f"wrote {folder}/")
    done = found.convergence
    missed = "" if done.converged else f"the fit did not converge ({done.status} after {done.iterations} iterations)"
    return answer.end(fit_content(found), [folder], missed)


def _check_model(bodies: int, joints: str) -> None:
    if bodies % 2:
        raise BadInput(f"--bodies {bodies} must be even: two for each link")
    if joints not in ("equal", "each", "coupled"):
        raise BadInput(f"--joints {joints:.40} must be equal, each or coupled")


def _check_numbers(mass_per_length: float | None, frames_per_second: float | None) -> None:
    from dynamics.recording import MASSES, RATES

    for name, value, (least, most), unit in (
        ("--mass-per-length", mass_per_length, MASSES, " kg/m"),
        ("--frames-per-second", frames_per_second, RATES, ""),
    ):
        if value is not None and not least <= value <= most:
            slip = f"; {value:g} g/m are {1e-3 * value:g} kg/m" if unit and most < value <= 1e3 * most else ""
            raise BadInput(f"{name} {value:g} must be greater than 0: from {least:g} to {most:g}{unit}{slip}")


def _warn_of_mass(console: Console, path: Path, read: Recording, mass_per_length: float | None) -> None:
    from planner.recordings.identification import default_mass_per_length

    if mass_per_length is None and read.mass_per_length is None:
        console.print(
            f"warning: {path} has no mass per length: {default_mass_per_length(read.tube_radius):.3g} kg/m is assumed, "
            "and stiffness and damping scale with it; weigh the tube and give --mass-per-length in kg/m"
        )


def _read(path: Path, frames_per_second: float | None) -> Recording:
    from dynamics.recording import load_recording

    return load_experiment(path) if path.suffix.lower() == ".h5" else load_recording(path, frames_per_second)


def load_experiment(path: Path) -> Recording:
    """Read the published wall experiment, with the checks of any recording.

    Raises:
        InvalidRecording: The recording cannot be used.
    """
    from dynamics.recording import InvalidRecording, check_recording
    from dynamics.recording_hdf5 import load_wall_growth

    read = load_wall_growth(path)
    try:
        check_recording(read)
    except InvalidRecording as error:
        raise InvalidRecording(f"{path}: {error}") from None
    return read


def fit_with_progress(
    console: Console,
    read: Recording,
    bodies: int = 10,
    mass_per_length: float | None = None,
    time_budget: float = math.inf,
    plain_every: float = PLAIN_EVERY,
    joints: str = "equal",
) -> RecordingFit:
    """Fit a recording; show progress in a line that is updated on a terminal, or in a new line every `plain_every` seconds elsewhere."""
    from rich.live import Live
    from rich.text import Text

    from planner.recordings.identification import fit as fit_recording
    from planner.recordings.identification import fit_matrices
    from vinewright.console.progress import handle_stop_signals

    shown = 0.0

    def tell(step: SearchStep, seconds: float) -> None:
        nonlocal shown
        line = f"{read.name}: {_progress_text(step, seconds)}"
        if console.is_terminal:
            live.update(Text(line), refresh=True)
        elif seconds >= shown + plain_every:
            shown = seconds
            console.print(line)

    with handle_stop_signals(), Live(console=console, auto_refresh=False, transient=True) as live:
        if joints != "equal":
            return fit_matrices(read, joints, bodies, mass_per_length, time_budget=time_budget, on_progress=tell)
        return fit_recording(read, bodies, mass_per_length, time_budget=time_budget, on_progress=tell)


def _progress_text(step: SearchStep, seconds: float) -> str:
    near = f"{1e3 * step.rms:.2f} mm RMS" if math.isfinite(step.rms) else "no fit yet"
    return f"{seconds:.0f} s  iteration {step.iteration}  best: {near}  {step.stage}"


def _print_fit(console: Console, found: RecordingFit) -> None:
    from rich.table import Table

    from planner.recordings.fit_report import chain_note, rows, sentences

    table = Table("parameter", "value", "95 %", "identified")
    table.columns[1].justify = "right"
    for row in rows(found.parameters):
        table.add_row(*row)
    console.print(table)
    for sentence in sentences(found):
        console.print(sentence)
    if note := chain_note(found):
        console.print(note)


def _write(
    folder: Path, found: RecordingFit, draw: Callable[[Path, list[RecordingFit]], None], converted: bool
) -> None:
    from dynamics.recording import write_recording
    from planner.output.folder import write_folder, write_json
    from planner.recordings.fit_report import fit_content
    from planner.recordings.fitted_tube import fitted_tube_text

    def fill(fresh: Path) -> None:
        write_json(fresh / "fit.json", fit_content(found))
        (fresh / "tube.toml").write_text(fitted_tube_text(found), encoding="utf-8")
        draw(fresh / "fit.png", [found])
        if converted:
            write_recording(found.recording, fresh / "recording.json")

    write_folder(folder, fill)
