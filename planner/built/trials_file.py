"""The file of trials of a built design, `trials.toml` in the folder of its run or pack, and the checks of what is in it.

The file is for people, too: its keys name their units, and what is added or removed leaves all other lines as they are.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, FailFast, Field, ValidationError

from dynamics.file_table import FileTable
from environments.error_messages import describe
from environments.file_model import check_text
from environments.reading import UnreadableFile, parse_toml, read_file
from planner.built.trial import BendTest, Growth, MeasuredPoint, MeasurementErrors, Trials
from planner.design.sections_in_file import MOST_LENGTH_MM, tidy
from planner.output.folder import replace_file

_MOST_BYTES = 5_000_000
_MOST = 10_000
"""Maximum number of growths, of bends and of points."""
_FARTHEST = 1e7
"""Largest coordinate [mm], as in environments."""
HEADER = (
    "# Trials of a design that was built: what was measured, in mm, deg and kPa. `vinewright trials` adds, lists and removes;",
    "# what is known can be changed here. [errors] are the standard deviations of what was measured.",
)
_TABLE = re.compile(r"^[ \t]*\[+[ \t]*([\w-]+)[ \t]*\]+", re.MULTILINE)
"""The first line of a table."""


class InvalidTrials(ValueError):
    """Trials that cannot be used; the one-line message gives file, key, value and the allowed range."""

    exit_code = 2


_Coordinate = Annotated[float, Field(ge=-_FARTHEST, le=_FARTHEST)]
_Point = Annotated[list[_Coordinate], Field(min_length=2, max_length=2)]
_Kilopascals = Annotated[float, Field(ge=0, le=200)]
_Deviation = Annotated[float, Field(gt=0, le=1000)]


class _Errors(FileTable):
    """Standard deviations of what was measured."""

    tip_mm: _Deviation = 5.0
    """Standard deviation of x and of y of a tip."""
    length_mm: _Deviation = 10.0
    """Standard deviation of a grown length."""
    bend_deg: Annotated[float, Field(gt=0, le=90)] = 1.0
    """Standard deviation of a bend."""
    obstacle_mm: _Deviation = 2.0
    """Standard deviation of x and of y of a point of an obstacle."""


class _Growth(FileTable):
    reached: bool | None = None
    """Whether the tip was in the goal at some time."""
    tip_mm: _Point | None = None
    """x and y of the tip where it ended, on the tube's axis."""
    length_mm: Annotated[float, Field(ge=0, le=MOST_LENGTH_MM)] | None = None
    """Length grown when it ended or stalled, along the film."""
    pressures_kpa: Annotated[list[_Kilopascals], Field(max_length=2000)] | None = None
    """Set points of the actuators from the base, if not those of the design."""
    recording: Annotated[str, Field(pattern=r"^\w[^/\\:\x00-\x1f\x7f]{0,150}\.json$")] | None = None
    """Name of a recording in the same folder."""
    note: Annotated[str, Field(max_length=2000), AfterValidator(check_text)] = ""
    """Text for people."""


class _Bend(FileTable):
    section: Annotated[int, Field(ge=1, le=2000)]
    """Number of the actuator, counted from 1 at the base; dimensionless."""
    pressure_kpa: _Kilopascals
    """Pressure of the actuator; all others have none."""
    bend_deg: Annotated[float, Field(ge=-3600, le=3600)]
    """Angle between the tube before the actuator and that behind it, in free space: positive to the side of the actuator."""


class _MeasuredPoint(FileTable):
    obstacle: Annotated[str, Field(min_length=1, max_length=60), AfterValidator(check_text)]
    """Kind and number of the obstacle, as "wall 6"."""
    planned_mm: _Point
    """x and y where a point of it should be."""
    measured_mm: _Point
    """x and y where that point is."""


class TrialsFile(FileTable):
    """The whole file."""

    version: Annotated[int, Field(ge=1, le=1)] = Field(alias="schema")
    """Schema of the file."""
    design: Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
    """Digest of the design that was built; trials of another one are refused."""
    errors: _Errors = Field(_Errors(), description="standard deviations of what was measured")
    growths: Annotated[list[_Growth], Field(max_length=_MOST), FailFast()] = Field(
        [], description="growths of the built tube in its environment"
    )
    bends: Annotated[list[_Bend], Field(max_length=_MOST), FailFast()] = Field(
        [], description="tests of single actuators in free space, as in the acceptance test of the builder's guide"
    )
    points: Annotated[list[_MeasuredPoint], Field(max_length=_MOST), FailFast()] = Field(
        [], description="points of obstacles that were measured"
    )


def load_trials(path: Path) -> Trials:
    """Read the trials in a file.

    Raises:
        InvalidTrials: The file is missing or malformed, or a recording that it names is not in its folder.
    """
    try:
        trials = _parse(read_file(path, _MOST_BYTES))
    except UnreadableFile as error:
        advice = "" if path.exists() else "; `vinewright trials add` begins it"
        raise InvalidTrials(f"{path} {error}{advice}") from None
    except InvalidTrials as error:
        raise InvalidTrials(" ".join(f"{path.name}: {error}".split())) from None
    for number, growth in enumerate(trials.growths):
        if growth.recording and not (path.parent / growth.recording).is_file():
            raise InvalidTrials(
                f"{path.name}: growths[{number}].recording = {growth.recording!r} is not in {path.parent}"
            )
    return trials


def _parse(data: bytes) -> Trials:
    """Parse the content of a file.

    Raises:
        InvalidTrials: It is malformed; the message does not name the file.
    """
    file = validate_content(parse_toml(data, InvalidTrials))
    known = file.errors
    errors = MeasurementErrors(
        1e-3 * known.tip_mm, 1e-3 * known.length_mm, math.radians(known.bend_deg), 1e-3 * known.obstacle_mm
    )
    growths = tuple(
        Growth(
            one.reached,
            None if one.tip_mm is None else _metres(one.tip_mm),
            None if one.length_mm is None else 1e-3 * one.length_mm,
            None if one.pressures_kpa is None else tuple(1e3 * each for each in one.pressures_kpa),
            one.recording,
            one.note,
        )
        for one in file.growths
    )
    bends = tuple(BendTest(one.section, 1e3 * one.pressure_kpa, math.radians(one.bend_deg)) for one in file.bends)
    points = tuple(
        MeasuredPoint(one.obstacle, _metres(one.planned_mm), _metres(one.measured_mm)) for one in file.points
    )
    return Trials(file.design, errors, growths, bends, points)


def validate_content(content: dict[str, Any]) -> TrialsFile:
    """Check that a file may have some content, and return it.

    Raises:
        InvalidTrials: It may not; the message does not name the file.
    """
    try:
        return TrialsFile.model_validate(content)
    except ValidationError as error:
        raise InvalidTrials(describe(error, TrialsFile)) from None


def trials_content(trials: Trials) -> dict[str, Any]:
    """Return the content of the file."""
    errors = trials.errors
    return {
        "schema": 1,
        "design": trials.design,
        "errors": {
            "tip_mm": tidy(1e3 * errors.tip),
            "length_mm": tidy(1e3 * errors.length),
            "bend_deg": tidy(math.degrees(errors.bend)),
            "obstacle_mm": tidy(1e3 * errors.obstacle),
        },
        "growths": [_growth_content(one) for one in trials.growths],
        "bends": [
            {
                "section": one.section,
                "pressure_kpa": tidy(1e-3 * one.pressure),
                "bend_deg": tidy(math.degrees(one.bend)),
            }
            for one in trials.bends
        ],
        "points": [
            {
                "obstacle": one.obstacle,
                "planned_mm": _millimetres(one.planned),
                "measured_mm": _millimetres(one.measured),
            }
            for one in trials.points
        ],
    }


def _growth_content(growth: Growth) -> dict[str, Any]:
    """Return the content of a growth: only what is known."""
    content = {
        "reached": growth.reached,
        "tip_mm": growth.tip and _millimetres(growth.tip),
        "length_mm": None if growth.length is None else tidy(1e3 * growth.length),
        "pressures_kpa": None if growth.pressures is None else [tidy(1e-3 * one) for one in growth.pressures],
        "recording": growth.recording,
        "note": growth.note or None,
    }
    return {key: value for key, value in content.items() if value is not None}


def save_trials(path: Path, trials: Trials) -> None:
    """Write a file, atomically; lines of an earlier file that still hold stay as they are, with its comments.

    Raises:
        InvalidTrials: `load_trials` would refuse it, or the earlier file; nothing is written.
        UnwritableFolder: The folder cannot be written.
    """
    content = trials_content(trials)
    text = "\n".join([*HEADER, "", *_whole(content)]) + "\n"
    try:
        validate_content(content)
        if path.exists():
            text = _edit(read_file(path, _MOST_BYTES), content) or text
    except (InvalidTrials, UnreadableFile) as error:
        raise InvalidTrials(f"{path.name}: {error}") from None
    replace_file(path.parent, path.name, lambda fresh: fresh.write_text(text, encoding="utf-8", newline=""))


def _whole(content: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a file."""
    for key, value in content.items():
        if key in _LISTS:
            for one in value:
                yield from _block(key, one)
        elif isinstance(value, dict):
            yield from ("", f"[{key}]", *(_line(*pair) for pair in value.items()))
        else:
            yield _line(key, value)


_LISTS = "growths", "bends", "points"


def _block(key: str, one: dict[str, Any]) -> list[str]:
    """Return the lines of one table of a list."""
    return ["", f"[[{key}]]", *(_line(*pair) for pair in one.items())]


def _line(key: str, value: Any) -> str:
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"


def _edit(data: bytes, content: dict[str, Any]) -> str | None:
    """Return the text of a file with tables removed and added so that it has some content; None if that does not do.

    Raises:
        InvalidTrials: The file is malformed.
    """
    before, text = trials_content(_parse(data)), data.decode("utf-8-sig")
    starts = [*_TABLE.finditer(text)]
    ends = [*(one.start() for one in starts), len(text)][1:]
    kept, had = [text[: starts[0].start()] if starts else text], dict.fromkeys(_LISTS, 0)
    left = {key: [*content[key]] for key in _LISTS}
    try:
        for start, end in zip(starts, ends, strict=True):
            key = start[1]
            if key in _LISTS:
                one, had[key] = before[key][had[key]], had[key] + 1
                if left[key][:1] != [one]:
                    continue
                del left[key][0]
            kept.append(text[start.start() : end])
        added = [line for key in _LISTS for one in left[key] for line in _block(key, one)]
        edited = "".join(kept).rstrip() + "\n" + "".join(f"{line}\n" for line in added)
        return edited if trials_content(_parse(edited.encode())) == content else None
    except (InvalidTrials, IndexError):
        return None


def _metres(point: list[float]) -> tuple[float, float]:
    return 1e-3 * point[0], 1e-3 * point[1]


def _millimetres(point: tuple[float, float]) -> list[float]:
    return [tidy(1e3 * part) for part in point]
