"""The cover of a template: a summary of the design, the assembly steps and the map of the sheets."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Polygon

from environments.obstacles import box_corners
from planner.drawing.plan import BOTTOM, plan_figure
from planner.drawing.style import ACTUATOR, FAINT, INK, TUBE
from planner.fabrication.build import LEAD, Build
from planner.fabrication.paper import LONG_EDGE, POINT, RULER, SHORT_EDGE, Page, Template, Tile
from planner.fabrication.pattern import ROW, millimetres
from surrogate.pouch import PouchMotor

MARGIN = 15.0
"""Page margin [mm]."""
PICTURE_DPI, PICTURE_HEAD = 220, 0.38
"""Resolution of the picture [dpi], and the height cropped off its top to remove the title [inch]."""
PICTURE_HEIGHT, SMALLER = 100.0, 72.0
"""Maximum height of the picture, and the height used if the cover then fits on one page [mm]."""
LINE, TABLE_LINE = 4.6, 5.2
"""Height of a line of text and of a table row [mm]."""
CHARACTERS = 112
"""Maximum number of characters per line of the assembly steps."""
BAND, MAP_HEIGHT = 16, 60.0
"""Maximum number of sheets per band of the map, and maximum height of the map [mm]."""
WARNING, PALE = "#b3261e", "#fbe9e7"
SHEET: dict[str, Any] = {"fill": False, "edgecolor": INK, "linewidth": 0.5}
BEHIND: dict[str, Any] = {"facecolor": "white", "linewidth": 0, "boxstyle": "square,pad=0.15"}
NUMBER: dict[str, Any] = {"ha": "center", "va": "center", "weight": "bold", "bbox": BEHIND}
PIECE: dict[str, Any] = {"facecolor": TUBE["none"], "edgecolor": FAINT, "linewidth": 0.5}
COLUMNS = 12.0, 28.0, 51.0, 73.0, 95.0, 113.0, 143.0, 168.0
"""Right edges of the table's columns [mm]."""


def cover(template: Template, picture: Any, pages: dict[Tile, int]) -> list[Page]:
    """Draw the cover.

    Args:
        picture: The picture of the plan, see `plan_picture`.
        pages: Page number of each tile; the number of pages of the cover does not depend on them.
    """
    made = _covered(template, picture, pages, PICTURE_HEIGHT)
    if len(made) == 2:
        smaller = _covered(template, picture, pages, SMALLER)
        made = smaller if len(smaller) == 1 else made
    return made


def _covered(template: Template, picture: Any, pages: dict[Tile, int], height: float) -> list[Page]:
    """Draw a cover whose picture has the given maximum height [mm]."""
    flow = _Flow(SHORT_EDGE[template.paper], LONG_EDGE[template.paper])
    _write_title(flow, template)
    _draw_ruler(flow)
    _draw_picture(flow, picture, height)
    _write_table(flow, template.build)
    _write_steps(flow, template.build, template.warnings)
    _draw_map(flow, template, pages)
    return flow.pages


def plan_picture(template: Template) -> Any:
    """The picture of the plan, shape (n, m, 3), without title and table, which the cover has itself."""
    canvas: Any = FigureCanvasAgg(plan_figure(template.environment, template.build.design))
    canvas.figure.set_dpi(PICTURE_DPI)
    canvas.draw()
    image = np.asarray(canvas.buffer_rgba())[..., :3]
    table = canvas.figure.axes[0].get_window_extent().y0 - BOTTOM * PICTURE_DPI
    return image[round(PICTURE_HEAD * PICTURE_DPI) : len(image) - max(round(table), 0)]


@dataclass(slots=True)
class _Flow:
    """The cover's pages, filled from top to bottom."""

    width: float
    height: float
    pages: list[Page] = field(default_factory=list)
    y: float = 0.0
    """Upper edge of the free space on the last page [mm]."""

    @property
    def page(self) -> Page:
        """The last page."""
        return self.pages[-1]

    def room(self, height: float) -> bool:
        """Reserve a height [mm] above the new `y`; True if that started a new page."""
        self.y -= height
        if self.pages and self.y >= MARGIN:
            return False
        self.pages.append(Page(self.width, self.height))
        self.y = self.height - MARGIN - height
        return True

    def heading(self, text: str, height: float) -> None:
        """Write a heading and keep it on one page with the `height` [mm] that follows."""
        self.room(9.0 + height)
        self.y += height
        self.page.text(MARGIN, self.y + 2, text, 11, weight="bold")


def _write_title(flow: _Flow, template: Template) -> None:
    """Name, key figures, and a warning if the design does not reach the goal."""
    design = template.build.design
    flow.room(21)
    page, across = flow.page, flow.width - 2 * MARGIN
    page.text(MARGIN, flow.y + 18.5, "Vinewright · fabrication template", 8.5, color=FAINT)
    page.text(MARGIN, flow.y + 10, template.name(40), 19, weight="bold")
    facts = (
        f"{design.actuators or 'no'} actuator{'s' * (design.actuators != 1)}",
        f"{millimetres(design.length)} mm of tube",
        f"{millimetres(2 * design.params.radius)} mm across when inflated",
        *(["reaches the goal in the model"] if template.reached else []),
    )
    page.text(MARGIN, flow.y + 3, " · ".join(facts), 9.5)
    if not template.reached:
        flow.room(14)
        frame = page.box(MARGIN, flow.y + 1, across, 12, facecolor=PALE, edgecolor=WARNING, linewidth=1.2)
        page.figure.add_artist(frame)
        page.text(
            MARGIN + 3,
            flow.y + 8,
            "This design does not reach its goal in the model.",
            10,
            weight="bold",
            color=WARNING,
        )
        advice = "After rounding to whole cells, its tip ends outside the goal. Plan again before you cut anything."
        page.text(MARGIN + 3, flow.y + 3.3, advice, 8.5)


def _draw_ruler(flow: _Flow) -> None:
    """The ruler and its instructions."""
    flow.room(11)
    flow.page.ruler(MARGIN, flow.y + 6)
    x = MARGIN + RULER + 5
    flow.page.text(x, flow.y + 5.2, "Print at 100 % (“actual size”), then measure:", 8.5, weight="bold")
    flow.page.text(x, flow.y + 1.2, "this line must be 100 mm long, here and on each sheet.", 8.5)


def _draw_picture(flow: _Flow, picture: Any, most: float) -> None:
    """The picture of the plan, as wide as the page or at most `most` [mm] high."""
    rows, columns = picture.shape[:2]
    width = min(flow.width - 2 * MARGIN, most * columns / rows)
    height = width * rows / columns
    flow.room(height + 4)
    left = (flow.width - width) / 2
    page = flow.page
    position = left / page.width, (flow.y + 2) / page.height, width / page.width, height / page.height
    axes = page.figure.add_axes(position)
    axes.imshow(picture, interpolation="none", aspect="auto")
    axes.set_axis_off()


def _write_table(flow: _Flow, build: Build) -> None:
    """One row per actuator; the column heads are repeated on every page."""
    cell = build.design.params.actuator.cell_name
    heads = "name", "side", "from [mm]", "to [mm]", f"{cell} [mm]", "cells", "pressure [kPa]", "strip [mm]"
    right = [MARGIN + x for x in COLUMNS]
    flow.heading("Actuators", 2 * TABLE_LINE)
    fresh = True
    for actuator in build.actuators:
        section = actuator.section
        if flow.room(TABLE_LINE) or fresh:
            for x, head in zip(right, heads, strict=True):
                flow.page.text(x, flow.y + 1.6, head, 7.5, ha="right", color=FAINT)
            flow.page.line([(MARGIN, flow.y), (right[-1], flow.y)], color=FAINT)
            fresh = flow.room(TABLE_LINE)
        span = [millimetres(length) for length in (section.start, section.end, section.l_0)]
        values = actuator.name, section.side, *span, str(actuator.cells), f"{section.pressure / 1e3:g}"
        for x, value in zip(right, (*values, millimetres(actuator.cut_length)), strict=True):
            flow.page.text(
                x, flow.y + 1.4, value, 8.5, ha="right", color=ACTUATOR[section.side] if x == right[0] else INK
            )
    if not build.actuators:
        flow.room(TABLE_LINE)
        flow.page.text(MARGIN, flow.y + 1.4, "None: the tube grows straight.", 8.5)


def _write_steps(flow: _Flow, build: Build, warnings: Sequence[str]) -> None:
    """The numbered assembly steps, then the warnings."""
    marked = [(f"{k}", step) for k, step in enumerate(_steps(build), start=1)]
    marked += [("!", warning) for warning in warnings]
    wrapped = [(mark, textwrap.wrap(text, CHARACTERS)) for mark, text in marked]
    flow.heading("Assembly", LINE * len(wrapped[0][1]))
    for mark, lines in wrapped:
        flow.room(LINE * len(lines) + 0.8)
        for i, line in enumerate(lines):
            y = flow.y + LINE * (len(lines) - 1 - i) + 1.6
            if i == 0:
                flow.page.text(MARGIN + 4.5, y, mark, 8.5, weight="bold", ha="right")
            flow.page.text(MARGIN + 7, y, line, 8.5)


def _steps(build: Build) -> Iterator[str]:
    """The assembly steps, in order."""
    params = build.design.params
    pouches = isinstance(params.actuator, PouchMotor)
    yield (
        "Print at 100 % and measure the rulers. Cut off each sheet's right edge along its thin line and glue it to the next "
        "sheet, crosses aligned: one strip of paper for each row of the map below."
    )
    yield (
        f"Cut the body from lay-flat tube {millimetres(build.body_width)} mm wide, {millimetres(build.body_length)} mm "
        "long. Do not cut its folds, the long edges of the pattern. Place it on the pattern, folds on the lines LEFT and "
        "RIGHT, and copy all marks and numbers. This is the view from above; the tube grows to the right."
    )
    yield "Seal the tip along the dashed line. The film before the base line will be clamped."
    if build.actuators:
        yield (
            f"Cut the strips from lay-flat tube {millimetres(build.actuator_width)} mm wide. Copy lines, numbers and names. "
            "Mount a fitting at each circle."
        )
        yield (
            "Seal each strip along the dashed lines: across at both ends, and between pouches with the gap in the middle "
            "left open for the air."
            if pouches
            else "Slide one bracket per line onto each strip, bracket 0 first, and place each on its line. Seal both ends "
            "along the dashed lines."
        )
        yield (
            f"Tape {'seam' if pouches else 'bracket'} 0 of each strip to mark 0 with the same name on the body's fold, then "
            "1 to 1, and so on to the tip. Do not tape the film before line 0: lay it in folds, so that the actuator does "
            "not pull at its fitting when it shortens."
        )
        yield (
            f"Connect a feed line to each fitting and route it along the body to the base and {millimetres(LEAD)} mm beyond, "
            "to its regulator. Label it with the actuator's name."
        )
        yield (
            "Test for leaks under water or with soap: each actuator at its pressure, the body at "
            f"{params.growth_pressure / 1e3:.3g} kPa."
        )
    else:
        yield f"Test the body for leaks at {params.growth_pressure / 1e3:.3g} kPa."
    yield "Pull the tip back through the tube until the whole tube is inverted inside the vessel, then clamp the base."


def _draw_map(flow: _Flow, template: Template, pages: dict[Tile, int]) -> None:
    """A small map of the pattern with the page number of each tile; long patterns are split into several bands."""
    pattern, pitch = template.pattern, template.pitch
    columns = max(tile.column for tile in pages) + 1
    width = min(columns, BAND)
    scale = min((flow.width - 2 * MARGIN) / (width * pitch), MAP_HEIGHT / (ROW * pattern.rows))
    height = scale * ROW * pattern.rows
    flow.heading("Sheets, by page number", height + 3)
    for first in range(0, columns, BAND):
        flow.room(height + 3)
        page, left, top = flow.page, template.left + first * pitch, flow.y + height
        shown = page.box(MARGIN, flow.y, scale * width * pitch, height)
        for piece in pattern.pieces:
            if piece.bounds[2] > left and piece.bounds[0] < left + width * pitch:
                corners = (MARGIN, top) + scale * (box_corners(*piece.bounds) - (left, 0.0))
                page.figure.add_artist(Polygon(corners, transform=page.scale, clip_path=shown, **PIECE))
        for tile in (tile for tile in pages if first <= tile.column < first + BAND):
            x, y = MARGIN + scale * (tile.column - first) * pitch, top - scale * (tile.row + 1) * ROW
            page.figure.add_artist(page.box(x, y, scale * pitch, scale * ROW, **SHEET))
            middle = x + scale * pitch / 2, y + scale * ROW / 2
            page.text(*middle, str(pages[tile]), min(9.0, 0.4 * scale * ROW / POINT), **NUMBER)
