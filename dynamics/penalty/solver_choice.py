"""The inner solvers by their names, for each device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch import Tensor

from dynamics.penalty.solvers import CompiledNewton, Solver, descend, newton
from dynamics.penalty.solvers_on_cpu import SolverOnCpu

INNER_STEPS = {"newton": 10, "gradient": 50}
"""Default number of steps of each solver: 50 as in paper 002; with fewer than 10 Newton steps a vine that snaps through is
computed incorrectly."""
SOLVERS: dict[str, Callable[..., Tensor]] = {"newton": newton, "gradient": descend}
"""Solvers in tensors, for any device."""
COMPILED: dict[str, Callable[..., Tensor]] = {"newton": CompiledNewton()}
"""Solvers of a CUDA device, by the names of those that they replace; all propagators of a process share what is compiled."""


def make_solver(name: str, steps: int | None = None, device: str = "") -> Solver:
    """Make a solver by its name, with at most this many inner steps; with its default number if none is given.

    Args:
        device: "cpu" or "cuda" for the form that is fast there; else it is that in tensors.
    """
    most = steps or INNER_STEPS[name]
    if device == "cpu":
        return SolverOnCpu(name == "newton", most)
    return partial({**SOLVERS, **COMPILED}[name] if device == "cuda" else SOLVERS[name], steps=most)
