"""Registry of the actuators."""

from __future__ import annotations

from surrogate.actuators import Actuator
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam


def actuators() -> dict[str, type[Actuator]]:
    """The actuators by kind; the first is the default."""
    return {actuator.kind: actuator for actuator in (Spam, PouchMotor, Fpam, Cpam)}


class UnknownActuator(ValueError):
    """A type of actuator that does not exist, or is given twice."""

    exit_code = 2


def parse_actuators(kinds: str) -> list[str]:
    """Split types of actuators, separated by commas.

    Raises:
        UnknownActuator: A type is unknown, or given twice.
    """
    names = [name.strip() for name in kinds.split(",")]
    for name in names:
        if name not in actuators():
            raise UnknownActuator(f"unknown actuator {name!r}; known: {', '.join(actuators())}")
        if names.count(name) > 1:
            raise UnknownActuator(f"--actuator {kinds}: {name} is given twice")
    return names
