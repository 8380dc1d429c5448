"""Pages that are filled from top to bottom with headings, paragraphs and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from planner.drawing.style import FAINT, INK
from planner.fabrication.guide.paper import LONG_EDGE, POINT, SHORT_EDGE, Page, Paper

MARGIN = 15.0
"""Page margin [mm]."""
SIZE, SMALL = 8.5, 7.5
"""Font sizes of text, and of table heads and notes [point]."""
LEADING = 1.5
"""Height of a line relative to its font size [-]."""
PAD = 1.0
"""Space below the text of a table row [mm]."""
GUTTER = 2.0
"""Minimum distance between two columns [mm]."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; text that is too long for it is wrapped."""

    head: str
    share: float
    """Share of the table's width, relative to the other columns [-]."""
    align: Literal["left", "right"] = "left"


def line_height(size: float) -> float:
    """Height of a line of text [mm]."""
    return LEADING * size * POINT


@cache
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of text in the default font [mm]."""
    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width: float = TextToPath().get_text_width_height_descent(text, font, ismath=False)[0]
    return width * POINT


def wrap(text: str, width: float, size: float) -> list[str]:
    """Break text into lines of at most a width [mm]; a longer word is broken too, and line breaks stay."""
    if "\n" in text:
        return [line for part in text.split("\n") for line in wrap(part, width, size)]
    space = text_width("n n", size) - text_width("nn", size)
    lines, used = [""], 0.0
    for whole in text.split():
        word = whole
        while text_width(word, size) > width and len(word) > 1:
            cut = next(k for k in range(len(word) - 1, 0, -1) if k == 1 or text_width(word[:k], size) <= width)
            lines.append(word[:cut])
            word, used = word[cut:], width
        needed = text_width(word, size)
        if lines[-1] and used + space + needed <= width:
            lines[-1] += f" {word}"
            used += space + needed
        else:
            lines.append(word)
            used = needed
    return [line for line in lines if line] or lines


@dataclass(slots=True)
class Flow:
    """Portrait pages, filled from top to bottom."""

    paper: Paper
    pages: list[Page] = field(default_factory=list)
    y: float = 0.0
    """Upper edge of the free space on the last page [mm]."""
    places: dict[str, int] = field(default_factory=dict)
    """Index of the page of each title and heading, and of what else is noted, by its text."""

    @property
    def width(self) -> float:
        """Width of a page [mm]."""
        return SHORT_EDGE[self.paper]

    @property
    def across(self) -> float:
        """Width between the margins [mm]."""
        return self.width - 2 * MARGIN

    @property
    def page(self) -> Page:
        """The last page."""
        return self.pages[-1]

    def new_page(self) -> None:
        """Continue on a new page."""
        self.pages.append(Page(self.width, LONG_EDGE[self.paper]))
        self.y = self.page.height - MARGIN

    def reserve(self, height: float) -> bool:
        """Reserve a height [mm] above the new `y`; return whether that started a new page."""
        fresh = not self.pages or self.y - height < MARGIN
        if fresh:
            self.new_page()
        self.y -= height
        return fresh

    def note(self, text: str) -> None:
        """Note that a text is on the last page."""
        self.places.setdefault(text, len(self.pages) - 1)

    def title(self, text: str, under: str) -> None:
        """Begin a new page with a title and a line below it."""
        self.new_page()
        self.reserve(15)
        self.note(text)
        self.page.text(MARGIN, self.y + 8, text, 15, weight="bold")
        self.page.text(MARGIN, self.y + 2.5, under, SIZE, color=FAINT)

    def heading(self, text: str, height: float) -> None:
        """Write a heading and keep it on one page with the `height` [mm] that follows."""
        self.reserve(9.0 + height)
        self.y += height
        self.note(text)
        self.page.text(MARGIN, self.y + 2, text, 11, weight="bold")

    def paragraph(self, text: str, mark: str = "", size: float = SIZE, colour: str = INK) -> None:
        """Write a paragraph, with a number or sign before its first line if there is a `mark`."""
        indent = 7.0 if mark else 0.0
        lines, height = wrap(text, self.across - indent, size), line_height(size)
        self.reserve(height * len(lines) + 0.8)
        for k, line in enumerate(lines):
            y = self.y + height * (len(lines) - 1 - k) + 1.6
            if mark and k == 0:
                self.page.text(MARGIN + 4.5, y, mark, size, weight="bold", ha="right", color=colour)
            self.page.text(MARGIN + indent, y, line, size, color=colour)

    def table(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[str]],
        colours: Sequence[str] | None = None,
        rules: bool = False,
    ) -> None:
        """Draw a table; its head is repeated on every page.

        Args:
            colours: Colour of the first cell of each row.
            rules: Whether there is a thin line below every row.
        """
        unit = self.across / sum(column.share for column in columns)
        lefts = [MARGIN + unit * sum(column.share for column in columns[:k]) for k in range(len(columns))]
        widths = [unit * column.share - GUTTER for column in columns]
        heads = [wrap(column.head, width, SMALL) for column, width in zip(columns, widths, strict=True)]
        head = line_height(SMALL) * max(map(len, heads)) + PAD
        headed = False
        for k, row in enumerate(rows):
            cells = [wrap(text, width, SIZE) for text, width in zip(row, widths, strict=True)]
            height = line_height(SIZE) * max(map(len, cells)) + PAD
            if headed and self.y - height >= MARGIN:
                self.y -= height
            else:
                self.reserve(head + height)
                self.y += height
                self._cells(columns, lefts, widths, heads, head, SMALL, [FAINT] * len(columns))
                self._rule(0.5)
                self.y -= height
                headed = True
            first = colours[k] if colours else INK
            self._cells(columns, lefts, widths, cells, height, SIZE, [first, *[INK] * (len(columns) - 1)])
            if rules:
                self._rule(0.25)

    def _rule(self, linewidth: float) -> None:
        """Draw a line across the page at `y`."""
        y = self.y + 0.4
        self.page.line([(MARGIN, y), (self.width - MARGIN, y)], color=FAINT, linewidth=linewidth)

    def _cells(
        self,
        columns: Sequence[Column],
        lefts: Sequence[float],
        widths: Sequence[float],
        cells: Sequence[Sequence[str]],
        height: float,
        size: float,
        colours: Sequence[str],
    ) -> None:
        """Write the cells of one row, whose lower edge is at `y`."""
        for column, left, width, lines, colour in zip(columns, lefts, widths, cells, colours, strict=True):
            x = left + width if column.align == "right" else left
            for k, line in enumerate(lines):
                y = self.y + height - line_height(size) * (k + 0.78)
                self.page.text(x, y, line, size, ha=column.align, color=colour)
