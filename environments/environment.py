"""An environment and its TOML file.

schema = 2
name = "kitchen"                   # optional; else the file's name
description = "Past the fridge."   # optional
unit = "mm"                        # or "cm" or "m": the unit of every length below
tube = "prototype"                 # optional: the default tube, or a tube file in the same folder

[bounds]
min = [0, 0]
max = [2000, 1000]
edge = "open"                      # optional, schema 2: "open", "table" or "wall"

[start]
position = [100, 100]
heading_deg = 90                   # anticlockwise from the x axis
mount = "free"                     # optional, schema 2: "free" or "wall"

[goal]
position = [1800, 900]
radius = 100

[obstacles]                        # optional, as is each key in it
boxes = [[400, 0, 500, 600]]                         # [x_min, y_min, x_max, y_max]
polygons = [[[800, 0], [900, 0], [850, 300]]]        # corners in order; concave allowed
circles = [[1200, 500, 80]]                          # [x, y, radius]
walls = [[1500, 1000, 1500, 300, 12]]                # [x1, y1, x2, y2, thickness]; thickness 0 is a bare line
ends = "flat"                                        # or "round": walls reach half their thickness beyond their end points

In files of schema 1, which are still read, the ends of walls are round unless `ends` says otherwise.
"""

import hashlib
import json
import math
import os
import re
import tomllib
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import takewhile
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from environments.base import Standing, check_standing, framed, piece_at
from environments.checks import check_goal, check_start
from environments.file_model import LONGEST_NAME, SCHEMA, EnvironmentFile, InvalidEnvironment, check_data, hint
from environments.lengths import UNITS
from environments.obstacles import Obstacles, box_corners
from environments.reading import Unreadable, read_file
from environments.writing import whole

_MOST_BYTES = 5_000_000
_LONG_KEY = re.compile(rb"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){10}""")
"""A dotted key with more parts than any valid file has."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Environment:
    """An environment: bounds, start pose, goal disc and obstacles.

    >>> from environments import Obstacles
    >>> room = Environment(
    ...     name="room",
    ...     bounds=(0, 0, 2, 1),
    ...     start=(0.1, 0.3, 0),
    ...     goal=(1.8, 0.7, 0.1),
    ...     obstacles=Obstacles(circles=[(1.0, 0.5, 0.15)]),
    ... )
    >>> room.goal
    array([1.8, 0.7, 0.1])
    """

    name: str
    description: str
    bounds: np.ndarray
    """min_x, min_y, max_x, max_y [m], shape (4,)."""
    start: np.ndarray
    """x, y [m] and heading [rad], anticlockwise from the x axis, shape (3,)."""
    goal: np.ndarray
    """x, y and radius of the goal disc [m], shape (3,)."""
    obstacles: Obstacles
    tube: str | None = None
    """Default tube: the name of a shipped one, or the path of a file (`.toml`)."""
    mount: str = "free"
    """"free", or "wall": the tube comes out of the obstacle at which, or in which, the start lies."""
    edge: str = "open"
    """What the bounds are: "open", where the tube's axis may not leave; the edge of a "table", over which no part of the
    tube may hang; or a solid "wall"."""
    anchor: np.ndarray | None = None
    """Which of `solids` the base is mounted in, in the order of their `shapes`, for an environment whose obstacles have
    moved; None to find it from the start."""

    def __init__(
        self,
        name: str = "environment",
        description: str = "",
        bounds: ArrayLike | None = None,
        start: ArrayLike | None = None,
        goal: ArrayLike | None = None,
        obstacles: Obstacles | None = None,
        tube: str | None = None,
        **standing: Unpack[Standing],
    ) -> None:
        """Bounds, start and goal are required, in metres and radians. `check_environment` checks whether they fit together.

        Args:
            standing: `mount`, `edge` and `anchor`.
        Raises:
            InvalidEnvironment: One of them is missing, or has another shape, or `mount` or `edge` is not a known word.
            TypeError: An unknown argument.
        """
        # Fields of a frozen dataclass can only be set this way.
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "description", description)
        for key, value, parts in (
            ("bounds", bounds, ("min_x", "min_y", "max_x", "max_y")),
            ("start", start, ("x", "y", "heading")),
            ("goal", goal, ("x", "y", "radius")),
        ):
            array = np.asarray(() if value is None else value, float)
            if array.shape != (len(parts),):
                raise InvalidEnvironment(f"{key} = {value} must be {len(parts)} numbers: {', '.join(parts)}")
            object.__setattr__(self, key, array)
        object.__setattr__(self, "obstacles", Obstacles() if obstacles is None else obstacles)
        object.__setattr__(self, "tube", tube)
        check_standing(standing)
        object.__setattr__(self, "mount", standing.get("mount", "free"))
        object.__setattr__(self, "edge", standing.get("edge", "open"))
        object.__setattr__(self, "anchor", standing.get("anchor"))

    def __repr__(self) -> str:
        size = " x ".join(f"{side:g}" for side in self.bounds[2:] - self.bounds[:2])
        shapes = self.obstacles
        counts = f"{len(shapes.polygons)} polygons, {len(shapes.circles)} circles, {len(shapes.walls)} walls"
        return f"<Environment {self.name}: {size} m, {counts}>"

    @property
    def solids(self) -> Obstacles:
        """Everything solid: the obstacles and, if the bounds are walls, those walls as the last polygons."""
        return framed(self.obstacles, self.bounds) if self.edge == "wall" else self.obstacles

    @property
    def mounted(self) -> np.ndarray:
        """Which of `solids` the base is mounted in: the nearest one, or the one around it, with all that touch it.

        In the order of their `shapes`, shape (n,), bool; none if the mount is free.
        """
        solids = self.solids
        if self.mount == "free":
            return np.zeros(len(solids), bool)
        return piece_at(solids, self.start[:2]) if self.anchor is None else self.anchor

    @property
    def sha256(self) -> str:
        """Hash of the geometry (without name, description and tube), independent of the file's layout and unit.

        Numbers are rounded to 12 significant digits in millimetres and degrees.
        """
        text = json.dumps(_content(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def known_environments() -> list[str]:
    """Sorted names of the shipped environments."""
    return sorted(Path(entry.name).stem for entry in files("environments").iterdir() if entry.name.endswith(".toml"))


def load_environment(name_or_path: str | os.PathLike[str], tube_radius: float = 0.03335) -> Environment:
    """Read and check an environment.

    Args:
        name_or_path: One of `known_environments()`, or the path of a TOML file.
        tube_radius: Minimum distance [m] between the start and every obstacle in which the base is not mounted; 0 to
            read a file before its tube is known.
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
        environment = parse_environment(_read(path), Path(path.name).stem, tube_radius)
        if isinstance(path, Path) and environment.tube and environment.tube.endswith(".toml"):
            return replace(environment, tube=str(path.parent / environment.tube))
        return environment
    except InvalidEnvironment as error:
        raise InvalidEnvironment(" ".join(f"{path.name or path}: {error}".split("\n"))) from None


def parse_environment(data: bytes, name: str, tube_radius: float = 0.03335) -> Environment:
    """Parse and check the content of an environment file.

    Args:
        name: Name of the environment if the file has none.
        tube_radius: As in `load_environment`.
    Raises:
        InvalidEnvironment: As there, without the file's name.
    """
    file = check_data(_parse(data))
    environment = _environment(file, name)
    check_start(environment, tube_radius, file.unit)
    check_goal(environment, file.unit)
    return environment


def check_environment(environment: Environment, tube_radius: float = 0.03335) -> None:
    """Check an environment that was built in code, as `load_environment` checks one from a file.

    Args:
        tube_radius: As in `load_environment`.
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


def write_environment(environment: Environment, path: str | os.PathLike[str]) -> None:
    """Write a TOML file in millimetres, atomically; it loads with the same `sha256`.

    Raises:
        OSError: The file cannot be written.
    """
    with whole(Path(path)) as partial:
        partial.write_text(environment_text(environment), encoding="utf-8")


def environment_text(environment: Environment) -> str:
    """The text that `write_environment` writes."""
    content = _content(environment)
    obstacles = content.pop("obstacles")
    lines = [f"schema = {SCHEMA}", f"name = {_quoted(environment.name)}"]
    if environment.description:
        lines.append(f"description = {_quoted(environment.description)}")
    lines.append('unit = "mm"')
    # A relative path would be invalid in another folder; a design file contains its complete tube.
    if environment.tube and not environment.tube.endswith(".toml"):
        lines.append(f"tube = {_quoted(environment.tube)}")
    for table, values in content.items():
        lines += ["", f"[{table}]", *(f"{key} = {_toml(value)}" for key, value in values.items())]
    if any(obstacles.values()):
        lines += ["", "[obstacles]"]
    columns = {"boxes": "x_min, y_min, x_max, y_max", "circles": "x, y, radius", "walls": "x1, y1, x2, y2, thickness"}
    for kind, rows in obstacles.items():
        if rows:
            opening = f"{kind} = [" + (f"  # [{columns[kind]}]" if kind in columns else "")
            lines += [opening, *(f"  {row}," for row in rows), "]"]
    if (environment.obstacles.walls[:, 4] > 0).any():
        lines.append('ends = "round"')
    return "\n".join(lines) + "\n"


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
    except Unreadable as error:
        raise InvalidEnvironment(str(error)) from None


def _parse(data: bytes) -> dict[str, Any]:
    # The parser's time grows with the square of a dotted key's length.
    if _LONG_KEY.search(data):
        raise InvalidEnvironment("is nested too deeply")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidEnvironment(f"is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}") from None
    except RecursionError:
        raise InvalidEnvironment("is nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, and integers too long for Python
        raise InvalidEnvironment(f"is not TOML: {str(error)[:200]}") from None


def _environment(file: EnvironmentFile, stem: str) -> Environment:
    per_metre, shapes = UNITS[file.unit], file.obstacles
    polygons = [box_corners(*box) for box in shapes.boxes] + [np.array(polygon) for polygon in shapes.polygons]
    return Environment(
        name=file.name or stem[:LONGEST_NAME],
        description=file.description,
        bounds=np.array([*file.bounds.min, *file.bounds.max]) / per_metre,
        start=np.array([*np.divide(file.start.position, per_metre), math.radians(file.start.heading_deg)]),
        goal=np.array([*file.goal.position, file.goal.radius]) / per_metre,
        obstacles=Obstacles(
            polygons=tuple(polygon / per_metre for polygon in polygons),
            circles=np.array(shapes.circles, dtype=float).reshape(-1, 3) / per_metre,
            walls=np.array(shapes.walls, dtype=float).reshape(-1, 5) / per_metre,
            ends=shapes.ends,
        ),
        tube=file.tube,
        mount=file.start.mount,
        edge=file.bounds.edge,
    )


def _content(environment: Environment) -> dict[str, dict[str, Any]]:
    """The geometry as in a file: millimetres and degrees, rounded, whole numbers as integers."""
    bounds, start, goal, obstacles = environment.bounds, environment.start, environment.goal, environment.obstacles
    polygons = [[_millimetres(point) for point in polygon] for polygon in obstacles.polygons]
    # Boxes come first in a loaded environment: only leading ones are written as `boxes`, which keeps the order.
    boxes = [[*polygon[0], *polygon[2]] for polygon in takewhile(_is_box, polygons)]
    # Defaults are left out: they keep the hash that files without these keys have.
    edge = {} if environment.edge == "open" else {"edge": environment.edge}
    mount = {} if environment.mount == "free" else {"mount": environment.mount}
    return {
        "bounds": {"min": _millimetres(bounds[:2]), "max": _millimetres(bounds[2:]), **edge},
        "start": {"position": _millimetres(start[:2]), "heading_deg": _tidy(math.degrees(start[2])), **mount},
        "goal": {"position": _millimetres(goal[:2]), "radius": _tidy(1000 * goal[2])},
        "obstacles": {
            "boxes": boxes,
            "polygons": polygons[len(boxes) :],
            "circles": [_millimetres(circle) for circle in obstacles.circles],
            "walls": [_millimetres(wall) for wall in obstacles.walls],
        },
    }


def _is_box(polygon: list[list[int | float]]) -> bool:
    """Whether a polygon, rounded as in a file, so that it is the same one when it is read again, is a box."""
    if len(polygon) != 4:
        return False
    (x_min, y_min), (x_max, y_max) = polygon[0], polygon[2]
    return x_min < x_max and y_min < y_max and polygon == box_corners(x_min, y_min, x_max, y_max).tolist()


def _millimetres(lengths: np.ndarray) -> list[int | float]:
    return [_tidy(1000 * length) for length in lengths]


def _tidy(value: float) -> int | float:
    # 12 digits hide the rounding of the unit conversion, so that 71.6 mm remains 71.6 mm.
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() else rounded


def _toml(value: Any) -> str:
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    # A JSON string is a TOML string, except for the one control character that JSON does not escape.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
