"""`vinewright trials learn`: the errors of a built design, from its trials."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.commands.trials_options import RunArgument
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, NothingKept, readable_errors
from vinewright.console.options import UncertaintyOption

if TYPE_CHECKING:
    from rich.console import Console

    from environments.uncertainty_in_files import StatedUncertainty
    from planner.built.learning_report import Learning
    from planner.built.predicting import BuiltTube
    from vinewright.built.folder import BuiltDesign

LEAST_SAMPLES, MOST_SAMPLES = 32, 4096
"""Limits of the number of samples."""


def learn(
    run: RunArgument,
    samples: Annotated[
        int,
        typer.Option(
            min=LEAST_SAMPLES,
            max=MOST_SAMPLES,
            help="Number of tubes with errors that fit the trials; time rises in proportion.",
        ),
    ] = 256,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the samples.")] = 0,
    uncertainty: UncertaintyOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml",
            help="File of errors to write; the picture has its name, too. Default: uncertainty.toml and learnt.png in RUN.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files of errors and picture.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Learn from trials which errors the built tube has, and how often it will reach the goal. Ctrl-C writes nothing."""
    answer = Answer(as_json)
    console = answer.console
    if out is not None and out.suffix.lower() != ".toml":
        raise BadInput(f"--out {out} must end in .toml")
    with readable_errors():
        from planner.output.claim import claim_file
        from planner.uncertainty.errors import read_errors
        from vinewright.built.folder import BuiltDesign
        from vinewright.built.learning import PICTURE, STATED, check_replaced, write_learning

        built, stated = BuiltDesign.read(run), read_errors(uncertainty)
        if built.trials.empty:
            raise BadInput(f"{run} has no trials yet; add one: vinewright trials add {run} --reached --tip X,Y")
        path, picture = (run / STATED, run / PICTURE) if out is None else (out, out.with_suffix(".png"))
        with ExitStack() as held:
            held.enter_context(claim_file(path, force, "--out"))
            held.enter_context(claim_file(picture, force))
            check_replaced(path)
            learning = _infer(console, built, _tube_of(console, built, stated), samples, seed)
            _print(console, learning)
            write_learning(path, picture, built, learning, stated)
        for file in (path, picture):
            console.print(f"wrote {file}")
        console.print(
            f"try the design with them: vinewright robustness {_environment_of(run, built)} {run} --uncertainty {path}"
        )
    return answer.end(learning.content(), [path, picture])


def _tube_of(console: Console, built: BuiltDesign, stated: StatedUncertainty) -> BuiltTube:
    """Return the built tube with the errors that it may have, and print what was measured of it.

    Raises:
        BadInput: It has none.
    """
    from vinewright.built.folder import summary
    from vinewright.built.learning import tube_of

    tube = tube_of(built, stated)
    console.print(summary(built.trials, built.design))
    for note in built.notes:
        console.print(f"note: {note}")
    if tube.uncertainty.learnt:
        console.print(
            "note: what was learnt earlier does not count: these trials are weighed against the stated errors alone"
        )
    return tube


def _infer(console: Console, built: BuiltDesign, tube: BuiltTube, samples: int, seed: int) -> Learning:
    """Infer the errors from the trials, and predict the success before and after them.

    Raises:
        NothingKept: Ctrl-C came.
    """
    from vinewright.built.learning import learn_from, success_before
    from vinewright.commands.trials_infer import inference_bar
    from vinewright.console.compiling import compiling
    from vinewright.console.progress import handle_stop_signals

    try:
        with handle_stop_signals():
            with compiling(console):
                before = success_before(built, tube, samples, seed)
            with inference_bar(console) as watch:
                return learn_from(built, tube, before, samples, seed, watch)
    except KeyboardInterrupt:
        raise NothingKept("interrupted; nothing was written") from None


def _print(console: Console, learning: Learning) -> None:
    """Print what was learnt."""
    from rich.table import Table

    for line in learning.lines():
        console.print(line)
    if rows := learning.rows():
        table = Table("error", "before", "now")
        for row in rows:
            table.add_row(*row)
        console.print(table)
    for line in learning.notes():
        console.print(line)


def _environment_of(run: Path, built: BuiltDesign) -> str:
    """Return the environment of a folder as an argument of commands."""
    beside = run / "environment.toml"
    return str(beside) if beside.is_file() else built.design.environment
