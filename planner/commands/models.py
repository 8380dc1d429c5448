"""The options that choose a model of the growing vine, the same for every command that takes one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.commands.errors import BadInput, needs_torch

if TYPE_CHECKING:
    from dynamics.propagator import Maker

PropagatorOption = Annotated[
    str, typer.Option("--propagator", help="Model of the growing vine: quasistatic or penalty.")
]
DeviceOption = Annotated[
    str, typer.Option("--device", help="Where the model computes: cpu, cuda, or auto: cuda where there is some.")
]
SolverOption = Annotated[
    str | None,
    typer.Option("--solver", help="How penalty solves its steps: newton or gradient.  [default: newton]"),
]


def chosen_model(propagator: str, device: str, solver: str | None) -> Maker:
    """What makes the chosen propagator in a place; every choice is checked here, before any work is done."""
    from dynamics.registry import load_propagator, propagators

    if propagator not in propagators():
        raise BadInput(f"unknown propagator {propagator!r}; known: {', '.join(propagators())}")
    settings: dict[str, Any] = {}
    with needs_torch():
        model = load_propagator(propagator)
        if propagator == "penalty":
            from dynamics.penalty import find_device, known_solver

            try:
                find_device(device)
                settings = {"device": device, "solver": known_solver(solver or "newton")}
            except ValueError as error:
                raise BadInput(str(error)) from None
    if not settings and solver is not None:
        raise BadInput(f"--solver {solver} is for --propagator penalty; {propagator} has one way to solve its steps")
    if not settings and device not in ("auto", *model.capabilities.devices):
        raise BadInput(f"--device {device}: {propagator} computes on {', '.join(model.capabilities.devices)}")
    return partial(model, **settings)
