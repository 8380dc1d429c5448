"""The inner solvers by their names, for each device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch import Tensor

from dynamics.penalty import solvers_on_cpu
from dynamics.penalty.solvers import CompiledNewton, Solver, descend, newton

INNER_STEPS = {"newton": 10, "gradient": 50}
"""Default number of steps of each solver: 50 as in paper 002; with fewer than 10 Newton steps a vine that snaps through is
computed incorrectly."""
SOLVERS: dict[str, Callable[..., Tensor]] = {"newton": newton, "gradient": descend}
"""Solvers in tensors, for any device."""
COMPILED: dict[str, Callable[..., Tensor]] = {"newton": CompiledNewton()}
"""Solvers of a CUDA device, by the names of those that they replace; all propagators of a process share what is compiled."""
ON_CPU: dict[str, Callable[..., Tensor]] = {"newton": solvers_on_cpu.newton, "gradient": solvers_on_cpu.descend}


def make_solver(name: str, steps: int | None = None, device: str = "") -> Solver:
    """Make a solver by its name, with at most this many inner steps; with its default number if none is given.

    Args:
        device: "cpu" or "cuda" for the form that is fast there; else it is that in tensors.
    """
    solvers = {"cpu": ON_CPU, "cuda": {**SOLVERS, **COMPILED}}.get(device, SOLVERS)
    return partial(solvers[name], steps=steps or INNER_STEPS[name])
