"""Colours and line styles of every picture, and writing a picture whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

INK, FAINT, SEARCHED, GOAL = "#23282f", "#6b7480", "#8a80ad", "#0a8f62"


OBSTACLE: dict[str, Any] = {"facecolor": "#bcc2c9", "edgecolor": "#8d95a0", "linewidth": 0.7}


OUTLINE: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.8, "joinstyle": "round"}


# Blue against orange, and a sandy neutral: told apart with every common colour blindness, and in grey.
TUBE = {"left": "#8ec3e6", "right": "#f6bd7a", "none": "#f3ead2"}


ACTUATOR = {"left": "#0a5a96", "right": "#b54d00"}


def save_figure(path: Path, figure: Figure, dpi: int) -> None:
    """Write a figure as a PNG; the file appears whole or not at all."""
    FigureCanvasAgg(figure)
    with whole(path) as partial:
        figure.savefig(partial, dpi=dpi, format="png")


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to, moved into its place at the end."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
