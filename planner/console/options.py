"""The arguments and options that commands share, and what they choose: environment, tube and model of the growing vine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from planner.console.completion import environment_names, propagator_names, tube_names
from planner.console.errors import BadInput, needs

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.propagator import Capabilities, Propagator, PropagatorFactory
    from dynamics.tube import Physics, VineParams
    from environments import Environment
    from planner.design import Design
    from planner.runs.inputs import Inputs

MOST_FRICTION = 10.0
"""Largest coefficient of friction allowed; that of rubber on rubber is about a tenth of it."""
DEFAULT_TUBE = "prototype"
"""The shipped tube that is used if neither the command nor the environment names another."""

EnvironmentArgument = Annotated[
    str,
    typer.Argument(
        metavar="ENV", help="A shipped environment, or the path of a TOML file.", autocompletion=environment_names
    ),
]
DesignArgument = Annotated[
    Path, typer.Argument(metavar="DESIGN", help="The folder of a run, a design.json or a solutions.json.")
]
SolutionOption = Annotated[
    int | None,
    typer.Option(
        "--solution",
        min=1,
        metavar="K",
        help="Number of a design in solutions.json, 1 for the one of lowest cost. Default: design.json in the folder of a run, 1 in "
        "a solutions.json.",
        show_default=False,
    ),
]
PropagatorOption = Annotated[
    str,
    typer.Option(
        "--propagator",
        help="Model of the growing vine: quasistatic, penalty, impulse, geometric or euler-lagrange.",
        autocompletion=propagator_names,
    ),
]
SolverOption = Annotated[
    str | None,
    typer.Option("--solver", help="Solver of penalty: newton or gradient. Default: newton."),
]

SurrogateOption = Annotated[
    str | None,
    typer.Option(
        "--surrogate",
        help="Source of the actuator's force in penalty: table or network. Default: table.",
    ),
]

FrictionOption = Annotated[
    float | None,
    typer.Option(
        metavar="MU",
        help="Friction coefficient in quasistatic (tip and body, static and kinetic) and geometric (tip), instead of those of tube and "
        "environment. Default: the tube's, or else the environment's; if it has none, 0 in quasistatic and 0.3 in geometric.",
    ),
]

TubeOption = Annotated[
    str | None,
    typer.Option(
        "--tube",
        metavar="TUBE",
        help="A shipped tube (`vinewright tube list`), or the path of a TOML file. Default: the environment's, or prototype.",
        autocompletion=tube_names,
    ),
]

PhysicsOption = Annotated[
    str | None,
    typer.Option(
        "--physics",
        metavar="NAME",
        help="Equations of the tube: corrected, or published (those of paper 002 as printed). Default: the tube's own, normally "
        "corrected.",
    ),
]

UncertaintyOption = Annotated[
    str | None,
    typer.Option(
        "--uncertainty",
        metavar="NAME",
        help="Errors with which tube and environment are built: workshop, handmade, lasercut, field, paper or none, or a TOML file with "
        "a table [uncertainty]. Default: those of the environment and the tube, or workshop.",
        show_default=False,
    ),
]

ForceOption = Annotated[bool, typer.Option("--force", help="Replace earlier results in the folder of --out.")]

QpOption = Annotated[
    str | None,
    typer.Option("--qp", help="Solver of impulse: banded, or osqp (as published, slower). Default: banded."),
]


def chosen_tube(tube: str | None, environment: Environment | None = None, physics: str | None = None) -> VineParams:
    """The requested tube, or else that of the environment, or else the prototype.

    Args:
        tube: Value of `TubeOption`: the name of a shipped tube or the path of a file.
        physics: Value of `PhysicsOption`.
    Raises:
        InvalidTube: It cannot be used.
        BadInput: The physics is unknown.
    """
    from dynamics.tube_file import load_tube

    return with_physics(load_tube(tube or (environment and environment.tube) or DEFAULT_TUBE), physics)


def with_physics(params: VineParams, physics: str | None) -> VineParams:
    """The tube with the requested physics, or its own.

    Raises:
        BadInput: It is unknown.
    """
    from dynamics.tube import Physics

    if physics is None:
        return params
    if physics not in (known := get_args(Physics)):
        raise BadInput(f"--physics {physics} must be {' or '.join(known)}")
    return replace(params, physics=cast("Physics", physics))


def environment_and_tube(
    env: str, tube: str | None, actuators: list[str] | None = None, physics: str | None = None
) -> tuple[Environment, VineParams]:
    """An environment and the tube that grows there (`chosen_tube`); its start is checked to have room for the tube.

    Args:
        actuators: The types of actuators, if they are not the tube's own.
        physics: Value of `PhysicsOption`.
    Raises:
        InvalidEnvironment: It cannot be used, or the tube does not fit at its start.
        InvalidTube: The tube cannot be used.
        BadInput: The physics is unknown.
    """
    from dynamics.actuator_file import with_actuators
    from environments import load_environment

    params = chosen_tube(tube, load_environment(env, 0.0), physics)
    if actuators is not None:
        params = with_actuators(params, actuators)
    return load_environment(env, params.radius), params


def print_hints(console: Console, environment: Environment, tube_radius: float) -> None:
    """Print a line for each likely slip in an environment, for a tube of this radius [m]."""
    from environments import environment_hints

    for text in environment_hints(environment, 2 * tube_radius):
        console.print(f"hint: {text}")


def replaced_tube(console: Console, own: VineParams, tube: str | None, physics: str | None = None) -> VineParams:
    """The tube that a design grows with: its own, or the requested one; prints a note if that differs.

    Raises:
        InvalidTube: The requested tube cannot be used.
        BadInput: The requested physics is unknown.
    """
    from dynamics.tube_file import difference

    params = with_physics(own if tube is None else chosen_tube(tube), physics)
    if found := difference(own, params):
        given = " ".join(f"--{name} {value}" for name, value in (("tube", tube), ("physics", physics)) if value)
        console.print(f"note: {given} is not the tube this design was made for: {found}")
    return params


def chosen_design(console: Console, path: Path, solution: int | None) -> Design:
    """The requested design; prints what is known of its trials, and a note if that of a run's folder is not its first solution.

    Args:
        solution: Value of `SolutionOption`.
    Raises:
        InvalidDesign: It cannot be used.
    """
    from planner.console.terminal import trials_line
    from planner.design_file import load_design

    design = load_design(path, solution)
    if solution is None and path.is_dir() and (note := solution_note(path)):
        console.print(f"note: {note}")
    if tried := trials_line(design):
        console.print(tried)
    return design


def solution_note(folder: Path) -> str:
    """Which solution the design of a run's folder is, as text; "" if it is the first, or if there are no solutions."""
    from planner.solutions_file import solution_of

    number, count = solution_of(folder)
    if number == 1 or not count:
        return ""
    if number:
        return f"the design of this run is solution {number} of {count}; --solution 1 has the lowest cost"
    return f"the design of this run is not among its solutions, of which there are {count}; --solution 1 has the lowest cost"


def environment_of(path: Path, design: Design) -> Environment | None:
    """The environment in the folder of a design, or the shipped one of its name; None if there is neither.

    Args:
        path: The file of the design, or its folder.
    Raises:
        InvalidEnvironment: It cannot be used.
    """
    from environments import known_environments, load_environment

    beside = (path if path.is_dir() else path.parent) / "environment.toml"
    if beside.is_file():
        return load_environment(beside, design.params.radius)
    return (
        load_environment(design.environment, design.params.radius)
        if design.environment in known_environments()
        else None
    )


def chosen_model(
    params: VineParams,
    propagator: str | type[Propagator],
    device: str,
    solver: str | None,
    surrogate: str | None,
    qp: str | None = None,
    design: Design | None = None,
) -> PropagatorFactory:
    """A factory of the chosen propagator; all choices are checked now, before any computation.

    Args:
        propagator: One of `propagators()`, or the class of another one.
        design: The design to grow; None means any, with several sections.
    Raises:
        BadInput: This propagator does not have an option, or does not support sections.
        CannotRun: A choice is unknown, or not available on this machine.
    """
    from dynamics.cuda import check_device
    from dynamics.registry import load_propagator, propagators

    if isinstance(propagator, str) and propagator not in propagators():
        raise BadInput(f"unknown propagator {propagator!r}; known: {', '.join(propagators())}")
    with needs("torch"):
        model = load_propagator(propagator)
    propagator = _name(propagator)
    if not model.capabilities.sections and not (design and design.uniform):
        needed = "only `simulate` accepts it, for a design of one section"
        if design:
            needed = f"this design has {len(design.sections)} sections"
        raise BadInput(
            f"{propagator} models a tube as one arc (sections=False), with one actuator from base to tip; {needed}; choose another "
            "propagator"
        )
    for option, value, owner in (
        ("solver", solver, "penalty"),
        ("surrogate", surrogate, "penalty"),
        ("qp", qp, "impulse"),
    ):
        if value is not None and propagator != owner:
            raise BadInput(f"--{option} {value} is for --propagator {owner}; {propagator} does not have this option")
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
    if propagator == "quasistatic":
        check_device(device)
        make: Callable[..., Propagator] = model
        return model if device == "auto" else partial(make, device=device)
    return model


def with_friction(
    params: VineParams, friction: float | None, propagator: str | type[Propagator], environment: Environment
) -> VineParams:
    """The tube with the requested friction, or that which the propagator assumes if neither user, tube nor environment give one.

    A design stores it, so that later commands use it too. A requested friction is both the kinetic and the static one.

    Raises:
        BadInput: The friction is out of range, or the propagator has none.
    """
    from dynamics.registry import load_propagator, propagators

    if friction is None:
        # The design must keep what the propagator assumes: another one would assume something else.
        given = params.friction is not None or environment.friction is not None
        assumed = 0.0 if given else load_propagator(propagator).capabilities.assumed_friction
        return replace(params, friction=assumed) if assumed else params

    if not has_friction(propagator):
        owners = " or ".join(filter(has_friction, propagators()))
        raise BadInput(f"--friction {friction:g} is for --propagator {owners}; {_name(propagator)} has no friction")
    if not 0 <= friction <= MOST_FRICTION:
        raise BadInput(f"--friction {friction:g} must be from 0 to {MOST_FRICTION:g}")
    return replace(params, friction=friction, static_friction=None)


def note_ignored(tell: Callable[[str], None], params: VineParams, propagator: str, environment: Environment) -> None:
    """Tell if tube or walls have friction, or the tube gives way to walls, or has a tail that drags, and the propagator has not."""
    owner, friction = (
        ("tube", params.friction) if params.friction is not None else ("environment", environment.friction)
    )
    if friction and not has_friction(propagator):
        tell(f"note: {propagator} has no friction; it ignores the friction of this {owner} ({friction:g})")
    if params.static_friction is not None and not has_body_friction(propagator):
        tell(
            f"note: {propagator} has one coefficient of friction; it ignores the static one ({params.static_friction:g})"
        )
    if params.least_height < 1 and not has_dents(propagator):
        tell(f"note: {propagator} is rigid across; it ignores the least height of this tube ({params.least_height:g})")
    if params.has_tail and not has_tail(propagator):
        tail = f"{params.tail_tension:g} N, {params.tail_drag:g} N/m, friction {params.tail_friction:g}"
        tell(f"note: {propagator} has a constant growth force; it ignores the drag of this tube's tail ({tail})")


def second_model(
    params: VineParams, inputs: Inputs, tell: Callable[[str], None], environment: Environment
) -> PropagatorFactory:
    """The factory of the propagator that verifies, checked before any computation.

    Raises:
        BadInput: It is unknown, is the one that plans, or does not support contact or sections.
    """
    verify = str(inputs.verify)
    if verify == inputs.propagator:
        raise BadInput(f"--verify {verify} is the propagator that plans; give a different one")
    try:
        make = chosen_model(params, verify, "auto", None, None)
    except BadInput as error:
        raise BadInput(f"--verify {verify}: {error.message}") from None
    note_ignored(tell, params, verify, environment)
    return make


def has_friction(propagator: str | type[Propagator]) -> bool:
    """Whether a known propagator has friction; False if its library is missing."""
    capabilities = _capabilities(propagator)
    return capabilities is not None and capabilities.friction


def has_body_friction(propagator: str) -> bool:
    """Whether a known propagator has friction of the body, and static friction; False if its library is missing."""
    capabilities = _capabilities(propagator)
    return capabilities is not None and capabilities.body_friction


def has_dents(propagator: str) -> bool:
    """Whether walls dent the tube of a known propagator; False if its library is missing."""
    capabilities = _capabilities(propagator)
    return capabilities is not None and capabilities.dents


def has_tail(propagator: str) -> bool:
    """Whether the drag of the tail reduces the growth force of a known propagator; False if its library is missing."""
    capabilities = _capabilities(propagator)
    return capabilities is not None and capabilities.tail


def _name(propagator: str | type[Propagator]) -> str:
    return propagator if isinstance(propagator, str) else propagator.__name__


def _capabilities(propagator: str | type[Propagator]) -> Capabilities | None:
    from dynamics.registry import load_propagator

    try:
        return load_propagator(propagator).capabilities
    except ModuleNotFoundError:  # penalty without PyTorch
        return None
