"""Pictures of sweeps: the motions over time, coloured by value, and their results over the values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dynamics.euler_lagrange.control import Tracking
from planner.drawing.style import FAINT, INK, save_figure
from surrogate.kernels.compiled import Floats
from vinewright.euler_lagrange.description import COMPLETE
from vinewright.euler_lagrange.pictures import DPI, draw_gaps, dress, label, legend
from vinewright.euler_lagrange.sweep import Row, SweptMotion

MOST_POINTS = 800
"""Largest number of points of a curve."""
MOST_NAMED = 8
"""Largest number of values of the first key that are named; more have a colour bar."""
SPREAD = 20.0
"""Ratio of the largest to the least value from which an axis is logarithmic."""
STYLES: tuple[Any, ...] = "-", (0, (5, 2)), (0, (1, 1.3)), (0, (6, 2, 1, 2))
"""Line styles of the combinations of all keys but the first; more are drawn alike."""
COLOURS = LinearSegmentedColormap.from_list("values", colormaps["viridis"](np.linspace(0.0, 0.85, 256)))
"""From dark to light; the lightest are not seen on white."""
SIMULATED = (
    ("length s [m]", "length at the end [m]", "end_s_m"),
    ("bend θ [rad]", "bend at the end [rad]", "end_theta_rad"),
    ("plane φ [rad]", "plane at the end [rad]", "end_phi_rad"),
)
TRACKED = (
    ("error of the length [m]", "its greatest [m]", "greatest_length_error_m"),
    ("error of the bend [rad]", "its greatest [rad]", "greatest_bend_error_rad"),
    ("tip from its place [m]", "its greatest [m]", "greatest_tip_error_m"),
)
"""Labels of each curve over time and of its result, and the column of the result."""


class SweptCurve(NamedTuple):
    """What is drawn of a motion, and its row of the table."""

    values: tuple[float, ...]
    """Values of the varied keys."""
    row: Row
    times: Floats
    """Times [s], shape (points,), at most `MOST_POINTS`."""
    lines: Floats
    """`SIMULATED` or `TRACKED`, shape (points, 3)."""


def curve_of(swept: SweptMotion) -> SweptCurve:
    """Keep of a motion what is drawn, so that long ones take little memory."""
    motion, values, row = swept.motion, tuple(swept.case.values.values()), swept.row()
    if motion is None or not len(motion.times):
        return SweptCurve(values, row, np.empty(0), np.empty((0, 3)))
    lines = motion.polar
    if isinstance(motion, Tracking):
        errors = np.column_stack([motion.errors[:, :2], motion.tip_errors])
        lines = np.where(
            motion.able[:, None], errors, np.nan
        )  # the greatest errors are those while the tube can follow
    kept = np.unique(np.linspace(0, len(lines) - 1, MOST_POINTS).astype(int))
    return SweptCurve(values, row, motion.times[kept], lines[kept])


def save_sweep(path: Path, keys: Sequence[str], curves: Sequence[SweptCurve], tracked: bool, title: str) -> None:
    """Draw all motions over time, and their results over the values of the first key.

    Args:
        keys: Varied keys: colours are values of the first one, line styles those of the others.
    """
    panels = [
        (k, words) for k, words in enumerate(TRACKED if tracked else SIMULATED) if tracked or k < 2 or _turns(curves)
    ]
    figure = Figure(figsize=(10.4, 2.2 * len(panels) + 0.9), dpi=DPI, facecolor="white", layout="constrained")
    grid = figure.add_gridspec(len(panels), 2, width_ratios=(1.5, 1.0))
    scale = _scale([curve.values[0] for curve in curves])
    others = list(dict.fromkeys(curve.values[1:] for curve in curves))
    styles = dict(zip(others, STYLES if len(others) <= len(STYLES) else cycle(STYLES[:1]), strict=False))
    axes: tuple[Axes, Axes] | None = None
    for place, (k, (over_time, result, column)) in enumerate(panels):
        axes = figure.add_subplot(grid[place, 0]), figure.add_subplot(grid[place, 1])
        last = place == len(panels) - 1
        if place == 0:
            axes[0].set_title(title, color=INK, size=10.5, weight="bold", loc="left")
        _draw_times(axes[0], curves, k, scale, styles, turned=not tracked and k == 2)
        _draw_results(axes[1], curves, column, scale, styles, tracked)
        for one, words, below in zip(axes, (over_time, result), ("time [s]", keys[0]), strict=True):
            label(one, words)
            dress(one)
            one.tick_params(which="minor", color=FAINT, labelcolor=INK, labelsize=8.5)
            if one.get_yscale() == "linear":
                one.ticklabel_format(axis="y", scilimits=(-3, 4), useOffset=False)
            one.tick_params(labelbottom=last)
            if last:
                one.set_xlabel(below, size=9, color=INK)
        axes[1].margins(x=0.06)
    _draw_key(figure, keys, curves, scale, styles)
    figure.align_ylabels()
    save_figure(path, figure, DPI)


def _turns(curves: Sequence[SweptCurve]) -> bool:
    """Whether a tube leaves the plane phi = 0."""
    return any(bool((np.abs(curve.lines[:, 2]) > 1e-9).any()) for curve in curves)


def _scale(values: Sequence[float]) -> Normalize:
    """Return the scale of the colours: logarithmic if the values spread over more than `SPREAD`."""
    low, high = min(values), max(values)
    if low == high:
        return Normalize(low - 1.0, high)
    return LogNorm(low, high) if _spreads(values) else Normalize(low, high)


def _spreads(values: Sequence[float]) -> bool:
    return min(values) > 0 and max(values) / min(values) >= SPREAD


def _draw_times(
    axes: Axes, curves: Sequence[SweptCurve], k: int, scale: Normalize, styles: dict[Any, Any], turned: bool
) -> None:
    for curve in curves:
        if len(curve.times):
            drawn = draw_gaps(curve.lines)[:, k] if turned else curve.lines[:, k]
            colour = COLOURS(scale(curve.values[0]))
            axes.plot(curve.times, drawn, color=colour, linewidth=1.2, linestyle=styles[curve.values[1:]])
            if curve.row["ended"] != COMPLETE:
                axes.plot(curve.times[-1:], drawn[-1:], "x", color=colour, clip_on=False)
    if longest := max((float(curve.times[-1]) for curve in curves if len(curve.times)), default=0.0):
        axes.set_xlim(0.0, longest)


def _draw_results(
    axes: Axes,
    curves: Sequence[SweptCurve],
    column: str,
    scale: Normalize,
    styles: dict[Any, Any],
    tracked: bool,
) -> None:
    """Draw a result of the motions that lasted as long as was asked for."""
    drawn: list[float] = []
    for others, style in styles.items():
        points = sorted(
            (curve.values[0], value)
            for curve in curves
            if curve.values[1:] == others
            and curve.row["ended"] == COMPLETE
            and isinstance(value := curve.row[column], float)
        )
        if not points:
            continue
        x, y = zip(*points, strict=True)
        drawn += y
        axes.plot(x, y, color=INK, linewidth=0.8, linestyle=style, alpha=0.6)
        axes.scatter(x, y, c=[COLOURS(scale(one)) for one in x], s=22, zorder=3)
    if tracked and drawn and _spreads(drawn):
        axes.set_yscale("log")
    if _spreads([curve.values[0] for curve in curves]):
        axes.set_xscale("log")


def _draw_key(
    figure: Figure, keys: Sequence[str], curves: Sequence[SweptCurve], scale: Normalize, styles: dict[Any, Any]
) -> None:
    """Say which colour and which line style belongs to which values."""
    firsts = sorted({curve.values[0] for curve in curves})
    handles = [Line2D([], [], color=COLOURS(scale(one)), label=_equal(keys[0], one)) for one in firsts]
    if len(firsts) > MOST_NAMED:
        handles = []
        bar = figure.colorbar(ScalarMappable(scale, COLOURS), ax=figure.axes, pad=0.01, fraction=0.03)
        bar.set_label(keys[0], size=9, color=INK)
        bar.ax.tick_params(labelsize=8.5)
    if len(styles) > len(STYLES):
        handles.append(Line2D([], [], color=INK, label=f"one line for each {', '.join(keys[1:])}"))
    elif len(styles) > 1:
        handles += [
            Line2D([], [], color=INK, linestyle=style, label=", ".join(map(_equal, keys[1:], others)))
            for others, style in styles.items()
        ]
    if any(curve.row["ended"] != COMPLETE for curve in curves):
        handles.append(Line2D([], [], color=INK, marker="x", linestyle="none", label="ends early"))
    if handles:
        legend(figure, loc="outside lower center", handles=handles, ncols=min(len(handles), 4))


def _equal(key: str, value: float) -> str:
    return f"{key} = {value:g}"
