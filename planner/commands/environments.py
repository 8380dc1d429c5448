"""`vinewright environments`: list, show and generate environments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.console.errors import BadInput, readable_errors
from planner.console.options import EnvironmentArgument, environment_and_tube, print_hints
from planner.console.terminal import new_console

if TYPE_CHECKING:
    from surrogate.compiled import Floats

app = typer.Typer(help="List, show and generate environments.", no_args_is_help=True)


@app.command("list")
def list_environments() -> None:
    """List the shipped environments."""
    from rich.table import Table

    from environments import known_environments, load_environment

    table = Table("name", "size m", "obstacles", "description")
    for name in known_environments():
        environment = load_environment(name)
        width, height = environment.bounds[2:] - environment.bounds[:2]
        obstacles = environment.obstacles
        count = len(obstacles.polygons) + len(obstacles.circles) + len(obstacles.walls)
        table.add_row(name, f"{width:.2f} x {height:.2f}", str(count), environment.description)
    new_console(wrapped=True).print(table)


@app.command()
def show(
    env: EnvironmentArgument,
    picture: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw it to this file as well.")] = None,
) -> None:
    """Show the properties of an environment and its narrowest passages, with the same checks as `plan`."""
    import math

    if picture and picture.suffix.lower() != ".png":
        raise BadInput(f"--picture {picture} must end in .png")
    with readable_errors():
        from environments.lengths import at, rounded
        from environments.passages import narrowest_passages

        environment, params = environment_and_tube(env, None)
    console = new_console()
    bounds, start, goal = environment.bounds * 1e3, environment.start, environment.goal * 1e3
    obstacles = environment.obstacles
    console.print(f"{environment.name}  {environment.description}", style="bold")
    low, high, position, middle = (_position(point) for point in (bounds[:2], bounds[2:], 1e3 * start[:2], goal[:2]))
    console.print(f"bounds     {low} to {high} mm")
    console.print(f"start      {position} mm, heading {math.degrees(start[2]):.1f} deg")
    console.print(f"goal       {middle} mm, radius {rounded(goal[2], 'mm')} mm")
    solid = f"{len(obstacles.polygons)} boxes, polygons and flat walls"
    console.print(f"obstacles  {solid}, {len(obstacles.circles)} circles, {len(obstacles.walls)} other walls")
    passages = narrowest_passages(environment)
    gaps = [f"{rounded(1e3 * one.width, 'mm')} mm at {at(one.middle)}" for one in passages]
    console.print(f"passages   {'; '.join(gaps)} (the narrowest gaps between obstacles)" if gaps else "passages   none")
    console.print(f"tube       {rounded(2e3 * params.radius, 'mm')} mm wide")
    console.print(f"sha256     {environment.sha256}")
    print_hints(console, environment, params.radius)
    if picture:
        from planner.drawing.environment import save_environment

        try:
            save_environment(picture, environment, passages)
        except OSError as error:
            raise BadInput(f"{picture} cannot be written: {error.strerror}") from None
        console.print(f"wrote {picture}")


def _position(point: Floats) -> str:
    """A position [mm] as text."""
    from environments.lengths import listed

    return f"({listed(point, 'mm')[1:-1]})"


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="File to write.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random generator.")] = 0,
    density: Annotated[float, typer.Option(help="Share of the area that obstacles cover; 0.2 is 20 %.")] = 0.2,
    width: Annotated[float, typer.Option(help="Width in metres.")] = 2.0,
    height: Annotated[float, typer.Option(help="Height in metres.")] = 2.0,
) -> None:
    """Generate an environment with random obstacles."""
    import numpy as np

    from environments import generate_environment, write_environment

    if file.suffix.lower() != ".toml":
        raise BadInput(f"{file} must end in .toml")
    if file.exists():
        raise BadInput(f"{file} already exists; give another name")
    try:
        environment = generate_environment(
            np.random.default_rng(seed), size=(width, height), density=density, name=file.stem
        )
        write_environment(environment, file)
    except ValueError as error:
        raise BadInput(str(error)) from None
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}") from None
    print(f"wrote {file}")
