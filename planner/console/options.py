"""The options that choose a model of the growing vine, the same for every command that takes one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.console.errors import BadInput, needs

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamics.propagator import Propagator, PropagatorFactory
    from dynamics.tube import VineParams

FRICTION_KNOWN = "quasistatic", "geometric"
"""The propagators that have friction."""
MOST_FRICTION = 10.0
"""Rubber on rubber has a tenth of it."""

PropagatorOption = Annotated[
    str,
    typer.Option(
        "--propagator", help="Model of the growing vine: quasistatic, penalty, impulse, geometric or euler-lagrange."
    ),
]
DeviceOption = Annotated[
    str, typer.Option("--device", help="Where the model computes: cpu, cuda, or auto: cuda where there is some.")
]
SolverOption = Annotated[
    str | None,
    typer.Option("--solver", help="How penalty solves its steps: newton or gradient.  [default: newton]"),
]

SurrogateOption = Annotated[
    str | None,
    typer.Option(
        "--surrogate",
        help="What penalty knows the actuator's force by: table or network. Below zero strain both go on along their slope "
        "at zero.  [default: table]",
    ),
]

FrictionOption = Annotated[
    float | None,
    typer.Option(
        metavar="MU",
        help="Friction of the tip in quasistatic and geometric.  [default: 0 in quasistatic, 0.3 in geometric]",
    ),
]

QpOption = Annotated[
    str | None,
    typer.Option(
        "--qp", help="What solves the steps of impulse: banded, or osqp as published, slowly.  [default: banded]"
    ),
]


def chosen_model(
    params: VineParams,
    propagator: str,
    device: str,
    solver: str | None,
    surrogate: str | None,
    qp: str | None = None,
    sections: bool = True,
    friction: float | None = None,
) -> PropagatorFactory:
    """What makes the chosen propagator in a place; every choice is checked now, before any work is done.

    Args:
        sections: Whether it is to grow tubes with muscles that change along them.
    Raises:
        BadInput: An option that this propagator does not have, or sections where it knows none.
        CannotRun: A choice that it does not know, or that this machine does not offer.
    """
    from dynamics.registry import load_propagator, propagators

    if propagator not in propagators():
        raise BadInput(f"unknown propagator {propagator!r}; known: {', '.join(propagators())}")
    with needs("torch"):
        model = load_propagator(propagator)
    if sections and not model.capabilities.sections:
        raise BadInput(
            f"{propagator} bends a tube as one arc (sections=False): it is for `simulate` and designs of one section from base "
            "to tip; take another propagator"
        )
    for option, value, owner in (
        ("solver", solver, "penalty"),
        ("surrogate", surrogate, "penalty"),
        ("qp", qp, "impulse"),
        ("friction", friction, " or ".join(FRICTION_KNOWN)),
    ):
        if value is not None and propagator not in owner.split(" or "):
            raise BadInput(f"--{option} {value} is for --propagator {owner}; {propagator} leaves no choice there")
    if friction is not None and not 0 <= friction <= MOST_FRICTION:
        raise BadInput(f"--friction {friction:g} must be from 0 to {MOST_FRICTION:g}")
    if propagator == "penalty":
        from dynamics.penalty.propagator import check_choices

        settings: dict[str, Any] = {"device": device, "solver": solver or "newton", "surrogate": surrogate or "table"}
        check_choices(params, **settings)
        return partial(model, **settings)
    if device not in ("auto", *model.capabilities.devices):
        raise BadInput(f"--device {device}: {propagator} computes on {', '.join(model.capabilities.devices)}")
    if qp is not None:
        from dynamics.impulse.propagator import Impulse, check_qp

        with needs("osqp"):
            check_qp(qp)
        return partial(Impulse, qp=qp)
    made: Callable[..., Propagator] = model
    return made if friction is None else partial(made, friction=friction)
