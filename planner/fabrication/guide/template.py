"""The full-scale pattern on sheets of A4 or Letter, to print, glue together and cut, with a cover."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.patches import Polygon, Rectangle

from environments.writing import atomic_path
from planner.design.design import Side
from planner.drawing.style import ACTUATOR, FAINT, INK
from planner.fabrication.guide.cover import draw_cover, render_plan
from planner.fabrication.guide.flow import MARGIN
from planner.fabrication.guide.guide import Guide, guide_pages
from planner.fabrication.guide.paper import LONG_EDGE, POINT, RULER, SHORT_EDGE, Page, Template, Tile
from planner.fabrication.guide.sketch import SEAL, SEALED
from planner.fabrication.pattern.pattern import ROW, Layer, Line, Text
from surrogate.kernels.compiled import Floats

OVERLAP, OVERLAP_Y = 10.0, 3.0
"""Overlap of the pattern beyond its tile, for gluing to the sheets on its left and right, and to those above and below [mm].

The second is less than `GAP`, so nothing of the next row is visible.
"""
FOOT = 18.0
"""Height of a tile's lower edge above that of its sheet [mm]."""
CROSS = 4.0
"""Half the line length of a registration mark [mm]."""
CAPITAL = 1493 / 2048
"""Height of a capital letter relative to the font size [-], for matplotlib's default font."""
STYLE: dict[Layer, dict[str, Any]] = {
    Layer.CUT: {"color": INK, "linewidth": 0.9},
    Layer.SEAL: {"color": SEAL, "linewidth": 1.0, "dashes": (4, 2)},
    Layer.MARK: {"color": FAINT, "linewidth": 0.6},
}
COLOUR: dict[Side, dict[str, Any]] = {"none": {}, **{side: {"color": ACTUATOR[side]} for side in ("left", "right")}}
SIDE = {side: colour | {"linewidth": 1.2} if colour else {} for side, colour in COLOUR.items()}
"""Overrides of the line style for each side."""
REPRODUCIBLE: dict[str, Any] = {"CreationDate": None, "Creator": "Vinewright"}


def write_template(
    path: Path,
    template: Template,
    guide: Guide | None = None,
) -> None:
    """Write a PDF to print at 100 %, atomically.

    Args:
        guide: Content of the pages between cover and sheets, if any.
    Raises:
        OSError: The file cannot be written.
    """
    metadata = REPRODUCIBLE | {"Title": f"{template.name(200)}: fabrication template"}
    # TrueType fonts keep text as text. A user's `savefig.bbox` must not trim the page, which would change the scale.
    settings = matplotlib.rc_context({"pdf.fonttype": 42, "savefig.bbox": None})
    with atomic_path(path) as partial, settings, PdfPages(partial, metadata=metadata) as pdf:
        for page in template_pages(template, guide):
            pdf.savefig(page.figure)


def template_pages(template: Template, guide: Guide | None = None) -> Iterator[Page]:
    """Draw the pages one after another: the cover, the guide if there is one, and the sheets of the pattern."""
    tiles, picture = template.tiles(), render_plan(template)
    before = len(draw_cover(template, picture, dict.fromkeys(tiles, 0)))
    between = guide_pages(guide, template.paper, before, len(tiles)) if guide else []
    first = 1 + before + len(between)
    pages = {tile: page for page, tile in enumerate(tiles, start=first)}
    last = first + len(tiles) - 1
    for number, page in enumerate([*draw_cover(template, picture, pages), *between], start=1):
        if number > before:
            _number_page(page, template, number, last)
        yield page
    for tile in tiles:
        yield draw_sheet(template, pages, tile)


def _number_page(page: Page, template: Template, number: int, last: int) -> None:
    """Write the design's name and the page's number below a page of the guide."""
    page.text(MARGIN, 8, f"{template.name(60)} · builder's guide", 7.5, color=FAINT)
    page.text(page.width - MARGIN, 8, f"page {number} of {last}", 7.5, ha="right", color=FAINT)


def draw_sheet(template: Template, pages: dict[Tile, int], tile: Tile) -> Page:
    """Draw a tile at full scale, with registration marks, ruler and page references."""
    page = Page(LONG_EDGE[template.paper], SHORT_EDGE[template.paper])
    left = (page.width - template.pitch) / 2
    right, bottom, top = left + template.pitch, FOOT, FOOT + ROW
    shift = np.array([left - template.left - tile.column * template.pitch, top + ROW * tile.row])
    low, high = np.array([left - OVERLAP, bottom - OVERLAP_Y]), np.array([right + OVERLAP, top + OVERLAP_Y])
    _draw(page, template.within(*(low - shift), *(high - shift)), shift, page.box(*low, *(high - low)))
    page.line([(left, bottom), (right, bottom), (right, top), (left, top)], closed=True, color=FAINT, linewidth=0.25)
    for x, y in product((left, right), (bottom, top)):
        page.line([(x - CROSS, y), (x + CROSS, y)])
        page.line([(x, y - CROSS), (x, y + CROSS)])
    page.ruler(left, FOOT - CROSS - 1)
    _write_foot(page, template, pages, tile, (left, right))
    return page


def _draw(page: Page, items: list[Line | Text], shift: Floats, window: Rectangle) -> None:
    """Draw a part of the pattern, in the colours of the sides.

    Args:
        shift: Translation from the pattern to the page [mm], shape (2,).
        window: Clipping rectangle on the page.
    """
    for item in items:
        if isinstance(item, Line):
            if item.layer is Layer.SEAL and item.closed:
                band = Polygon(item.points + shift, transform=page.scale, clip_path=window, color=SEALED, linewidth=0)
                page.figure.add_artist(band)
            style = STYLE[item.layer] | SIDE[item.side]
            page.line(item.points + shift, clip=window, closed=item.closed, **style)
        else:
            x, y = item.at + shift
            style = {"ha": "center" if item.align == "middle" else item.align, "clip_path": window}
            page.text(x, y, item.text, item.height / CAPITAL / POINT, **style | COLOUR[item.side])


def _write_foot(page: Page, template: Template, pages: dict[Tile, int], tile: Tile, edges: tuple[float, float]) -> None:
    """Write below the tile: the ruler's length, the sheet's number, and the pages of its neighbours."""
    y, size = 9.6, 7.5
    row = [other for other in pages if other.row == tile.row]
    last = max(pages.values())
    of = f"row {tile.row + 1}, sheet {row.index(tile) + 1} of {len(row)} · page {pages[tile]} of {last}"
    start = edges[0] + RULER + 3
    page.text(start, y, f"{RULER:g} mm", size)
    middle = (start + 18 + edges[1]) / 2
    page.text(middle, y, f"{template.name(16)} · {of}", size, ha="center")

    def near(row: int, column: int, text: str) -> list[str]:
        neighbour = Tile(tile.row + row, tile.column + column)
        boundary = -ROW * max(tile.row, neighbour.row)
        joined = not row or any(piece.bounds[1] < boundary < piece.bounds[3] for piece in template.pattern.pieces)
        return [text.format(pages[neighbour])] if neighbour in pages and joined else []

    before = near(0, -1, "◂ page {}") + near(-1, 0, "▴ page {}")
    after = near(1, 0, "▾ page {}") + near(0, 1, "page {} ▸")
    page.text(start + 18, y, "  ".join(before), size, weight="bold")
    page.text(edges[1], y, "  ".join(after), size, weight="bold", ha="right")
