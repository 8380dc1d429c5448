"""Schema of an environment file and its error messages."""

import math
import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

import shapely
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from environments.error_messages import check_names, describe, hint, make_bare_error
from environments.learnt_errors import MOST_ERRORS, LearntErrors
from environments.lengths import UNITS, format_length
from environments.obstacles import KINDS, Ends, plural
from environments.uncertainty import KEYS, OF_OBSTACLES, PRESETS

MOST_SHAPES = 20_000
MOST_CORNERS = 50_000
"""Maximum number of corners of all polygons and walls with flat ends together."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters that a terminal may interpret; tabs and line ends are allowed."""
LONGEST_NAME = 200
"""Maximum length of a name [characters]."""
LONGEST_OWN_NAME = 40
"""Maximum length of the name of an obstacle, which pictures show [characters]."""
_FARTHEST = 1e4
"""Largest length or coordinate in a file [m]."""
MOST_FRICTION = 10.0
"""Largest coefficient of friction of walls; that of rubber on rubber is about a tenth of it."""
SCHEMA = 2
"""Schema of the files that are written; schema 1, in which the ends of walls are round, can still be read."""


class InvalidEnvironment(ValueError):
    """An invalid environment; the one-line message gives file, key, value and allowed range."""

    exit_code = 2


def _check_length(value: float, info: ValidationInfo) -> float:
    assert info.context  # check_data gives it
    unit, farthest = info.context["unit"], info.context["farthest"]
    if abs(value) > farthest:
        raise PydanticCustomError("length", f"must be from {-farthest:.0f} to {farthest:.0f} {unit}")
    return value


def _check_schema(version: int) -> int:
    if version not in (1, SCHEMA):
        raise PydanticCustomError("schema", f"must be 1 or {SCHEMA}")
    return version


def _check_box(box: list[float]) -> list[float]:
    if box[0] >= box[2] or box[1] >= box[3]:
        raise PydanticCustomError("box", "must have x_min < x_max and y_min < y_max")
    if abs((*box, 0.0)[4]) > 360:
        raise PydanticCustomError("box", "must have an angle from -360 to 360 deg")
    return box


def _check_circle(circle: list[float]) -> list[float]:
    if circle[2] <= 0:
        raise PydanticCustomError("circle", "must have a radius greater than 0")
    return circle


def _check_wall(wall: list[float]) -> list[float]:
    if math.dist(wall[:2], wall[2:4]) < 1e-6:
        raise PydanticCustomError("wall", "must have a length: its two ends are the same point")
    if wall[4] < 0:
        raise PydanticCustomError("wall", "must have a thickness of 0 or more")
    return wall


def _check_polygon(points: list[list[float]], info: ValidationInfo) -> list[list[float]]:
    points = [point for point, after in zip(points, points[1:] + points[:1], strict=True) if point != after]
    if len(points) < 3:
        raise make_bare_error(f"has {len(points)} distinct points; at least 3 are needed")
    outline = shapely.Polygon(points)
    if outline.convex_hull.area <= 1e-12 * outline.length**2:
        raise make_bare_error("has zero area: its points lie on one line")
    if not outline.is_valid:
        assert info.context
        position, unit = re.search(r"\[(\S+) (\S+)\]", shapely.is_valid_reason(outline)), info.context["unit"]
        where = (
            f" near ({', '.join(format_length(float(one), unit) for one in position.groups())}) {unit}"
            if position
            else ""
        )
        raise make_bare_error(f"crosses itself{where}; outlines must be simple")
    return points


def _check_preset(preset: str) -> str:
    if preset not in PRESETS:
        raise PydanticCustomError("preset", f"must be one of {', '.join(PRESETS)}{hint(preset, [*PRESETS])}")
    return preset


def _check_range(ends: list[float]) -> list[float]:
    if ends[0] > ends[1]:
        raise PydanticCustomError("range", "must have its smaller number first")
    return ends


def _format_point(point: list[float]) -> str:
    """Format a point as in a file."""
    return f"[{', '.join(f'{value:.15g}' for value in point)}]"


def check_text(text: str) -> str:
    """Refuse control characters that a terminal may interpret; tabs and line ends are allowed.

    Raises:
        PydanticCustomError: A control character; the message gives its code.
    """
    if control := _CONTROL.search(text):
        raise PydanticCustomError("text", f"must be without control characters, as {ord(control[0]):#04x}")
    return text


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), AfterValidator(check_text)]
"""Name of an environment or a recording."""
OwnName = Annotated[str, Field(min_length=1, max_length=LONGEST_OWN_NAME), AfterValidator(check_text)]
"""Name of an obstacle."""
_Length = Annotated[float, AfterValidator(_check_length)]
_Point = Annotated[list[_Length], Field(min_length=2, max_length=2)]
_Box = Annotated[list[_Length], Field(min_length=4, max_length=5), AfterValidator(_check_box)]
_Circle = Annotated[list[_Length], Field(min_length=3, max_length=3), AfterValidator(_check_circle)]
_Wall = Annotated[list[_Length], Field(min_length=5, max_length=5), AfterValidator(_check_wall)]
_Polygon = Annotated[list[_Point], FailFast(), AfterValidator(_check_polygon)]


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class _Bounds(_Table):
    min: _Point
    """x and y of the lower left corner, in the unit of the file."""
    max: _Point
    """x and y of the upper right corner, in the unit of the file."""
    edge: Literal["open", "table", "wall"] = "open"
    """Kind of bounds: open, where the axis may not leave; the edge of a table, over which no part may go; or a wall."""
    stacked: bool = False
    """Whether parts of the tube may lie on one another; otherwise it may not cross itself."""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.min[0] >= self.max[0] or self.min[1] >= self.max[1]:
            ends = f"max = {_format_point(self.max)} must be greater than min = {_format_point(self.min)}"
            raise make_bare_error(f"is empty: {ends} in x and y")
        return self


class _Start(_Table):
    position: _Point
    """x and y of the base, in the unit of the file."""
    heading_deg: Annotated[float, Field(ge=-360, le=360)]
    """Direction in which the tube leaves the base, anticlockwise from the x axis."""
    mount: Literal["free", "wall"] = "free"
    """Mount of the base: free, or in a wall: the tube comes out of the obstacle at the start."""


class _Goal(_Table):
    position: _Point
    """x and y of the centre of the goal, in the unit of the file."""
    radius: Annotated[_Length, Field(gt=0)]
    """Radius of the goal, in the unit of the file; it is reached if the tip is inside."""


class _Obstacles(_Table):
    # Only the first wrong shape is reported: hundreds of thousands of errors would exhaust the memory.
    boxes: Annotated[list[_Box], FailFast()] = []
    """x_min, y_min, x_max, y_max of each box, in the unit of the file, and if it is turned angle_deg, anticlockwise about its centre."""
    polygons: Annotated[list[_Polygon], FailFast()] = []
    """Corners x, y of each polygon, in the unit of the file; not closed, in either direction."""
    circles: Annotated[list[_Circle], FailFast()] = []
    """x, y, radius of each circle, in the unit of the file."""
    walls: Annotated[list[_Wall], FailFast()] = []
    """x1, y1, x2, y2, thickness of each wall, in the unit of the file."""
    ends: Ends = "flat"
    """Shape of the ends of walls: flat at the end points, or round, half the thickness beyond them."""
    friction: Annotated[float, Field(ge=0, le=MOST_FRICTION)] | None = None
    """Coulomb friction coefficient of walls, dimensionless, for tubes that have none of their own."""
    names: dict[str, OwnName] = {}
    """Names of obstacles for people, by their kind and number: "wall 6"."""

    @property
    def counts(self) -> dict[str, int]:
        """Number of shapes of each kind."""
        return {kind: len(getattr(self, plural(kind))) for kind in KINDS[:4]}

    @property
    def count(self) -> int:
        """Number of shapes."""
        return sum(self.counts.values())

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        if self.count > MOST_SHAPES:
            raise make_bare_error(f"has {self.count} shapes; at most {MOST_SHAPES} are allowed")
        # Walls with flat ends are written as polygons: what is written must be allowed when it is read.
        flat = self.walls if self.ends == "flat" else []
        if (corners := sum(map(len, self.polygons)) + 4 * len(flat)) > MOST_CORNERS:
            shapes = "polygons and walls" if flat else "polygons"
            raise make_bare_error(f"has {shapes} of {corners} corners; at most {MOST_CORNERS} are allowed")
        return self

    @model_validator(mode="after")
    def _known_names(self) -> Self:
        check_names(self.names, self.counts)
        return self


def _errors(fields: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Standard deviations as fields of a pydantic model: pairs of a name in files and a field of `Uncertainty`."""
    return {
        name: (Annotated[float, Field(ge=0, le=KEYS[field].most)] | None, Field(None, description=KEYS[field].meaning))
        for name, field in fields
    }


_Share = Annotated[float, Field(ge=0, le=KEYS["friction"].most)]
PRESET = "name of the errors that hold for all keys that are not given"
SINGLE = "errors of the objects of single obstacles, by their names, in place of those of all objects"
_Range = Annotated[list[_Share], Field(min_length=2, max_length=2), AfterValidator(_check_range)]


def _check_learnt(learnt: Any) -> Any:
    try:
        LearntErrors.of(learnt.model_dump())
    except ValueError as error:
        raise make_bare_error(str(error)) from None
    return learnt


_Numbers = Annotated[list[float], Field(max_length=MOST_ERRORS)]
_LEARNT: Any = create_model(
    "learnt",
    __base__=_Table,
    tube=(Annotated[str, Field(max_length=64)], Field(description="digest of the tube, without its pressures")),
    obstacles=(
        Annotated[str, Field(max_length=64)],
        Field(
            "",
            description="digest of the obstacles, to whose errors no others are subject; none for those of any environment",
        ),
    ),
    errors=(
        Annotated[list[Name], Field(max_length=MOST_ERRORS)],
        Field(description="names of the errors with their units, such as base: heading [deg]"),
    ),
    mean=(_Numbers, Field(description="mean of each error [unit of the error]")),
    deviation=(_Numbers, Field(description="standard deviation of each error [unit of the error]")),
    correlation=(
        Annotated[list[_Numbers], Field(max_length=MOST_ERRORS)],
        Field(description="correlation of each error with each, dimensionless"),
    ),
)
LEARNT = (
    "errors that trials of a built tube told, with means and correlations, in place of what the other keys say of them"
)
ERRORS: Any = create_model(
    "uncertainty",
    __base__=_Table,
    preset=(Annotated[str, AfterValidator(_check_preset)] | None, Field(None, description=PRESET)),
    **_errors((key.name, field) for field, key in KEYS.items() if field != "friction"),
    friction=(_Range | None, Field(None, description=KEYS["friction"].meaning)),
    learnt=(Annotated[_LEARNT, AfterValidator(_check_learnt)] | None, Field(None, description=LEARNT)),
)
"""The table `[uncertainty]`."""
_ONE_OBSTACLE: Any = create_model("obstacle", __base__=_Table, **_errors(OF_OBSTACLES.items()))
_ENVIRONMENT_ERRORS: Any = create_model(
    "uncertainty", __base__=ERRORS, obstacle=(dict[str, _ONE_OBSTACLE], Field({}, description=SINGLE))
)
"""Model of `[uncertainty]` of an environment, which may have those of single obstacles."""


def _check_obstacles(errors: Any, info: ValidationInfo) -> Any:
    # Without obstacles that are valid there is nothing to name.
    if (shapes := info.data.get("obstacles")) is None or not errors.obstacle:
        return errors
    names = [f"{kind} {number}" for kind, count in shapes.counts.items() for number in range(1, count + 1)]
    for name in errors.obstacle:
        if re.fullmatch("[1-9][0-9]{0,5}", name) and int(name) <= len(
            names
        ):  # what this program wrote before it had names
            raise make_bare_error(
                f'names obstacle {name} by a number; write [uncertainty.obstacle."{names[int(name) - 1]}"]'
            )
    check_names(errors.obstacle, shapes.counts)
    return errors


class EnvironmentFile(_Table):
    # pydantic keeps the name `schema` for itself.
    version: Annotated[int, AfterValidator(_check_schema)] = Field(alias="schema")
    """Schema of the file."""
    name: Name | None = None
    """Name of the environment; without one, the name of the file."""
    description: Annotated[str, Field(max_length=2000), AfterValidator(check_text)] = ""
    """Text for the reader; not used."""
    unit: Literal["mm", "cm", "m"]
    """Unit of all lengths and coordinates in the file whose keys name none."""
    tube: Name | None = None
    """Default tube: the name of a shipped one, or the path of a tube file."""
    bounds: _Bounds
    """The region in which the tube may grow."""
    start: _Start
    """Pose in which the tube starts."""
    goal: _Goal
    """Disc that the tip must reach."""
    obstacles: _Obstacles = _Obstacles()
    """Obstacles of the environment."""
    uncertainty: Annotated[_ENVIRONMENT_ERRORS, AfterValidator(_check_obstacles)] | None = None
    """Errors of what is built here, as standard deviations of independent normal errors."""

    @model_validator(mode="after")
    def _newer_keys(self) -> Self:
        newer = (
            ("start", self.start, "mount"),
            ("bounds", self.bounds, "edge"),
            ("bounds", self.bounds, "stacked"),
            ("obstacles", self.obstacles, "friction"),
            ("obstacles", self.obstacles, "names"),
        )
        for name, table, key in newer:
            if self.version == 1 and key in table.model_fields_set:
                raise PydanticCustomError("schema", f"{name}.{key} needs schema = 2")
        if self.version == 1 and any(len(box) == 5 for box in self.obstacles.boxes):
            raise PydanticCustomError("schema", "obstacles.boxes with an angle need schema = 2")
        if self.version == 1 and self.uncertainty is not None:
            raise PydanticCustomError("schema", "uncertainty needs schema = 2")
        return self


def check_data(data: dict[str, Any]) -> EnvironmentFile:
    """Validate the structure and the numbers of a parsed file.

    Args:
        data: The file as parsed by `tomllib`.
    Returns:
        The same data in the file's unit; repeated points of polygons are removed.
    Raises:
        InvalidEnvironment: The message gives the key and the allowed range, without the file's name.
    """
    # The model refuses an unknown unit, and that error hides all others.
    unit = data["unit"] if data.get("unit") in [*UNITS] else "mm"
    obstacles = data.get("obstacles", {})
    if data.get("schema") == 1 and isinstance(obstacles, dict):
        data = {**data, "obstacles": {"ends": "round", **obstacles}}
    try:
        return EnvironmentFile.model_validate(data, context={"unit": unit, "farthest": _FARTHEST * UNITS[unit]})
    except ValidationError as error:
        raise InvalidEnvironment(describe(error, EnvironmentFile)) from None
