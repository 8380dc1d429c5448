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

    from environments.learnt_errors import LearntErrors
    from environments.uncertainty_in_files import StatedUncertainty
    from planner.built.learning_report import Learning
    from planner.built.predicting import BuiltTube
    from vinewright.commands.trials_folder import BuiltDesign

LEAST_SAMPLES, MOST_SAMPLES = 32, 4096
"""Limits of the number of samples."""
STATED, PICTURE = "uncertainty.toml", "learnt.png"
"""Names of the files in the folder of the run."""
MOST_BYTES = 1_000_000
"""Maximum size of a file of errors that is replaced."""


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
        from planner.built.learnt import learnt_errors
        from planner.output.claim import claim_file
        from planner.uncertainty.errors import read_errors
        from vinewright.commands.trials_folder import BuiltDesign

        built, stated = BuiltDesign.read(run), read_errors(uncertainty)
        if built.trials.empty:
            raise BadInput(f"{run} has no trials yet; add one: vinewright trials add {run} --reached --tip X,Y")
        path, picture = (run / STATED, run / PICTURE) if out is None else (out, out.with_suffix(".png"))
        with ExitStack() as held:
            held.enter_context(claim_file(path, force, "--out"))
            held.enter_context(claim_file(picture, force))
            _check_replaced(path)
            learning = _infer(console, built, _tube_of(console, built, stated), samples, seed)
            _print(console, learning)
            _write(path, picture, built, learning, _restate(built, stated, learnt_errors(learning.posterior)))
        for file in (path, picture):
            console.print(f"wrote {file}")
        console.print(
            f"try the design with them: vinewright robustness {_environment_of(run, built)} {run} --uncertainty {path}"
        )
    return answer.end(learning.content(), [path, picture])


def _check_replaced(path: Path) -> None:
    """Check that a file which is there is one of errors, which may be replaced.

    Raises:
        BadInput: It is not.
    """
    from environments.reading import UnreadableFile, parse_toml, read_file

    if not path.exists():
        return
    try:
        is_errors = parse_toml(read_file(path, MOST_BYTES)).keys() == {"uncertainty"}
    except UnreadableFile:
        is_errors = False
    if not is_errors:
        raise BadInput(f"--out {path} is no file of errors alone, and is not replaced; give another --out")


def _tube_of(console: Console, built: BuiltDesign, stated: StatedUncertainty) -> BuiltTube:
    """Return the built tube with the errors that it may have, and print what was measured of it.

    Raises:
        BadInput: It has none.
    """
    from planner.built.predicting import BuiltTube
    from planner.uncertainty.errors import errors_of
    from vinewright.commands.trials_folder import summary

    errors = errors_of(built.environment, built.design.params, stated)
    tube = BuiltTube(built.design, built.environment, errors)
    if not tube.causes:
        raise BadInput("nothing can be learnt where all is exact: give --uncertainty with errors, such as workshop")
    console.print(summary(built.trials, built.design))
    for note in built.notes:
        console.print(f"note: {note}")
    if errors.learnt:
        console.print(
            "note: what was learnt earlier does not count: these trials are weighed against the stated errors alone"
        )
    return tube


def _infer(console: Console, built: BuiltDesign, tube: BuiltTube, samples: int, seed: int) -> Learning:
    """Infer the errors from the trials, and predict the success before and after them.

    Raises:
        NothingKept: Ctrl-C came.
    """
    from planner.built.learning_report import Learning
    from planner.built.posterior import infer, predict_success
    from planner.built.trial import Trials
    from vinewright.commands.trials_infer import infer_with_bar
    from vinewright.console.compiling import compiling
    from vinewright.console.progress import handle_stop_signals

    nothing = Trials(built.trials.design)
    try:
        with handle_stop_signals():
            with compiling(console):
                before = predict_success(infer(tube, nothing, samples=samples, seed=seed), seed=seed)
            posterior = infer_with_bar(console, built, tube, seed, samples)
            now = predict_success(posterior, seed=seed)
    except KeyboardInterrupt:
        raise NothingKept("interrupted; nothing was written") from None
    return Learning(built.trials, posterior, before, now)


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


def _restate(built: BuiltDesign, stated: StatedUncertainty, learnt: LearntErrors | None) -> StatedUncertainty:
    """Return the errors with which the design was compared, and those that were learnt in place of them."""
    from environments.uncertainty_in_files import StatedUncertainty
    from planner.uncertainty.errors import preset_of

    environment, params = built.environment, built.design.params
    known = (dict(one.numbers) for one in (params.uncertainty, environment.uncertainty, stated))
    numbers = {name: value for one in known for name, value in one.items()}
    return StatedUncertainty(preset_of(environment, params, stated), tuple(numbers.items()), learnt)


def _write(path: Path, picture: Path, built: BuiltDesign, learning: Learning, stated: StatedUncertainty) -> None:
    """Write errors and picture, each whole; a first Ctrl-C does not stop it."""
    from environments.writing import atomic_path
    from planner.drawing.learnt import save_learnt_picture
    from planner.output.claim import writing
    from surrogate.kernels.interruption import Interruption
    from vinewright.commands.trials_folder import summary

    head = (
        "# Errors of the tube that was built, and of its environment, for --uncertainty of `vinewright robustness` and `plan`.",
        f"# Learnt by `vinewright trials learn` from {summary(built.trials, built.design).partition(': ')[2]}.",
    )
    text = "\n".join([*head, *stated.lines()]) + "\n"
    with Interruption().handling_signals():
        with writing(picture):
            save_learnt_picture(picture, learning, built.environment.name)
        with writing(path), atomic_path(path) as fresh:
            fresh.write_text(text, encoding="utf-8")


def _environment_of(run: Path, built: BuiltDesign) -> str:
    """Return the environment of a folder as an argument of commands."""
    beside = run / "environment.toml"
    return str(beside) if beside.is_file() else built.design.environment
