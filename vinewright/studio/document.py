"""The environment of the studio and the text of its file: unchanged parts keep their bytes.

The page works with a `DrawingContent`, whose lengths are millimetres whatever the unit of the file is.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self, TypedDict, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from environments.error_messages import describe
from environments.file_model import LONGEST_NAME, SCHEMA, InvalidEnvironment, Name, OwnName, check_data, check_text
from environments.lengths import UNITS
from environments.reading import parse_toml
from vinewright.studio.document_names import errors_with_labels, new_labels, set_names
from vinewright.studio.toml_array import Style, edit_array, is_bare, write_array
from vinewright.studio.toml_text import TomlText

Row = list[float]


class BoundsContent(TypedDict):
    """The rectangle of an environment [mm]."""

    min: Row
    max: Row
    edge: str
    stacked: bool


class StartContent(TypedDict):
    """The base: position [mm] and heading [deg]."""

    position: Row
    heading_deg: float
    mount: str


class GoalContent(TypedDict):
    """The goal disc [mm]."""

    position: Row
    radius: float


class ObstaclesContent(TypedDict):
    """The obstacles [mm, deg], each list with rows as in a file."""

    boxes: list[Row]
    polygons: list[list[Row]]
    circles: list[Row]
    walls: list[Row]
    ends: str
    friction: float | None
    names: dict[str, str]


class DrawingContent(TypedDict):
    """An environment as the page has it: every key, defaults included; `name` is "" for a file without a name."""

    name: str
    description: str
    tube: str | None
    bounds: BoundsContent
    start: StartContent
    goal: GoalContent
    obstacles: ObstaclesContent


KINDS: tuple[Literal["boxes", "polygons", "circles", "walls"], ...] = ("boxes", "polygons", "circles", "walls")
"""The lists of obstacles, in the order of a file."""
MOST_SHAPES = 20_000
MOST_CORNERS = 50_000
"""Limits of environment files, which also hold for drawings."""
_LENGTHS = {"min", "max", "position", "radius", *KINDS}
_DEFAULTS: dict[str, Any] = {"name": "", "description": "", "tube": None, "obstacles": {}}
_TABLE_DEFAULTS: dict[str, dict[str, Any]] = {
    "bounds": {"edge": "open", "stacked": False},
    "start": {"mount": "free"},
    "obstacles": {
        "boxes": [],
        "polygons": [],
        "circles": [],
        "walls": [],
        "ends": "flat",
        "friction": None,
        "names": {},
    },
}
_COLUMNS = {
    "boxes": "x_min, y_min, x_max, y_max",
    "circles": "x, y, radius",
    "walls": "x1, y1, x2, y2, thickness",
}
_ORDER = (
    *("schema", "name", "description", "unit", "tube", "min", "max", "edge", "stacked"),
    *("position", "heading_deg", "radius", "mount", *KINDS, "ends", "friction", "names"),
)
"""Keys of all tables in the order of files."""
_PATHS = (
    *(("name",), ("description",), ("tube",), ("bounds", "min"), ("bounds", "max"), ("bounds", "edge")),
    *(("bounds", "stacked"), ("start", "position"), ("start", "heading_deg"), ("start", "mount")),
    *(("goal", "position"), ("goal", "radius"), ("obstacles", "ends"), ("obstacles", "friction")),
)
"""Paths of all values but the lists of obstacles."""
_NEWER = (
    ("bounds", "edge"),
    ("bounds", "stacked"),
    ("start", "mount"),
    ("obstacles", "friction"),
    ("obstacles", "names"),
)
"""Paths of the values that need schema 2."""


def parse_content(text: str) -> DrawingContent:
    """Parse an environment file, and fill in its defaults.

    Returns:
        Lengths in millimetres, rounded to 12 significant digits, whole numbers as integers. Repeated corners of polygons
        stay.
    Raises:
        InvalidEnvironment: The text is not TOML, or a key or number is wrong. The positions of start and goal are not
            checked.
    """
    return _content(_parse_checked(text))


def edit_text(text: str, content: Any, origins: Any) -> str:
    """Change the text of a file where the content differs from it.

    Args:
        text: The file, which `parse_content` can read.
        content: A `DrawingContent`. Only its structure is checked here; shapes, bounds and ranges of numbers are checked by
            `parse_content` of the result.
        origins: For each of the four lists of obstacles the index of each row in `text`, or None if it is new.
    Returns:
        `text` itself if nothing differs. Otherwise changed numbers are in the unit of the file; deleted rows are gone with
        the comment on their line, new rows look like those around them, and tables of `[uncertainty.obstacle]` have the
        names of their rows, or are gone with them. The schema becomes 2 if a key needs it.
    Raises:
        InvalidEnvironment: The text is no environment file, or `content` or `origins` are not what they must be.
    """
    data = _parse_checked(text)
    old, new = _content(data), _convert(_validate(_Content, content), 1.0)
    moved = _check_origins(origins, old, new)
    if new == old and all(moved[kind] == [*range(len(old["obstacles"][kind]))] for kind in KINDS):
        return text
    file, factor = TomlText(text), 1000 / UNITS[data["unit"]]
    style = Style(lambda value: str(_tidy(value / factor)), file.newline)
    raised = _raise_schema(file, data, old, new)
    for kind in KINDS:
        before, after = (_scale_angles(one["obstacles"][kind], kind, factor) for one in (old, new))
        _set_rows(file, kind, before, after, moved[kind], style)
    for path in (path for path in _PATHS if _at(raised, path) != _at(new, path)):
        _set(file, path, _at(old, path), _at(new, path), style)
    labels = new_labels(old, moved)
    file.rename(("uncertainty", "obstacle"), labels)
    names = {labels[label]: name for label, name in old["obstacles"]["names"].items()}
    file.rename(
        ("obstacles", "names"), {label: moved for label, moved in labels.items() if label in old["obstacles"]["names"]}
    )
    result = set_names(
        file.result(), {label: name for label, name in names.items() if label}, new["obstacles"]["names"]
    )
    written = _parse(result)
    if _content(written) != new or errors_with_labels(written, {}) != errors_with_labels(data, labels):
        raise InvalidEnvironment("has a number or a layout that cannot be changed here")
    return result


# ---- reading ----


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


_Point = Annotated[list[float], Field(min_length=2, max_length=2)]
_Box = Annotated[list[float], Field(min_length=4, max_length=5)]
_Three = Annotated[list[float], Field(min_length=3, max_length=3)]
_Five = Annotated[list[float], Field(min_length=5, max_length=5)]
_Polygon = Annotated[list[_Point], Field(max_length=MOST_CORNERS), FailFast()]
_Shape = TypeVar("_Shape")
_Rows = Annotated[list[_Shape], Field(max_length=MOST_SHAPES), FailFast()]


class _Bounds(_Table):
    min: _Point
    max: _Point
    edge: Literal["open", "table", "wall"]
    stacked: bool


class _Start(_Table):
    position: _Point
    heading_deg: float
    mount: Literal["free", "wall"]


class _Goal(_Table):
    position: _Point
    radius: float


class _Obstacles(_Table):
    boxes: _Rows[_Box]
    polygons: _Rows[_Polygon]
    circles: _Rows[_Three]
    walls: _Rows[_Five]
    ends: Literal["flat", "round"]
    friction: float | None
    names: dict[str, OwnName] = {}

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        count = sum(len(getattr(self, kind)) for kind in KINDS)
        corners = sum(map(len, self.polygons)) + 4 * len(self.walls) * (self.ends == "flat")
        for number, most, what in ((count, MOST_SHAPES, "shapes"), (corners, MOST_CORNERS, "corners")):
            if number > most:
                raise PydanticCustomError("bare", f"has {number} {what}; at most {most} are allowed")
        return self


class _Content(_Table):
    name: Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(check_text)]
    description: Annotated[str, Field(max_length=2000), AfterValidator(check_text)]
    tube: Name | None
    bounds: _Bounds
    start: _Start
    goal: _Goal
    obstacles: _Obstacles


_Indices = Annotated[list[Annotated[int, Field(ge=0)] | None], Field(max_length=MOST_SHAPES), FailFast()]


class _Origins(_Table):
    boxes: _Indices
    polygons: _Indices
    circles: _Indices
    walls: _Indices


def _validate(model: type[BaseModel], value: Any) -> dict[str, Any]:
    try:
        return model.model_validate(value).model_dump()
    except ValidationError as error:
        raise InvalidEnvironment(describe(error, model)) from None


def _check_origins(origins: Any, old: Any, new: Any) -> dict[str, list[int | None]]:
    try:
        moved = _validate(_Origins, origins)
    except InvalidEnvironment as error:
        raise InvalidEnvironment(f"origins: {error}") from None
    for kind, indices in moved.items():
        known, before, after = (
            [index for index in indices if index is not None],
            old["obstacles"][kind],
            new["obstacles"][kind],
        )
        if len(indices) != len(after):
            raise InvalidEnvironment(f"origins: {kind} are {len(indices)}, for {len(after)} {kind}")
        if len(set(known)) < len(known):
            raise InvalidEnvironment(f"origins: {kind} name a row twice")
        if max(known, default=-1) >= len(before):
            raise InvalidEnvironment(f"origins: {kind} name row {max(known)}; the file has {len(before)} {kind}")
    return moved


def _parse(text: str) -> dict[str, Any]:
    # Half of a surrogate pair, which JSON can have, is refused as invalid UTF-8.
    return parse_toml(text.encode("utf-8", "surrogatepass"), InvalidEnvironment)


def _parse_checked(text: str) -> dict[str, Any]:
    data = _parse(text)
    check_data(data)
    return data


def _content(data: dict[str, Any]) -> Any:
    """Return the content of a parsed file whose unit and schema are valid."""
    filled = _DEFAULTS | {key: value for key, value in data.items() if key not in ("schema", "unit", "uncertainty")}
    for table, defaults in _TABLE_DEFAULTS.items():
        if isinstance(values := filled.get(table), dict):
            schema_1 = {"ends": "round"} if table == "obstacles" and data["schema"] == 1 else {}
            filled[table] = defaults | schema_1 | values
    return _convert(_validate(_Content, filled), 1000 / UNITS[data["unit"]])


def _convert(value: Any, factor: float, key: str = "") -> Any:
    """Multiply the lengths in a content, or in a value under a key, by a factor, and round all numbers."""
    if isinstance(value, dict):
        return {name: _convert(item, factor, name) for name, item in value.items()}
    if isinstance(value, list):
        if key == "boxes" and len(value) == 5 and not isinstance(value[0], list):
            # The angle of a box is no length, and a box that is not turned has none.
            return _convert(value[:4], factor, key) + [_tidy(angle) for angle in value[4:] if angle]
        return [_convert(item, factor, key) for item in value]
    return _tidy(value * (factor if key in _LENGTHS else 1.0)) if isinstance(value, float) else value


def _tidy(value: float) -> float:
    # 12 digits hide the rounding of the unit conversion, so that 71.6 mm remains 71.6 mm.
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


# ---- writing ----


def _at(content: Any, path: Sequence[str]) -> Any:
    for key in path:
        content = content[key]
    return content


def _raise_schema(file: TomlText, data: dict[str, Any], old: Any, new: Any) -> Any:
    """Raise the schema to 2 if the new content needs it; return the old content as read by it, as ends are round by default in 1."""
    if data["schema"] == SCHEMA or all(_at(old, path) == _at(new, path) for path in _NEWER):
        return old
    file.set(("schema",), str(SCHEMA))
    ends = data.get("obstacles", {}).get("ends", "flat")
    return {**old, "obstacles": {**old["obstacles"], "ends": ends}}


def _set(file: TomlText, path: tuple[str, ...], old: Any, new: Any, style: Style) -> None:
    key = path[-1]
    if new is None or (key == "name" and not new):
        file.remove(path)
        return
    if isinstance(new, list):
        written = edit_array(file.value(path) or "[]", old, new, None, style)
    elif isinstance(new, str):
        # A JSON string is a TOML string where control characters are refused.
        written = json.dumps(new, ensure_ascii=False)
    elif isinstance(new, bool):
        written = str(new).lower()
    else:
        written = style.number(new) if key in _LENGTHS else str(new)
    file.set(path, written, _ORDER[: _ORDER.index(key)])


def _scale_angles(rows: list[Any], kind: str, factor: float) -> list[Any]:
    """Multiply the angles of boxes by the factor that writing divides all numbers by."""
    return rows if kind != "boxes" else [[*row[:4], *(factor * angle for angle in row[4:])] for row in rows]


def _set_rows(file: TomlText, kind: str, old: Any, new: Any, origins: list[int | None], style: Style) -> None:
    if new == old and origins == [*range(len(old))]:
        return
    path = ("obstacles", kind)
    written = file.value(path)
    if written is not None and (file.in_braces(path) or not is_bare(written)):
        rows = edit_array(written, old, new, origins, style)
    elif file.in_braces(path):
        rows = write_array(new, style)
    else:
        angle = ", angle_deg" * (kind == "boxes" and any(len(row) == 5 for row in new))
        comment = f"  # [{_COLUMNS[kind]}{angle}]" if kind in _COLUMNS else ""
        rows = style.newline.join([f"[{comment}", *(f"  {write_array(row, style)}," for row in new), "]"])
    file.set(path, rows, _ORDER[: _ORDER.index(kind)])
