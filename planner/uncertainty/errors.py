"""Errors of the trials of designs: those of an option, of the files of environment and tube, or the default."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from dynamics.tube import VineParams
from environments.environment import Environment
from environments.environment_file import restate_errors
from environments.error_messages import describe, hint
from environments.file_model import ERRORS
from environments.reading import UnreadableFile, parse_toml, read_file
from environments.uncertainty import DEFAULT, PRESETS, Uncertainty, uncertainty_of
from environments.uncertainty_in_files import UNSTATED, StatedUncertainty

_MOST_BYTES = 100_000


class InvalidErrors(ValueError):
    """Errors that cannot be used; the one-line message gives what was asked for, and the reason."""

    exit_code = 2


def read_errors(name: str | None) -> StatedUncertainty:
    """Read the errors that an option names.

    Args:
        name: One of `PRESETS`, or the path of a TOML file with a table `[uncertainty]`, or with its keys at the top; None for
            nothing.
    Raises:
        InvalidErrors: It is neither a preset nor a file that can be used.
    """
    if name is None or name in PRESETS:
        return StatedUncertainty(name)
    path = Path(name)
    try:
        if not path.is_file():
            known = f"{', '.join(PRESETS)}, or the path of a TOML file{hint(name, [*PRESETS])}"
            raise InvalidErrors(f"uncertainty {name!r} must be one of {known}")
        content = parse_toml(read_file(path, _MOST_BYTES))
        return StatedUncertainty.of(
            ERRORS.model_validate(content.get("uncertainty", content)).model_dump(exclude_none=True)
        )
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except UnreadableFile as error:
        reason = str(error)
    except ValidationError as error:
        reason = describe(error, ERRORS)
    raise InvalidErrors(" ".join(f"uncertainty {name}: {reason}".split("\n")))


def errors_of(environment: Environment, params: VineParams, asked: StatedUncertainty = UNSTATED) -> Uncertainty:
    """Return the errors of a tube in an environment.

    Single numbers are those that are asked for, or else those of the environment, or else those of the tube, or else those of
    the preset, see `preset_of`. The preset's range of friction is not used where tube or environment have a coefficient of
    friction.

    Args:
        asked: Errors that take precedence over those of the files. The preset `none` without numbers means that everything is as planned,
            whatever the files say.
    """
    if asked == StatedUncertainty("none"):
        return Uncertainty()
    made = uncertainty_of(
        preset_of(environment, params, asked),
        *(dict(one.numbers) for one in (params.uncertainty, environment.uncertainty, asked)),
        friction_known=params.friction is not None or environment.friction is not None,
    )
    learnt = asked.learnt or environment.uncertainty.learnt or params.uncertainty.learnt
    return replace(made, of_obstacles=environment.uncertainty.of_obstacles(), learnt=learnt)


def with_errors(environment: Environment, name: str | None) -> tuple[Environment, str | None]:
    """Return an environment that has the errors of a file as its own, and the name of a preset that is still asked for.

    So a run does not depend on that file any more.

    Args:
        name: As in `read_errors`.
    Raises:
        InvalidErrors: As there.
    """
    asked = read_errors(name)
    if name is None or name in PRESETS:
        return environment, name
    return restate_errors(environment, overrule(environment.uncertainty, asked)), None


def overrule(own: StatedUncertainty, asked: StatedUncertainty) -> StatedUncertainty:
    """Return the errors of an environment's file with those that are asked for in place of them."""
    numbers = tuple((dict(own.numbers) | dict(asked.numbers)).items())
    return replace(own, preset=asked.preset or own.preset, numbers=numbers, learnt=asked.learnt or own.learnt)


def preset_of(environment: Environment, params: VineParams, asked: StatedUncertainty = UNSTATED) -> str:
    """Return the preset that is asked for, or else that of the environment, or else that of the tube, or else `DEFAULT`."""
    presets = (asked.preset, environment.uncertainty.preset, params.uncertainty.preset)
    return next((preset for preset in presets if preset), DEFAULT)


def named_errors(environment: Environment, params: VineParams, name: str | None) -> tuple[str, Uncertainty]:
    """Return the name of the errors, and the errors.

    The name is that of the preset; "adapted" precedes it where files give numbers.

    Args:
        name: As in `read_errors`.
    Raises:
        InvalidErrors: As there.
    """
    return errors_with_name(environment, params, read_errors(name))


def errors_with_name(environment: Environment, params: VineParams, asked: StatedUncertainty) -> tuple[str, Uncertainty]:
    """Return the name of the errors, and the errors, for errors that are given as numbers."""
    preset, made = preset_of(environment, params, asked), errors_of(environment, params, asked)
    # In the units of files, rounded: numbers that were read from a file differ in their last digit.
    same = replace(made, friction=None).content() == replace(PRESETS[preset], friction=None).content()
    known = made.friction in (None, PRESETS[preset].friction)
    return preset if same and known else f"adapted {preset}", made
