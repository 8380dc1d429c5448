"""Tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def csv_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with a row of column names, as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
