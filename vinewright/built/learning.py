"""Errors of a built design from its trials: the inference of `vinewright trials learn`, and the files that it writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from environments.learnt_errors import LearntErrors
from environments.reading import UnreadableFile, parse_toml, read_file
from environments.uncertainty_in_files import StatedUncertainty
from environments.writing import atomic_path
from planner.built.learning_report import Learning
from planner.built.learnt import learnt_errors
from planner.built.posterior import SAMPLES, SuccessRange, infer, predict_success
from planner.built.predicting import BuiltTube
from planner.built.trial import Trials
from planner.output.claim import writing
from planner.uncertainty.errors import errors_of, preset_of
from surrogate.kernels.interruption import Interruption
from vinewright.built.folder import BuiltDesign, summary
from vinewright.console.errors import BadInput

STATED, PICTURE = "uncertainty.toml", "learnt.png"
"""Names of the files in the folder of the run."""
MOST_BYTES = 1_000_000
"""Maximum size of a file of errors that is replaced."""


def check_replaced(path: Path) -> None:
    """Check that a file which is there is one of errors, which may be replaced.

    Raises:
        BadInput: It is not.
    """
    if not path.exists():
        return
    try:
        is_errors = parse_toml(read_file(path, MOST_BYTES)).keys() == {"uncertainty"}
    except UnreadableFile:
        is_errors = False
    if not is_errors:
        raise BadInput(f"--out {path} is no file of errors alone, and is not replaced; give another --out")


def tube_of(built: BuiltDesign, stated: StatedUncertainty) -> BuiltTube:
    """Return the built tube with the errors that it may have.

    Raises:
        BadInput: It has none.
    """
    errors = errors_of(built.environment, built.design.params, stated)
    tube = BuiltTube(built.design, built.environment, errors)
    if not tube.causes:
        raise BadInput("nothing can be learnt where all is exact: give --uncertainty with errors, such as workshop")
    return tube


def success_before(built: BuiltDesign, tube: BuiltTube, samples: int = SAMPLES, seed: int = 0) -> SuccessRange:
    """Return the success of tubes with the stated errors, before any trial."""
    return predict_success(infer(tube, Trials(built.trials.design), samples=samples, seed=seed), seed=seed)


def learn_from(
    built: BuiltDesign,
    tube: BuiltTube,
    before: SuccessRange,
    samples: int = SAMPLES,
    seed: int = 0,
    watch: Callable[[float], None] = lambda _: None,
) -> Learning:
    """Infer the errors of a built tube from its trials.

    Args:
        before: Success before the trials.
        watch: Called with the share of the work that is done [-].
    """
    posterior = infer(tube, built.trials, built.path_of, samples, seed, watch)
    return Learning(built.trials, posterior, before, predict_success(posterior, seed=seed))


def write_learning(
    path: Path, picture: Path, built: BuiltDesign, learning: Learning, stated: StatedUncertainty
) -> None:
    """Write errors and picture, each whole; a first Ctrl-C does not stop it.

    Args:
        path: File of errors.
        stated: Errors with which the design was compared.
    """
    from planner.drawing.learnt import save_learnt_picture

    head = (
        "# Errors of the tube that was built, and of its environment, for --uncertainty of `vinewright robustness` and `plan`.",
        f"# Learnt by `vinewright trials learn` from {summary(built.trials, built.design).partition(': ')[2]}.",
    )
    lines = _restate(built, stated, learnt_errors(learning.posterior)).lines()
    text = "\n".join([*head, *lines]) + "\n"
    with Interruption().handling_signals():
        with writing(picture):
            save_learnt_picture(picture, learning, built.environment.name)
        with writing(path), atomic_path(path) as fresh:
            fresh.write_text(text, encoding="utf-8")


def _restate(built: BuiltDesign, stated: StatedUncertainty, learnt: LearntErrors | None) -> StatedUncertainty:
    """Return the errors with which the design was compared, and those that were learnt in place of them."""
    environment, params = built.environment, built.design.params
    known = (dict(one.numbers) for one in (params.uncertainty, environment.uncertainty, stated))
    numbers = {name: value for one in known for name, value in one.items()}
    return StatedUncertainty(preset_of(environment, params, stated), tuple(numbers.items()), learnt)
