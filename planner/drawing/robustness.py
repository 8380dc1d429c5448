"""Figures of robustness: success rates, superimposed trials, and the margins of each parameter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from planner.drawing.base import base_shapes, drawn_radius
from planner.drawing.bounds import WALL
from planner.drawing.course import centrelines
from planner.drawing.names import draw_names
from planner.drawing.overview import draw_map, map_title
from planner.drawing.plan import foreground
from planner.drawing.solids import draw_solids
from planner.drawing.style import ACTUATOR, FAINT, INK, MISSED, REACHED, save_figure
from planner.drawing.view import zoomed_view
from planner.uncertainty.report import margin_words
from planner.uncertainty.sensitivity import Margin
from planner.uncertainty.survey import ALL, Survey, cell_name
from planner.uncertainty.trials import Outcome, Worlds
from surrogate.kernels.compiled import Floats

DPI = 150
ENVIRONMENTS = 10
"""Number of trials whose obstacles are outlined."""
MAP = 2.4
"""Width of the map of the whole beside trials that take little of it [inch]."""


def robustness_figure(survey: Survey, levels: Sequence[float], trials: Outcome, worlds: Worlds, where: str) -> Figure:
    """Draw trials superimposed, beside the success under each source of error and, if there is a grid, its heat map.

    Args:
        levels: Levels of the grid; none for no heat map.
        trials: Trials to draw.
        worlds: The worlds in which they grew.
        where: What differs in them, as text.
    """
    whole, window = _views(survey, trials)
    bounds = 1e3 * survey.environment.bounds if window is None else window
    aspect = float((bounds[2] - bounds[0]) / (bounds[3] - bounds[1]))
    height, bars = 5.2, 5.6
    widths = [bars, *[5.0] * bool(levels), height * min(max(aspect, 0.7), 2.2), *[MAP] * (window is not None)]
    figure = Figure(figsize=(sum(widths) + 0.6, height), layout="constrained", facecolor="white")
    panels = list(figure.subplots(1, len(widths), width_ratios=widths))
    if window is not None:
        draw_map(panels[-1], survey.environment, whole, window)
        panels.pop().set_title(map_title(survey.environment), size=10, color=INK, loc="left")
    alone, *heat, overlay = panels
    grid = {cell_name(one, other) for one in levels for other in levels}
    _draw_sources(alone, survey, [name for name in survey.uncertainties if name not in grid])
    if heat:
        _draw_heat(heat[0], survey, levels)
    _draw_trials(overlay, survey, trials, worlds, where, whole if window is None else window)
    _name_obstacles(figure, overlay, survey, trials)
    return figure


def save_robustness(
    path: Path, survey: Survey, levels: Sequence[float], trials: Outcome, worlds: Worlds, where: str
) -> None:
    """Write `robustness_figure` as a PNG, atomically."""
    save_figure(path, robustness_figure(survey, levels, trials, worlds, where), DPI)


def _draw_sources(axes: Axes, survey: Survey, names: Sequence[str]) -> None:
    """Draw bars of success with intervals: all errors together on top, then each source alone."""
    for row, name in enumerate(names):
        estimate = survey.estimate(name)
        axes.barh(row, 100, height=0.72, color="#eef0f3", zorder=1)
        if estimate is None:
            axes.text(3, row, "-", size=8.5, color=INK, va="center")
            continue
        rate, ends = 100 * estimate.rate, [100 * end for end in estimate.interval]
        axes.barh(row, rate, height=0.72, color=REACHED, alpha=1.0 if name == ALL else 0.6, zorder=2)
        axes.plot(ends, [row, row], color=INK, linewidth=1.1, zorder=3)
        words = f"{rate:.0f}{'' if survey.complete(name) else '*'}"
        axes.text(103, row, words, size=8.5, color=INK, va="center")
    axes.set_yticks(range(len(names)), names)
    axes.set(xlim=(0, 112), ylim=(max(len(names), 4) - 0.4, -0.6), xticks=[0, 50, 100])
    axes.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK, length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(_heading(survey), size=10, color=INK, loc="left")


def _heading(survey: Survey) -> str:
    """Return the title of rates of success."""
    if survey.done == survey.asked:
        return f"success [%], {survey.trials} trials each"
    return (
        f"success [%], interrupted after {survey.done} of {survey.asked} trials\n"
        f"*: fewer than {survey.trials} trials, -: none"
    )


def _draw_heat(axes: Axes, survey: Survey, levels: Sequence[float]) -> None:
    estimates = [[survey.estimate(cell_name(one, other)) for other in levels] for one in levels]
    rates = np.array([[100 * e.rate if e else np.nan for e in row] for row in estimates])
    # One hue from light to dark, so that it is readable in grey too.
    axes.imshow(np.ma.masked_invalid(rates), cmap="YlGnBu", vmin=0, vmax=100, origin="lower", aspect="auto")
    for (i, j), rate in np.ndenumerate(rates):
        mark = "" if survey.complete(cell_name(levels[i], levels[j])) else "*"
        text = "-" if np.isnan(rate) else f"{rate:.0f}{mark}"
        axes.text(j, i, text, ha="center", va="center", size=9, color="white" if rate > 55 else INK)
    names = [f"{100 * level:g}" for level in levels]
    axes.set_xticks(range(len(levels)), names)
    axes.set_yticks(range(len(levels)), names)
    axes.set_xlabel("actuators: pressure and length, standard deviation [%]", size=9, color=INK)
    axes.set_ylabel("obstacles: size and position, standard deviation [%]", size=9, color=INK)
    axes.set_title(_heading(survey), size=10, color=INK, loc="left")
    axes.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK)
    axes.spines[:].set_visible(False)


def _views(survey: Survey, trials: Outcome) -> tuple[Floats, Floats | None]:
    """Return the limits of a drawing of everything, and those of the surroundings of the trials if they take little of it [mm]."""
    bounds, design = 1e3 * survey.environment.bounds, survey.design
    beyond = max(drawn_radius(design), WALL * (bounds[2:] - bounds[:2]).max())
    whole = bounds + beyond * np.array([-1, -1, 1, 1])
    return whole, zoomed_view(survey.environment, [design], [design.centerline, *trials.joints], whole)


def _draw_trials(axes: Axes, survey: Survey, trials: Outcome, worlds: Worlds, where: str, view: Floats) -> None:
    """Draw the vines of trials; the view is min_x, min_y, max_x, max_y [mm]."""
    environment = survey.environment
    draw_solids(axes, environment, view)
    outlined = min(ENVIRONMENTS, len(worlds))
    for world in range(outlined):
        rings = [1e3 * _outline(shape) for shape in worlds.shapes(world)]
        axes.add_collection(LineCollection(rings, colors=FAINT, linewidths=0.5, alpha=0.7, zorder=3), autolim=False)
    for reached, colour in ((False, MISSED), (True, REACHED)):
        lines = [1e3 * line for line, done in zip(trials.joints, trials.reached, strict=True) if done == reached]
        drawn = [line[~np.isnan(line[:, 0])] for line in lines]
        some = LineCollection(
            [line for line in drawn if len(line) > 1], colors=colour, linewidths=0.9, alpha=0.55, zorder=5
        )
        axes.add_collection(some, autolim=False)
        axes.plot([], [], color=colour, label=f"{len(lines)} {'reach' if reached else 'miss'} the goal")
    for patch in foreground(environment, survey.design):
        axes.add_patch(patch)
    axes.set(xlim=view[[0, 2]], ylim=view[[1, 3]], aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    title = f"{len(trials.reached)} trials, {where}; outlines: obstacles of {outlined} of them"
    axes.set_title(title, size=10, color=INK, loc="left")
    axes.legend(loc="upper left", bbox_to_anchor=(0, 0), ncols=2, fontsize=9, frameon=False, labelcolor=INK)


def _name_obstacles(figure: Figure, axes: Axes, survey: Survey, trials: Outcome) -> None:
    """Write the names of the obstacles where no vine of the trials, base or goal is."""
    figure.draw_without_rendering()  # only now has the drawing its size
    (x0, x1), width = axes.get_xlim(), axes.get_window_extent().width
    view = np.array([x0, axes.get_ylim()[0], x1, axes.get_ylim()[1]])
    environment = survey.environment
    base = np.vstack(base_shapes(environment.start, drawn_radius(survey.design)))
    x, y, radius = 1e3 * environment.goal
    parts = [shapely.MultiPoint(base).convex_hull, shapely.Point(x, y).buffer(radius)]
    # A union of the centrelines would cut each where another crosses it.
    taken = shapely.GeometryCollection([*parts, *map(shapely.LineString, centrelines(trials.joints))])
    draw_names(axes, environment, view, (x1 - x0) / width * figure.dpi / 72, taken)


def _outline(shape: Any) -> Floats:
    return np.array((shape.exterior if shape.area else shape).coords)


def save_sensitivity(path: Path, margins: Sequence[Margin], varied: int) -> None:
    """Draw a tornado chart: the margins of each parameter, the smallest on top.

    Args:
        varied: Number of parameters; there are fewer margins if their search was interrupted.
    """
    ordered = sorted(margins, key=lambda margin: margin.share, reverse=True)
    figure = Figure(figsize=(8.2, 1.3 + 0.31 * len(ordered)), layout="constrained", facecolor="white")
    axes = figure.subplots()
    axes.axvline(0, color=INK, linewidth=0.9, zorder=3)
    for row, margin in enumerate(ordered):
        # The searched range, and the part of it in which the goal is reached.
        axes.barh(row, 2, left=-1, height=0.72, color="#eef0f3", zorder=1)
        ends = (-margin.less / margin.most, "left", "-"), (margin.more / margin.most, "right", "+")
        for reach, side, sign in ends:
            axes.barh(row, reach, height=0.72, color=ACTUATOR[side], alpha=0.85, zorder=2)
            words = margin_words(margin, margin.less if sign == "-" else margin.more, sign)
            beyond = 1.03 if sign == "+" else -1.03
            axes.text(beyond, row, words, size=8, color=INK, va="center", ha="left" if sign == "+" else "right")
    axes.set_yticks(range(len(ordered)), [margin.name for margin in ordered])
    axes.set(xlim=(-1.45, 1.45), ylim=(-0.6, len(ordered) - 0.4), xticks=[])
    axes.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK, length=0)
    axes.spines[:].set_visible(False)
    units = dict.fromkeys((margin.unit, margin.most) for margin in ordered)
    looked = ", ".join(f"{most:g} {unit}" for unit, most in units)
    heading = "how far each parameter may deviate, all others as planned, before the goal is missed"
    if len(margins) < varied:
        heading += f"\ninterrupted: {len(margins)} of {varied} parameters"
    axes.set_title(heading, size=10, color=INK)
    axes.set_xlabel(f"grey: searched, up to {looked} to either side", size=8.5, color=FAINT)
    save_figure(path, figure, DPI)
