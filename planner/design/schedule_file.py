"""Schedules in files: the table `schedule` of a design, and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import FailFast, Field

from dynamics.file_table import FileTable
from environments.reading import UnreadableFile, read_file
from planner.design.design import Design, Section
from planner.design.schedule import MOST_ROWS, InvalidSchedule, Schedule
from planner.output.text import plural

MOST_BYTES = 1_000_000
"""Largest CSV file that is read [bytes]."""
LENGTH, BODY, PRESSURE = "grown_mm", "body_kpa", "_kpa"
"""Columns of a CSV file: the grown length, the growth pressure, which is ignored, and the end of the name of every other pressure."""
_Length = Annotated[float, Field(ge=0, le=1e5)]
_Row = Annotated[list[Annotated[float, Field(ge=0, le=200)]], Field(max_length=2000)]


class SchedulePart(FileTable):
    """Pressures of the actuators of a design over its grown length; see `planner.design.schedule.Schedule`."""

    length_mm: Annotated[list[_Length], Field(min_length=1, max_length=MOST_ROWS), FailFast()]
    """Grown length from which on a row of pressures is set, ascending."""
    pressure_kpa: Annotated[list[_Row], Field(min_length=1, max_length=MOST_ROWS), FailFast()]
    """A row for each length, with the pressure of each actuator from the base; 0 is vented."""


def schedule_content(schedule: Schedule) -> dict[str, Any]:
    """Return the content of the table `schedule` of a file."""
    return {
        "length_mm": [float(f"{1e3 * length:.9g}") for length in schedule.lengths.tolist()],
        "pressure_kpa": [[float(f"{1e-3 * one:.9g}") for one in row] for row in schedule.pressures.tolist()],
    }


def parse_schedule(part: SchedulePart, sections: Sequence[Section]) -> Schedule:
    """Check the schedule of a design file and return it.

    Raises:
        InvalidSchedule: It is inconsistent, or does not fit the sections: every pressure of a section is the highest of its schedule.
    """
    schedule = _make_schedule(part.length_mm, part.pressure_kpa, sections, "schedule.pressure_kpa[{row}]")
    own = [(i, section) for i, section in enumerate(sections) if section.actuated]
    for (i, section), highest in zip(own, schedule.highest.tolist(), strict=True):
        if not section.on:
            raise InvalidSchedule(f"sections[{i}].pressurised = false cannot be combined with a schedule")
        if not np.isclose(section.pressure, highest, rtol=1e-6):
            raise InvalidSchedule(
                f"sections[{i}].pressure_kpa = {1e-3 * section.pressure:g} must be the highest pressure of its schedule, {1e-3 * highest:g}"
            )
    return schedule


def _make_schedule(
    lengths: Sequence[float], pressures: Sequence[Sequence[float]], sections: Sequence[Section], name: str
) -> Schedule:
    """Make a schedule from millimetres and kilopascals; `name` is that of a row in messages."""
    count = sum(section.actuated for section in sections)
    for row, one in enumerate(pressures):
        if len(one) != count:
            has = plural(count, "actuator")
            raise InvalidSchedule(f"{name.format(row=row)} has {len(one)} pressures; the design has {has}")
    return Schedule(1e-3 * np.array(lengths, float), 1e3 * np.array(pressures, float).reshape(len(pressures), count))


def read_schedule(path: Path, design: Design) -> Schedule:
    """Read the schedule in a CSV file, for the actuators of a design.

    The column `grown_mm` is the length; every other column whose name ends in `_kpa`, except `body_kpa`, is the pressure of one
    actuator, from the base. Other columns are ignored.

    Raises:
        InvalidSchedule: The file cannot be read, or is no such table; the message names file and line.
    """
    try:
        text = read_file(path, MOST_BYTES).decode("utf-8-sig")
    except (UnreadableFile, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, UnreadableFile) else "is not a text file"
        raise InvalidSchedule(f"{path}: {reason}") from None
    lines = [row for row in csv.reader(io.StringIO(text)) if row]
    names = [one.strip() for one in lines[0]] if lines else []
    columns = [k for k, one in enumerate(names) if one.endswith(PRESSURE) and one != BODY]
    if LENGTH not in names:
        raise InvalidSchedule(
            f"{path}: the first line must name the columns, one of them {LENGTH}; the others end in {PRESSURE}"
        )
    wanted = [names.index(LENGTH), *columns]
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            rows.append([float(line[k]) for k in wanted])
        except (IndexError, ValueError):
            raise InvalidSchedule(
                f"{path}: line {number} must have a number in each of {len(wanted)} columns"
            ) from None
    if not rows:
        raise InvalidSchedule(f"{path}: has no row")
    try:
        return _make_schedule([row[0] for row in rows], [row[1:] for row in rows], design.sections, "row {row}")
    except InvalidSchedule as error:
        raise InvalidSchedule(f"{path}: {error}") from None
