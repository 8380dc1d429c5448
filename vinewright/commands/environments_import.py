"""`vinewright environments import`: an environment from a map of a robot, a drawing or a photograph."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.commands.environment_content import environment_content
from vinewright.commands.environments_import_options import (
    ArucoOption,
    ColorOption,
    CornersOption,
    CropOption,
    EdgeOption,
    FileArgument,
    FreeOption,
    GoalLayerOption,
    GoalOption,
    KnownOption,
    LeastSizeOption,
    MmPerUnitOption,
    MountOption,
    OutOption,
    PickOption,
    PictureOption,
    SimplifyOption,
    SizeOption,
    SolidOption,
    StartLayerOption,
    StartOption,
    ToleranceOption,
    UnitOption,
    UnknownOption,
    WallThicknessOption,
    parse_corners,
    parse_crop,
    parse_known,
    parse_length,
    parse_position,
    parse_size,
    parse_word,
)
from vinewright.commands.environments_pick import pick_ends
from vinewright.commands.track import parse_color
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, needs, readable_errors
from vinewright.console.options import print_hints

if TYPE_CHECKING:
    from environments.importing.build import Imported
    from environments.importing.options import ImportOptions


def import_file(
    file: FileArgument,
    out: OutOption = None,
    start: StartOption = None,
    goal: GoalOption = None,
    pick: PickOption = False,
    simplify: SimplifyOption = None,
    picture: PictureOption = None,
    solid: SolidOption = None,
    free: FreeOption = None,
    wall_thickness: WallThicknessOption = None,
    least_size: LeastSizeOption = 0.0,
    crop: CropOption = None,
    mount: MountOption = "free",
    edge: EdgeOption = "open",
    unknown: UnknownOption = "obstacle",
    unit: UnitOption = None,
    mm_per_unit: MmPerUnitOption = None,
    known: KnownOption = None,
    start_layer: StartLayerOption = None,
    goal_layer: GoalLayerOption = None,
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

    options = ImportOptions(
        simplify=None if simplify is None else parse_length("--simplify", simplify),
        start=parse_position("--start", start, "X,Y,DEG", math.radians(1)),
        goal=parse_position("--goal", goal, "X,Y,RADIUS", 1e-3),
        solid=tuple(solid or ()),
        free=tuple(free or ()),
        wall_thickness=None if wall_thickness is None else parse_length("--wall-thickness", wall_thickness, least=1e-3),
        least_size=parse_length("--least-size", least_size),
        crop=parse_crop(crop),
        mount=parse_word("--mount", mount, ("free", "wall")),
        edge=parse_word("--edge", edge, ("open", "table", "wall")),
        known=parse_known(known),
        unit=unit,
        mm_per_unit=None if mm_per_unit is None else 1e3 * parse_length("--mm-per-unit", mm_per_unit, least=1e-6),
        layers={role: name for role, name in (("start", start_layer), ("goal", goal_layer)) if name is not None},
        unknown_free=parse_word("--unknown", unknown, ("obstacle", "free")) == "free",
        size=parse_size(size),
        corners=parse_corners(corners),
        aruco=aruco,
        color=parse_color(color),
        tolerance=tolerance,
    )
    answer, out = Answer(as_json), out or Path(f"{file.stem}.toml")
    if options.goal and 0 < options.goal[2] < 1e-3:
        answer.console.print(f"hint: --goal {goal} has a radius of less than 1 mm: --start and --goal are in mm")
    _check_paths(file, out, picture)
    return _import(answer, file, pick_ends(answer.console, file, options) if pick else options, (out, picture), force)


def _import(answer: Answer, file: Path, options: ImportOptions, paths: tuple[Path, Path | None], force: bool) -> int:
    """Read the file, and write the environment and the picture to the paths, or the picture alone."""
    out, picture = paths
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
    from environments.importing.crop import crop_hint
    from planner.drawing.imported import imported_figure
    from planner.drawing.plan import save_page
    from planner.output.claim import claim_file, writing
    from planner.uncertainty.errors import errors_of

    environment, radius = found.environment(out.stem), VineParams().radius
    with claim_file(out, force, "--out"), claim_file(picture, force, "--picture"), writing(out):
        save_page(picture, imported_figure(found))
        write_environment(environment, out)
    _report(answer, found)
    if found.start and found.goal and (hint := crop_hint(found.bounds, found.start, found.goal)):
        answer.console.print(f"hint: {hint}")
    print_hints(answer.console, environment, radius, errors_of(environment, VineParams()))
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
