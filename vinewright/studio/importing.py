"""Import of drawings and maps that the page uploads: in a process of its own, with limits of time and memory."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from environments.environment import Environment
from environments.environment_file import environment_text
from environments.file_model import LONGEST_NAME
from environments.importing.build import Imported, count_corners
from environments.importing.options import ImportOptions
from environments.importing.svg_shapes import MM_PER_PX
from environments.importing.traced import UnusableFile
from environments.obstacles import Obstacles
from surrogate.kernels.compiled import Floats
from vinewright.studio.document import parse_content
from vinewright.studio.foreign import describe_foreign
from vinewright.studio.limited import MOST_MEMORY, MOST_SECONDS, Failed, run_limited
from vinewright.studio.worker import line_of_error

GRID = 60
"""Number of places along each side of the bounds that are tried for a start and a goal."""
ROOM = 0.06
"""Room from obstacles and from the bounds that these places have [m]."""
MARGIN = 0.3
"""Room beside the obstacles of a file in which there is none between them [m]."""
FIELDS = {
    "--unit": "“unit”",
    "--mm-per-unit": "“length of a unit of the drawing”",
    "--known": "“Scale by two points”",
    "--solid": "“solid layers, colours or names”",
    "--free": "“left out of them”",
    "--wall-thickness": "“unfilled outlines are walls, thick”",
    "--least-size": "“leave out what is smaller than”",
    "--simplify": "“simplify by up to”",
}
"""Names of the options of the command line in the page."""
_OPTION = re.compile(r"--[a-z-]+")
GOAL_RADIUS = 0.05
"""Radius of a goal that the file does not give [m]."""


def import_uploaded(
    files: Mapping[str, bytes], options: ImportOptions, seconds: float = MOST_SECONDS, memory: int = MOST_MEMORY
) -> dict[str, Any]:
    """Import a file that was uploaded.

    Args:
        files: Contents by their names, without folders: the drawing or map, and pictures that it names.
        seconds: Maximum time [s].
        memory: Maximum memory of its process [bytes], where the system limits it.
    Returns:
        `content` and `text` of the environment, `notes`; `missing`: which of start and goal were placed where there is room;
        `corners` of the polygons before and after they were simplified; `mm_per_unit` of a drawing, and `is_assumed`: whether
        that is not from the file or asked for.
    Raises:
        UnusableFile: The files cannot be imported, or not within the limits.
    """
    name = _main_file(files)
    with tempfile.TemporaryDirectory(prefix="vinewright-import-") as folder:
        for file, data in files.items():
            (Path(folder) / file).write_bytes(data)
        try:
            found: dict[str, Any] = run_limited(_work, (Path(folder) / name, options), seconds, memory)
        except TimeoutError:
            raise UnusableFile(f"{name} takes longer than {seconds:g} s to import: use a part of it") from None
        except MemoryError:
            raise UnusableFile(f"{name} needs more memory than an import may have: use a part of it") from None
        except Failed as error:
            raise UnusableFile(str(error).replace(f"{folder}/", "")) from None
    return found


def _main_file(files: Mapping[str, bytes]) -> str:
    """Return the name of the file that is imported: the description of a map before its picture, else the only one."""
    described = [name for name in files if Path(name).suffix.lower() in (".yaml", ".yml")]
    if len(described) + (len(files) == 1) == 0:
        raise UnusableFile("give one drawing, or the YAML file of a map with its picture")
    return described[0] if described else next(iter(files))


def _work(file: Path, options: ImportOptions) -> dict[str, Any]:
    """Import a file; its error has the names of the fields of the page."""
    from vinewright.console.errors import BadInput, readable_errors

    try:
        with readable_errors():
            return _import(file, options)
    except BadInput as error:
        raise BadInput(_fault_of(error, file)) from None


def _import(file: Path, options: ImportOptions) -> dict[str, Any]:
    """Return what the page shows of a file; a drawing without a unit is shown in the unit that is usual."""
    from environments.importing.choose import import_file

    try:
        return _view(import_file(file, options))
    except UnusableFile:
        usual = {".dxf": replace(options, unit="mm"), ".svg": replace(options, mm_per_unit=MM_PER_PX)}
        assumed = usual.get(file.suffix.lower(), options)
        if options.unit or options.mm_per_unit or options.known or assumed == options:
            raise
        try:
            found = _view(import_file(file, assumed))
        except UnusableFile:
            found = None
        if found is None:
            raise
        return {**found, "is_assumed": True}


def _fault_of(error: Exception, file: Path) -> str:
    """Return why a file cannot be imported: the kind of file that it is, if its name says another one, else the error."""
    found = describe_foreign(file.read_bytes().decode(errors="replace"))
    # A drawing with a fault that is what its name says is described by the importer.
    own = file.suffix.lower().replace(".yml", ".yaml")
    is_own = found is None or f"end in {own}" in found or "GeoJSON" in found
    return _in_words(line_of_error(error)) if is_own else f"{file.name} {found}"


def _in_words(text: str) -> str:
    """Return a text with the names of the page's fields in place of those of the options of the command line."""
    return _OPTION.sub(lambda option: FIELDS.get(option[0], option[0]), text)


def _view(found: Imported) -> dict[str, Any]:
    """Return what the page shows of an import."""
    bounds = found.bounds
    ends = _place_ends(found.obstacles, bounds)
    if found.missing and ends is None:
        # A file of obstacles alone ends with them: the vine needs room beside them.
        bounds = bounds[0] - MARGIN, bounds[1] - MARGIN, bounds[2] + MARGIN, bounds[3] + MARGIN
        ends = _place_ends(found.obstacles, bounds)
    start, goal = np.zeros((2, 2)) if ends is None else ends
    made = Environment(
        name=Path(found.name).stem[:LONGEST_NAME],
        description=f"Imported from {found.name[:100]}.",
        bounds=bounds,
        start=found.start or (*start, 0.0),
        goal=found.goal or (*goal, GOAL_RADIUS),
        obstacles=found.obstacles,
        mount=found.mount,
        edge=found.edge,
    )
    text = environment_text(made)
    solid = found.traced.solid
    # A last corner may be the first one again.
    corners = [
        count_corners(shapely.remove_repeated_points(list(some))) for some in (solid, found.outlines[: len(solid)])
    ]
    return {
        "content": parse_content(text),
        "text": text,
        "notes": [_in_words(note) for note in found.notes],
        "missing": found.missing,
        "corners": corners,
        "mm_per_unit": found.traced.unit and 1e3 * found.traced.unit,
        "is_assumed": False,
    }


def _place_ends(obstacles: Obstacles, bounds: tuple[float, float, float, float]) -> tuple[Floats, Floats] | None:
    """Return places of a start at the left and of a goal at the right of the bounds [m], with room around both; None without any."""
    low, high = np.reshape(bounds, (2, 2))
    steps = (np.arange(GRID) + 0.5) / GRID
    points = low + np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2) * (high - low)
    beside = np.minimum(points - low, high - points).min(axis=-1)
    points = points[np.minimum(obstacles.clearance(points), beside) >= ROOM]
    if not len(points):
        return None
    # Of places as far to a side, those in the middle.
    middle = abs(points[:, 1] - low[1] - 0.5 * (high[1] - low[1]))
    first, last = np.lexsort((middle, points[:, 0])), np.lexsort((middle, -points[:, 0]))
    return points[first[0]].round(3), points[last[0]].round(3)
