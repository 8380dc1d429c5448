"""The picture of the study: imports with plans in them."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from planner.drawing.style import DIMENSION, FAINT, GOAL, INK, save_figure
from planner.output.text import plural
from studies.imports.study import ImportRecord, import_case

COLUMNS = 3
"""Imports in a row."""
DPI = 120


def save_imports(path: Path, records: Sequence[ImportRecord]) -> None:
    """Draw the obstacles that were read of each planned import, and its design."""
    shown = [record for record in records if record.case.planned] or list(records[:1])
    rows = math.ceil(len(shown) / COLUMNS)
    figure = Figure(figsize=(4.2 * COLUMNS, 3.6 * rows), facecolor="white", layout="constrained")
    every = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axes in every:
        axes.axis("off")
    for axes, record in zip(every, shown, strict=False):
        with tempfile.TemporaryDirectory() as folder:
            _, found = import_case(record.case, Path(folder))
        axes.add_collection(
            PolyCollection(found.obstacles.polygons, facecolors=FAINT, edgecolors=FAINT, linewidths=0.3)
        )
        if record.line:
            axes.plot(*np.array(record.line).T, color=DIMENSION, linewidth=2.0)
        if found.start and found.goal:
            axes.plot(*found.start[:2], "s", color=INK, markersize=5)
            axes.plot(*found.goal[:2], "o", color=GOAL, markersize=6)
        axes.set(xlim=(found.bounds[0], found.bounds[2]), ylim=(found.bounds[1], found.bounds[3]), aspect="equal")
        words = "no design"
        if record.actuators is not None:
            words = f"{plural(record.actuators, 'actuator')}, {100 * (record.success or 0):.0f} %"
        axes.set_title(f"{record.case.kind}: {record.case.variant}\n{words}", color=INK, size=8, loc="left")
    save_figure(path, figure, DPI)
