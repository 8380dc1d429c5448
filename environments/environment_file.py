"""Reading, checking and writing the TOML file of an environment.

schema = 2
name = "kitchen"                   # optional; else the file's name
description = "Past the fridge."   # optional
unit = "mm"                        # or "cm" or "m": the unit of every length below
tube = "prototype"                 # optional: the default tube, or a tube file in the same folder

[bounds]
min = [0, 0]
max = [2000, 1000]
edge = "open"                      # optional, schema 2: "open", "table" or "wall"
stacked = false                    # optional, schema 2: true where parts of the tube may lie on one another

[start]
position = [100, 100]
heading_deg = 90                   # anticlockwise from the x axis
mount = "free"                     # optional, schema 2: "free" or "wall"

[goal]
position = [1800, 900]
radius = 100

[obstacles]                        # optional, as is each key in it
boxes = [[400, 0, 500, 600], [700, 200, 800, 300, 30]]   # [x_min, y_min, x_max, y_max]; schema 2: turned by angle_deg
polygons = [[[800, 0], [900, 0], [850, 300]]]        # corners in order; concave allowed
circles = [[1200, 500, 80]]                          # [x, y, radius]
walls = [[1500, 1000, 1500, 300, 12]]                # [x1, y1, x2, y2, thickness]; thickness 0 is a bare line
ends = "flat"                                        # or "round": walls reach half their thickness beyond their end points
friction = 0.2                                       # optional, schema 2: of all walls, for tubes without one of their own

[obstacles.names]                  # optional, schema 2: names for people, in messages and pictures
"box 2" = "pillar"

[uncertainty]                      # optional, schema 2: the errors with which it is built, see environments.uncertainty
preset = "workshop"                # optional, as is each of its KEYS; numbers are standard deviations
start_position_mm = 2.0

[uncertainty.obstacle."wall 1"]    # for the object with the first wall; also "box 1", "polygon 1", "circle 1"
position_mm = 10.0                 # also rotation_deg, size_mm and percent

In files of schema 1, which are still read, the ends of walls are round unless `ends` says otherwise.
"""

import json
import math
import os
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from environments.checks import check_goal, check_start
from environments.environment import Environment, content_of, to_millimetres
from environments.error_messages import hint
from environments.file_model import LONGEST_NAME, SCHEMA, EnvironmentFile, InvalidEnvironment, check_data
from environments.lengths import UNITS
from environments.obstacles import KINDS, THINNEST, Obstacles, box_corners, is_box, plural, wall_corners
from environments.reading import UnreadableFile, parse_toml, read_file
from environments.uncertainty_in_files import UNSTATED, StatedUncertainty
from environments.writing import atomic_path

_MOST_BYTES = 5_000_000


def known_environments() -> list[str]:
    """Sorted names of the shipped environments."""
    return sorted(Path(entry.name).stem for entry in files("environments").iterdir() if entry.name.endswith(".toml"))


def load_environment(
    name_or_path: str | os.PathLike[str], tube_radius: float = 0.03335, name: str | None = None
) -> Environment:
    """Read and check an environment.

    Args:
        name_or_path: One of `known_environments()`, or the path of a TOML file.
        tube_radius: Minimum distance [m] between the start and every obstacle in which the base is not mounted; 0 to
            read a file before its tube is known.
        name: Name of the environment if the file has none; None for that of the file.
    Raises:
        InvalidEnvironment: The file is missing or malformed, or describes an impossible environment.
        ValueError: `tube_radius` is negative or not finite.

    >>> load_environment("divider").bounds
    array([0.   , 0.   , 1.525, 1.   ])
    """
    if not 0 <= tube_radius < math.inf:
        raise ValueError(f"tube_radius = {tube_radius} must be finite and at least 0 m")
    path: Traversable = Path(name_or_path)
    if str(name_or_path) in known_environments():
        path = files("environments") / f"{name_or_path}.toml"
    try:
        environment = parse_environment(data := _read(path), name or Path(path.name).stem, tube_radius)
        if isinstance(path, Path) and environment.tube and environment.tube.endswith(".toml"):
            environment = replace(environment, tube=str(path.parent / environment.tube))
            environment.keep_source(data.decode())
        return environment
    except InvalidEnvironment as error:
        raise InvalidEnvironment(" ".join(f"{path.name or path}: {error}".split("\n"))) from None


def parse_environment(data: bytes, name: str, tube_radius: float = 0.03335, unit: str | None = None) -> Environment:
    """Parse and check the content of an environment file.

    Args:
        name: Name of the environment if the file has none.
        tube_radius: As in `load_environment`.
        unit: Unit of the lengths in messages about start and goal, one of `SHOWN_UNITS`; None for that of the file.
    Raises:
        InvalidEnvironment: As there, without the file's name.
    """
    file = check_data(parse_toml(data, InvalidEnvironment))
    environment = _build_environment(file, name)
    check_start(environment, tube_radius, unit or file.unit)
    check_goal(environment, unit or file.unit)
    environment.keep_source(data.decode())
    return environment


def check_environment(environment: Environment, tube_radius: float = 0.03335) -> None:
    """Check an environment that was built in code, as `load_environment` checks one from a file.

    Args:
        tube_radius: Radius of the tube that must fit at the start [m].
    Raises:
        InvalidEnvironment: A number is not finite, the bounds are empty, or start or goal lie at an impossible position.
    """
    for name in ("bounds", "start", "goal"):
        if not np.isfinite(getattr(environment, name)).all():
            raise InvalidEnvironment(f"{name} = {getattr(environment, name).tolist()} must be finite")
    if not (environment.bounds[:2] < environment.bounds[2:]).all():
        raise InvalidEnvironment(f"bounds = {environment.bounds.tolist()} m must have each minimum below its maximum")
    check_start(environment, tube_radius, "m")
    check_goal(environment, "m")


# ---- conversion between file and environment ----


def _read(path: Traversable) -> bytes:
    try:
        if isinstance(path, Path) and not path.exists():
            known = known_environments()
            choices = f"shipped environments: {', '.join(known)}; or give the path of a TOML file"
            raise InvalidEnvironment(f"not found{hint(path.stem, known)}; {choices}")
        if not path.is_file():
            raise InvalidEnvironment("is not a regular file")
        return read_file(path, _MOST_BYTES)
    except OSError as error:
        raise InvalidEnvironment(f"cannot be read: {error.strerror}") from None
    except UnreadableFile as error:
        raise InvalidEnvironment(str(error)) from None


def _build_environment(file: EnvironmentFile, stem: str) -> Environment:
    per_metre, shapes = UNITS[file.unit], file.obstacles
    obstacles = Obstacles(
        boxes=[np.append(np.array(box[:4]) / per_metre, np.deg2rad(box[4:])) for box in shapes.boxes],
        polygons=[np.array(polygon) / per_metre for polygon in shapes.polygons],
        circles=np.array(shapes.circles, dtype=float).reshape(-1, 3) / per_metre,
        walls=np.array(shapes.walls, dtype=float).reshape(-1, 5) / per_metre,
        ends=shapes.ends,
        names=shapes.names,
    )
    return Environment(
        name=file.name or stem[:LONGEST_NAME],
        description=file.description,
        bounds=np.array([*file.bounds.min, *file.bounds.max]) / per_metre,
        start=np.array([*np.divide(file.start.position, per_metre), math.radians(file.start.heading_deg)]),
        goal=np.array([*file.goal.position, file.goal.radius]) / per_metre,
        obstacles=obstacles,
        tube=file.tube,
        mount=file.start.mount,
        edge=file.bounds.edge,
        stacked=file.bounds.stacked,
        friction=file.obstacles.friction,
        uncertainty=_read_uncertainty(file, obstacles),
    )


def _read_uncertainty(file: EnvironmentFile, obstacles: Obstacles) -> StatedUncertainty:
    """Read the errors of a file, with numbers of obstacles in the order of `Obstacles.shapes` instead of their names."""
    if file.uncertainty is None:
        return UNSTATED
    content = file.uncertainty.model_dump(exclude_none=True)
    numbers = {obstacles.label(index): index + 1 for index in range(len(obstacles))}
    single = {numbers[name]: part for name, part in content.pop("obstacle").items()}
    return StatedUncertainty.of({**content, "obstacle": single})


# ---- writing ----


def write_environment(environment: Environment, path: str | os.PathLike[str]) -> None:
    """Write a TOML file, atomically: the file that the environment was read from, byte for byte, or else one in millimetres.

    It loads with the same `sha256` and names of obstacles. A file without a name has that of its file name; one that names a tube
    file finds that in its own folder.

    Raises:
        OSError: The file cannot be written.
    """
    with atomic_path(Path(path)) as partial:
        partial.write_bytes(environment_text(environment).encode())


def environment_text(environment: Environment) -> str:
    """Return the text that `write_environment` writes as UTF-8; line ends are those of the file."""
    if environment.source and environment.source.sha256 == environment.sha256:
        return environment.source.text
    content = content_of(environment)
    friction = content.pop("obstacles").get("friction")
    listed, names = _list_obstacles(environment.obstacles)
    lines = [f"schema = {SCHEMA}", f"name = {_quote(environment.name)}"]
    if environment.description:
        lines.append(f"description = {_quote(environment.description)}")
    lines.append('unit = "mm"')
    # A relative path would be invalid in another folder; a design file contains its complete tube.
    if environment.tube and not environment.tube.endswith(".toml"):
        lines.append(f"tube = {_quote(environment.tube)}")
    for table, values in content.items():
        lines += ["", f"[{table}]", *(f"{key} = {_toml(value)}" for key, value in values.items())]
    if any(listed.values()) or friction is not None:
        lines += ["", "[obstacles]"]
    columns = {
        "box": "x_min, y_min, x_max, y_max",
        "circle": "x, y, radius",
        "wall": "x1, y1, x2, y2, thickness",
    }
    for kind, rows in listed.items():
        if rows:
            angle = ", angle_deg" * (kind == "box" and any(len(row) == 5 for row in rows))
            opening = f"{plural(kind)} = [" + (f"  # [{columns[kind]}{angle}]" if kind in columns else "")
            lines += [opening, *(f"  {row}," for row in rows), "]"]
    if (environment.obstacles.walls[:, 4] >= THINNEST).any():
        lines.append('ends = "round"')
    if friction is not None:
        lines.append(f"friction = {friction}")
    own_names = {names[k + 1]: name for k, name in enumerate(environment.obstacles.own_names) if name}
    if own_names:
        lines += ["", "[obstacles.names]", *(f"{_quote(key)} = {_quote(name)}" for key, name in own_names.items())]
    return "\n".join(lines + environment.uncertainty.lines(names)) + "\n"


def restate_errors(environment: Environment, uncertainty: StatedUncertainty) -> Environment:
    """Return an environment with other errors; its text is kept where the table `[uncertainty]` can be added at the end."""
    text, changed = environment_text(environment), replace(environment, uncertainty=uncertainty)
    if environment.source and not environment.uncertainty:
        end = "\r\n" if "\r\n" in text else "\n"
        obstacles = environment.obstacles
        added = uncertainty.lines({index + 1: obstacles.label(index) for index in obstacles.in_file.tolist()})
        text += end.join(["" if text.endswith("\n") else end, *added[1:], ""])
        try:
            if parse_environment(text.encode(), environment.name, 0.0).uncertainty == uncertainty:
                changed.keep_source(text)
        except InvalidEnvironment:  # the file has an older schema, which has no such table
            pass
    return changed


def _list_obstacles(obstacles: Obstacles) -> tuple[dict[str, list[list[Any]]], dict[int, str]]:
    """List the rows of each kind of obstacle [mm], and their names in their order, by their number from 1 in that of `Obstacles.shapes`.

    Kinds and numbers are kept if what is read has the same corners. Otherwise, as where arrays were changed, boxes and walls with
    flat ends become polygons.
    """
    kinds = [KINDS[kind] for kind in obstacles.labels[:, 0]]
    polygons = [[to_millimetres(point) for point in polygon] for polygon in obstacles.polygons]
    circles = [to_millimetres(circle) for circle in obstacles.circles]
    rows: list[Any] = [*polygons, *circles, *(to_millimetres(wall) for wall in obstacles.walls)]
    flat, boxes = iter(obstacles.flat), iter(obstacles.boxes)
    for index, polygon in enumerate(polygons):
        match kinds[index]:
            case "box":
                box = next(boxes)
                rows[index] = (
                    [*polygon[0], *polygon[2]] if is_box(polygon) else _write_box(box, obstacles.polygons[index])
                )
            case "wall":
                rows[index] = _write_flat_wall(next(flat), obstacles.polygons[index])
    order = obstacles.in_file.tolist()
    if None in rows:
        rows[: len(polygons)] = polygons
        kinds[: len(polygons)] = ["polygon"] * len(polygons)
        order = [*range(len(rows))]
    chosen = {kind: [index for index in order if kinds[index] == kind] for kind in KINDS[:4]}
    names = {k + 1: f"{kind} {number}" for kind, some in chosen.items() for number, k in enumerate(some, start=1)}
    return {kind: [rows[index] for index in some] for kind, some in chosen.items()}, names


def _write_flat_wall(wall: np.ndarray, corners: np.ndarray) -> list[int | float] | None:
    """Convert a wall [m] to a row of a file with exactly the given corners: rounded if possible; None if there is none."""
    return _write_row(1000 * wall, lambda row: np.array_equal(wall_corners(row / 1000), corners))


def _write_box(box: np.ndarray, corners: np.ndarray) -> list[int | float] | None:
    """Convert a turned box [m, rad] to a row of a file as `_write_flat_wall` does a wall."""
    row = np.append(1000 * box[:4], np.rad2deg(box[4]))

    def is_exact(row: np.ndarray) -> bool:
        x_min, y_min, x_max, y_max = (row[:4] / 1000).tolist()
        return np.array_equal(box_corners(x_min, y_min, x_max, y_max, math.radians(row[4])), corners)

    return _write_row(row, is_exact)


def _write_row(exact: np.ndarray, is_exact: Callable[[np.ndarray], bool]) -> list[int | float] | None:
    """Return a row of a file, rounded if that is exact, else with its last digits changed; None if no such row is exact."""
    nudges = (exact + np.array(nudge) * np.spacing(exact) for nudge in product((0, 1, -1), repeat=5))
    rows = (np.array(row, float) for row in (to_millimetres(exact / 1000), *nudges))
    found = next((row for row in rows if is_exact(row)), None)
    return None if found is None else [int(value) if value.is_integer() else value for value in found.tolist()]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _quote(value) if isinstance(value, str) else str(value)


def _quote(text: str) -> str:
    # A JSON string is a TOML string, except for the one control character that JSON does not escape.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
