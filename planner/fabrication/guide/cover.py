"""The cover of a template: a summary of the design, warnings and the map of the sheets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Polygon
from matplotlib.text import Text

from environments.obstacles import box_corners
from planner.design.design import cell_name, type_of
from planner.drawing.plan import BOTTOM, plan_figure
from planner.drawing.style import ACTUATOR, FAINT, INK, TUBE
from planner.fabrication.assembly.build import Build
from planner.fabrication.guide.flow import MARGIN, Column, Flow, text_width, wrap
from planner.fabrication.guide.paper import POINT, RULER, Page, Template, Tile
from planner.fabrication.pattern.pattern import ROW
from planner.output.text import millimetres

PICTURE_DPI, PICTURE_HEAD = 220, 0.38
"""Resolution of the picture [dpi], and the height cropped off its top to remove the title [inch]."""
LARGER = 1.4
"""Magnification of the picture's text [-]."""
PICTURE_HEIGHT, SMALLER = 100.0, 72.0
"""Maximum height of the picture, and the height used if the cover then fits on one page [mm]."""
TABLE_LINE = 6.0
"""Height of a table row or a line of text [mm]."""
BAND, MAP_HEIGHT = 16, 60.0
"""Maximum number of sheets per band of the map, and maximum height of the map [mm]."""
WARNING, PALE = "#b3261e", "#fbe9e7"
SHEET: dict[str, Any] = {"fill": False, "edgecolor": INK, "linewidth": 0.5}
BEHIND: dict[str, Any] = {"facecolor": "white", "linewidth": 0, "boxstyle": "square,pad=0.15"}
NUMBER: dict[str, Any] = {"ha": "center", "va": "center", "weight": "bold", "bbox": BEHIND}
PIECE: dict[str, Any] = {"facecolor": TUBE["none"], "edgecolor": FAINT, "linewidth": 0.5}


def draw_cover(template: Template, picture: Any, pages: dict[Tile, int]) -> list[Page]:
    """Draw the cover.

    Args:
        picture: The picture of the plan, see `render_plan`.
        pages: Page number of each tile; the number of pages of the cover does not depend on them.
    """
    made = _draw_with_picture(template, picture, pages, PICTURE_HEIGHT)
    if len(made) == 2:
        smaller = _draw_with_picture(template, picture, pages, SMALLER)
        made = smaller if len(smaller) == 1 else made
    return made


def _draw_with_picture(template: Template, picture: Any, pages: dict[Tile, int], height: float) -> list[Page]:
    """Draw a cover whose picture has the given maximum height [mm]."""
    flow = Flow(template.paper)
    _write_title(flow, template)
    draw_ruler(flow)
    _draw_picture(flow, picture, height)
    _write_table(flow, template.build)
    _write_warnings(flow, template.warnings)
    draw_map(flow, template, pages)
    return flow.pages


def render_plan(template: Template) -> Any:
    """Render the picture of the plan, shape (n, m, 3), without title and table, which the cover has itself."""
    canvas: Any = FigureCanvasAgg(plan_figure(template.environment, template.build.design))
    for text in canvas.figure.findobj(Text):
        text.set_fontsize(LARGER * text.get_fontsize())  # the picture is reduced to fit on the page
    canvas.figure.set_dpi(PICTURE_DPI)
    canvas.draw()
    image = np.asarray(canvas.buffer_rgba())[..., :3]
    table = canvas.figure.axes[0].get_window_extent().y0 - BOTTOM * PICTURE_DPI
    return image[round(PICTURE_HEAD * PICTURE_DPI) : len(image) - max(round(table), 0)]


def _write_title(flow: Flow, template: Template) -> None:
    """Write the name, key figures, success under errors, and a warning if the design does not reach the goal, or rarely."""
    design = template.build.design
    flow.reserve(21)
    page = flow.page
    page.text(MARGIN, flow.y + 18.5, "Vinewright · builder's guide and template at true size", 8.5, color=FAINT)
    page.text(MARGIN, flow.y + 10, template.name(40), 19, weight="bold")
    facts = (
        design.words,
        f"{millimetres(design.built)} mm of tube",
        f"{millimetres(2 * design.params.radius)} mm across when inflated",
        *(["reaches the goal in the model"] if template.reached else []),
    )
    line = " · ".join(facts)
    page.text(MARGIN, flow.y + 3, line, min(9.5, 9.5 * flow.across / text_width(line, 9.5)))
    flow.paragraph(template.success.text)
    if not template.reached:
        _warn(
            flow,
            "This design does not reach its goal in the model.",
            "After rounding to whole cells, its tip ends outside the goal. Plan again before you cut anything.",
        )
    if template.success.warning:
        _warn(flow, template.success.heading, template.success.warning.removeprefix(template.success.heading))


def _warn(flow: Flow, heading: str, text: str) -> None:
    """Draw a red frame with a heading and advice."""
    lines, leading = wrap(text, flow.across - 6, 8.5), 4.2
    height = 12 + leading * (len(lines) - 1)
    flow.reserve(height + 2)
    page = flow.page
    frame = page.box(MARGIN, flow.y + 1, flow.across, height, facecolor=PALE, edgecolor=WARNING, linewidth=1.2)
    page.figure.add_artist(frame)
    page.text(MARGIN + 3, flow.y + height - 4, heading, 10, weight="bold", color=WARNING)
    for k, line in enumerate(reversed(lines)):
        page.text(MARGIN + 3, flow.y + 3.3 + leading * k, line, 8.5)


def draw_ruler(flow: Flow) -> None:
    """Draw the ruler and its instructions."""
    flow.reserve(11)
    flow.page.ruler(MARGIN, flow.y + 6)
    x = MARGIN + RULER + 4
    flow.page.text(x, flow.y + 5.2, "Print at 100 % (“actual size”), then measure:", 8, weight="bold")
    flow.page.text(x, flow.y + 1.2, "the line must be 100 mm long, here and on each sheet.", 8)


def _draw_picture(flow: Flow, picture: Any, most: float) -> None:
    """Draw the picture of the plan, as wide as the page or at most `most` [mm] high."""
    rows, columns = picture.shape[:2]
    width = min(flow.width - 2 * MARGIN, most * columns / rows)
    height = width * rows / columns
    flow.reserve(height + 4)
    left = (flow.width - width) / 2
    page = flow.page
    position = left / page.width, (flow.y + 2) / page.height, width / page.width, height / page.height
    axes = page.figure.add_axes(position)
    axes.imshow(picture, interpolation="none", aspect="auto")
    axes.set_axis_off()


def _write_table(flow: Flow, build: Build) -> None:
    """Write the table of actuators, one row for each."""
    heads = "from [mm]", "to [mm]", f"{cell_name(build.design)} [mm]", "cells", "pressure [kPa]", "strip [mm]"
    flow.heading("Actuators", 2 * TABLE_LINE)
    rows = []
    for actuator in build.actuators:
        section = actuator.section
        span = [millimetres(length) for length in (section.start, section.end, section.l_0)]
        pressure = f"{section.pressure / 1e3:g}{'' if section.on else ' (off)'}"
        numbers = str(actuator.cells), pressure, millimetres(actuator.cut_length)
        kind = [type_of(section, build.design)] * build.mixed
        rows.append((actuator.name, *kind, section.side, *span, *numbers))
    if rows:
        kinds = [Column("type", 0.7)] * build.mixed
        colours = [ACTUATOR[actuator.section.side] for actuator in build.actuators]
        flow.table(
            [Column("name", 0.7), *kinds, Column("side", 0.8), *(Column(head, 1.0, "right") for head in heads)],
            rows,
            colours,
        )
    else:
        flow.paragraph("None." if build.bends else "None: the tube grows straight.")
    if build.off:
        flow.paragraph(
            "(off): without pressure in this environment; the pressure is that of the others for which the tube is made."
        )
    if build.bends:
        _write_bends(flow, build)


def _write_bends(flow: Flow, build: Build) -> None:
    """Write the table of preformed bends, one row for each."""
    heads = "from [mm]", "to [mm]", "turn [deg]", "folds", "depth [mm]", "turn of each [deg]"
    flow.heading("Preformed bends", 2 * TABLE_LINE)
    rows = []
    for bend in build.bends:
        span = [millimetres(length) for length in (bend.section.start, bend.section.end)]
        turns = [f"{math.degrees(turn):.3g}" for turn in (bend.turn, bend.folds.turn)]
        made = turns[0], str(len(bend.folds.at)), millimetres(bend.folds.depth), turns[1]
        rows.append((bend.name, bend.section.side, *span, *made))
    columns = [Column("name", 0.7), Column("side", 0.8), *(Column(head, 1.0, "right") for head in heads)]
    flow.table(columns, rows, [ACTUATOR[bend.section.side] for bend in build.bends])


def _write_warnings(flow: Flow, warnings: Sequence[str]) -> None:
    """Write the warnings, if any."""
    if warnings:
        flow.heading("Warnings", TABLE_LINE)
    for warning in warnings:
        flow.paragraph(warning, "!")


def draw_map(flow: Flow, template: Template, pages: dict[Tile, int], most: float = MAP_HEIGHT) -> None:
    """Draw a small map of the pattern with the page number of each tile; long patterns are split into several bands.

    Args:
        most: Maximum height of a band [mm].
    """
    pattern, pitch = template.pattern, template.pitch
    columns = max(tile.column for tile in pages) + 1
    width = min(columns, BAND)
    scale = min((flow.width - 2 * MARGIN) / (width * pitch), most / (ROW * pattern.rows))
    height = scale * ROW * pattern.rows
    flow.heading("Sheets, by page number", height + 3)
    for first in range(0, columns, BAND):
        flow.reserve(height + 3)
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
