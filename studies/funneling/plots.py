"""Figures of the funneling study (paper 002, Figs. 10 and 11)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MultipleLocator
from PIL import Image

from dynamics.vine import Integers, Status
from environments.writing import atomic_path
from planner.drawing.solids import draw_solids
from planner.drawing.style import FAINT, INK
from studies.funneling.report import USUAL, FanFindings, Interval
from studies.funneling.study import (
    FAN,
    FIELD,
    FLOOR,
    NEIGHBOURS,
    SHARES,
    START,
    Fan,
    even_fan,
    headings,
    places,
    ratios,
)
from surrogate.kernels.compiled import Floats

HEADINGS = LinearSegmentedColormap.from_list("headings", ["#b54d00", "#e39a3b", "#b9a58c", "#5aa5d8", "#0a5a96"])
"""Colours from the first heading to the last."""
COLOURS = {"free": FAINT, "sparse": "#7fb8df", "medium": "#2a7ab8", "dense": "#0b3a63"}
MARKS = {"free": "o", "sparse": "^", "medium": "s", "dense": "D"}
CHANCE = "#b54d00"
DPI = 160
LEGEND: dict[str, Any] = {"fontsize": 8.5, "frameon": False, "labelcolor": INK}
SEVERAL = 4
"""Minimum number of vines in one place for which their number is drawn."""
BESIDE = 62.0
"""Distance of that number from the place [mm]."""


def save_fans(path: Path, fans: Sequence[Fan]) -> None:
    """Write `draw_fans` as a PNG; the file appears atomically."""
    _save(path, draw_fans(fans))


def draw_fans(fans: Sequence[Fan]) -> Figure:
    """Draw the vines of one fan of each density in their fields, and their ends [mm]."""
    figure = Figure(figsize=(9.6, 10.2), layout="constrained", facecolor="white")
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    seen = np.concatenate([*(line for fan in fans for line in fan.lines), [[0, 0], [FIELD, FIELD]]])
    view = 1e3 * np.array([*seen.min(axis=0) - 0.07, *seen.max(axis=0) + 0.07])
    for axes, fan in zip(panels.flat, fans, strict=True):
        _draw_fan(axes, fan, view)
    for axes in panels[1]:
        axes.set_xlabel("x [mm]", color=INK, size=9)
    for axes in panels[:, 0]:
        axes.set_ylabel("y [mm]", color=INK, size=9)
    shades = ScalarMappable(Normalize(0, np.degrees(FAN)), HEADINGS)
    bar = figure.colorbar(shades, ax=panels, location="bottom", fraction=0.022, pad=0.015, aspect=46)
    rings = "; rings: they stalled there" if any((fan.status == Status.STALLED).any() for fan in fans) else ""
    label = f"tube axes, by heading at the start [deg]; numbers: how many end in one place, from {SEVERAL} on{rings}"
    bar.set_label(label, color=INK, size=9)
    bar.ax.tick_params(labelsize=8, color=FAINT, labelcolor=INK, width=0.7, length=3)
    bar.ax.spines["outline"].set(linewidth=0.7, edgecolor=FAINT)
    return figure


def _draw_fan(axes: Axes, fan: Fan, view: Floats) -> None:
    draw_solids(axes, fan.environment, view)
    shades = HEADINGS(headings(len(fan.lines)) / FAN)
    lines = LineCollection([1e3 * line for line in fan.lines], colors=shades, linewidths=1.1, alpha=0.85, zorder=4)
    axes.add_collection(lines, autolim=False)
    ends, stalled = 1e3 * fan.ends, fan.status == Status.STALLED
    axes.scatter(
        ends[~stalled, 0], ends[~stalled, 1], s=13, c=shades[~stalled], edgecolors=INK, linewidths=0.6, zorder=6
    )
    axes.scatter(ends[stalled, 0], ends[stalled, 1], s=34, facecolors="none", edgecolors=INK, linewidths=1.1, zorder=7)
    axes.plot(*(1e3 * np.array(START)), "o", color=INK, markersize=5, zorder=8)
    axes.set(xlim=view[[0, 2]], ylim=view[[1, 3]], aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(500))
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK, width=0.7, length=3)
    axes.spines[:].set(linewidth=0.7, color=FAINT)
    place = places(fan.ends)
    _draw_counts(axes, ends, place)
    axes.set_title(_name(fan.environment.name), loc="left", size=10.5, weight="bold", color=INK)
    axes.set_title(f"{len(place)} vines end in {place.max() + 1} places", loc="right", size=9, color=INK)


def _draw_counts(axes: Axes, ends: Floats, place: Integers) -> None:
    """Write the number of vines that end in a place, if at least `SEVERAL`, behind it as seen from the start."""
    count, taken = np.bincount(place), np.empty((0, 2))
    for number in np.argsort(-count, kind="stable")[: np.sum(count >= SEVERAL)]:
        middle = ends[place == number].mean(axis=0)
        away = (middle - 1e3 * np.array(START)) / np.hypot(*(middle - 1e3 * np.array(START)))
        spots = middle + BESIDE * np.arange(1, 6)[:, None] * away
        crowded = (np.hypot(*(spots[:, None] - taken).T) < 1.5 * BESIDE).any(axis=0)
        x, y = spots[int(crowded.argmin())]
        halo = [withStroke(linewidth=2.5, foreground="white")]
        style: dict[str, Any] = {"size": 8.5, "weight": "bold", "ha": "center", "va": "center", "path_effects": halo}
        axes.text(x, y, str(count[number]), color=INK, zorder=9, **style)
        taken = np.concatenate([taken, [[x, y]]])


def _name(density: str) -> str:
    return f"{density}, {100 * SHARES[density]:g} % covered" if SHARES[density] else "free space"


def save_ratio(path: Path, findings: FanFindings) -> None:
    """Write `draw_ratio` as a PNG; the file appears atomically."""
    _save(path, draw_ratio(findings))


def draw_ratio(findings: FanFindings) -> Figure:
    """Draw the concentration ratio over k, as published and with a minimum r_k: the first fields, and the mean of all."""
    figure = Figure(figsize=(9.6, 7.4), layout="constrained", facecolor="white")
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    kinds = {0: "as published", USUAL: f"r_k at least {1e3 * FLOOR:g} mm"}
    for (first, every), (floor, kind) in zip(panels, kinds.items(), strict=True):
        _dress(first, findings, f"The four fields shown, {kind}")
        _dress(every, findings, f"Mean of {len(findings.sets)} fields, 95 % interval")
        first.set_ylabel("concentration ratio [-]", color=INK, size=9)
        for name in SHARES:
            style: dict[str, Any] = {"color": COLOURS[name], "marker": MARKS[name], "markersize": 5, "linewidth": 1.6}
            first.plot(NEIGHBOURS, findings.ratio[name][0, floor], **style)
            mean = Interval.of(findings.ratio[name][:, floor])
            every.fill_between(NEIGHBOURS, mean.low, mean.high, color=COLOURS[name], alpha=0.16, linewidth=0)
            every.plot(NEIGHBOURS, mean.mean, label=_name(name), **style)
    for axes in panels[1]:
        axes.set_xlabel("neighbours counted, k", color=INK, size=9)
    panels[0, 0].set_ylim(bottom=0)
    handles, labels = panels[0, 1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, **LEGEND)
    return figure


def _dress(axes: Axes, findings: FanFindings, title: str) -> None:
    """Draw reference lines for the ratio, and labels."""
    axes.plot(NEIGHBOURS, findings.scattered, color=CHANCE, linestyle=(0, (4, 1.6)), label="scattered at random")
    even = ratios(even_fan(findings.vines))
    axes.plot(NEIGHBOURS, even, color=CHANCE, linestyle=(0, (1, 1.5)), label="even fan")
    axes.set_title(title, loc="left", size=10, weight="bold", color=INK)
    axes.set_xticks(NEIGHBOURS)
    axes.grid(color="#e3e6ea", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8.5, colors=INK)
    axes.set_axisbelow(True)


def _save(path: Path, figure: Figure) -> None:
    """Write a PNG with 256 colours, which has a third of the size."""
    canvas: Any = FigureCanvasAgg(figure)
    figure.set_dpi(DPI)
    canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    image = image.quantize(256, dither=Image.Dither.NONE)
    with atomic_path(path) as partial:
        image.save(partial, format="PNG", optimize=True, dpi=(DPI, DPI))
