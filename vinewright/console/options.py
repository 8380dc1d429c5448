"""The arguments and options that commands share, and what they choose: environment, tube and model of the growing vine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.console.completion import environment_names, robot_names, tube_names
from vinewright.console.listed_options import make_option

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.tube import VineParams
    from environments import Environment
    from environments.uncertainty import Uncertainty
    from planner.design.design import Design

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
PropagatorOption = Annotated[str, make_option("propagator")]
SolverOption = Annotated[str | None, make_option("solver")]

SurrogateOption = Annotated[str | None, make_option("surrogate")]

FrictionOption = Annotated[float | None, make_option("friction")]

TubeOption = Annotated[
    str | None,
    typer.Option(
        "--tube",
        metavar="TUBE",
        help="A shipped tube (`vinewright tube list`), or the path of a TOML file. Default: the environment's, or prototype.",
        autocompletion=tube_names,
    ),
]

RobotArgument = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A shipped robot (`vinewright euler-lagrange list`), or the path of a TOML file.",
        autocompletion=robot_names,
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

UncertaintyOption = Annotated[str | None, make_option("uncertainty")]

ForceOption = Annotated[bool, typer.Option("--force", help="Replace earlier results in the folder of --out.")]

QpOption = Annotated[
    str | None,
    typer.Option("--qp", help="Solver of impulse: banded, or osqp (as published, slower). Default: banded."),
]

InputsOption = Annotated[
    Path | None,
    typer.Option(
        "--inputs",
        metavar="FILE.csv",
        help="Inputs of impulse over time, instead of the tube's own: columns time_s, and growth_mm_per_s or body_kpa, or both.",
    ),
]


def environment_and_tube(
    env: str, tube: str | None, actuators: list[str] | None = None, physics: str | None = None
) -> tuple[Environment, VineParams]:
    """An environment and the tube that grows there (`dynamics.tube_choice.choose_tube`); its start is checked to have room for the tube.

    Args:
        actuators: The types of actuators, if they are not the tube's own.
        physics: Value of `PhysicsOption`.
    Raises:
        InvalidEnvironment: It cannot be used, or the tube does not fit at its start.
        InvalidTube: The tube cannot be used, or the physics is unknown.
    """
    from dynamics.actuator_file import replace_actuators
    from dynamics.tube_choice import choose_tube
    from environments import load_environment

    params = choose_tube(tube, load_environment(env, 0.0), physics)
    if actuators is not None:
        params = replace_actuators(params, actuators)
    return load_environment(env, params.radius), params


def print_hints(
    console: Console, environment: Environment, tube_radius: float, uncertainty: Uncertainty | None = None
) -> None:
    """Print a line for each likely slip in an environment, for a tube of this radius [m] that is built with these errors."""
    from environments import environment_hints

    for text in environment_hints(environment, 2 * tube_radius, uncertainty):
        console.print(f"hint: {text}")


def print_unused_learnt(
    console: Console,
    environment: Environment,
    params: VineParams,
    uncertainty: Uncertainty,
    design: Design | None = None,
) -> None:
    """Print a line for what was learnt of a built tube and does not count in this environment or for this design."""
    from planner.uncertainty.drawing import unused_learnt

    for text in unused_learnt(environment, params, uncertainty, design):
        console.print(f"note: {text}")


def print_ignored(console: Console, params: VineParams, propagator: str, environment: Environment) -> None:
    """Print a line for each property of tube and walls that a propagator does not model."""
    from dynamics.registry import ignored_properties

    for note in ignored_properties(params, propagator, environment):
        console.print(note)


def replace_tube(console: Console, own: VineParams, tube: str | None, physics: str | None = None) -> VineParams:
    """The tube that a design grows with: its own, or the requested one; prints a note if that differs.

    Raises:
        InvalidTube: The requested tube cannot be used, or the requested physics is unknown.
    """
    from dynamics.tube_choice import choose_physics, choose_tube
    from dynamics.tube_file import difference

    params = choose_physics(own if tube is None else choose_tube(tube), physics)
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
    """Return a note if the design of a run's folder is a later solution; "" if it is the first, or none, as a refined design."""
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
        return load_environment(beside, design.params.radius, design.environment)
    return (
        load_environment(design.environment, design.params.radius)
        if design.environment in known_environments()
        else None
    )
