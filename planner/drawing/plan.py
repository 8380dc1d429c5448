"""Figures of an environment with a design, in millimetres."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch, Polygon
from matplotlib.ticker import MultipleLocator
from matplotlib.transforms import Affine2D
from PIL import Image

from environments.environment import Environment
from environments.writing import atomic_path
from planner.design.design import Design, Section, cell_name, find_overlap, type_of
from planner.drawing.base import base_shapes, drawn_radius
from planner.drawing.bounds import bounds_patches
from planner.drawing.course import DrawnCourse, centrelines
from planner.drawing.front import CHART, cloud_entries, draw_chart, draw_cloud
from planner.drawing.insets import GAP, place_insets, vital_parts
from planner.drawing.legend import LEGEND, legend_lines
from planner.drawing.miss import draw_miss, miss_entries
from planner.drawing.names import draw_names
from planner.drawing.overview import draw_overview, overview_size
from planner.drawing.profile import drawn_thickness
from planner.drawing.search import NO_BRANCHES, TreeBranches, branch_entries, draw_branches
from planner.drawing.solids import draw_solids
from planner.drawing.style import ACTUATOR, FAINT, GOAL, INK, OBSTACLE, OFF, OUTLINE, OVERLAP, TUBE, few_colours
from planner.drawing.tube import colour_of, tube_patches
from planner.drawing.view import whole_view, zoomed_view
from surrogate.kernels.compiled import Floats

if TYPE_CHECKING:
    from planner.uncertainty.shown_trials import ShownTrials

NUMBER: dict[str, Any] = {"color": "white", "weight": "bold", "ha": "center", "va": "center_baseline"}
NUMBER_POSITIONS = (1.4, 2.5, 4.0), (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8), (1, -1)
"""Possible positions of a section's number: gap to the tube in badge radii, fraction of the section, and side."""
PLOT_WIDTH, PLOT_HEIGHT, LEAST_WIDTH = 9.6, 6.8, 5.6
"""Maximum width and height of the drawing, and minimum width for legend and table [inch]."""
LEFT, RIGHT, TOP, BOTTOM, SCALE_LINE, ROW = 0.8, 0.24, 0.66, 0.5, 0.13, 0.205
"""Margins around the drawing; height of the scale bar above the lower margin's end; height of a table row [inch]."""
TABLE_ROWS, BADGE = 12, 6.2  # maximum number of table rows; radius of a section's number [point]
PLAN_DPI = 160


def plan_figure(
    environment: Environment,
    design: Design | None,
    branches: TreeBranches = NO_BRANCHES,
    tried: ShownTrials | None = None,
) -> Figure:
    """Draw an environment and optionally a design, with a table of its actuators.

    Args:
        branches: Lines of the search tree (see `select_branches`).
        tried: Trials of the design, and the front that it was chosen from.
    """
    joints = design.centerline if design else None
    more = branch_entries(branches) | (cloud_entries(tried) if tried else {}) | miss_entries(environment, design)
    page = _make_page(environment, design, joints, table=True, more=more, tried=tried)
    draw_branches(page.axes, branches)
    _draw_environment(page.axes, environment, page.view)
    if tried and design:
        draw_cloud(page.axes, tried)
        draw_chart(page.axes, page.insets[0], tried)
    _draw_tube(page.axes, environment, design)
    taken = shapely.union_all([shapely.box(*box) for box in page.insets])
    if design and len(design.centerline) > 1:
        taken = _draw_numbers(page, environment, design, taken)
    if design:
        cloud = shapely.MultiLineString(centrelines(tried.joints) if tried else [])
        base = shapely.MultiPoint(np.vstack(base_shapes(environment.start, drawn_radius(design)))).convex_hull
        draw_names(page.axes, environment, page.view, page.point, shapely.union_all([taken, base, cloud]))
        _draw_table(page, design)
    return page.figure


def save_plan(
    path: Path,
    environment: Environment,
    design: Design | None,
    branches: TreeBranches = NO_BRANCHES,
    tried: ShownTrials | None = None,
) -> None:
    """Write `plan_figure` as a PNG, atomically."""
    save_page(path, plan_figure(environment, design, branches, tried))


def save_page(path: Path, figure: Figure) -> None:
    """Write a figure as a PNG with few colours, atomically."""
    canvas: Any = FigureCanvasAgg(figure)
    canvas.figure.set_dpi(PLAN_DPI)
    canvas.draw()
    image = few_colours(Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB"))
    with atomic_path(path) as partial:
        image.save(partial, format="PNG", optimize=True, dpi=(PLAN_DPI, PLAN_DPI))


@dataclass(frozen=True, slots=True)
class _Page:
    """A figure with axes in millimetres."""

    figure: Figure
    axes: Axes
    view: Floats
    """Limits of the axes: min_x, min_y, max_x, max_y [mm]."""
    width: float
    """Width between the side margins [inch]."""
    point: float
    """Size of a typographic point in the drawing [mm]."""
    insets: Sequence[Floats] = ()
    """Boxes of the chart of trials and of the map of the whole, if there are such, in the order of the view [mm]."""

    def text(self, x: float, y: float, text: str, **style: Any) -> Any:
        """Text at inches from the lower left corner of the figure; math markup is not parsed."""
        return self.figure.text(x, y, text, transform=self.figure.dpi_scale_trans, parse_math=False, **style)


def _make_page(
    environment: Environment,
    design: Design | None,
    joints: Floats | None,
    table: bool,
    more: Mapping[str, Any] | None = None,
    tried: ShownTrials | None = None,
) -> _Page:
    """Make a drawing of everything, or of the surroundings of a small design with a map of the whole, without its content.

    Args:
        joints: Joints of the tube [m], shape (..., 2), at one time or several.
        more: Further handles of the legend by their labels.
        tried: Trials of the design, for whose chart space is kept.
    """
    whole, bounds = whole_view(environment, design, joints), 1e3 * environment.bounds
    page = partial(_empty_page, environment, design, joints, table=table, more=more or {})
    if design is None or joints is None:
        return page(whole, bounds)
    tubes = [*(joints if joints.ndim == 3 else [joints]), *(tried.joints if tried else [])]
    window = zoomed_view(environment, [design], tubes, whole)
    seen = (whole, bounds) if window is None else (window, window)
    made, sizes = page(*seen), [CHART] if tried else []
    sizes += [] if window is None else [overview_size(whole)]
    if not sizes:
        return made
    vital = vital_parts(environment, design, tubes, made.view)
    boxes = place_insets(made.view, 72 * made.point, sizes, vital)
    beside = [float(size[0]) + GAP for size, box in zip(sizes, boxes, strict=True) if box[0] > made.view[2]]
    if beside:
        made = page(*seen, beside=max(beside))
    if window is not None:
        draw_overview(made.axes, boxes[-1], environment, whole, window)
    return replace(made, insets=boxes)


def _empty_page(
    environment: Environment,
    design: Design | None,
    joints: Floats | None,
    view: Floats,
    dressed: Floats,
    table: bool,
    more: Mapping[str, Any],
    beside: float = 0.0,
) -> _Page:
    """Make an empty drawing with axes, title, legend and scale bar.

    Args:
        view: Limits of the axes: min_x, min_y, max_x, max_y [mm].
        dressed: The part of it that ticks and scale bar are made for, in the same order [mm].
        beside: Width of the space at the right of the drawing [inch].
    """
    size = view[2:] - view[:2]
    drawing = size * min(PLOT_WIDTH / size[0], PLOT_HEIGHT / size[1])
    width = max(drawing[0], LEAST_WIDTH)
    rows = _table_layout(design, width)[1] if design and table else 0
    below = BOTTOM + (ROW * (rows + 1) + 0.2 if rows else 0.0)
    entries = _legend_entries(design, joints) | dict(more)
    lines = legend_lines(entries, width)
    total = np.array([LEFT + width + RIGHT + beside, below + drawing[1] + TOP + ROW * (lines - 1)])
    figure = Figure(figsize=(total[0], total[1]), facecolor="white")
    left, bottom = (LEFT + (width - drawing[0]) / 2) / total[0], below / total[1]
    axes = figure.add_axes((left, bottom, *(drawing / total)))
    axes.set(xlim=view[[0, 2]], ylim=view[[1, 3]], aspect="equal")
    page = _Page(figure, axes, view, width, float(size[0] / drawing[0] / 72))
    _dress_axes(page, dressed, below - BOTTOM + SCALE_LINE)
    _draw_legend(page, entries, lines)
    name, most = " ".join(environment.name.split()), int(8 * (width - 2.6))
    name = name if len(name) <= most else f"{name[: most - 1]}…"
    page.text(LEFT, total[1] - 0.26, name, color=INK, size=13, weight="bold")
    if design:
        facts = f"{design.words}, {1e3 * design.built:.0f} mm of tube"
        page.text(LEFT + width, total[1] - 0.26, facts, color=INK, size=10.5, ha="right")
    return page


def _dress_axes(page: _Page, bounds: Floats, line: float) -> None:
    """Draw ticks, axis labels and the scale bar, `line` inches above the page's lower edge."""
    axes, size = page.axes, bounds[2:] - bounds[:2]
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(_round_number(size.max() / 5)))
        axis.set_label_text(f"{axis.axis_name} [mm]", color=INK, size=9)
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK, width=0.7, length=3)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    bar, end = _round_number(size[0] / 8), LEFT + page.width
    ends, inches = [end - bar / page.point / 72, end], page.figure.dpi_scale_trans
    page.figure.add_artist(Line2D(ends, [line, line], color=INK, lw=2.2, solid_capstyle="butt", transform=inches))
    page.text(ends[0] - 0.07, line, f"{bar:g} mm", size=8, color=INK, va="center", ha="right")


def _round_number(value: float) -> float:
    """Return the nearest 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return min((power * k for k in (1, 2, 5, 10)), key=lambda number: abs(math.log(number / value)))


def draw_in_axes(axes: Axes, environment: Environment, design: Design | None, window: Floats | None = None) -> None:
    """Draw an environment and a design into axes in metres, and set their limits to show all of both, or a window: min_x, min_y,
    max_x, max_y [mm]."""
    view = whole_view(environment, design, design.centerline if design else None) if window is None else window
    there, data = set(axes.get_children()), axes.dataLim.frozen()
    _draw_environment(axes, environment, view)
    _draw_tube(axes, environment, design)
    in_metres = Affine2D().scale(1e-3) + axes.transData
    for artist in axes.get_children():
        if artist not in there:
            artist.set_transform(in_metres)
    axes.dataLim.set(data)  # otherwise the millimetres of the drawing would count as metres
    axes.update_datalim(1e-3 * view.reshape(2, 2))
    axes.set(xlim=1e-3 * view[[0, 2]], ylim=1e-3 * view[[1, 3]], aspect="equal", xlabel="x [m]", ylabel="y [m]")


def _draw_tube(axes: Axes, environment: Environment, design: Design | None) -> None:
    """Draw the tube along its predicted centreline, and the foreground."""
    heading = float(environment.start[2])
    tube = tube_patches(design.drawn_at(design.length), design.centerline, heading) if design else []
    for patch in [*tube, *foreground(environment, design)]:
        axes.add_artist(patch)  # add_patch would search thousands of corners for limits that are known
    draw_miss(axes, environment, design)


def _draw_environment(axes: Axes, environment: Environment, view: Floats) -> None:
    """Draw the obstacles and the goal disc."""
    draw_solids(axes, environment, view)
    x, y, radius = 1e3 * environment.goal
    axes.add_patch(Circle((x, y), radius, facecolor=GOAL, alpha=0.22, linewidth=0, zorder=3))


def foreground(environment: Environment, design: Design | None) -> list[Patch]:
    """Return patches in front of the tube: the goal's outline, and the base with an arrow in the direction of growth."""
    x, y, goal_radius = 1e3 * environment.goal
    goal = Circle((x, y), goal_radius, fill=False, edgecolor=GOAL, linewidth=1.6, zorder=7, gid="goal")
    base = [
        Polygon(part, facecolor=INK, linewidth=0, zorder=7)
        for part in base_shapes(environment.start, drawn_radius(design))
    ]
    return [goal, *base, *bounds_patches(environment, drawn_radius(design))]


def _draw_numbers(page: _Page, environment: Environment, design: Design, chart: shapely.Geometry) -> shapely.Geometry:
    """Draw numbers next to their sections, without overlapping the tube, the goal, the chart or each other; returns all of these
    [mm]."""
    joints = 1e3 * design.centerline
    course = DrawnCourse.of(design, design.centerline)
    grown = 1e-3 * float(course.along[-1])
    sections = [(label, section) for label, section in design.labelled if section.start < grown]
    size, radius = BADGE * page.point, 1e3 * design.params.radius
    goal = shapely.Point(1e3 * environment.goal[:2]).buffer(1e3 * environment.goal[2])
    taken = shapely.union_all([shapely.LineString(joints).buffer(1.3 * radius), goal, chart])
    inside = shapely.box(*page.view).buffer(-1.1 * size)
    # Prefer positions near the tube, then in the middle of the section, then on the side of the actuator.
    gap, fraction, side = (grid.ravel() for grid in np.meshgrid(*NUMBER_POSITIONS, indexing="ij"))
    for label, section in sections:
        colour = colour_of(section)
        middle, normal = course.at(1e3 * (section.start + fraction * (min(section.end, grown) - section.start)))
        outward = normal * (side if section.side == "left" else -side)[:, None]
        beside = drawn_thickness(section, design.params) * (side > 0)[:, None]
        positions = middle + (1.3 * radius + beside + gap[:, None] * size) * outward
        spots = shapely.points(positions)
        free = shapely.contains(inside, spots) & (shapely.distance(spots, taken) > 1.15 * size)
        k = int(free.argmax())
        # Without free space next to the section, its number is drawn on the section.
        at, edge = (positions[k], middle[k] + radius * outward[k]) if free[k] else (middle[0], middle[0])
        taken = taken.union(shapely.Point(at).buffer(size))
        page.axes.plot(*np.array([edge, at]).T, color=colour, linewidth=0.9, zorder=8)
        page.axes.add_patch(Circle((at[0], at[1]), size, zorder=9, facecolor=colour, linewidth=0))
        page.axes.text(at[0], at[1], label, zorder=10, **{**NUMBER, "size": 7.5 if len(label) == 1 else 6})
    return taken


def side_entries(sections: Iterable[Section]) -> dict[str, Any]:
    """Return handles of the legend for sides and kinds of sections, and for actuators without pressure, by their labels."""
    every = list(sections)
    shown = dict[str, Any]()
    sides = {section.side if section.on else "off" for section in every if not section.preformed}
    folded = {section.side for section in every if section.preformed}
    for side in [side for side in ACTUATOR if side in sides]:
        cells = Line2D([], [], color=ACTUATOR[side], linewidth=3.2, linestyle=(0, (0.9, 0.35)))
        shown[f"actuator {side}"] = Patch(facecolor=TUBE[side], **OUTLINE), cells
    for side in [side for side in ACTUATOR if side in folded]:
        wedge = Line2D([], [], color=ACTUATOR[side], linewidth=0, marker="v" if side == "left" else "^", markersize=6)
        shown[f"preformed {side}"] = Patch(facecolor=TUBE[side], **OUTLINE), wedge
    if "off" in sides:
        shown["actuator off"] = Patch(**OFF)
    if "none" in sides:
        shown["no actuator"] = Patch(facecolor=TUBE["none"], **OUTLINE)
    return shown


def _legend_entries(design: Design | None, joints: Floats | None) -> dict[str, Any]:
    """Return handles of the legend by their labels: only what occurs."""
    sections = list(design.sections) if design else []
    if design and design.schedule:
        lowest = design.schedule.pressures.min(axis=0).tolist()
        sections += [replace(one, on=False) for one, least in zip(design.actuated, lowest, strict=True) if not least]
    shown = side_entries(sections)
    last = None if joints is None else joints[-1] if joints.ndim == 3 else joints
    if design and last is not None and not find_overlap(last[~np.isnan(last[:, 0])], design.params.radius).is_empty:
        shown["overlaps itself"] = Patch(**OVERLAP)
    shown["goal"] = Patch(facecolor=(GOAL, 0.22), edgecolor=GOAL, linewidth=1.4)
    shown["obstacle"] = Patch(**OBSTACLE)
    return shown


def _draw_legend(page: _Page, entries: dict[str, Any], lines: int) -> None:
    """Draw the legend above the drawing, in some lines (see `legend_lines`)."""
    corner = (LEFT, page.figure.get_figheight() - TOP + 0.09 - ROW * (lines - 1))
    location: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": corner}
    location["bbox_transform"] = page.figure.dpi_scale_trans
    page.figure.legend(list(entries.values()), list(entries), ncols=-(-len(entries) // lines), **location, **LEGEND)


def _table_layout(design: Design, width: float) -> tuple[int, int]:
    """Return the number of blocks side by side, and the number of rows of each."""
    count = len(design.labelled)
    blocks = 2 if count > 3 and width > 9 else 1
    return blocks, min(math.ceil(count / blocks), TABLE_ROWS)


def _pressure(design: Design, section: Section) -> str:
    """Return the pressure of an actuator in kilopascals, or its range."""
    highest = f"{section.pressure / 1e3:.3g}"
    if design.schedule is None:
        return highest if section.on else f"{highest} off"
    lowest = f"{design.schedule.pressures[:, design.actuated.index(section)].min() / 1e3:.3g}"
    return highest if lowest == highest else f"{lowest} to {highest}"


def _draw_table(page: _Page, design: Design) -> None:
    """Draw the table below the drawing, one row per actuator or preformed bend."""
    sections = design.labelled
    blocks, rows = _table_layout(design, page.width)
    columns = {"from [mm]": 0.82, "to [mm]": 1.37, "side": 1.77, f"{cell_name(design)} [mm]": 2.55}
    columns |= {"pressure [kPa]": 3.45, "curvature [1/m]": (across := 4.4)}
    inches = page.figure.dpi_scale_trans
    for k, (label, section) in enumerate(sections[: blocks * rows]):
        left, y = LEFT + k // rows * (page.width - across), ROW * (rows - 1 - k % rows) + 0.19
        if k % rows == 0:
            ends = [left, left + across]
            page.figure.add_artist(Line2D(ends, [y + ROW - 0.1] * 2, color=FAINT, linewidth=0.6, transform=inches))
            for heading, x in columns.items():
                page.text(left + x, y + ROW, heading, size=7.5, color=FAINT, ha="right", va="center")
        badge = Circle((left + 0.1, y), 0.078, facecolor=colour_of(section), linewidth=0, transform=inches)
        page.figure.add_artist(badge)
        page.text(left + 0.1, y - 0.003, label, **{**NUMBER, "size": 6.5 if len(label) == 1 else 5})
        lengths = [f"{1e3 * length:.0f}" for length in (section.start, section.end)]
        made = [f"{type_of(section, design)} {1e3 * section.l_0:.3g}".strip(), _pressure(design, section)]
        values = [*lengths, section.side, *(["-", "preformed"] if section.preformed else made)]
        for x, value in zip(columns.values(), [*values, f"{section.curvature:.2f}"], strict=True):
            page.text(left + x, y, value, size=8, color=INK, ha="right", va="center")
    if (hidden := len(sections) - blocks * rows) > 0:
        page.text(LEFT + page.width, 0.04, f"and {hidden} more", size=7.5, color=FAINT, ha="right")
