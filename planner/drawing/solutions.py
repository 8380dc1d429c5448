"""Figure of several designs for one environment side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.textpath import TextPath

from environments.environment import Environment
from planner.design.design import Design
from planner.design.design_file import DESIGN
from planner.drawing.overview import draw_map, map_title
from planner.drawing.plan import draw_in_axes, side_entries
from planner.drawing.style import FAINT, GOAL, INK, OBSTACLE, save_figure
from planner.drawing.view import whole_view, zoomed_view
from planner.output.text import plural
from surrogate.kernels.compiled import Floats

SHAPE = 1.45
"""Preferred ratio of the width of the page to its height [-]."""
TALLEST = 1.25
"""Maximum height of a drawing, relative to its width [-]."""
SIDE, GAP, TOP, CAPTION, BOTTOM = 0.3, 0.24, 0.78, 0.47, 0.16
"""Margins of the page, gap between drawings, height of the header and of a caption with one line of remarks, lower margin [inch]."""
LINE, SMALL = 0.17, 7.5
"""Height of a line of remarks [inch], and size of their type [point]."""
BETWEEN = "  ·  "
"""Separator of remarks."""

Remarks = Callable[[Design], Sequence[str]]
"""Gives what is known of a design, in a few words each."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """Limits of the size of the page and of its drawings."""

    most: int = 20
    """Maximum number of designs drawn."""
    widest: float = 12.4
    """Maximum width of the page [inch]."""
    narrowest: float = 6.4
    """Minimum width of the page [inch]."""
    least: float = 2.1
    """Minimum width of a drawing [inch], unless there is one column only."""
    greatest: float = 5.8
    """Maximum width of a drawing [inch]."""
    dpi: int = 160
    """Resolution [pixel/inch]."""


DEFAULT_LAYOUT = PageLayout()


@dataclass(frozen=True, slots=True, eq=False)
class _Panel:
    """A design to draw."""

    design: Design
    label: str
    """Its number among the solutions, or the name of its file."""
    remarks: Sequence[str]
    written: bool
    """Whether it is the design in `design.json`."""


def save_solutions(
    path: Path,
    environment: Environment,
    designs: Sequence[Design],
    written: Design | None = None,
    remarks: Remarks = lambda _: (),
    note: str = "",
    layout: PageLayout = DEFAULT_LAYOUT,
) -> None:
    """Draw the solutions of a run side by side as a PNG, atomically: at most `layout.most`, with their numbers.

    Args:
        designs: All solutions, lowest cost first; at least one.
        written: The design in `design.json`, which is marked; it is added if it is not one of the solutions.
        note: Explanation of the remarks, below the drawings.
    """
    panels = _panels(designs, written, remarks, layout.most)
    drawn, whole = [panel.design for panel in panels], whole_view(environment, None, None)
    window = zoomed_view(environment, drawn, [design.centerline for design in drawn], whole)
    bounds = environment.bounds if window is None else window
    aspect = float((bounds[3] - bounds[1]) / (bounds[2] - bounds[0]))
    count = len(panels) + (window is not None)
    columns, width = _layout(count, aspect, layout)
    remarked = [_lines(panel.remarks, width) for panel in panels]
    caption = CAPTION + LINE * (max(map(len, remarked)) - 1)
    rows, height = math.ceil(count / columns), width * min(aspect, TALLEST)
    across = columns * width + (columns - 1) * GAP
    page = np.array([max(2 * SIDE + across, layout.narrowest), TOP + rows * (caption + height + GAP) + BOTTOM])
    figure = Figure(figsize=(page[0], page[1]), facecolor="white")
    left = (page[0] - across) / 2
    for k in range(count):
        row, column = divmod(k, columns)
        x, y = left + column * (width + GAP), page[1] - TOP - (row + 1) * (caption + height) - row * GAP
        axes = figure.add_axes((x / page[0], y / page[1], width / page[0], height / page[1]), anchor="NW")
        top = np.array([x, y + height + caption - CAPTION])
        if k < len(panels):
            draw_in_axes(axes, environment, panels[k].design, window)
            _dress_panel(axes, panels[k], remarked[k], top)
        elif window is not None:
            draw_map(axes, environment, whole, window)
            inches, words = figure.dpi_scale_trans, map_title(environment)
            figure.text(top[0], top[1] + 0.25, words, size=8.5, color=INK, transform=inches)
    shown = sum(panel.label != DESIGN for panel in panels)
    title = plural(len(designs), "solution")
    if shown < len(designs):
        title = f"{shown} of {title}; all are in solutions.json"
    _draw_header(figure, environment, panels, title, page)
    style: dict[str, Any] = {"transform": figure.dpi_scale_trans, "va": "baseline", "parse_math": False}
    figure.text(SIDE, 0.18, note, size=SMALL, color=FAINT, **style)
    save_figure(path, figure, layout.dpi)


def _panels(designs: Sequence[Design], written: Design | None, remarks: Remarks, most: int) -> list[_Panel]:
    """Return the designs to draw: the design that was written if it is no solution, and the first solutions."""
    same = [k for k, design in enumerate(designs) if written and design.sections == written.sections]
    panels = [_Panel(written, DESIGN, remarks(written), True)] if written and not same else []
    first = [*range(min(len(designs), most - len(panels)))]
    first[-1] = max([first[-1], *same[:1]])  # the written one is always shown
    return panels + [_Panel(designs[k], str(k + 1), remarks(designs[k]), k in same[:1]) for k in first]


def _layout(count: int, aspect: float, layout: PageLayout) -> tuple[int, float]:
    """Return the number of columns and width of a drawing [inch], such that the page has nearly the preferred shape and few
    gaps."""

    def width(columns: int) -> float:
        return min((layout.widest - 2 * SIDE - (columns - 1) * GAP) / columns, layout.greatest)

    def misfit(columns: int) -> float:
        rows = math.ceil(count / columns)
        wide = 2 * SIDE + columns * width(columns) + (columns - 1) * GAP
        tall = TOP + rows * (CAPTION + width(columns) * min(aspect, TALLEST) + GAP) + BOTTOM
        return abs(math.log(wide / tall / SHAPE)) + 2 * (1 - count / (rows * columns))

    several = [columns for columns in range(1, count + 1) if columns == 1 or width(columns) >= layout.least]
    best = min(several, key=misfit)
    return best, width(best)


def _lines(remarks: Sequence[str], width: float) -> list[str]:
    """Return the remarks in as few lines of a width [inch] as they fit."""
    lines: list[str] = []
    for remark in remarks:
        longer = f"{lines[-1]}{BETWEEN}{remark}" if lines else ""
        if longer and TextPath((0, 0), longer, size=SMALL).get_extents().width <= 72 * width:
            lines[-1] = longer
        else:
            lines.append(remark)
    return lines


def _dress_panel(axes: Axes, panel: _Panel, remarked: Sequence[str], corner: Floats) -> None:
    """Draw the frame and the caption of a design.

    Args:
        remarked: Lines of remarks.
        corner: Lower left corner of the part of the caption that has one line of remarks [inch], shape (2,).
    """
    figure: Any = axes.figure
    axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
    axes.spines[:].set(linewidth=1.6 if panel.written else 0.7, color=INK if panel.written else FAINT)
    (x, top), inches = corner, figure.dpi_scale_trans
    facts = f"{panel.design.words}, {1e3 * panel.design.length:.0f} mm"
    style: dict[str, Any] = {"transform": inches, "va": "baseline", "parse_math": False}
    number = figure.text(x, top + 0.25, panel.label, size=9, weight="bold", color=INK, **style)
    reach = number.get_window_extent().width / figure.dpi
    figure.text(x + reach + 0.09, top + 0.25, facts, size=8.5, color=INK, **style)
    for line, text in enumerate(remarked):
        figure.text(x, top + 0.08 - LINE * line, text, size=SMALL, color=FAINT, **style)


def _draw_header(figure: Figure, environment: Environment, panels: Sequence[_Panel], title: str, page: Any) -> None:
    """Draw the name of the environment, what the designs are, and a legend of the sides that occur."""
    style: dict[str, Any] = {"transform": figure.dpi_scale_trans, "va": "baseline", "parse_math": False}
    right = figure.text(page[0] - SIDE, page[1] - 0.3, title, size=9.5, color=INK, ha="right", **style)
    name = " ".join(environment.name.split())
    most = int((page[0] - 2 * SIDE - right.get_window_extent().width / figure.dpi) / 0.15)
    name = name if len(name) <= most else f"{name[: most - 1]}…"
    figure.text(SIDE, page[1] - 0.3, name, size=13, weight="bold", color=INK, **style)
    shown = side_entries(section for panel in panels for section in panel.design.sections)
    shown["goal"] = Patch(facecolor=(GOAL, 0.22), edgecolor=GOAL, linewidth=1.4)
    shown["obstacle"] = Patch(**OBSTACLE)
    if any(panel.written for panel in panels):
        shown["in design.json"] = Patch(facecolor="white", edgecolor=INK, linewidth=1.6)
    figure.legend(
        list(shown.values()), list(shown), ncols=len(shown), loc="lower left", bbox_transform=figure.dpi_scale_trans,
        bbox_to_anchor=(SIDE, page[1] - 0.62), fontsize=8, borderpad=0, borderaxespad=0, columnspacing=1.3, frameon=False,
        handlelength=1.9, handleheight=1.0, handletextpad=0.5, labelcolor=INK,
    )  # fmt: skip
