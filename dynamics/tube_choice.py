"""The tube that is asked for, or else that of the environment, or else the default; and the equations that it follows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast, get_args

from dynamics.tube import InvalidTube, Physics, VineParams
from dynamics.tube_file import load_tube

if TYPE_CHECKING:
    from environments import Environment

DEFAULT_TUBE = "prototype"
"""The shipped tube that is used if neither the user nor the environment names another."""


def choose_tube(tube: str | None, environment: Environment | None = None, physics: str | None = None) -> VineParams:
    """Load the requested tube, or else that of the environment, or else the default.

    Args:
        tube: The name of a shipped tube or the path of a file.
        physics: The equations of the tube, see `choose_physics`.
    Raises:
        InvalidTube: It cannot be used, or the physics is unknown.
    """
    return choose_physics(load_tube(tube or (environment and environment.tube) or DEFAULT_TUBE), physics)


def choose_physics(params: VineParams, physics: str | None) -> VineParams:
    """Return the tube with the requested equations, "corrected" or "published" (paper 002 as printed); None keeps its own.

    Raises:
        InvalidTube: The physics is unknown.
    """
    if physics is None:
        return params
    if physics not in (known := get_args(Physics)):
        raise InvalidTube(f"--physics {physics} must be {' or '.join(known)}")
    return replace(params, physics=cast("Physics", physics))
