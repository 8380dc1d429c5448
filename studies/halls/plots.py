"""The picture of the study: a map of each hall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from planner.drawing.style import FAINT, GOAL, INK, save_figure
from studies.halls.study import HallRecord

COLUMNS = 4
"""Halls in a row."""
DPI = 120


def save_halls(path: Path, records: Sequence[HallRecord]) -> None:
    """Draw the first map of each hall, with start and goal, and how soon a design was found."""
    shown = list({record.case.name: record for record in reversed(records)}.values())[::-1]
    rows = math.ceil(len(shown) / COLUMNS)
    figure = Figure(figsize=(3.4 * COLUMNS, 2.9 * rows), facecolor="white", layout="constrained")
    every = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axes in every:
        axes.axis("off")
    for axes, record in zip(every, shown, strict=False):
        place = record.case.environment()
        axes.add_collection(PolyCollection(place.obstacles.polygons, facecolors=FAINT, edgecolors="none"))
        x, y, heading = place.start
        long = 0.05 * record.case.size[0]
        axes.arrow(x, y, long * math.cos(heading), long * math.sin(heading), color=INK, width=0.15 * long)
        axes.plot(*place.goal[:2], "o", color=GOAL, markersize=6)
        axes.set(xlim=place.bounds[[0, 2]], ylim=place.bounds[[1, 3]], aspect="equal")
        found = "no design" if record.first is None else f"first design after {record.first:.1f} s"
        axes.set_title(f"{record.case.name}\n{found}", color=INK, size=8, loc="left")
    save_figure(path, figure, DPI)
