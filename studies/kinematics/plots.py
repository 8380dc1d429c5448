"""The figure of paper 003's kinematics: critical angle, regions of the behaviours, and the behaviours simulated by propagators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dynamics.geometric.kinematics import Behaviour, boundaries, critical_angle, hinge_boundaries
from planner.drawing.style import FAINT, INK, save_figure
from studies.kinematics.study import AFTER, RADIUS, CollisionOutcome

DPI = 150
COLOURS = {
    Behaviour.POSITIVE_PIVOT: "#8ec3e6",
    Behaviour.PIVOT_AT_TURN: "#a9d8b8",
    Behaviour.FRICTION_LOCKED: "#cfc8dd",
    Behaviour.NEGATIVE_PIVOT: "#f6bd7a",
}
MARKS = {
    Behaviour.POSITIVE_PIVOT: ("#0a5a96", "o"),
    Behaviour.PIVOT_AT_TURN: ("#14703f", "s"),
    Behaviour.FRICTION_LOCKED: ("#5b4b8a", "D"),
    Behaviour.NEGATIVE_PIVOT: ("#b54d00", "^"),
}
FRICTIONS, RATIOS = (0.3, 0.6), (0.5, 2.0)
LONGEST, WIDEST, STEEPEST = 20.0, 90, 150
"""Limits of the axes: L / R [-], turn and contact angle [degrees]."""
DASHED = (0, (5, 2.5))


def save_kinematics(path: Path, outcomes: Sequence[CollisionOutcome]) -> None:
    """Draw critical angles, regions for two frictions and two ratios, and the collisions of the first model in them.

    Args:
        outcomes: Results of a study; those of the first model with the largest ratio are drawn.
    """
    figure = Figure(figsize=(12.6, 8.0), facecolor="white", layout="constrained")
    panels = figure.subplots(2, 3)
    _draw_critical(panels[0, 0])
    for row, friction in enumerate(FRICTIONS):
        for column, ratio in enumerate(RATIOS):
            axes = panels[row, 1 + column]
            _draw_regions(axes, friction, ratio, 0.0)
            axes.set_title(f"μ = {friction:g}, λ = {ratio:g}, slender", color=INK, size=10, loc="left")
    own = [one for one in outcomes if one.model == outcomes[0].model]
    ratio = max(one.collision.ratio for one in own)
    _draw_regions(panels[1, 0], 0.0, ratio, RADIUS / AFTER)
    _draw_outcomes(panels[1, 0], [one for one in own if one.collision.ratio == ratio])
    title = f"{own[0].model}: μ = 0, λ = {ratio:g}, R / L2 = {RADIUS / AFTER:g}"
    panels[1, 0].set_title(title, color=INK, size=10, loc="left")
    for axes in panels.ravel():
        axes.tick_params(labelsize=8.5, color=FAINT, labelcolor=INK)
        axes.spines[:].set(linewidth=0.7, color=FAINT)
        axes.set_ylabel("contact angle θ [degrees]", size=9, color=INK)
    shown: list[Any] = [Patch(facecolor=COLOURS[kind], label=f"{_name(kind)} (paper)") for kind in Behaviour]
    shown.append(Line2D([], [], color=INK, linewidth=1.3, linestyle=DASHED, label="boundaries by limit analysis"))
    shown.append(Patch(facecolor="white", edgecolor=FAINT, hatch="////", linewidth=0.5, label="base behind the wall"))
    for kind, (colour, marker) in MARKS.items():
        if any(one.seen == kind for one in own):
            dot: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": "", "markersize": 5}
            shown.append(Line2D([], [], label=f"{_name(kind)}, seen", **dot))
    figure.legend(handles=shown, loc="outside lower center", ncols=5, fontsize=9, frameon=False, labelcolor=INK)
    save_figure(path, figure, DPI)


def _draw_critical(axes: Axes) -> None:
    """Draw the critical angle over slenderness, and its mirror image, as in Fig. 3."""
    slenderness = np.linspace(0, LONGEST, 1000)
    for friction, shade in ((0.6, "#9cc4e0"), (0.3, "#3f86bb"), (0.0, "#0a3a66")):
        angle = np.maximum(np.degrees(critical_angle(slenderness, friction)), 0.0)
        axes.fill_between(slenderness, angle, 180 - angle, color=FAINT, alpha=0.15, linewidth=0)
        axes.plot(slenderness, angle, color=shade, linewidth=1.6, label=f"μ = {friction:g}")
        axes.plot(slenderness, 180 - angle, color=shade, linewidth=1.6)
    for across, height, words in ((10, 20, "pivots"), (2.8, 90, "buckles"), (10, 160, "pivots to the other side")):
        axes.text(across, height, words, color=INK, size=9, ha="center", va="center")
    axes.set(xlim=(0, LONGEST), ylim=(0, 180), xticks=range(0, 21, 5), yticks=range(0, 181, 30))
    axes.set_xlabel("slenderness L / R", size=9, color=INK)
    axes.set_title("Straight vine: critical angle", color=INK, size=10, loc="left")
    axes.legend(fontsize=8.5, frameon=False, labelcolor=INK, loc="lower right")


def _draw_regions(axes: Axes, friction: float, ratio: float, slenderness: float) -> None:
    """Draw the paper's regions in colour and the boundaries of the limit analysis dashed, as in Fig. 6."""
    turn = np.linspace(0, np.radians(WIDEST), 361)
    paper, hinges = (np.degrees(form(friction, turn, ratio, slenderness)).T for form in (boundaries, hinge_boundaries))
    across = np.degrees(turn)
    edges = [np.zeros_like(across), *paper, np.full_like(across, STEEPEST)]
    for kind in Behaviour:
        axes.fill_between(across, edges[kind], edges[kind + 1], color=COLOURS[kind], linewidth=0)
    for edge in hinges:
        axes.plot(across, edge, color=INK, linewidth=1.3, linestyle=DASHED)
    behind = 180 - np.degrees(np.arctan2(ratio * np.sin(turn), 1 + ratio * np.cos(turn)))
    axes.fill_between(
        across, np.minimum(behind, STEEPEST), STEEPEST, facecolor="white", edgecolor=FAINT, hatch="////", linewidth=0.0
    )
    axes.set(xlim=(0, WIDEST), ylim=(0, STEEPEST), xticks=range(0, WIDEST + 1, 15), yticks=range(0, STEEPEST + 1, 30))
    axes.set_xlabel("turn φ [degrees]", size=9, color=INK)


def _draw_outcomes(axes: Axes, outcomes: Sequence[CollisionOutcome]) -> None:
    for kind, (colour, marker) in MARKS.items():
        own = [one.collision for one in outcomes if one.seen == kind]
        points = np.degrees([[one.turn, one.contact_angle] for one in own]).reshape(-1, 2)
        inside = points[points[:, 1] < STEEPEST]
        axes.plot(*inside.T, color=colour, marker=marker, markersize=4, linestyle="")


def _name(kind: Behaviour) -> str:
    return kind.name.capitalize().replace("_", " ")
