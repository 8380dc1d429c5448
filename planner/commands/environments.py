"""`vinewright environments`: list, show and generate environments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from planner.console.errors import BadInput, readable_errors
from planner.console.options import EnvironmentArgument
from planner.console.terminal import new_console

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
    """Show the properties of an environment, with the same checks as `plan`."""
    with readable_errors():
        from environments import load_environment

        environment = load_environment(env)
    console = new_console()
    bounds, start, goal = environment.bounds * 1e3, environment.start, environment.goal * 1e3
    obstacles = environment.obstacles
    edge = {"open": "", "table": ", the edge of a table", "wall": ", walls"}[environment.edge]
    mount = ", mounted in a wall" * (environment.mount == "wall")
    import math

    console.print(f"{environment.name}  {environment.description}", style="bold")
    console.print(f"bounds     ({bounds[0]:g}, {bounds[1]:g}) to ({bounds[2]:g}, {bounds[3]:g}) mm{edge}")
    console.print(
        f"start      ({start[0] * 1e3:g}, {start[1] * 1e3:g}) mm, heading {math.degrees(start[2]):.1f} deg{mount}"
    )
    console.print(f"goal       ({goal[0]:g}, {goal[1]:g}) mm, radius {goal[2]:g} mm")
    console.print(
        f"obstacles  {len(obstacles.polygons)} boxes and polygons, {len(obstacles.circles)} circles, {len(obstacles.walls)} walls"
    )
    console.print(f"sha256     {environment.sha256}")
    if picture:
        from planner.drawing.plan import save_environment

        if picture.suffix.lower() != ".png":
            raise BadInput(f"--picture {picture} must end in .png")
        try:
            save_environment(picture, environment)
        except OSError as error:
            raise BadInput(f"{picture} cannot be written: {error.strerror}") from None
        console.print(f"wrote {picture}")


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
