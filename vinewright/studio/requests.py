"""The requests of the page, checked: everything that comes from it is untrusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
    field_validator,
    model_validator,
)

from dynamics.registry import propagators
from environments.file_model import MOST_CORNERS, MOST_FRICTION, MOST_SHAPES
from environments.importing.options import ImportOptions
from environments.uncertainty import PRESETS
from planner.plan.inputs import Inputs, field_of
from planner.plan.options import BY_NAME, contradiction

_Name = Annotated[str, Field(min_length=1, max_length=200)]
_Text = Annotated[str, Field(max_length=5_000_000)]
_Short = Annotated[str, Field(max_length=80)]
_Design = Annotated[str, Field(pattern=r"^(best|[1-9][0-9]{0,3})$")]
_Drawing = Annotated[str, Field(pattern=r"^[a-z0-9]{8,40}$")]
_Label = Annotated[str, Field(pattern=r"^(box|polygon|circle|wall) [1-9][0-9]{0,5}$")]
_Labels = Annotated[list[_Label], Field(max_length=10 * MOST_SHAPES)]  # a drawing with too many is told so by its check


Request = TypeVar("Request", bound=BaseModel)


class BadRequest(ValueError):
    """A request that the page cannot have sent; the one-line message says what is wrong."""


class CheckedRequest(BaseModel):
    """A part of a request: it has no other fields, and no number that is none."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class OpenRequest(CheckedRequest):
    text: _Text
    name: Annotated[str, Field(max_length=200)]


class Background(CheckedRequest):
    """A picture beneath a drawing."""

    key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Name under which the picture is kept."""
    width: Annotated[int, Field(gt=0)]
    """Width of the picture [px]."""
    height: Annotated[int, Field(gt=0)]
    """Height of the picture [px]."""
    x: float
    """Position of its lower left corner [mm]."""
    y: float
    """Position of its lower left corner [mm]."""
    turn: float = 0.0
    """Angle by which it is turned about this corner, anticlockwise [deg]."""
    scale: Annotated[float, Field(gt=0)]
    """Size of a pixel [mm]."""
    opacity: Annotated[float, Field(ge=0, le=1)]
    """Share of its colour, the rest being paper [-]."""
    cover: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Share of the colour of the obstacles over it [-]."""


_Pixel = Annotated[list[Annotated[float, Field(ge=-1e5, le=1e5)]], Field(min_length=2, max_length=2)]
_Side = Annotated[float, Field(gt=0, le=1e7)]


class RectifyRequest(CheckedRequest):
    """A picture beneath a drawing, and a rectangle in it."""

    key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Name under which the picture is kept."""
    corners: Annotated[list[_Pixel], Field(min_length=4, max_length=4)]
    """Pixels of the lower left, lower right, upper right and upper left corner, from the upper left of the picture."""
    width: _Side
    """True width of the rectangle [mm]."""
    height: _Side
    """True height of the rectangle [mm]."""


class CheckRequest(CheckedRequest):
    text: _Text
    content: Any
    origins: Any
    tube: dict[str, Any]
    saved: _Text = ""
    """The text as last saved or opened."""
    name: Annotated[str, Field(max_length=300)] = "environment"
    """Name of the drawing if its text has none."""
    file: Annotated[str, Field(max_length=300)] | None = None
    """Name of the file that Save writes."""
    id: _Drawing | None = None
    """Name under which it is kept on disk."""
    unit: Literal["mm", "cm", "in", "ft"] = "mm"
    """Unit of lengths in messages."""
    beside: Beside = Field(default_factory=lambda: Beside())


class ImportFile(CheckedRequest):
    name: Annotated[str, Field(pattern=r"^[^/\\\x00]{1,200}$")]
    """Name without a folder."""
    data: Annotated[bytes, Field(max_length=18_000_000)]

    model_config = ConfigDict(val_json_bytes="base64")

    @field_validator("name")
    @classmethod
    def _no_folder(cls, name: str) -> str:
        if name in (".", ".."):
            raise ValueError("must be the name of a file")
        return name


class KnownLength(CheckedRequest):
    """A length in a drawing that sets its scale."""

    mm: Annotated[float, Field(gt=0)]
    units: Annotated[float, Field(gt=0)]
    """The same in units of the drawing."""


class ImportRequest(CheckedRequest):
    """Files to import, and options of all kinds of files; lengths in millimetres."""

    files: Annotated[list[ImportFile], Field(min_length=1, max_length=3)]
    unit: Annotated[str, Field(max_length=10)] | None = None
    mm_per_unit: Annotated[float, Field(gt=0)] | None = None
    known: KnownLength | None = None
    solid: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=50)] = []
    free: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=50)] = []
    wall_thickness: Annotated[float, Field(gt=0)] | None = None
    least_size: Annotated[float, Field(ge=0)] = 0.0
    simplify: Annotated[float, Field(ge=0)] | None = None
    unknown_free: bool = False

    @property
    def options(self) -> ImportOptions:
        """Options of the import."""
        return ImportOptions(
            simplify=_metres(self.simplify),
            least_size=1e-3 * self.least_size,
            unit=self.unit,
            mm_per_unit=self.mm_per_unit,
            known=None if self.known is None else (1e-3 * self.known.mm, (0.0, 0.0), (self.known.units, 0.0)),
            solid=tuple(self.solid),
            free=tuple(self.free),
            wall_thickness=_metres(self.wall_thickness),
            unknown_free=self.unknown_free,
        )


def _metres(length: float | None) -> float | None:
    return None if length is None else 1e-3 * length


class CombinedShape(CheckedRequest):
    """An obstacle of a drawing, as in a list of its kind [mm, deg]."""

    kind: Literal["box", "polygon", "circle", "wall"]
    row: Annotated[list[float], Field(max_length=5)]
    corners: Annotated[list[Annotated[list[float], Field(min_length=2, max_length=2)]], Field(max_length=MOST_CORNERS)]

    @model_validator(mode="after")
    def _of_its_kind(self) -> Self:
        lengths = {"box": (4, 5), "polygon": (0,), "circle": (3,), "wall": (5,)}[self.kind]
        if len(self.row) not in lengths or (self.kind == "polygon") != (len(self.corners) > 2):
            raise ValueError(f"is no {self.kind}")
        return self


class CombineRequest(CheckedRequest):
    operation: Literal["union", "difference"]
    shapes: Annotated[list[CombinedShape], Field(min_length=2, max_length=2000)]
    ends: Literal["flat", "round"]


class SaveRequest(CheckedRequest):
    text: _Text
    saved: _Text
    """The file as it was opened or last saved."""


class TubeRequest(CheckedRequest):
    content: dict[str, Any]


LONGEST = 86400
"""Longest time of a plan that the page asks for [s]."""
SHORT = 30.0
"""Time of a plan that the page proposes [s]."""


def _choices(name: str) -> list[str]:
    """List the values of an option that is chosen from a list; empty for all others."""
    if name == "uncertainty":
        return [*PRESETS]
    return [*propagators()] if name in ("propagator", "verify") else [*BY_NAME[name].choices]


def _type_of(name: str) -> Any:
    """Return the type of an option for the page, which may ask for less than a plan takes: no file of this machine, and a day at most."""
    if choices := _choices(name):
        narrower: Any = Literal[tuple(choices)]
    else:
        narrower = {
            "time_budget_s": Annotated[float, Field(le=LONGEST)],
            "friction": Annotated[float, Field(ge=0, le=MOST_FRICTION)],
            "seed": Annotated[int, Field(lt=2**63)],
            "planner": Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")],  # a colon would load a file
            "supply": Annotated[str, Field(max_length=40)],
            "actuator": Annotated[str, Field(max_length=80)],
        }.get(name, BY_NAME[name].type)
    return narrower | None if _default(name) is None else narrower


def _default(name: str) -> Any:
    """Return the default of an option on the page."""
    # Without the option, the actuators are those of the tube.
    return {"actuator": None, "time_budget_s": SHORT}.get(name, BY_NAME[name].default)


OFFERED = {name: option for name, option in BY_NAME.items() if not option.is_path}
"""Options that the page offers, by name."""
_FIELDS: dict[str, Any] = {name: (_type_of(name), field_of(name)) for name in OFFERED}
_FIELDS["actuator"] = (_type_of("actuator"), None)
Options: Any = create_model("Options", __base__=CheckedRequest, **_FIELDS)
"""The options of a plan that the page sends, with the defaults and limits of all plans."""


def offered_options() -> dict[str, dict[str, Any]]:
    """Describe the field of each option for the page, from the list of all options."""
    return {
        name: {
            "label": option.label,
            "group": option.group,
            "type": option.type.__name__,
            "default": _default(name),
            "implied": option.implied,
            "help": option.help,
            "least": {"friction": 0}.get(name, option.least),
            "most": {"time_budget_s": LONGEST, "seed": 2**53, "friction": MOST_FRICTION}.get(name, option.most),
            "above": option.above,
            "unit": option.unit.strip("-"),
            "flag": option.flag or f"--{name.replace('_', '-')}",
            "choices": _choices(name),
        }
        for name, option in OFFERED.items()
    }


def check_options(options: Any) -> None:
    """Check that the options of a plan fit each other.

    Raises:
        BadRequest: They do not; the message names one of them.
    """
    asked = options.model_dump(exclude={"actuator"})
    if found := contradiction(asked):
        raise BadRequest(found)
    parse_as(lambda: Inputs(**asked), "options.")


class ObjectStates(CheckedRequest):
    """Groups, locks and hiding of the obstacles of a drawing, which are called by their kind and number, as "wall 6"."""

    groups: Annotated[list[_Labels], Field(max_length=10 * MOST_SHAPES)] = []
    """The obstacles of each group."""
    locked: _Labels = []
    """Obstacles that the pointer passes by."""
    hidden: _Labels = []
    """Obstacles that are not drawn."""


class Beside(CheckedRequest):
    """Everything that belongs to a drawing and is in no environment file."""

    background: Background | None = None
    objects: ObjectStates | None = None
    options: dict[_Short, bool | float | _Short | None] | None = Field(None, max_length=50)
    """Options of plans as the panel had them: only those of a plan are checked, so that a later version finds what it knows."""
    run: _Name | None = None
    """Name of the run that is shown with it."""
    design: _Design = "best"
    """The design of the run that is shown."""

    @property
    def errors(self) -> str | None:
        """Preset of the errors of plans; None for those of environment and tube."""
        preset = (self.options or {}).get("uncertainty")
        return preset if isinstance(preset, str) and preset in PRESETS else None


class PlanRequest(CheckedRequest):
    text: _Text
    drawing: _Drawing | None = None
    """Id of the drawing that is planned."""
    name: _Name = "environment"
    """Name of the environment if its text has none."""
    tube: dict[str, Any]
    options: Options
    begin: _Name | None = None
    """Name of the run with whose design the plan begins."""
    learnt: _Name | None = None
    """Name of the run from whose trials the errors were learnt with which the plan counts."""


class RenameRequest(CheckedRequest):
    """A new name of a run; the folder of runs decides whether it can be used."""

    name: _Name


class DeleteRequest(CheckedRequest):
    """The removal of a run, whose name is in the address."""


class StopRequest(CheckedRequest):
    what: Literal["plan", "look", "learn", "adapt"]


class DesignRequest(CheckedRequest):
    """A request about a design of a run."""

    run: _Name
    design: _Design


class LookRequest(DesignRequest):
    propagator: Annotated[str, Field(max_length=40)]


class ErrorsRequest(CheckedRequest):
    preset: Annotated[str, Field(max_length=40)]
    numbers: dict[Annotated[str, Field(max_length=40)], float | list[float]]
    learnt: bool = False
    """Whether those that were learnt from trials take the place of these."""


class TrialsRequest(DesignRequest):
    errors: ErrorsRequest
    trials: Annotated[int, Field(ge=1, le=10_000)]
    seed: Annotated[int, Field(ge=0, lt=2**63)]


class PackRequest(DesignRequest):
    allow_limit: bool = False


def parse(model: type[Request], data: bytes) -> Request:
    """Read a request.

    Raises:
        BadRequest: It is not what the page sends.
    """
    return parse_as(lambda: model.model_validate_json(data))


def parse_as(make: Callable[[], Request], within: str = "") -> Request:
    """Make a model, and tell the first fault of its content in one line.

    Args:
        within: Words before the name of the field that is at fault.
    Raises:
        BadRequest: The content has a fault.
    """
    try:
        return make()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        words = first["msg"].removeprefix("Value error, ")
        raise BadRequest(f"{within}{'.'.join(map(str, first['loc']))}: {words}"[:300]) from None
