"""The map of the study: how near vines with one actuator come to the goal, over start and curvature."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial import KDTree

from planner.drawing.style import FAINT, INK, save_figure
from studies.fewest.study import FewestOutcome

DPI = 140
COLUMNS = 4
"""Environments in a row."""
PIXELS = 240
"""Number of pixels of a map in either direction."""


def save_map(path: Path, outcomes: Sequence[FewestOutcome]) -> None:
    """Draw a panel for each environment: start and curvature, coloured by the nearest distance of a tip to the goal."""
    rows = math.ceil(len(outcomes) / COLUMNS)
    figure = Figure(figsize=(3.5 * COLUMNS, 3.1 * rows), facecolor="white", layout="constrained")
    every = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axes in every[len(outcomes) :]:
        axes.axis("off")
    most = max((float(one.coverage.nearest[:, 2].max(initial=0.0)) for one in outcomes), default=0.0)
    image = None
    for axes, one in zip(every, outcomes, strict=False):
        axes.set_title(f"{one.environment}\n{one.verdict}", color=INK, size=8, loc="left")
        axes.tick_params(labelsize=7, color=FAINT, labelcolor=INK)
        axes.spines[:].set(linewidth=0.7, color=FAINT)
        axes.set_xlabel("start of the actuator [mm]", size=8, color=INK)
        axes.set_ylabel("curvature [1/m], left positive", size=8, color=INK)
        start, curvature, nearest = one.coverage.nearest.T
        if not len(start):
            continue
        extent = (
            0.0,
            1e3 * max(float(start.max()), one.segment_length),
            float(curvature.min()),
            float(curvature.max()),
        )
        image = axes.imshow(
            1e3 * _filled(start, curvature, np.maximum(nearest, 0.0), extent),
            origin="lower", aspect="auto", extent=extent, cmap="viridis_r", vmin=0.0, vmax=1e3 * most,
        )  # fmt: skip
        axes.plot(1e3 * start, curvature, ".", color="white", markersize=1.2, alpha=0.5)
        inside = nearest <= 0.0
        axes.plot(1e3 * start[inside], curvature[inside], ".", color="#d1495b", markersize=2.5)
        bent = np.abs(curvature).min()
        axes.axhspan(-bent, bent, color="white", zorder=2)
    if image:
        label = "nearest distance of a tip to the goal's edge [mm]; red: into the goal"
        bar = figure.colorbar(image, ax=every.tolist(), location="bottom", shrink=0.4, aspect=40)
        bar.set_label(label, size=8, color=INK)
        bar.ax.tick_params(labelsize=7, color=FAINT, labelcolor=INK)
    save_figure(path, figure, DPI)


def _filled(
    start: np.ndarray, curvature: np.ndarray, values: np.ndarray, extent: tuple[float, float, float, float]
) -> np.ndarray:
    """Values [m] of the nearest start [m] and curvature [1/m] that was grown, on a grid of pixels over an extent [mm, 1/m]."""
    left, right, low, high = extent
    scale = np.array([1e-3 * (right - left), high - low])
    known = KDTree(np.column_stack([start, curvature]) / scale)
    x, y = np.meshgrid(np.linspace(left, right, PIXELS) * 1e-3, np.linspace(low, high, PIXELS))
    return np.asarray(values[known.query(np.column_stack([x.ravel(), y.ravel()]) / scale)[1]].reshape(x.shape))
