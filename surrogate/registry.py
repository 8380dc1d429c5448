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
