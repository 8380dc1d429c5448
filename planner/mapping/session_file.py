"""The file of a mapping session, `session.json` in its folder."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from environments.error_messages import describe
from environments.file_model import Name
from environments.reading import UnreadableFile, read_file
from planner.mapping.belief import Belief
from planner.mapping.grid import CELLS
from planner.mapping.session import MappingSession, SessionDeployment
from planner.output.folder import replace_file

SESSION, PICTURE = "session.json", "session.png"
_MOST_BYTES = 5_000_000
_FARTHEST = 1e6
"""Largest coordinate [mm]."""


class InvalidSession(ValueError):
    """A session that cannot be used; the one-line message gives file, key, value and allowed range."""

    exit_code = 2


_Coordinate = Annotated[float, Field(ge=-_FARTHEST, le=_FARTHEST)]
_Angle = Annotated[float, Field(ge=-360, le=360)]
_Row = Annotated[str, Field(pattern=rf"^[#.?]{{{CELLS}}}$")]
_Count = Annotated[int, Field(ge=0, le=10**6)]


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class _Pose(_Table):
    position_mm: Annotated[list[_Coordinate], Field(min_length=2, max_length=2)]
    """x and y."""
    heading_deg: _Angle
    """Direction, anticlockwise from the x axis."""


class _Deployment(_Table):
    recording: Name
    """Name of the recording."""
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """Hash of its file, by which a recording is not added twice."""
    launch: _Pose
    """Base and direction of the tube."""
    length_mm: Annotated[float, Field(gt=0, le=_FARTHEST)]
    """Length to which the tube grew."""
    readings: Annotated[str, Field(pattern="^(centerlines|length-angle)$")]
    """Source of the readings: centrelines, or length and angle at the base."""
    walls: _Count
    """Number of walls found."""
    corners: _Count
    """Number of corners found."""
    new_hits: _Count
    """Number of cells found covered for the first time."""
    new_free: _Count
    """Number of cells found free for the first time."""


class _SessionFile(_Table):
    version: Annotated[int, Field(ge=1, le=1)] = Field(alias="schema")
    """Schema of the file."""
    bounds_mm: Annotated[list[_Coordinate], Field(min_length=4, max_length=4)]
    """min x, min y, max x, max y of the region to map."""
    tube_radius_mm: Annotated[float, Field(gt=0, le=1000)]
    """Radius of the tube."""
    tube_length_mm: Annotated[float, Field(gt=0, le=100_000)]
    """Length of the tubes that can be deployed."""
    bases: Annotated[list[_Pose], Field(min_length=1, max_length=100)]
    """The possible bases."""
    prior: Annotated[float, Field(gt=0, lt=1)]
    """Probability that a cell that was not seen is covered, dimensionless."""
    deployments: list[_Deployment]
    """The recordings that were added, in their order."""
    map: Annotated[list[_Row], Field(min_length=CELLS, max_length=CELLS)]
    """The cells, the highest row first: # covered, . free, ? not seen."""

    @model_validator(mode="after")
    def _has_an_area(self) -> Self:
        low_x, low_y, high_x, high_y = self.bounds_mm
        if not (low_x < high_x and low_y < high_y):
            raise PydanticCustomError(
                "bare", "bounds_mm must be min x, min y, max x, max y, each min less than its max"
            )
        return self


def read_session(folder: Path) -> MappingSession:
    """Read the session in a folder.

    Raises:
        InvalidSession: There is none, or its file is damaged.
    """
    path = folder / SESSION
    try:
        data = json.loads(read_file(path, _MOST_BYTES).decode("utf-8"))
        file = _SessionFile.model_validate(data)
    except UnreadableFile as error:
        advice = "" if path.exists() else "; begin the session with `new`, or with `add`"
        raise InvalidSession(f"{path} {error}{advice}") from None
    except ValidationError as error:
        raise InvalidSession(f"{path}: {describe(error, _SessionFile).lstrip()}") from None
    except (ValueError, RecursionError):
        raise InvalidSession(f"{path} is not JSON; restore it, or begin a session in another folder") from None
    marks = np.array([list(row) for row in file.map])[::-1]
    return MappingSession(
        1e-3 * np.array(file.bounds_mm),
        1e-3 * file.tube_radius_mm,
        1e-3 * file.tube_length_mm,
        np.array([_pose(base) for base in file.bases]),
        Belief(marks == "#", marks == ".", file.prior),
        tuple(
            SessionDeployment(
                one.recording,
                one.sha256,
                _pose(one.launch),
                1e-3 * one.length_mm,
                one.readings,
                one.walls,
                one.corners,
                one.new_hits,
                one.new_free,
            )
            for one in file.deployments
        ),
    )


def write_session(folder: Path, session: MappingSession) -> None:
    """Write the session into a folder, atomically.

    Raises:
        UnwritableFolder: The folder cannot be written.
    """
    head = session_content(session)
    # One deployment and one row of the map per line keep the file readable.
    lists = {key: head.pop(key) for key in ("deployments", "map")}
    lines = [f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in head.items()]
    for key, items in lists.items():
        rows = ",\n".join(f"  {json.dumps(item, allow_nan=False)}" for item in items)
        lines.append(f" {json.dumps(key)}: [\n{rows}\n ]" if items else f" {json.dumps(key)}: []")
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    replace_file(folder, SESSION, lambda path: path.write_text(text, encoding="utf-8"))


def session_content(session: MappingSession) -> dict[str, Any]:
    """Return the content of the file."""
    return {
        "schema": 1,
        "bounds_mm": _mm(session.bounds),
        "tube_radius_mm": round(1e3 * session.radius, 3),
        "tube_length_mm": round(1e3 * session.length, 3),
        "bases": [_pose_content(base) for base in session.bases],
        "prior": session.belief.prior,
        "deployments": [
            {
                "recording": one.name,
                "sha256": one.sha256,
                "launch": _pose_content(one.launch),
                "length_mm": round(1e3 * one.length, 3),
                "readings": one.readings,
                "walls": one.walls,
                "corners": one.corners,
                "new_hits": one.hits,
                "new_free": one.free,
            }
            for one in session.added
        ],
        "map": session.rows(),
    }


def _pose(pose: _Pose) -> np.ndarray:
    return np.array([*(1e-3 * part for part in pose.position_mm), math.radians(pose.heading_deg)])


def _pose_content(pose: np.ndarray) -> dict[str, Any]:
    heading = math.degrees(math.remainder(float(pose[2]), 2 * math.pi))
    return {"position_mm": _mm(pose[:2]), "heading_deg": round(heading, 4)}


def _mm(lengths: np.ndarray) -> list[float]:
    return [round(1e3 * float(length), 3) for length in lengths]
