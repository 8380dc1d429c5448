"""A recorded motion of a real vine, and its JSON file.

{"schema": 1,                                        optional; absent means 1
 "name": "bench", "unit": "m",                       lengths are in metres, always
 "tube_radius_m": 0.0323,
 "mass_per_length_kg_per_m": 0.059,                  optional
 "base": {"position_m": [0, 0], "heading_rad": 0.1},
 "frames_per_s": 30,                                 optional: gives times to frames that have an index only
 "walls_m": [[[0.5, -1], [0.5, 1]]],                 optional: thin walls, as segments
 "frames": [{"time_s": 0.0,                          or "index": 2
             "length_m": 0.07,                       optional, ignored
             "centerline_m": [[0, 0], [0.07, 0]],    from base to tip
             "contacts": [{"wall": 0, "point": -1}]  optional: which point of the centreline touches which wall; -1 is the tip
            }]}

Other keys are allowed and not read. The centreline is the tube's axis and ends at the axis's tip: the tube's round cap reaches
one radius beyond it, and the tip touches a wall when it is one radius away.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from environments.error_messages import describe
from environments.file_model import Name
from environments.reading import UnreadableFile, read_file
from environments.writing import atomic_path
from surrogate.kernels.compiled import Floats

LEAST_FRAMES = 3
_MOST_BYTES = 50_000_000
_SHORTEST, _LONGEST = 0.01, 100.0
"""Limits of the maximum length of a tube in a recording [m]."""
_FARTHEST = 1000.0
"""Largest coordinate [m]."""
_SPACING = 1e-6, 1e4
"""Limits of the time between two frames [s]."""
_LATEST, _LAST_INDEX = 1e10, 10**9
"""Largest time [s], above any Unix time, and largest index of a frame."""
_MOST_RADII_TO_WALL = 3
"""Maximum distance of a contact point from its wall, in radii: one radius plus two for errors of tracking and of the wall's
position. A larger distance means a wrong wall or point, and would bend the whole tube in a fit."""
MASSES, RATES = (5e-4, 1.0), (1e-4, 1e6)
"""Limits of mass per length [kg/m], narrow enough to exclude one in g/m, and of frames per second [1/s]."""


class InvalidRecording(ValueError):
    """An invalid recording; the one-line message gives file, key, value and allowed range."""

    exit_code = 2


@dataclass(frozen=True, slots=True, eq=False)
class RecordedContact:
    """Contact of a point of the tube with a wall in one frame."""

    frame: int
    wall: int
    point: int
    """Index into the frame's centreline."""


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """Centrelines of a tube over time, with properties of tube and environment."""

    name: str
    tube_radius: float
    """Radius of the tube [m]."""
    mass_per_length: float | None
    """Mass per length [kg/m]; None if unknown."""
    base: Floats
    """Base pose x, y [m] and heading [rad], shape (3,)."""
    times: Floats
    """Time of each frame [s], ascending, shape (frames,)."""
    centerlines: tuple[Floats, ...]
    """Centreline of each frame from base to tip [m], shape (points, 2); the number of points may differ."""
    walls: Floats
    """x1, y1, x2, y2 of thin walls [m], shape (walls, 4)."""
    contacts: tuple[RecordedContact, ...]


def _make_bare_error(text: str) -> PydanticCustomError:
    """Return an error whose message does not show the value, because it is too long or already in the text."""
    return PydanticCustomError("bare", text.replace("{", "{{").replace("}", "}}"))


def _check_schema(version: int) -> int:
    if version != 1:
        raise PydanticCustomError("schema", "must be 1")
    return version


def _check_unit(unit: str) -> str:
    if unit != "m":
        raise PydanticCustomError("unit", "must be 'm': convert all lengths to metres")
    return unit


def _check_segment(wall: list[list[float]]) -> list[list[float]]:
    if math.dist(*wall) < 1e-6:
        raise _make_bare_error("must have a length: its two ends are the same point")
    return wall


def _within(low: float, high: float, unit: str = "") -> AfterValidator:
    def check(value: float) -> float:
        if not low <= value <= high:
            raise PydanticCustomError("limits", f"must be from {low:g} to {high:g} {unit}".rstrip())
        return value

    return AfterValidator(check)


_Coordinate = Annotated[float, _within(-_FARTHEST, _FARTHEST, "m")]
_Index = Annotated[int, _within(-_LAST_INDEX, _LAST_INDEX)]
_Point = Annotated[list[_Coordinate], Field(min_length=2, max_length=2)]
_AnyPoint = Annotated[list[Annotated[float, _within(-1e9, 1e9, "m")]], Field(min_length=2, max_length=2)]
"""Point of a centreline, with wide limits, because the centreline's length reveals its unit better."""
_Segment = Annotated[list[_Point], Field(min_length=2, max_length=2), AfterValidator(_check_segment)]


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


class _Base(_Table):
    position_m: _Point
    """x and y of the base."""
    heading_rad: Annotated[float, _within(-1000, 1000, "rad")]
    """Direction in which the tube leaves the base."""


class _Contact(_Table):
    wall: _Index
    """Index of the wall in walls_m, from 0."""
    point: _Index
    """Index of the point in the centreline of the frame; -1 is the tip."""


class _Frame(_Table):
    time_s: Annotated[float, _within(-_LATEST, _LATEST, "s")] | None = None
    """Time of the frame; needed unless it has an index."""
    index: _Index | None = None
    """Number of the frame, dimensionless; divided by frames_per_s it is the time."""
    centerline_m: Annotated[list[_AnyPoint], Field(min_length=2), FailFast()]
    """x, y of points of the tube's axis, from base to tip."""
    contacts: Annotated[list[_Contact], FailFast()] = []
    """Contacts of the tube with walls in this frame."""

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if all(point == self.centerline_m[0] for point in self.centerline_m):
            raise _make_bare_error("centerline_m must have a length: all its points are the same")
        return self


def _check_count(frames: list[_Frame]) -> list[_Frame]:
    if len(frames) < LEAST_FRAMES:
        raise _make_bare_error(f"must be at least {LEAST_FRAMES}, not {len(frames)}")
    return frames


class _RecordingFile(_Table):
    # pydantic keeps the name `schema` for itself.
    version: Annotated[int, AfterValidator(_check_schema)] = Field(1, alias="schema")
    """Schema of the file."""
    name: Name
    """Name of the recording."""
    unit: Annotated[str, AfterValidator(_check_unit)]
    """Unit of lengths: metres, always."""
    tube_radius_m: Annotated[float, Field(gt=0, le=1)]
    """Radius of the tube."""
    mass_per_length_kg_per_m: Annotated[float, _within(*MASSES, "kg/m")] | None = None
    """Mass of the tube per length; needed for a fit unless the command gives it."""
    base: _Base
    """Clamp of the tube."""
    frames_per_s: Annotated[float, _within(*RATES)] | None = None
    """Frame rate, which gives times to frames that have an index only."""
    walls_m: Annotated[list[_Segment], FailFast()] = []
    """Two ends x, y of each thin wall."""
    frames: Annotated[list[_Frame], FailFast(), AfterValidator(_check_count)]
    """Frames of the recording, in order of time."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        _check_extent(self)
        for number, wall in enumerate(self.walls_m):
            distance = distance_to_segment(np.array(self.base.position_m), np.ravel(wall))
            if distance < self.tube_radius_m:
                raise _make_bare_error(
                    f"walls_m[{number}] is {distance:.4g} m from base.position_m, so that the tube would start in it; "
                    f"at least its radius, {self.tube_radius_m:g} m, is needed"
                )
        for number, frame in enumerate(self.frames):
            for index, contact in enumerate(frame.contacts):
                key, points = f"frames[{number}].contacts[{index}]", len(frame.centerline_m)
                if not 0 <= contact.wall < len(self.walls_m):
                    raise _make_bare_error(
                        f"{key}.wall = {contact.wall} does not exist: walls_m has {len(self.walls_m)} walls, numbered from 0"
                    )
                if not -points <= contact.point < points:
                    raise _make_bare_error(
                        f"{key}.point = {contact.point} does not exist: the centreline has {points} points, numbered from 0"
                    )
                self._check_contact(key, contact, frame)
        return self

    def _check_contact(self, key: str, contact: _Contact, frame: _Frame) -> None:
        """Check that a contact is possible: away from the clamped base, and near the line of its wall."""
        point, radius = np.array(frame.centerline_m[contact.point]), self.tube_radius_m
        if (apart := math.dist(point, self.base.position_m)) < radius:
            raise _make_bare_error(
                f"{key}.point = {contact.point} is {apart:.4g} m from base.position_m, where the tube is held and touches no wall; "
                f"give a point at least a radius, {radius:g} m, away"
            )
        start, end = np.array(self.walls_m[contact.wall])
        x, y = (end - start) / math.dist(start, end)
        away = abs(x * (point[1] - start[1]) - y * (point[0] - start[0]))
        if away > _MOST_RADII_TO_WALL * radius:
            raise _make_bare_error(
                f"{key}: point {contact.point} is {away:.4g} m from the line of walls_m[{contact.wall}]; a touching point is one "
                f"radius from it, {radius:g} m, and at most {_MOST_RADII_TO_WALL} are allowed: correct the wall or the contact"
            )


def _check_extent(file: _RecordingFile) -> None:
    """Detect pixels and millimetres by the maximum length of the tube."""
    lengths = [sum(map(math.dist, frame.centerline_m, frame.centerline_m[1:])) for frame in file.frames]
    longest = max(lengths)
    if _SHORTEST <= longest <= _LONGEST:
        return
    key = f"frames[{lengths.index(longest)}].centerline_m"
    # Trackers give pixels as whole numbers.
    whole = all(value == int(value) for frame in file.frames for point in frame.centerline_m for value in point)
    unit = "kilometres" if longest < _SHORTEST else "pixels" if whole else "millimetres"
    raise _make_bare_error(
        f"{key} is {longest:.4g} long, which looks like {unit}; lengths must be in metres, and the tube's "
        f"maximum length from {_SHORTEST:g} to {_LONGEST:g} m"
    )


def distance_to_segment(point: Floats, segment: Floats) -> float:
    """Distance of a point, shape (2,), to a segment x1, y1, x2, y2 [m]."""
    start, along = segment[:2], segment[2:] - segment[:2]
    share = np.clip((point - start) @ along / (along @ along), 0, 1)
    return float(np.hypot(*(point - start - share * along)))


def load_recording(path: Path, frames_per_second: float | None = None) -> Recording:
    """Read a recording.

    Args:
        frames_per_second: Rate for frames with an index only, instead of the file's [1/s].
    Raises:
        InvalidRecording: The file is invalid.
    """
    try:
        data = json.loads(read_file(path, _MOST_BYTES).decode("utf-8-sig"))
    except UnreadableFile as error:
        raise InvalidRecording(f"{path} {error}") from None
    except (ValueError, RecursionError):
        raise InvalidRecording(f"{path} is not JSON") from None
    try:
        return _validate(data, frames_per_second)
    except InvalidRecording as error:
        raise InvalidRecording(f"{path}: {error}") from None


def check_recording(recording: Recording) -> None:
    """Check that `load_recording` accepts the file that `write_recording` would write.

    Raises:
        InvalidRecording: The message gives the key of the file, without its name.
    """
    _validate(_content(recording))


def _validate(data: Any, rate: float | None = None) -> Recording:
    try:
        file = _RecordingFile.model_validate(data)
    except ValidationError as error:
        # An error of the whole file has no key.
        raise InvalidRecording(describe(error, _RecordingFile).lstrip()) from None
    return _build_recording(file, rate or file.frames_per_s)


def _build_recording(file: _RecordingFile, rate: float | None) -> Recording:
    times = np.array([_time(number, frame, rate) for number, frame in enumerate(file.frames)])
    for number in np.flatnonzero(np.diff(times) <= 0) + 1:
        raise InvalidRecording(
            f"frames[{number}] is at {times[number]:g} s, the frame before it at {times[number - 1]:g} s; "
            "frames must be in order of time, each later than the last"
        )
    least, most = _SPACING
    # The factors allow for rounding of the differences.
    for number in np.flatnonzero((np.diff(times) < 0.999 * least) | (np.diff(times) > 1.001 * most)) + 1:
        raise InvalidRecording(
            f"frames[{number}] is {times[number] - times[number - 1]:g} s after the frame before it; "
            f"this must be from {least:g} to {most:g} s"
        )
    walls = np.array(file.walls_m, float).reshape(-1, 4)
    contacts = tuple(
        RecordedContact(number, contact.wall, contact.point % len(frame.centerline_m))
        for number, frame in enumerate(file.frames)
        for contact in frame.contacts
    )
    lines = tuple(np.array(frame.centerline_m, float) for frame in file.frames)
    base = np.array([*file.base.position_m, file.base.heading_rad])
    return Recording(file.name, file.tube_radius_m, file.mass_per_length_kg_per_m, base, times, lines, walls, contacts)


def _time(number: int, frame: _Frame, rate: float | None) -> float:
    if frame.time_s is not None:
        return frame.time_s
    if frame.index is None:
        raise InvalidRecording(f"frames[{number}] has neither time_s nor index; give one of them")
    if rate is None:
        raise InvalidRecording(
            f"frames[{number}] has an index but no time_s; add frames_per_s to the file or give --frames-per-second"
        )
    return frame.index / rate


def write_recording(recording: Recording, path: Path) -> None:
    """Write a recording for `load_recording`, atomically.

    Raises:
        InvalidRecording: `load_recording` would refuse it; nothing is written.
        OSError: The file cannot be written.
    """
    try:
        content = _content(recording)
        _validate(content)
    except InvalidRecording as error:
        raise InvalidRecording(f"{path}: {error}") from None
    # One frame per line keeps the file readable.
    frames = ",\n  ".join(json.dumps(frame, allow_nan=False) for frame in content.pop("frames"))
    head = json.dumps(content, indent=1, allow_nan=False).removesuffix("\n}")
    with atomic_path(path) as partial:
        partial.write_text(f'{head},\n "frames": [\n  {frames}\n ]\n}}\n', encoding="utf-8")


def _content(recording: Recording) -> dict[str, Any]:
    """Content of a recording's file."""
    content: dict[str, Any] = {"schema": 1, "name": recording.name, "unit": "m"}
    content["tube_radius_m"] = float(recording.tube_radius)
    if recording.mass_per_length is not None:
        content["mass_per_length_kg_per_m"] = float(recording.mass_per_length)
    x, y, heading = recording.base.tolist()
    content["base"] = {"position_m": [x, y], "heading_rad": heading}
    content["walls_m"] = recording.walls.reshape(-1, 2, 2).tolist()
    content["frames"] = [
        {"time_s": time, "centerline_m": line.tolist()}
        for time, line in zip(recording.times.tolist(), recording.centerlines, strict=True)
    ]
    for contact in recording.contacts:
        if not 0 <= contact.frame < len(content["frames"]):
            raise InvalidRecording(
                f"a contact is in frame {contact.frame}; there are {len(content['frames'])} frames, numbered from 0"
            )
        listed = content["frames"][contact.frame].setdefault("contacts", [])
        listed.append({"wall": int(contact.wall), "point": int(contact.point)})
    return content
