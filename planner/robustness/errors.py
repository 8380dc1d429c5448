"""The errors with which designs for an environment and a tube are tried."""

from __future__ import annotations

from dynamics.tube import VineParams
from environments.environment import Environment
from environments.uncertainty import DEFAULT, Uncertainty, uncertainty_of


def named_errors(environment: Environment, params: VineParams, name: str | None) -> tuple[str, Uncertainty]:
    """The name of the errors, and the errors.

    Args:
        name: As asked for; None for the default.
    """
    known = params.friction is not None or environment.friction is not None
    return name or DEFAULT, uncertainty_of(name or DEFAULT, friction_known=known)
