"""The table of a sweep: one row per case, in the order of the cases, with the same bytes however it was computed."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from environments.writing import atomic_path
from vinewright.sweeps.case import Row, Value

FORMATS = ".csv", ".parquet"


def write_table(rows: Sequence[Row], path: Path) -> None:
    """Write rows to a `.csv` or `.parquet` file in one step, so that it is complete or absent.

    Raises:
        ModuleNotFoundError: pyarrow, which Parquet needs, is not installed.
        OSError: The file cannot be written.
    """
    with atomic_path(path) as partial:
        (_write_parquet if path.suffix == ".parquet" else _write_csv)(rows, partial)


def _write_csv(rows: Sequence[Row], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(column_names(rows))
        writer.writerows([[_text(row.get(name)) for name in column_names(rows)] for row in rows])


def _write_parquet(rows: Sequence[Row], path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    columns = {name: [row.get(name) for row in rows] for name in column_names(rows)}
    pyarrow.parquet.write_table(pyarrow.table(columns), path, compression="zstd")


def column_names(rows: Sequence[Row]) -> list[str]:
    """Return the names of the columns, in order."""
    return list(rows[0]) if rows else ["case"]


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)
