"""Markdown tables for reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table.

    Args:
        columns: Headings.
        rows: Cells of each row, as many as there are headings.
    Raises:
        ValueError: A row has a different number of cells.
    """
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    for cells in rows:
        if len(cells) != len(columns):
            raise ValueError(f"a row of {len(cells)} cells in a table of {len(columns)} columns: {cells}")
        lines.append(f"| {' | '.join(cells)} |")
    return lines
