"""Registry of the propagators."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynamics.propagator import Propagator


def propagators() -> tuple[str, ...]:
    """The names of the propagators; the first is the default."""
    return ("quasistatic", "penalty", "impulse", "geometric", "euler-lagrange")


def load_propagator(name: str | type[Propagator]) -> type[Propagator]:
    """The propagator with a name. Its dependencies are imported on demand, because PyTorch takes a second.

    A class of a propagator is returned as it is, so that callers accept those that have no name here.

    Raises:
        KeyError: The name is unknown.
        ModuleNotFoundError: A library that the propagator needs is not installed.
    """
    if not isinstance(name, str):
        return name
    match name:
        case "quasistatic":
            from dynamics.quasistatic.propagator import QuasiStatic

            return QuasiStatic
        case "penalty":
            from dynamics.penalty.propagator import Penalty

            return Penalty
        case "impulse":
            from dynamics.impulse.propagator import Impulse

            return Impulse
        case "geometric":
            from dynamics.geometric.propagator import Geometric

            return Geometric
        case "euler-lagrange":
            from dynamics.euler_lagrange.propagator import EulerLagrange

            return EulerLagrange
    raise KeyError(name)
