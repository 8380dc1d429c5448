"""Design files: `design.json`, written and read."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError

from dynamics.tube import VineParams
from environments.file_model import Name, describe
from environments.reading import Unreadable, read_file
from planner.design import Design, Section, Side
from surrogate.actuators import Actuator
from surrogate.force_table import LONGEST, SHORTEST
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

_MOST_BYTES = 20_000_000


class InvalidDesign(ValueError):
    """A design that cannot be used; the one-line message names file, key, value and what is allowed."""


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


MOST_LENGTH_MM = 1e5
"""[mm]"""


Length = Annotated[float, Field(ge=1, le=MOST_LENGTH_MM)]
"""Of a tube [mm]."""


Positive = Annotated[float, Field(gt=0)]


NotNegative = Annotated[float, Field(ge=0)]


Width = Annotated[float, Field(ge=0.1, le=1000)]
"""Of an actuator [mm]."""


Coordinate = Annotated[float, Field(ge=-1e8, le=1e8)]
"""[mm]"""


Point = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]


class _EnvironmentPart(_Table):
    name: Name
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _TubePart(_Table):
    radius_mm: Annotated[float, Field(ge=1, le=1000)]
    growth_pressure_kpa: Annotated[float, Field(ge=1, le=100)]
    length_mm: Length


class _ActuatorPart(_Table):
    """An actuator of any type; the types below say what else belongs to each."""

    model_config = ConfigDict(extra="allow")
    type: Literal["spam", "pouch"]


class _SpamPart(_ActuatorPart):
    model_config = ConfigDict(extra="forbid")
    type: Literal["spam"]
    constriction_radius_mm: Width
    tube_radius_mm: Width


class _PouchPart(_ActuatorPart):
    model_config = ConfigDict(extra="forbid")
    type: Literal["pouch"]
    width_mm: Width


class _SectionPart(_Table):
    start_mm: NotNegative
    end_mm: Annotated[float, Field(gt=0, le=MOST_LENGTH_MM)]
    side: Side
    curvature_per_m: NotNegative
    l0_mm: NotNegative
    """Cell length; of a pouch its flat length."""
    pressure_kpa: Annotated[float, Field(ge=0, le=200)]


class _PredictedPart(_Table):
    tip_mm: Point
    heading_deg: Annotated[float, Field(ge=-1e8, le=1e8)]
    centerline_mm: Annotated[list[Point], Field(max_length=100_000), FailFast()]


class _CostPart(_Table):
    actuators: Annotated[int, Field(ge=0)]
    length_mm: Length


class DesignFile(_Table):
    """`design.json`, schema 1."""

    # pydantic keeps the name `schema` for itself
    version: Literal[1] = Field(alias="schema")
    environment: _EnvironmentPart
    tube: _TubePart
    actuator: _ActuatorPart
    sections: Annotated[list[_SectionPart], Field(min_length=1, max_length=2000), FailFast()]
    predicted: _PredictedPart
    cost: _CostPart


class _SpamDesign(DesignFile):
    actuator: _SpamPart


class _PouchDesign(DesignFile):
    actuator: _PouchPart


def _file_model(data: Any) -> type[DesignFile]:
    """The model for a file's type of actuator; where there is no such type, the one that says which there are."""
    match data:
        case {"actuator": {"type": "spam"}}:
            return _SpamDesign
        case {"actuator": {"type": "pouch"}}:
            return _PouchDesign
    return DesignFile


def _actuator_content(actuator: Actuator) -> dict[str, Any]:
    """An actuator as it stands in a file, in millimetres."""
    match actuator:
        case Spam():
            radii = actuator.constriction_radius, actuator.tube_radius
            return {
                "type": "spam",
                "constriction_radius_mm": _tidy(radii[0] * 1e3),
                "tube_radius_mm": _tidy(radii[1] * 1e3),
            }
        case PouchMotor():
            return {"type": "pouch", "width_mm": _tidy(actuator.width * 1e3)}
    raise TypeError(f"design files know no {type(actuator).__name__}")


def _actuator(part: _ActuatorPart) -> Actuator:
    """The actuator that stands in a file."""
    match part:
        case _SpamPart():
            return Spam(part.constriction_radius_mm * 1e-3, part.tube_radius_mm * 1e-3)
        case _PouchPart():
            return PouchMotor(part.width_mm * 1e-3)
    raise TypeError(f"no actuator is made from a {type(part).__name__}")


def design_content(design: Design) -> dict[str, Any]:
    """The design as it stands in a file: millimetres, degrees and kilopascals."""
    params = design.params
    return {
        "schema": 1,
        "environment": {"name": design.environment, "sha256": design.sha256},
        "tube": {
            "radius_mm": _tidy(params.radius * 1e3),
            "growth_pressure_kpa": _tidy(params.growth_pressure * 1e-3),
            "length_mm": _tidy(design.length * 1e3),
        },
        "actuator": _actuator_content(params.actuator),
        "sections": [
            {
                "start_mm": _tidy(section.start * 1e3),
                "end_mm": _tidy(section.end * 1e3),
                "side": section.side,
                "curvature_per_m": _tidy(section.curvature),
                "l0_mm": _tidy(section.l_0 * 1e3),
                "pressure_kpa": _tidy(section.pressure * 1e-3),
            }
            for section in design.sections
        ],
        "predicted": {
            "tip_mm": [round(float(part) * 1e3, 3) for part in design.tip[:2]],
            "heading_deg": round(float(np.degrees(design.tip[2])), 4),
            "centerline_mm": np.round(design.centerline * 1e3, 3).tolist(),
        },
        "cost": {"actuators": design.actuators, "length_mm": _tidy(design.length * 1e3)},
    }


def load_design(path: str | Path) -> Design:
    """Read and check a design file, or the `design.json` of a run folder.

    Raises:
        InvalidDesign: The file is missing, malformed, of another schema, or its sections do not follow each other.
    """
    path = Path(path)
    path = path / "design.json" if path.is_dir() else path
    try:
        data = json.loads(read_file(path, _MOST_BYTES))
        model = _file_model(data)
        file = model.model_validate(data)
        _check_sections(file)
    except Unreadable as error:
        raise InvalidDesign(f"{path}: {error}") from None
    except ValidationError as error:
        raise InvalidDesign(f"{path.name}: {describe(error, model)}") from None
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, InvalidDesign) else f"is not JSON: {error}"
        raise InvalidDesign(f"{path.name}: {reason}") from None
    params = VineParams(
        radius=file.tube.radius_mm * 1e-3,
        growth_pressure=file.tube.growth_pressure_kpa * 1e3,
        actuator=_actuator(file.actuator),
    )
    sections = tuple(
        Section(
            part.start_mm * 1e-3,
            part.end_mm * 1e-3,
            part.side,
            part.curvature_per_m,
            part.l0_mm * 1e-3,
            part.pressure_kpa * 1e3,
        )
        for part in file.sections
    )
    tip = np.array([*np.array(file.predicted.tip_mm) * 1e-3, np.radians(file.predicted.heading_deg)])
    centerline = np.array(file.predicted.centerline_mm).reshape(-1, 2) * 1e-3
    return Design(file.environment.name, file.environment.sha256, params, sections, tip, centerline)


def _check_sections(file: DesignFile) -> None:
    sections, low, high = file.sections, SHORTEST * 1e3, LONGEST * 1e3
    actuator = file.actuator
    if isinstance(actuator, _SpamPart) and actuator.constriction_radius_mm >= actuator.tube_radius_mm:
        raise InvalidDesign("actuator.constriction_radius_mm must be less than actuator.tube_radius_mm")
    if sections[0].start_mm != 0:
        raise InvalidDesign(f"sections[0].start_mm = {sections[0].start_mm:g} must be 0, the base of the tube")
    for i, (one, following) in enumerate(pairwise(sections)):
        if abs(following.start_mm - one.end_mm) > 1e-6:
            fault = "overlaps" if following.start_mm < one.end_mm else "leaves a gap after"
            raise InvalidDesign(
                f"sections[{i + 1}].start_mm = {following.start_mm:g} {fault} sections[{i}], which ends at {one.end_mm:g} mm"
            )
    for i, section in enumerate(sections):
        if section.end_mm <= section.start_mm:
            raise InvalidDesign(
                f"sections[{i}].end_mm = {section.end_mm:g} must be greater than start_mm = {section.start_mm:g}"
            )
        if section.side != "none" and not (low <= section.l0_mm <= high):
            raise InvalidDesign(f"sections[{i}].l0_mm = {section.l0_mm:g} must be from {low:g} to {high:g}")
        for key in ("pressure_kpa", "curvature_per_m"):
            if section.side != "none" and getattr(section, key) == 0:
                raise InvalidDesign(f'sections[{i}].{key} = 0 must be greater than 0, or side "none"')
    if abs(sections[-1].end_mm - file.tube.length_mm) > 1e-6:
        raise InvalidDesign(
            f"tube.length_mm = {file.tube.length_mm:g} must be the end of the last section, {sections[-1].end_mm:g}"
        )


def _tidy(value: float) -> float:
    """Nine significant digits: enough for any workshop, and free of the change of unit's rounding."""
    return float(f"{value:.9g}")
