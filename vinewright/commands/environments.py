"""`vinewright environments`: list, show, generate, import and export environments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from vinewright.commands import environments_export, environments_import
from vinewright.commands.environment_content import environment_content
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import EnvironmentArgument, environment_and_tube, print_hints

app = typer.Typer(help="List, show, generate, import and export environments.")


@app.command("list")
def list_environments(as_json: JsonOption = False) -> int:
    """List the shipped environments."""
    from rich.table import Table

    from environments import known_environments, load_environment

    answer = Answer(as_json)
    listed = [environment_content(load_environment(name)) for name in known_environments()]
    table = Table("name", "size m", "obstacles", "description")
    for content in listed:
        (left, bottom), (right, top) = content["bounds_mm"]
        size = f"{1e-3 * (right - left):.2f} x {1e-3 * (top - bottom):.2f}"
        table.add_row(content["name"], size, str(sum(content["obstacles"].values())), content["description"])
    answer.console.print(table)
    return answer.end({"environments": listed})


@app.command()
def show(
    env: EnvironmentArgument,
    picture: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw it to this file as well.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file of --picture.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Show the properties of an environment and its narrowest passages, with the checks of the file that `plan` makes."""
    if picture and picture.suffix.lower() != ".png":
        raise BadInput(f"--picture {picture} must end in .png")
    with readable_errors():
        from environments.lengths import format_length, format_position
        from environments.passages import narrowest_passages
        from environments.roadmap import ways_content
        from planner.uncertainty.errors import errors_of

        environment, params = environment_and_tube(env, None)
    answer, content = Answer(as_json), environment_content(environment)
    console, counts = answer.console, content["obstacles"]
    console.print(f"{environment.name}  {environment.description}", style="bold")
    low, high, start, goal = (
        _position_text(point) for point in (*content["bounds_mm"], content["start_mm"], content["goal_mm"])
    )
    edge = {"open": "", "table": ", the edge of a table", "wall": ", walls"}[environment.edge]
    mount = ", mounted in a wall" if environment.mount == "wall" else ""
    edge += "; the tube may lie on itself" if environment.stacked else ""
    console.print(f"bounds     {low} to {high} mm{edge}")
    console.print(f"start      {start} mm, heading {content['heading_deg']:.1f} deg{mount}")
    console.print(f"goal       {goal} mm, radius {format_length(content['goal_radius_mm'], 'mm')} mm")
    counted = "; ".join(f"{kind}: {count}" for kind, count in counts.items())
    friction = "" if environment.friction is None else f"; friction: {environment.friction:g}"
    console.print(f"obstacles  {counted}{friction}")
    passages = narrowest_passages(environment)
    gaps = [f"{format_length(1e3 * gap.width, 'mm')} mm at {format_position(gap.middle)}" for gap in passages]
    console.print(f"passages   {'; '.join(gaps)} (the narrowest gaps between obstacles)" if gaps else "passages   none")
    console.print(f"tube       {format_length(2e3 * params.radius, 'mm')} mm wide")
    content["passages"] = [
        {"width_mm": round(1e3 * gap.width, 6), "at_mm": [round(1e3 * float(part), 6) for part in gap.middle]}
        for gap in passages
    ]
    content["ways"] = ways_content(environment, params.clearance)
    for k, way in enumerate(content["ways"]):
        console.print(f"{'' if k else 'ways':10} {_way_text(way)}")
    content["tube_width_mm"] = round(2e3 * params.radius, 6)
    console.print(f"sha256     {environment.sha256}")
    print_hints(console, environment, params.radius, errors_of(environment, params))
    if picture:
        with readable_errors():
            from planner.drawing.environment import save_environment
            from planner.output.claim import claim_file, writing

            with claim_file(picture, force, "--picture"), writing(picture):
                save_environment(picture, environment, passages)
        console.print(f"wrote {picture}")
    return answer.end(content, [picture])


def _way_text(way: dict[str, Any]) -> str:
    """Return a way around the obstacles as text."""
    sides = [
        f"{', '.join(way[f'obstacles_{side}'])} on the {side}" for side in ("left", "right") if way[f"obstacles_{side}"]
    ]
    return f"{way['length_mm']:.0f} mm{': ' * bool(sides)}{'; '.join(sides)}"


def _position_text(point: list[float]) -> str:
    """Return a position [mm] as text."""
    from environments.lengths import format_lengths

    return f"({format_lengths(point, 'mm')[1:-1]})"


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="File to write.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random generator.")] = 0,
    density: Annotated[
        float | None, typer.Option(help="Share of the area that obstacles cover; 0.2, the default, is 20 %.")
    ] = None,
    width: Annotated[float | None, typer.Option(help="Width in metres; default: 2, that of a hall 20.")] = None,
    height: Annotated[float | None, typer.Option(help="Height in metres; default: 2, that of a hall 15.")] = None,
    hall: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="A hall with ragged walls instead: corridors, racks, caves or tracks."),
    ] = None,
    corners: Annotated[
        int | None, typer.Option(help="About the number of corners of a hall, 500 to 20000; default: 2000.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Generate an environment with random obstacles, or a random hall."""
    import numpy as np

    from environments import generate_environment, write_environment
    from environments.halls.hall import generate_hall
    from planner.output.claim import claim_file, writing

    if file.suffix.lower() != ".toml":
        raise BadInput(f"{file} must end in .toml")
    if hall and density is not None:
        raise BadInput("--density is for random obstacles; leave it out with --hall")
    if corners is not None and not hall:
        raise BadInput("--corners is for a hall; give --hall as well")
    with readable_errors(), claim_file(file, force):
        try:
            generator, sides = np.random.default_rng(seed), (20.0, 15.0) if hall else (2.0, 2.0)
            size = (sides[0] if width is None else width, sides[1] if height is None else height)
            if hall:
                environment = generate_hall(
                    hall, generator, size=size, corners=2000 if corners is None else corners, name=file.stem
                )
            else:
                share = 0.2 if density is None else density
                environment = generate_environment(generator, size=size, density=share, name=file.stem)
        except ValueError as error:
            raise BadInput(str(error)) from None
        with writing(file):
            write_environment(environment, file)
    print(f"wrote {file}")


app.command("import")(environments_import.import_file)
app.command("export")(environments_export.export_map)
