"""The environments that studies plan in, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from environments import Environment

ENVIRONMENTS = ["plus", "maze", "pickone", "needle", "long", "tube", "divider"]
"""Environments that studies plan in."""


def check_environments(names: Sequence[str]) -> list[str]:
    """Check that environments can be used; returns their names.

    Raises:
        InvalidEnvironment: One cannot be used.
    """
    from dynamics.tube import VineParams
    from environments import load_environment

    for name in names:
        load_environment(name, VineParams().radius)
    return list(names)


def load_environments(names: list[str]) -> list[Environment]:
    """Load environments, each with room for the default tube at its start.

    Raises:
        InvalidEnvironment: One cannot be used.
    """
    from dynamics.tube import VineParams
    from environments import load_environment

    return [load_environment(name, VineParams().radius) for name in names]


def compile_kernels(environment: Environment) -> None:
    """Compile the kernels."""
    from dynamics.quasistatic.propagator import QuasiStatic
    from dynamics.tube import VineParams
    from planner.search.run import warm_up

    warm_up(QuasiStatic(environment, VineParams()))
