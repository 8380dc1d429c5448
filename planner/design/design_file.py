"""Reading and writing of design files (`design.json`); `planner.design.solutions_file` is for all solutions of a run.

Schema 2 contains all parameters of the tube, with the keys of tube files. Schema 1 contains only radius and growth pressure; the
other parameters then have the values that were fixed at that time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, FailFast, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from dynamics.actuator_file import OTHERS, OTHERS_FIELD, actuator_table
from dynamics.file_table import FileTable
from dynamics.tube import GROWTH_FORCE, InvalidTube, VineParams, share_of
from dynamics.tube_file import tube_content, tube_of, tube_table
from dynamics.tube_keys import ACTUATORS
from environments.error_messages import describe
from environments.file_model import Name, check_text
from environments.reading import UnreadableFile, read_file
from planner.design.design import Design, InvalidDesign
from planner.design.estimate import Success
from planner.design.folds import check_preformed
from planner.design.schedule import InvalidSchedule
from planner.design.schedule_file import SchedulePart, parse_schedule, schedule_content
from planner.design.sections_in_file import (
    MOST_LENGTH_MM,
    NotNegative,
    SectionPart,
    check_sections,
    parse_section,
    section_content,
    tidy,
)
from planner.output.text import plural
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

SCHEMA = 2
MOST_BYTES = 50_000_000
"""Maximum size of a file of designs."""
DESIGN, SOLUTIONS = "design.json", "solutions.json"
"""Files of a run folder: the design to make, and all designs that were kept, lowest cost first."""


Length = Annotated[float, Field(ge=1, le=MOST_LENGTH_MM)]
"""Length of a tube [mm]."""


Positive = Annotated[float, Field(gt=0)]


Width = Annotated[float, Field(ge=0.1, le=1000)]
"""Radius or width of an actuator [mm]."""


Coordinate = Annotated[float, Field(ge=-1e8, le=1e8)]
"""[mm]"""


_Share = Annotated[float, Field(ge=0, le=1)]


SECTIONS = "the sections of the tube from the base, without gaps"
PASSED = "in solutions.json: obstacles that the tube passes and has on its {side}; those between which it does not fit are together"
JUMP = "in solutions.json: its largest jump: grown length before, growth, and motion of the tip; null if it has none"


Point = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]


class _EnvironmentPart(FileTable):
    name: Name
    """Name of the environment."""
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """Hash of the environment, by which another or changed one is noticed."""


class _FirstTubePart(FileTable):
    """The tube in schema 1."""

    radius_mm: Annotated[float, Field(ge=1, le=1000)]
    """Inflated radius of the tube."""
    growth_pressure_kpa: Annotated[float, Field(ge=1, le=100)]
    """Gauge pressure in the tube while it grows."""
    length_mm: Length
    """Length of the tube."""


class _FirstSpamPart(FileTable):
    type: Literal["spam"]
    """Type of the actuator."""
    constriction_radius_mm: Width
    """Radius to which brackets close the actuator."""
    tube_radius_mm: Width
    """Radius of the saturated actuator."""


class _FirstPouchPart(FileTable):
    type: Literal["pouch"]
    """Type of the actuator."""
    width_mm: Width
    """Width of the pouches across the tube."""


class _PredictedPart(FileTable):
    tip_mm: Point
    """x and y of the tip at the end of growth."""
    heading_deg: Annotated[float, Field(ge=-1e8, le=1e8)]
    """Direction of the tip."""
    centerline_mm: Annotated[list[Point], Field(max_length=100_000), FailFast()]
    """x, y of the joints from base to tip at the end of growth."""


class _CostPart(FileTable):
    actuators: Annotated[int, Field(ge=0)]
    """Number of actuators."""
    length_mm: Length
    """Length of the tube."""


class TrialsPart(FileTable):
    """Success of a design in trials with errors."""

    errors: Name
    """Name of the errors with which the design was tried."""
    reached: Annotated[int, Field(ge=0)]
    """Number of trials that reached the goal."""
    trials: Annotated[int, Field(ge=1, le=1_000_000_000)]
    """Number of trials."""
    interval_95: Annotated[list[_Share], Field(min_length=2, max_length=2)] | None = None
    """95 % interval of the success rate, as shares of 1; for readers of the file: it follows from the two numbers."""
    weakest: Annotated[str, Field(min_length=1, max_length=500), AfterValidator(check_text)] | None = None
    """The error to which the design is most sensitive, in words."""


class _AnyActuator(FileTable, extra="allow"):
    """An actuator of any type."""


def _unknown_actuator(kinds: Iterable[str]) -> Any:
    """Make the model of an actuator whose type is unknown; its error lists the known types."""
    known: Any = Literal[tuple(kinds)]
    return create_model("actuator", __base__=_AnyActuator, type=(known, ...))


def _check_schema(version: int) -> int:
    if version not in (1, SCHEMA):
        raise PydanticCustomError("schema", f"must be 1 or {SCHEMA}")
    return version


def _design_model(tube: Any, actuator: Any) -> Any:
    return create_model(
        "DesignFile",
        __base__=FileTable,
        version=(
            Annotated[int, AfterValidator(_check_schema)],
            Field(alias="schema", description="schema of the file"),
        ),  # pydantic keeps the name `schema` for itself
        environment=(_EnvironmentPart, Field(description="the environment for which it was planned")),
        tube=(tube, Field(description="all parameters of the tube")),
        actuator=(actuator, Field(description="the first, or only, actuator of the tube")),
        other_actuators=OTHERS_FIELD,
        sections=(
            Annotated[list[SectionPart], Field(min_length=1, max_length=2000), FailFast()],
            Field(description=SECTIONS),
        ),
        predicted=(_PredictedPart, Field(description="how it grows as planned, by the model of the plan")),
        cost=(_CostPart, Field(description="what the plan minimises: actuators first, then length")),
        trials=(TrialsPart | None, Field(None, description="how often it reached its goal in trials with errors")),
        grow_mm=(Length | None, Field(None, description="length at which growth stops; without it, that of the tube")),
        schedule=(
            SchedulePart | None,
            Field(None, description="pressures over the grown length; without it, constant"),
        ),
        jump_mm=(Annotated[list[NotNegative], Field(min_length=3, max_length=3)] | None, Field(None, description=JUMP)),
        obstacles_left=(list[str], Field([], description=PASSED.format(side="left"))),
        obstacles_right=(list[str], Field([], description=PASSED.format(side="right"))),
    )


_WHOLE_TUBE = tube_table(whole=True, length_mm=(Length, Field(description="length of the tube")))
_FIRST = {"spam": _FirstSpamPart, "pouch": _FirstPouchPart}
_MODELS: dict[tuple[int, str | None], Any] = {
    **{(1, kind): _design_model(_FirstTubePart, part) for kind, part in _FIRST.items()},
    (1, None): _design_model(_FirstTubePart, _unknown_actuator(_FIRST)),
    **{(2, kind): _design_model(_WHOLE_TUBE, actuator_table(kind, whole=True)) for kind in ACTUATORS},
    (2, None): _design_model(_WHOLE_TUBE, _unknown_actuator(ACTUATORS)),
}
"""Models by schema and type of actuator; None is any unknown type."""


def _file_model(data: Any) -> Any:
    """Return the model for a file's schema and type of actuator; for an unknown type, the model whose error lists the known
    types."""
    schema = 1 if isinstance(data, dict) and data.get("schema") == 1 else SCHEMA
    match data:
        case {"actuator": {"type": str(kind)}}:
            return _MODELS.get((schema, kind), _MODELS[schema, None])
    return _MODELS[schema, None]


def _first_tube(file: Any) -> VineParams:
    """Make the tube of a design of schema 1, whose growth force was 25 N for any radius and pressure."""
    radius, pressure, part = file.tube.radius_mm * 1e-3, file.tube.growth_pressure_kpa * 1e3, file.actuator
    if isinstance(part, _FirstSpamPart):
        actuator: Spam | PouchMotor = Spam(part.constriction_radius_mm * 1e-3, part.tube_radius_mm * 1e-3)
    else:
        actuator = PouchMotor(part.width_mm * 1e-3)
    share = share_of(GROWTH_FORCE, radius, pressure)
    return VineParams(
        radius=radius, growth_pressure=pressure, growth_share=share, physics="published", actuator=actuator
    )


def _tube(file: Any) -> VineParams:
    """Make the tube of a design.

    Raises:
        InvalidDesign: The parameters are inconsistent.
    """
    try:
        if file.version == 1:
            return _first_tube(file)
        parts = file.tube.model_dump(exclude_none=True, exclude={"length_mm"})
        return tube_of({**parts, **file.model_dump(exclude_none=True, include={"actuator", OTHERS})})
    except (InvalidTube, ValueError) as error:
        raise InvalidDesign(str(error)) from None


def design_content(design: Design) -> dict[str, Any]:
    """Return the content of the design file, in millimetres, degrees and kilopascals."""
    tube = tube_content(design.params)
    of_actuators = {key: tube.pop(key) for key in ("actuator", OTHERS) if key in tube}
    return {
        "schema": SCHEMA,
        "environment": {"name": design.environment, "sha256": design.sha256},
        "tube": {**tube, "length_mm": tidy(design.built * 1e3)},
        **of_actuators,
        "sections": [section_content(section, design.params) for section in design.sections],
        "predicted": {
            "tip_mm": [round(float(part) * 1e3, 3) for part in design.tip[:2]],
            "heading_deg": round(float(np.degrees(design.tip[2])), 4),
            "centerline_mm": np.round(design.centerline * 1e3, 3).tolist(),
        },
        "cost": {"actuators": design.actuators, "length_mm": tidy(design.built * 1e3)},
        **({} if design.stop is None else {"grow_mm": tidy(design.length * 1e3)}),
        **({"schedule": schedule_content(design.schedule)} if design.schedule else {}),
        **({"trials": trials_content(design.success)} if design.success else {}),
    }


def trials_content(success: Success) -> dict[str, Any]:
    """Return the content of the table `trials` of a file; the interval is in shares of 1."""
    return {
        "errors": success.errors,
        "reached": success.reached,
        "trials": success.trials,
        "interval_95": [round(end, 4) for end in success.interval],
        "weakest": success.weakest,
    }


def load_design(path: str | Path, solution: int | None = None) -> Design:
    """Read and check a design.

    Args:
        path: A design file, a solutions file, or the folder of a run.
        solution: Number of a design in the solutions file, 1 for the one of lowest cost. None takes the `design.json` of a
            folder, which is normally a refined one that is not among the solutions, and the first design of a solutions file.
    Raises:
        InvalidDesign: The file is missing, malformed, of an unknown schema, or has fewer solutions; or the sections of the
            design are not contiguous.
    """
    path = Path(path)
    file = path / (DESIGN if solution is None else SOLUTIONS) if path.is_dir() else path
    if file != path and solution is not None and not file.exists():
        raise InvalidDesign(f"{path} has no {SOLUTIONS}; --solution {solution} is for the folder of a run")
    content = read_json(file)
    if not has_solutions(content):
        if solution is None:
            return parse_design(content, file.name)
        raise InvalidDesign(
            f"{file} has one design; --solution {solution} is for the folder of a run or its {SOLUTIONS}"
        )
    number, every = 1 if solution is None else solution, content["solutions"]
    if not 1 <= number <= len(every):
        if not every:
            raise InvalidDesign(f"{path} has no solutions; --solution {number}")
        raise InvalidDesign(
            f"{path} has {plural(len(every), 'solution')}; --solution {number} must be from 1 to {len(every)}"
        )
    return parse_design(every[number - 1], f"{file.name}: solutions[{number - 1}]")


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        InvalidDesign: It cannot be read, or is not JSON.
    """
    try:
        return json.loads(read_file(path, MOST_BYTES))
    except UnreadableFile as error:
        raise InvalidDesign(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidDesign(f"{path.name}: is not JSON: {error}") from None


def has_solutions(content: Any) -> bool:
    """Whether a parsed file is a solutions file."""
    return isinstance(content, dict) and isinstance(content.get("solutions"), list)


def parse_design(content: Any, name: str) -> Design:
    """Check the design in parsed JSON and return it; messages begin with the name.

    Raises:
        InvalidDesign: It is not a valid design.
    """
    model = _file_model(content)
    try:
        file = model.model_validate(content)
        params = _tube(file)
        check_sections(file, params)
        check_preformed(file.sections, params)
    except ValidationError as error:
        raise InvalidDesign(f"{name}: {describe(error, model)}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidDesign(f"{name}: {error}") from None
    sections = tuple(parse_section(part, params) for part in file.sections)
    tip = np.array([*np.array(file.predicted.tip_mm) * 1e-3, np.radians(file.predicted.heading_deg)])
    centerline = np.array(file.predicted.centerline_mm).reshape(-1, 2) * 1e-3
    success = parse_trials(file.trials, name) if file.trials else None
    stop = None if file.grow_mm is None else file.grow_mm * 1e-3
    try:
        schedule = None if file.schedule is None else parse_schedule(file.schedule, sections)
    except InvalidSchedule as error:
        raise InvalidDesign(f"{name}: {error}") from None
    of = file.environment
    return Design(of.name, of.sha256, params, sections, tip, centerline, success, stop, schedule)


def parse_trials(part: TrialsPart, name: str) -> Success:
    """Check the results of trials in the file with this name and return them.

    Raises:
        InvalidDesign: More trials reached the goal than there are.
    """
    if part.reached > part.trials:
        raise InvalidDesign(f"{name}: trials.reached = {part.reached} must be at most trials.trials = {part.trials}")
    return Success(part.errors, part.reached, part.trials, part.weakest)
