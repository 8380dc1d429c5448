"""The arguments and options that commands share, and what they choose: environment, tube and model of the growing vine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from vinewright.console.completion import environment_names, propagator_names, tube_names
from vinewright.console.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.tube import Physics, VineParams
    from environments import Environment
    from planner.design.design import Design

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
    """The requested design; prints what is known of its trials, and a note if that of a run's folder is a later solution.

    Args:
        solution: Value of `SolutionOption`.
    Raises:
        InvalidDesign: It cannot be used.
    """
    from planner.design.design_file import load_design
    from vinewright.console.terminal import trials_line

    design = load_design(path, solution)
    if solution is None and path.is_dir() and (note := solution_note(path)):
        console.print(f"note: {note}")
    if tried := trials_line(design):
        console.print(tried)
    return design


def solution_note(folder: Path) -> str:
    """Which solution the design of a run's folder is, as text; "" if it is the first or none of them, as one refined under errors."""
    from planner.design.solutions_file import find_solution

    number, count = find_solution(folder)
    if number in (None, 1):
        return ""
    return f"the design of this run is solution {number} of {count}; --solution 1 has the lowest cost"


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
