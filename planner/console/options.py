"""The options that choose a model of the growing vine, the same for every command that takes one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.console.errors import BadInput, needs

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.propagator import PropagatorFactory
    from dynamics.tube import VineParams
    from environments import Environment

MOST_FRICTION = 10.0
"""Rubber on rubber has a tenth of it."""
DEFAULT_TUBE = "prototype"
"""The shipped tube that grows where neither the command nor the environment asks for another."""

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
        help="Friction of the tip in quasistatic and geometric, instead of the tube's.  [default: the tube's; where it has none, "
        "0 in quasistatic and 0.3 in geometric]",
    ),
]

TubeOption = Annotated[
    str | None,
    typer.Option(
        "--tube",
        metavar="TUBE",
        help="A shipped tube (`vinewright tube list`), or the path of a TOML file.  [default: the environment's, or prototype]",
    ),
]

QpOption = Annotated[
    str | None,
    typer.Option(
        "--qp", help="What solves the steps of impulse: banded, or osqp as published, slowly.  [default: banded]"
    ),
]


def chosen_tube(tube: str | None, environment: Environment | None = None) -> VineParams:
    """The tube that was asked for, else the environment's, else the prototype.

    Args:
        tube: What `TubeOption` gives: a shipped tube's name or the path of a file.
    Raises:
        InvalidTube: It cannot be used.
    """
    from dynamics.tube_file import load_tube

    return load_tube(tube or (environment and environment.tube) or DEFAULT_TUBE)


def environment_and_tube(env: str, tube: str | None, actuator: str | None = None) -> tuple[Environment, VineParams]:
    """An environment whose start has room for the tube that is to grow there, and that tube (`chosen_tube`).

    Args:
        actuator: The type of actuator, where it is not the tube's own.
    Raises:
        InvalidEnvironment: It cannot be used, or the tube does not fit at its start.
        InvalidTube: The tube cannot be used.
    """
    from dynamics.tube_file import with_actuator
    from environments import load_environment

    params = chosen_tube(tube, load_environment(env, 0.0))
    if actuator is not None:
        params = with_actuator(params, actuator)
    return load_environment(env, params.radius), params


def replaced_tube(console: Console, own: VineParams, tube: str | None) -> VineParams:
    """The tube that a design is to grow with: its own, or the one asked for, and then a note where that differs.

    Raises:
        InvalidTube: The tube asked for cannot be used.
    """
    if tube is None:
        return own
    from dynamics.tube_file import difference

    params = chosen_tube(tube)
    if found := difference(own, params):
        console.print(f"note: --tube {tube} is not the tube this design was made for: {found}")
    return params


def chosen_model(
    params: VineParams,
    propagator: str,
    device: str,
    solver: str | None,
    surrogate: str | None,
    qp: str | None = None,
    sections: bool = True,
) -> PropagatorFactory:
    """What makes the chosen propagator in an environment; every choice is checked now, before any work is done.

    Args:
        sections: Whether it is to grow tubes with actuators that change along them.
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
    ):
        if value is not None and propagator != owner:
            raise BadInput(f"--{option} {value} is for --propagator {owner}; {propagator} leaves no choice there")
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
    return model


def with_friction(params: VineParams, friction: float | None, propagator: str) -> VineParams:
    """The tube with the friction that was asked for, if any; a design keeps it, for all that grow it again.

    Raises:
        BadInput: The friction is out of range, or the propagator has none.
    """
    if friction is None:
        return params
    from dynamics.registry import propagators

    if not has_friction(propagator):
        owners = " or ".join(filter(has_friction, propagators()))
        raise BadInput(f"--friction {friction:g} is for --propagator {owners}; {propagator} has no friction")
    if not 0 <= friction <= MOST_FRICTION:
        raise BadInput(f"--friction {friction:g} must be from 0 to {MOST_FRICTION:g}")
    return replace(params, friction=friction)


def note_friction(console: Console, params: VineParams, propagator: str) -> None:
    """Print a note where a tube has friction and the propagator has not."""
    if params.friction and not has_friction(propagator):
        console.print(f"note: {propagator} has no friction; it grows this tube without its {params.friction:g}")


def has_friction(propagator: str) -> bool:
    """Whether a known propagator has friction; one whose library is missing has none."""
    from dynamics.registry import load_propagator

    try:
        return load_propagator(propagator).capabilities.friction
    except ModuleNotFoundError:  # penalty without PyTorch
        return False
