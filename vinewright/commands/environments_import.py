"""`vinewright environments import`: an environment from a map of a robot, a drawing or a photograph."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.commands.environment_content import environment_content
from vinewright.commands.track import parse_color
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, needs, readable_errors
from vinewright.console.options import print_hints

if TYPE_CHECKING:
    from environments.importing.build import Imported

CORNERS = "lower left, lower right, upper right, upper left"
FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="A map of ROS (.yaml), a drawing (.dxf, .svg, .geojson) or a photograph from above (.png, .jpg).",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE.toml", help="File to write. Default: FILE's name with .toml, in this folder."),
]
PictureOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.png",
        help="Picture of the obstacles over what they were found in. Default: the name of --out with -imported.png. Without start or "
        "goal only this is written.",
    ),
]
StartOption = Annotated[
    str | None, typer.Option(metavar="X,Y,DEG", help="Start in mm and its heading in degrees, in place of the file's.")
]
GoalOption = Annotated[
    str | None, typer.Option(metavar="X,Y,RADIUS", help="Goal and its radius in mm, in place of the file's.")
]
SimplifyOption = Annotated[
    float | None,
    typer.Option(
        metavar="MM",
        help="Largest distance in mm by which outlines may move so that they have fewer corners. Default: half a cell of a map, a "
        "pixel of a rectified photograph, 0 for drawings.",
    ),
]
MmPerUnitOption = Annotated[
    float | None, typer.Option(metavar="MM", help="Of .svg: millimetres for each unit, if not what the file says.")
]
SizeOption = Annotated[
    str | None,
    typer.Option(
        metavar="WIDTHxHEIGHT", help="Of photographs: a rectangle on the bench in mm, which becomes the bounds."
    ),
]
CornersOption = Annotated[
    str | None,
    typer.Option(
        metavar="'X,Y X,Y X,Y X,Y'",
        help=f"Of photographs: pixels of its corners from the upper left of the picture: {CORNERS}.",
    ),
]
ArucoOption = Annotated[
    bool,
    typer.Option(
        "--aruco",
        help=f"Of photographs: ArUco markers 0 to 3 (DICT_4X4_50) lie with their centres at its corners: {CORNERS}.",
    ),
]
ColorOption = Annotated[
    str | None,
    typer.Option(
        metavar="'#rrggbb'", help="Of photographs: colour of the obstacles. Default: all that is darker than the bench."
    ),
]
ToleranceOption = Annotated[
    float | None, typer.Option(help="Of photographs: largest distance from --color, in CIELAB units. Default: 25.")
]


def import_file(
    file: FileArgument,
    out: OutOption = None,
    start: StartOption = None,
    goal: GoalOption = None,
    simplify: SimplifyOption = None,
    picture: PictureOption = None,
    unknown: Annotated[
        str, typer.Option(metavar="obstacle|free", help="Of maps: what unknown cells are.")
    ] = "obstacle",
    unit: Annotated[
        str | None,
        typer.Option(help="Of .dxf and .geojson: unit of lengths, mm, cm, m, in or ft, if not what the file says."),
    ] = None,
    mm_per_unit: MmPerUnitOption = None,
    wall_layer: Annotated[str | None, typer.Option(help="Of .dxf and .svg: layer or id of the obstacles.")] = None,
    start_layer: Annotated[str | None, typer.Option(help="Of .dxf and .svg: layer or id of the start.")] = None,
    goal_layer: Annotated[str | None, typer.Option(help="Of .dxf and .svg: layer or id of the goal.")] = None,
    size: SizeOption = None,
    corners: CornersOption = None,
    aruco: ArucoOption = False,
    color: ColorOption = None,
    tolerance: ToleranceOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Import an environment from a map of a robot, a drawing or a photograph, and draw what was found. Exit code 3 if only the picture
    could be written, because start or goal are missing."""
    from environments.importing.options import ImportOptions

    layers = {"wall": wall_layer, "start": start_layer, "goal": goal_layer}
    if unknown not in ("obstacle", "free"):
        raise BadInput(f"--unknown {unknown} must be obstacle or free")
    options = ImportOptions(
        simplify=None if simplify is None else _parse_length("--simplify", simplify),
        start=_parse_position("--start", start, "X,Y,DEG", math.radians(1)),
        goal=_parse_position("--goal", goal, "X,Y,RADIUS", 1e-3),
        unit=unit,
        mm_per_unit=None if mm_per_unit is None else 1e3 * _parse_length("--mm-per-unit", mm_per_unit, least=1e-6),
        layers={name: layer for name, layer in layers.items() if layer is not None},
        unknown_free=unknown == "free",
        size=_parse_size(size),
        corners=_parse_corners(corners),
        aruco=aruco,
        color=parse_color(color),
        tolerance=tolerance,
    )
    answer, out = Answer(as_json), out or Path(f"{file.stem}.toml")
    if options.goal and 0 < options.goal[2] < 1e-3:
        answer.console.print(f"hint: --goal {goal} has a radius of less than 1 mm: --start and --goal are in mm")
    _check_paths(file, out, picture)
    with readable_errors(), needs("import"):
        from environments.importing.choose import import_file

        with answer.console.status(f"reading {file.name}"):
            found = import_file(file, options)
        if found.missing:
            return _write_picture(answer, found, picture, force)
        return _write_environment(answer, found, out, picture or out.with_name(f"{out.stem}-imported.png"), force)


def _check_paths(file: Path, out: Path, picture: Path | None) -> None:
    if out.suffix.lower() != ".toml":
        raise BadInput(f"--out {out} must end in .toml")
    if picture and picture.suffix.lower() != ".png":
        raise BadInput(f"--picture {picture} must end in .png")
    if picture and picture.exists() and file.exists() and picture.samefile(file):
        raise BadInput(f"--picture {picture} is the file that is imported; give another name")


def _write_picture(answer: Answer, found: Imported, picture: Path | None, force: bool) -> int:
    """Write only the picture, in which the user can choose start and goal."""
    from planner.drawing.imported import imported_figure
    from planner.drawing.plan import save_page
    from planner.output.claim import claim_file, writing

    lacks = f"{found.name} has no {' and no '.join(found.missing)}"
    forms = {"start": "--start X,Y,DEG", "goal": "--goal X,Y,RADIUS"}
    wanted = f"give {' and '.join(forms[name] for name in found.missing)}, in mm"
    if picture is None:
        raise BadInput(
            f"{lacks}; {wanted}; with --picture FILE.png instead, only a picture is written, to choose them in"
        )
    with claim_file(picture, force, "--picture"), writing(picture):
        save_page(picture, imported_figure(found))
    _report(answer, found)
    answer.console.print(f"wrote {picture}")
    return answer.end(_content(found), [picture], f"no environment was written: {lacks}; {wanted}")


def _write_environment(answer: Answer, found: Imported, out: Path, picture: Path, force: bool) -> int:
    """Write the environment and the picture."""
    from dynamics.tube import VineParams
    from environments import InvalidEnvironment, write_environment
    from environments.checks import check_start
    from planner.drawing.imported import imported_figure
    from planner.drawing.plan import save_page
    from planner.output.claim import claim_file, writing

    environment, radius = found.environment(out.stem), VineParams().radius
    with claim_file(out, force, "--out"), claim_file(picture, force, "--picture"), writing(out):
        save_page(picture, imported_figure(found))
        write_environment(environment, out)
    _report(answer, found)
    print_hints(answer.console, environment, radius)
    try:
        check_start(environment, radius, "mm")
    except InvalidEnvironment as error:
        answer.console.print(f"hint: the default tube does not fit: {error}")
    answer.console.print(f"wrote {out} and {picture}")
    return answer.end({**_content(found), "environment": environment_content(environment)}, [out, picture])


def _report(answer: Answer, found: Imported) -> None:
    from dynamics.tube import VineParams
    from environments.importing.specks import specks_hint
    from environments.lengths import format_lengths

    for note in found.notes:
        answer.console.print(note)
    counts = _content(found)["obstacles"]
    answer.console.print(
        f"obstacles  polygons: {counts['polygons']}; circles: {counts['circles']}; walls: {counts['walls']}"
    )
    low, high = (
        format_lengths((1e3 * side for side in ends), "mm")[1:-1] for ends in (found.bounds[:2], found.bounds[2:])
    )
    answer.console.print(f"bounds     ({low}) to ({high}) mm")
    for hint in filter(None, [*found.traced.hints, specks_hint(found, VineParams().radius)]):
        answer.console.print(f"hint: {hint}")


def _content(found: Imported) -> dict[str, Any]:
    """Return the properties of the imported environment for a JSON document."""
    obstacles = found.obstacles
    return {
        "file": found.name,
        "notes": list(found.notes),
        "moved_mm": round(1e3 * found.moved, 6),
        "bounds_mm": [round(1e3 * side, 6) for side in found.bounds],
        "obstacles": {
            "polygons": len(obstacles.polygons),
            "circles": len(obstacles.circles),
            "walls": len(obstacles.walls),
            "corners": sum(map(len, obstacles.polygons)),
        },
    }


# ---- the options ----


def _parse_numbers(option: str, text: str, form: str, separator: str = ",") -> list[float]:
    """Parse a text such as `1,2,3` into as many numbers as the form in the help has."""
    parts = text.split(separator)
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) != len(form.split(separator)) or not all(map(math.isfinite, numbers)):
        raise BadInput(f"{option} {text} must be finite numbers: {form}")
    return numbers


def _parse_position(option: str, text: str | None, form: str, third: float) -> tuple[float, float, float] | None:
    """Parse a position [m] and a third number, which is multiplied by its unit `third`."""
    if text is None:
        return None
    x, y, more = _parse_numbers(option, text, form)
    return x / 1e3, y / 1e3, more * third


def _parse_length(option: str, millimetres: float, least: float = 0.0) -> float:
    """Check a length in millimetres, and return it [m]."""
    if not least <= millimetres <= 1e6:
        raise BadInput(f"{option} {millimetres:g} must be from {least:g} to 1e6")
    return millimetres / 1e3


def _parse_size(text: str | None) -> tuple[float, float] | None:
    """Parse width and height [m]."""
    if text is None:
        return None
    width, height = _parse_numbers("--size", text.lower(), "WIDTHxHEIGHT", "x")
    if not (min(width, height) >= 1 and max(width, height) <= 1e6):
        raise BadInput(f"--size {text} must be from 1 to 1e6 mm, such as 600x400")
    return width / 1e3, height / 1e3


def _parse_corners(text: str | None) -> tuple[tuple[float, float], ...]:
    """Parse the pixels of four corners."""
    if text is None:
        return ()
    if len(pairs := text.split()) != 4:
        raise BadInput(f"--corners {text} must be four corners, such as '90,610 1100,640 980,80 200,60'")
    numbers = [_parse_numbers("--corners", pair, "X,Y") for pair in pairs]
    return tuple((x, y) for x, y in numbers)
