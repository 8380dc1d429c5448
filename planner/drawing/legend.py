"""The legend of a plan: its style and its size."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from planner.drawing.style import INK

SWATCH, LETTER = 0.5, 0.064
"""Width of a legend's entry without its label, and of a letter of its label, at most [inch]."""
LEGEND: dict[str, Any] = {"fontsize": 8, "borderpad": 0, "borderaxespad": 0, "columnspacing": 1.3, "frameon": False}
LEGEND |= {"handlelength": 1.9, "handleheight": 1.0, "handletextpad": 0.5, "labelcolor": INK}


def legend_lines(labels: Iterable[str], width: float) -> int:
    """Return the number of lines, at most 4, in which the columns of a legend fit a width [inch]; each is as wide as its
    longest entry."""
    sizes = [SWATCH + LETTER * len(label) for label in labels]
    columns = [sum(map(max, np.array_split(sizes, math.ceil(len(sizes) / lines)))) for lines in (1, 2, 3)]
    return 1 + sum(needed >= width for needed in columns)
