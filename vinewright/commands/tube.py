"""`vinewright tube`: shipped tubes, derived quantities, and tube files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.console.answer import Answer, JsonOption
from vinewright.console.completion import tube_names
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import PhysicsOption
from vinewright.console.toml_files import write_new_toml

if TYPE_CHECKING:
    from dynamics.tube import VineParams
    from planner.design.tube_figures import TubeFigures
    from surrogate.actuators import Actuator

TAIL = "tail_tension_n", "tail_drag_n_per_m", "tail_friction"
"""Keys of the drag of the tail."""
SIZE = "radius_mm", "diameter_mm", "layflat_mm"
"""Keys of the tube's size, of which a file gives one."""

app = typer.Typer(help="List, show, create and check tubes.")

TubeArgument = Annotated[
    str,
    typer.Argument(metavar="NAME|FILE", help="A shipped tube, or the path of a TOML file.", autocompletion=tube_names),
]


@app.command("list")
def list_tubes(as_json: JsonOption = False) -> int:
    """List the shipped tubes."""
    from rich.table import Table

    from dynamics.tube_file import known_tubes, load_tube, tube_content, tube_description

    answer = Answer(as_json)
    table = Table("name", "radius mm", "pressure kPa", "growth force N", "what it is")
    listed = []
    for name in known_tubes():
        params = load_tube(name)
        numbers = 1e3 * params.radius, 1e-3 * params.growth_pressure, params.growth_force
        table.add_row(name, *(f"{number:.4g}" for number in numbers), tube_description(name))
        listed.append({"name": name, "description": tube_description(name), "tube": tube_content(params)})
    answer.console.print(table)
    return answer.end({"tubes": listed})


@app.command()
def show(tube: TubeArgument, physics: PhysicsOption = None, as_json: JsonOption = False) -> int:
    """Show the parameters of a tube and the quantities derived from them."""
    from rich.table import Table

    answer = Answer(as_json)
    with readable_errors():
        from dynamics.tube_choice import choose_physics
        from dynamics.tube_file import given_keys, load_tube, tube_content
        from planner.design.tube_figures import TubeFigures

        params = choose_physics(load_tube(tube), physics)
        given = given_keys(tube) | {"physics"} if physics else given_keys(tube)
        figures = TubeFigures.of(params)
        table = Table("", "", "how it is computed", title=tube, title_justify="left")
        for row in _rows(params, figures, given):
            table.add_row(*row)
    answer.console.print(table)
    _print_hint(answer, params)
    return answer.end({"name": tube, "tube": tube_content(params), "derived": figures.content()})


def _print_hint(answer: Answer, params: VineParams) -> None:
    """Print a hint if the film is given without a modulus, since it alone makes no tube stiffer."""
    if not params.wall.assumed and params.elastic_stiffness is None:
        given = "film_thickness_um" if params.film is None else "film"
        answer.console.print(
            f"hint: {given} alone changes no stiffness: give film_modulus_mpa too, or bending_stiffness_n_m2 if it was measured",
            soft_wrap=True,
        )


def _rows(params: VineParams, figures: TubeFigures, given: frozenset[str]) -> list[tuple[str, str, str]]:
    """Return the name, the value with unit, and the origin of each figure.

    Args:
        given: The keys that the tube gives.
    """

    def origin(*keys: str, otherwise: str = "default") -> str:
        return otherwise if given.isdisjoint(keys) else "given"

    usual = "default" if given.isdisjoint(SIZE) else "scaled from the prototype"
    tail = f"{params.tail_tension:g} N, {params.tail_drag:g} N/m, friction {params.tail_friction:g}"
    least = 2e3 * params.least_height * params.radius
    height = "rigid across" if params.least_height == 1 else f"{least:.4g} mm between walls"
    share = params.collapse_share
    collapse = (
        "none" if share == 1 else f"at {share * figures.largest_moment:.4g} N m, {share:g} of the greatest moment"
    )
    friction = "that of environment or propagator" if params.friction is None else f"{params.friction:g}"
    friction += "" if params.static_friction is None else f", static {params.static_friction:g}"
    return [
        ("radius", f"{1e3 * params.radius:.4g} mm", origin(*SIZE)),
        ("diameter", f"{2e3 * params.radius:.4g} mm", "2 R"),
        ("lay-flat width", f"{1e3 * math.pi * params.radius:.4g} mm", "pi R"),
        ("growth pressure", f"{1e-3 * params.growth_pressure:.4g} kPa", origin("growth_pressure_kpa")),
        ("segment length", f"{1e3 * params.segment_length:.4g} mm", origin("segment_length_mm", otherwise=usual)),
        ("least height", height, origin("least_height")),
        ("friction", friction, "given" if params.friction is not None else "not set"),
        ("collapse", collapse, origin("collapse_share")),
        ("physics", params.physics, origin("physics")),
        ("film of the body", *_body_film(params)),
        *(_actuator_row(actuator) for actuator in params.actuators),
        *(_film_row(actuator) for actuator in params.actuators),
        ("drag of the tail", tail if params.has_tail else "none", origin(*TAIL)),
        *figures.rows(params),
    ]  # fmt: skip


def _body_film(params: VineParams) -> tuple[str, str]:
    """Return the film of the body, with its modulus if that counts, and its origin."""
    film = params.wall
    modulus = "" if params.elastic_wall is None else f", E {1e-6 * film.modulus:.4g} MPa"
    return f"{1e6 * film.thickness:g} um {film.material}{modulus}", "assumed" if film.assumed else "given"


def _film_row(actuator: Actuator) -> tuple[str, str, str]:
    film = actuator.film
    origin = f"{actuator.kind}{', assumed' * film.assumed}"
    return "film of the actuators", f"{1e6 * film.thickness:g} um {film.material}", origin


def _actuator_row(actuator: Actuator) -> tuple[str, str, str]:
    limits = actuator.limits
    cells = f"{1e3 * limits.shortest_cell:g} to {1e3 * limits.longest_cell:g} mm"
    pressures = f"{1e-3 * limits.least_pressure:g} to {1e-3 * limits.most_pressure:g} kPa"
    return "actuator", actuator.kind, f"{cells} per {actuator.cell_name}, at {pressures}"


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="File to write.")],
    like: Annotated[
        str | None, typer.Option(metavar="NAME|FILE", help="Write all values of this tube, instead of a template.")
    ] = None,
    actuator: Annotated[
        str | None,
        typer.Option(
            metavar="TYPES", help="Type of the actuators: spam, pouch, fpam or cpam; several with commas between them."
        ),
    ] = None,
    radius: Annotated[float | None, typer.Option(metavar="MM", help="Inflated radius in millimetres.")] = None,
    diameter: Annotated[float | None, typer.Option(metavar="MM", help="Inflated diameter in millimetres.")] = None,
    layflat: Annotated[
        float | None, typer.Option(metavar="MM", help="Lay-flat width in millimetres, pi times the radius.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a template of a tube file, with the unit and meaning of every key of the actuators' types."""
    asked = {"radius_mm": radius, "diameter_mm": diameter, "layflat_mm": layflat}
    sizes = {key: value for key, value in asked.items() if value is not None}
    if like is not None and sizes:
        raise BadInput(f"--like {like} has a size: leave out --radius, --diameter and --layflat, and change the file")

    def make_text() -> str:
        from dynamics.actuator_file import replace_actuators
        from dynamics.tube_file import SCHEMA, check_tube, load_tube, template, tube_text
        from surrogate.registry import parse_actuators

        params = check_tube({"schema": SCHEMA, **sizes}) if like is None else load_tube(like)
        made = params if actuator is None else replace_actuators(params, parse_actuators(actuator))
        return template(made) if like is None else tube_text(made)

    write_new_toml(file, make_text, force)


@app.command()
def check(tube: TubeArgument, as_json: JsonOption = False) -> int:
    """Check a tube file: exit code 0 if it is valid, otherwise an error message of one line and exit code 2."""
    answer = Answer(as_json)
    with readable_errors():
        from dynamics.tube_file import load_tube, tube_content

        params = load_tube(tube)
    radius = 1e3 * params.radius
    answer.console.print(
        f"{tube}: valid; radius {radius:.4g} mm, diameter {2 * radius:.4g} mm, lay-flat width {math.pi * radius:.4g} mm",
        soft_wrap=True,
    )
    _print_hint(answer, params)
    return answer.end({"name": tube, "valid": True, "tube": tube_content(params)})
