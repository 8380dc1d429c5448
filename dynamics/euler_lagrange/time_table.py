"""Inputs and references of a robot in CSV files, in the columns in which its motions are written."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from dynamics.euler_lagrange.errors import InvalidTimeTable
from dynamics.euler_lagrange.input_table import InputTable
from dynamics.euler_lagrange.kinematics import NEARLY
from dynamics.euler_lagrange.reference_table import ReferenceTable
from environments.error_messages import hint
from environments.reading import UnreadableFile, read_file
from surrogate.kernels.compiled import Floats

MOST_BYTES = 20_000_000
"""Largest file that is read [bytes]."""
LONGEST = 1e4
"""Largest time in a table, and longest motion of a command [s]."""
MOST_FORCE, MOST_PRESSURE, MOST_LENGTH = 1e6, 1e4, 1e4
"""Largest force [N], pressure [kPa] and length [m] in a table."""
MOST_BEND, MOST_PLANE = 2 * math.pi - NEARLY, 1e4
"""Largest bend and direction of its plane [rad], to both sides."""
TIME = "time_s"
POLAR = "s_m", "theta_rad", "phi_rad"
TIP = "x_m", "y_m", "z_m"
CORE, CORE_PRESSURE = "core_n", "core_kpa"
TENSIONS = "spam_1_n", "spam_2_n", "spam_3_n"
PRESSURES = "spam_1_kpa", "spam_2_kpa", "spam_3_kpa"
REFERENCE = "s_reference_m", "theta_reference_rad", "phi_reference_rad"
LIMITS: dict[str, tuple[float, float]] = {
    TIME: (0.0, LONGEST),
    "s_m": (1e-3, MOST_LENGTH),
    "theta_rad": (-MOST_BEND, MOST_BEND),
    "phi_rad": (-MOST_PLANE, MOST_PLANE),
    **dict.fromkeys(TIP, (-MOST_LENGTH, MOST_LENGTH)),
    **dict.fromkeys((CORE, *TENSIONS), (0.0, MOST_FORCE)),
    **dict.fromkeys((CORE_PRESSURE, *PRESSURES), (0.0, MOST_PRESSURE)),
}
"""Least and greatest value of each column that is read."""


def read_columns(path: str | os.PathLike[str]) -> dict[str, Floats]:
    """Read a table with a row of column names and a row for each time, from 0 s on; times may not decrease.

    Columns of `REFERENCE`, which motions that follow one have as well, are not read.

    Args:
        path: A CSV file; the names end in their units, see `LIMITS`.
    Returns:
        Its columns by name, each of shape (rows,), in the units of their names.
    Raises:
        InvalidTimeTable: It is no such table.
    """
    name = Path(path).name or str(path)
    try:
        text = read_file(Path(path), MOST_BYTES).decode("utf-8-sig")
        return _parse(text)
    except UnicodeDecodeError:
        reason = "is not UTF-8 text"
    except (UnreadableFile, InvalidTimeTable) as error:
        reason = str(error)
    except csv.Error as error:
        reason = f"is not CSV: {error}"
    raise InvalidTimeTable(f"{name}: {reason}")


def _parse(text: str) -> dict[str, Floats]:
    reader = csv.reader(io.StringIO(text, newline=""))
    lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(cell.strip() for cell in row)]
    if not lines:
        raise InvalidTimeTable(f"is empty; its first line must name the columns, one of them {TIME}")
    names = lines[0][1]
    _check_names(names)
    if len(lines) == 1:
        raise InvalidTimeTable("has no row of numbers")
    wanted = [k for k, one in enumerate(names) if one not in REFERENCE]
    rows = []
    for number, cells in lines[1:]:
        if len(cells) != len(names):
            raise InvalidTimeTable(f"line {number} has {len(cells)} values for {len(names)} columns")
        rows.append([_number(number, names[k], cells[k]) for k in wanted])
    values = np.array(rows, float).T
    columns = dict(zip((names[k] for k in wanted), values, strict=True))
    times = columns[TIME]
    if times[0] != 0:
        raise InvalidTimeTable(f"line {lines[1][0]}: {TIME} = {times[0]:g} must be 0, the time of the start")
    for (number, _), (before, after) in zip(lines[2:], pairwise(times), strict=True):
        if after < before:
            raise InvalidTimeTable(
                f"line {number}: {TIME} = {after:g} must not be less than {before:g}, that of the line before"
            )
    return columns


def _check_names(names: Sequence[str]) -> None:
    known = [*LIMITS, *REFERENCE]
    for one in names:
        if one not in known:
            raise InvalidTimeTable(f"unknown column {one!r:.60}{hint(one, known)}; allowed: {', '.join(LIMITS)}")
        if names.count(one) > 1:
            raise InvalidTimeTable(f"has the column {one} twice")
    if TIME not in names:
        raise InvalidTimeTable(f"has no column {TIME}")


def _number(line: int, column: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise InvalidTimeTable(f"line {line}: {column} = {cell!r:.40} must be a number") from None
    try:
        check_range(column, value)
    except InvalidTimeTable as error:
        raise InvalidTimeTable(f"line {line}: {error}") from None
    return value


def check_range(column: str, value: float) -> None:
    """Check a number of a table.

    Args:
        column: One of `LIMITS`.
        value: In the unit of the column's name.
    Raises:
        InvalidTimeTable: It is out of its range.
    """
    least, most = LIMITS[column]
    if not least <= value <= most:
        raise InvalidTimeTable(f"{column} = {value:g} must be from {least:g} to {most:g}")


def columns_of(columns: dict[str, Floats], names: Sequence[str]) -> Floats | None:
    """Return some columns of a table, shape (rows, columns), in the units of their names; None if it has none of them.

    Raises:
        InvalidTimeTable: Only some of them are there.
    """
    missing = [one for one in names if one not in columns]
    if len(missing) == len(names):
        return None
    if missing:
        raise InvalidTimeTable(
            f"has no column {missing[0]}, which belongs to {', '.join(one for one in names if one in columns)}"
        )
    return np.stack([columns[one] for one in names], axis=1)


def read_inputs(path: str | os.PathLike[str]) -> InputTable:
    """Read inputs over time from a CSV file.

    Args:
        path: A file with the column `time_s`, and with `core_n` or `core_kpa`, with all of `spam_1_n`, `spam_2_n` and `spam_3_n`, or
            with all of `spam_1_kpa`, `spam_2_kpa` and `spam_3_kpa`; what is missing is 0. A motion's `trajectory.csv` is such a file.
    Raises:
        InvalidTimeTable: The file cannot be used; the message names file, line and value.
    """
    columns = read_columns(path)
    try:
        tensions, pressures = columns_of(columns, TENSIONS), columns_of(columns, PRESSURES)
        if tensions is not None and pressures is not None:
            raise InvalidTimeTable("has tensions and pressures of the actuators; give one of them")
        cores = [one for one in (CORE, CORE_PRESSURE) if one in columns]
        if len(cores) == 2:
            raise InvalidTimeTable("has a force and a pressure of the core; give one of them")
        if tensions is None and pressures is None and not cores:
            raise InvalidTimeTable(
                f"has no input: {CORE}, {CORE_PRESSURE}, {', '.join(TENSIONS)} or {', '.join(PRESSURES)}"
            )
        rows, pushed = len(columns[TIME]), cores == [CORE_PRESSURE]
        core = columns[cores[0]] if cores else np.zeros(rows)
        given = np.zeros((rows, 3)) if tensions is None else tensions
        actuators = given if pressures is None else 1e3 * pressures
        return InputTable(columns[TIME], 1e3 * core if pushed else core, actuators, pressures is not None, pushed)
    except InvalidTimeTable as error:
        raise InvalidTimeTable(f"{Path(path).name}: {error}") from None


def change_constant(inputs: InputTable, column: str, value: float) -> InputTable:
    """Return constant inputs with another value in a column of a file; the others stay to the bit.

    Args:
        column: `CORE`, `CORE_PRESSURE`, or one of `TENSIONS` and `PRESSURES`.
        value: In the unit of the column's name.
    Raises:
        InvalidTimeTable: The inputs are not constant, or are pressures where this is a force or the other way round; or the value is
            out of its range.
    """
    check_range(column, value)
    if len(inputs.times) > 1:
        raise InvalidTimeTable(f"{column}: the inputs change over time; only constant ones can be given another value")
    pressure = column in (CORE_PRESSURE, *PRESSURES)
    of_core = column in (CORE, CORE_PRESSURE)
    was, others = (inputs.core_pressurised, inputs.core) if of_core else (inputs.pressurised, inputs.actuators)
    if pressure != was and others.any():
        raise InvalidTimeTable(f"{column}: the inputs have a {'pressure' if was else 'force'} there; give one of them")
    scaled = 1e3 * value if pressure else value
    if of_core:
        return replace(inputs, core=np.array([scaled]), core_pressurised=pressure)
    actuators = inputs.actuators.copy()
    actuators[0, (PRESSURES if pressure else TENSIONS).index(column)] = scaled
    return replace(inputs, actuators=actuators, pressurised=pressure)


def read_reference(path: str | os.PathLike[str]) -> ReferenceTable:
    """Read a reference from a CSV file.

    Args:
        path: A file with the column `time_s`, and with `s_m`, `theta_rad` and `phi_rad`, or else with `x_m`, `y_m` and `z_m`, the
            position of the tip relative to the base. A motion's `trajectory.csv` is such a file.
    Raises:
        InvalidTimeTable: The file cannot be used; the message names file, line and value.
    """
    columns = read_columns(path)
    try:
        polar, tips = columns_of(columns, POLAR), columns_of(columns, TIP)
        if polar is not None:
            return ReferenceTable(columns[TIME], polar)
        if tips is not None:
            return ReferenceTable(columns[TIME], tips, of_tip=True)
        raise InvalidTimeTable(f"has no reference: {', '.join(POLAR)}, or {', '.join(TIP)}")
    except InvalidTimeTable as error:
        raise InvalidTimeTable(f"{Path(path).name}: {error}") from None
