"""The drawing of the plumbing: from the supply at the left to the lines at the right, on pages of the guide and as an SVG file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib

from environments.writing import atomic_path
from planner.design.design import Side
from planner.drawing.style import ACTUATOR, FAINT, INK, TUBE
from planner.fabrication.assembly.build import LEAD, Build
from planner.fabrication.guide.paper import Page
from planner.fabrication.guide.plumbing_symbols import (
    draw_fitting,
    draw_regulator,
    draw_relief,
    draw_shut_off,
    draw_supply,
    draw_tee,
    draw_valve,
)
from planner.fabrication.guide.sketch import PAPER, PageSketch
from planner.fabrication.lists.plumbing_parts import kilopascals
from planner.fabrication.plumbing.feed_lines import FeedLines
from planner.fabrication.plumbing.plumbing import (
    BODY,
    BODY_SHUT_OFF,
    SUPPLY_SHUT_OFF,
    Branch,
    Plumbing,
    Regulator,
    plumbing_of,
)

ACROSS, ROW_HEIGHT, ABOVE, BELOW = 176.0, 17.0, 13.0, 10.0
"""Width of the drawing, height of the row of a line, and room above the first and below the last row [mm]."""
LEGEND = 19.0
"""Height of the legend [mm]."""
SOURCE, SUPPLY_VALVE, BAR, REGULATOR, RELIEF, MANIFOLD, VALVE, TEE, FITTING, END = (
    6.0,
    13.0,
    22.0,
    33.0,
    48.0,
    82.0,
    96.0,
    112.0,
    155.0,
    158.0,
)
"""Places of the symbols from the left edge [mm]."""


@dataclass(frozen=True, slots=True)
class PlumbingRow:
    """A line of the plumbing, with the regulator and the branch that feed it."""

    regulator: Regulator
    branch: Branch
    line: str
    begins: bool
    """Whether it is the first line of its regulator."""
    opens: bool
    """Whether it is the first line of its branch."""


def rows_of(plumbing: Plumbing) -> list[PlumbingRow]:
    """Return the rows of the drawing, from the top."""
    return [
        PlumbingRow(regulator, branch, line, j == 0 and k == 0, k == 0)
        for regulator in plumbing.regulators
        for j, branch in enumerate(regulator.branches)
        for k, line in enumerate(branch.lines)
    ]


def drawing_height(rows: Sequence[PlumbingRow]) -> float:
    """Return the height of the drawing of some rows with its legend [mm]."""
    return ABOVE + ROW_HEIGHT * (len(rows) - 1) + BELOW + LEGEND


def draw_plumbing(s: PageSketch, rows: Sequence[PlumbingRow], lengths: dict[str, float], first: bool = True) -> None:
    """Draw some rows of the plumbing, with a legend below them.

    Args:
        s: A sketch whose lower left corner is that of the drawing.
        lengths: Length of the tube of each line [m], by name.
        first: Whether the first of these rows is the first of all; otherwise the bars go on from another page.
    """
    top = drawing_height(rows) - ABOVE
    heights = [top - ROW_HEIGHT * k for k in range(len(rows))]
    _draw_supply(s, rows, heights, first)
    for row, y in zip(rows, heights, strict=True):
        if row.begins:
            _draw_regulator(s, row.regulator, y)
        _draw_line(s, row, y, lengths[row.line])
    _draw_bars(s, rows, heights)
    _draw_legend(s, rows)


def _draw_supply(s: PageSketch, rows: Sequence[PlumbingRow], heights: Sequence[float], first: bool) -> None:
    """Draw the supply with its shut-off valve, and the manifold to all regulators."""
    fed = [y for row, y in zip(rows, heights, strict=True) if row.begins]
    if first:
        s.line((SOURCE, heights[0]), (BAR, heights[0]), linewidth=0.8)
        draw_supply(s, SOURCE, heights[0])
        draw_shut_off(s, SUPPLY_VALVE, heights[0])
        s.text(SUPPLY_VALVE, heights[0] + 3.2, SUPPLY_SHUT_OFF, weight="bold")
        s.text(0, heights[0] - 6.5, "dry air", ha="left")
    elif fed:
        s.text(BAR, heights[0] + 6, f"from {SUPPLY_SHUT_OFF}")
        s.line((BAR, heights[0] + 5), (BAR, fed[0]), linewidth=1.6)
    if len(fed) > 1:
        s.line((BAR, fed[0]), (BAR, fed[-1]), linewidth=1.6)


def _draw_regulator(s: PageSketch, regulator: Regulator, y: float) -> None:
    """Draw a regulator with its relief valve, from the bar of the supply to its own."""
    s.line((BAR, y), (MANIFOLD, y), linewidth=0.8)
    draw_regulator(s, REGULATOR, y, regulator.proportional)
    set_to = f"{'≤ ' * regulator.proportional}{kilopascals(regulator.pressure)} kPa"
    s.text(BAR + 2, y - 8.2, f"{regulator.name}  {set_to}", weight="bold", ha="left")
    draw_relief(s, RELIEF, y)
    opens = "≤" if regulator.limit > regulator.pressure else "just above"
    s.text(RELIEF + 6.5, y + 6, f"{regulator.relief}  {opens} {kilopascals(regulator.limit)} kPa", ha="left")


def _draw_line(s: PageSketch, row: PlumbingRow, y: float, length: float) -> None:
    """Draw a line from the bar of its regulator, or from its tee, to its end."""
    start = MANIFOLD if row.opens else TEE
    s.line((start, y), (END, y), linewidth=0.8)
    if row.opens and row.branch.valve:
        draw_valve(s, VALVE, y)
        s.text(VALVE + 4, y + 4, row.branch.valve, weight="bold", ha="left")
    if row.line == BODY:
        draw_shut_off(s, VALVE, y)
        s.text(VALVE, y + 3.2, BODY_SHUT_OFF, weight="bold")
    draw_fitting(s, FITTING, y)
    s.text((TEE + FITTING) / 2 + 1, y + 1.2, f"{6 if row.line == BODY else 4} mm tube, {1e3 * length:.0f} mm")
    side: Side = "none" if row.line == BODY else "left" if row.line[0] == "L" else "right"
    s.box(END, y - 4, ACROSS - 0.5, y + 4, TUBE[side])
    s.text((END + ACROSS) / 2, y - 1.2, row.line, weight="bold", color=ACTUATOR.get(side, INK))


def _draw_bars(s: PageSketch, rows: Sequence[PlumbingRow], heights: Sequence[float]) -> None:
    """Draw the manifolds behind regulators and the tees behind valves, and from where they come if they go on from another page."""
    opened: dict[str, list[float]] = {}
    for row, y in zip(rows, heights, strict=True):
        if row.opens:
            opened.setdefault(row.regulator.name, []).append(y)
    first = rows[0]
    if not first.begins and first.regulator.name in opened:
        s.text(MANIFOLD, heights[0] + 6, f"from {first.regulator.name}")
        opened[first.regulator.name].insert(0, heights[0] + 5)
    for at in opened.values():
        if len(at) > 1:
            s.line((MANIFOLD, at[0]), (MANIFOLD, at[-1]), linewidth=1.6)
    if not first.opens:
        s.text(TEE, heights[0] + 6, f"from {first.branch.valve or first.regulator.name}")
        s.line((TEE, heights[0] + 5), (TEE, heights[0]), linewidth=0.8)
    for k, row in enumerate(rows[1:], start=1):
        if not row.opens:
            s.line((TEE, heights[k - 1]), (TEE, heights[k]), linewidth=0.8)
            draw_tee(s, TEE, heights[k - 1])


def _draw_legend(s: PageSketch, rows: Sequence[PlumbingRow]) -> None:
    """Draw the symbols that occur, with their meaning."""
    regulators = {row.regulator.proportional for row in rows if row.begins}
    items: list[tuple[Callable[[float, float], None], str]] = [(lambda x, y: draw_shut_off(s, x, y), "shut-off valve")]
    if False in regulators:
        items.append((lambda x, y: draw_regulator(s, x, y - 1, False), "regulator"))
    if True in regulators:
        items.append((lambda x, y: draw_regulator(s, x, y - 1, True), "proportional regulator"))
    items.append((lambda x, y: draw_relief(s, x, y - 6), "relief valve"))
    if any(row.branch.valve for row in rows):
        items.append((lambda x, y: draw_valve(s, x, y - 2), "3/2-way valve, closed at rest"))
    s.line((0.5, LEGEND - 2), (ACROSS - 0.5, LEGEND - 2), color=FAINT, linewidth=0.4)
    for k, (draw, words) in enumerate(items):
        x = 5.0 + k * 35.0
        draw(x, 7.5)
        for j, word in enumerate(_two_lines(words)):
            s.text(x + 6.5, 7.8 - 3.2 * j, word, ha="left")


def _two_lines(words: str) -> Iterator[str]:
    """Break a name before its last words if it is long."""
    if len(words) < 16:
        yield words
        return
    head, _, tail = words.partition(", ") if ", " in words else words.partition(" ")
    yield head + ("," if ", " in words else "")
    yield tail


def line_lengths(build: Build) -> dict[str, float]:
    """Return the length of the tube of each line [m], from the valve to the fitting, by name."""
    return {BODY: LEAD, **{one.name: one.length for one in FeedLines(build).each}}


def write_plumbing(path: Path, build: Build) -> None:
    """Write the drawing of a build's plumbing as SVG in millimetres, atomically; text stays text.

    Raises:
        OSError: The file cannot be written.
    """
    rows = rows_of(plumbing_of(build))
    page = Page(ACROSS + 8, drawing_height(rows) + 8)
    background = page.box(0, 0, page.width, page.height, facecolor=PAPER, linewidth=0)
    page.figure.add_artist(background)
    draw_plumbing(PageSketch(page, 4.0, 4.0), rows, line_lengths(build))
    settings = matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "vinewright", "savefig.bbox": None})
    with atomic_path(path) as partial, settings:
        page.figure.savefig(partial, format="svg", metadata={"Date": None, "Creator": "Vinewright"})
