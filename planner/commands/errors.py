"""Bad input, told in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from typer.exceptions import TyperException


class BadInput(TyperException):
    """Something the user gave cannot be used; the message says what is allowed."""

    exit_code = 2


@contextmanager
def readable_errors() -> Iterator[None]:
    """Turn the project's errors about files and folders into `BadInput`."""
    from environments.file_model import InvalidEnvironment
    from planner.design import InvalidDesign
    from planner.run_folder import UnwritableFolder

    try:
        yield
    except (InvalidEnvironment, InvalidDesign, UnwritableFolder) as error:
        raise BadInput(str(error)) from None


def known_actuator(name: str) -> str:
    """An actuator's kind, checked."""
    from surrogate.registry import actuators

    if name not in actuators():
        raise BadInput(f"unknown actuator {name!r}; known: {', '.join(actuators())}")
    return name


def known_propagator(name: str) -> str:
    """A propagator's name, checked."""
    from dynamics.registry import propagators

    if name not in propagators():
        raise BadInput(f"unknown propagator {name!r}; known: {', '.join(propagators())}")
    return name
