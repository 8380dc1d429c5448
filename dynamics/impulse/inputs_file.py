"""Inputs over time in CSV files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from dynamics.impulse.inputs import GrowthInputs, InvalidInputs
from environments.reading import UnreadableFile, read_file

MOST_BYTES = 1_000_000
"""Largest CSV file that is read [bytes]."""
TIME, GROWTH, PRESSURE = "time_s", "growth_mm_per_s", "body_kpa"
"""Columns: the time, the growth rate without resistance, and the gauge pressure in the body."""


def read_inputs(path: Path) -> GrowthInputs:
    """Read the inputs over time in a CSV file.

    The column `time_s` is needed, and `growth_mm_per_s` or `body_kpa`, or both; other columns are ignored.

    Raises:
        InvalidInputs: The file cannot be read, or is no such table; the message names file and line.
    """
    try:
        text = read_file(path, MOST_BYTES).decode("utf-8-sig")
        lines = [row for row in csv.reader(io.StringIO(text)) if row]
    except (UnreadableFile, UnicodeDecodeError, csv.Error) as error:
        reason = str(error) if isinstance(error, UnreadableFile) else "is not a table of text"
        raise InvalidInputs(f"{path}: {reason}") from None
    names = [one.strip() for one in lines[0]] if lines else []
    if TIME not in names or not {GROWTH, PRESSURE} & {*names}:
        raise InvalidInputs(f"{path}: the first line must name the columns {TIME} and {GROWTH} or {PRESSURE}")
    wanted = [name for name in (TIME, GROWTH, PRESSURE) if name in names]
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            rows.append([float(line[names.index(name)]) for name in wanted])
        except (IndexError, ValueError):
            raise InvalidInputs(f"{path}: line {number} must have a number in each of {len(wanted)} columns") from None
    found = dict(zip(wanted, np.array(rows).reshape(-1, len(wanted)).T, strict=True))
    rates, pressures = found.get(GROWTH), found.get(PRESSURE)
    try:
        return GrowthInputs(
            found[TIME],
            None if rates is None else 1e-3 * rates,
            None if pressures is None else 1e3 * pressures,
        )
    except InvalidInputs as error:
        raise InvalidInputs(f"{path}: {error}") from None
