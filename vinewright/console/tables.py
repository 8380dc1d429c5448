"""Tables for terminals of any width: no word is broken, and nothing is cut."""

from __future__ import annotations

import textwrap
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

UNLIMITED = 10_000
"""Width at which no table is wrapped [characters]."""


class Terminal(Console):
    """A console that prints text unchanged, and fits tables to its width."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print objects as a console does; see `fit_to_width` for tables."""
        fitted = tuple(fit_to_width(item, self) if isinstance(item, Table) else item for item in objects)
        if any(isinstance(item, Table) for item in fitted):
            options.setdefault("soft_wrap", False)
        super().print(*fitted, **options)


def fit_to_width(table: Table, console: Console) -> Table | str:
    """Fit a table to the width of a console: wrap its cells, then leave out its lines, or else return one text per row.

    Args:
        table: A table whose cells are texts; it is changed in place.
    """
    texts = [[str(column.header) * table.show_header, *map(str, column.cells)] for column in table.columns]
    natural = [max(cell_len(line) for text in cells for line in text.split("\n")) for cells in texts]
    least = [max(cell_len(word) for text in cells for word in text.split() or [""]) for cells in texts]
    for lean in (False, True):
        if lean:
            table.box, table.show_edge, table.padding = box.SIMPLE, False, 0
        lines = console.measure(table, options=console.options.update(max_width=UNLIMITED)).maximum - sum(natural)
        room = console.width - lines
        if sum(least) <= room:
            for column, width in zip(table.columns, _share_width(least, natural, room), strict=True):
                column.width = width
            return table
    return _make_records(table, texts, console.width)


def _share_width(least: list[int], natural: list[int], room: int) -> list[int]:
    """Return the widths of columns, from `least` to `natural`; if there is too little room, the narrowest grow first."""
    widths = list(least)
    for _ in range(min(room, sum(natural)) - sum(least)):
        column = min((k for k in range(len(widths)) if widths[k] < natural[k]), key=widths.__getitem__)
        widths[column] += 1
    return widths


def _make_records(table: Table, texts: list[list[str]], width: int) -> str:
    """Return one text per row, with the header before each cell; words longer than the width are left to the terminal."""
    headers, *rows = zip(*texts, strict=True)
    records = ["  ".join(f"{header} {cell}".strip() for header, cell in zip(headers, row, strict=True)) for row in rows]
    wrapped = [
        textwrap.fill(record, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        for record in records
    ]
    return "\n".join([str(table.title)] * bool(table.title) + wrapped)
