"""The flat pattern: cuts, seals, marks and labels on the lay-flat tubes of a build, in millimetres."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

import numpy as np

from planner.design.design import Side
from surrogate.kernels.compiled import Floats

ROW = 180.0
"""Height of a row of pieces [mm]; it fits on a sheet of A4 or Letter."""
GAP = 4.0
"""Gap between pieces, and between pieces and the edges of their row [mm]."""
LETTER = 0.98
"""Width reserved per character, relative to the height of capitals [-]."""

Point = tuple[float, float]
Align = Literal["left", "middle", "right"]


class Layer(StrEnum):
    """Purpose of a line; DXF and SVG have one layer for each."""

    CUT = "CUT"
    SEAL = "SEAL"
    MARK = "MARK"
    TEXT = "TEXT"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A polyline."""

    layer: Layer
    points: Floats
    """Corners [mm], shape (n, 2)."""
    closed: bool = False
    tick: tuple[str, int] | None = None
    """For a mark at a cell end on the body: the actuator's name and the number of the cell end, 0 at the base. For the edges of a fold:
    the bend's name and the number of the fold, from 1. For the marks of a joint between tiles: "joint" and its number, from 1."""
    side: Side = "none"
    """Side of the actuator or bend that the line belongs to."""
    diameter: float | None = None
    """Diameter of a circle [mm], of which the points are corners of an inscribed polygon; None for other lines."""

    @property
    def centre(self) -> Point:
        """Mean of the corners [mm]: the centre of a circle."""
        x, y = self.points.mean(axis=0).tolist()
        return x, y


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text, along x."""

    at: Point
    """Position on the baseline, at its left end, middle or right end [mm]."""
    height: float
    """Height of a capital letter [mm]."""
    text: str
    align: Align = "middle"
    side: Side = "none"

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """min_x, min_y, max_x, max_y of the space that is reserved for it [mm]."""
        width = LETTER * self.height * len(self.text)
        left = self.at[0] - {"left": 0.0, "middle": 0.5, "right": 1.0}[self.align] * width
        return left, self.at[1] - 0.4 * self.height, left + width, self.at[1] + 1.2 * self.height


@dataclass(frozen=True, slots=True, eq=False)
class PatternPiece:
    """The body or the strip of an actuator."""

    name: str
    lines: tuple[Line, ...]
    texts: tuple[Text, ...]

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """min_x, min_y, max_x, max_y [mm]."""
        points = np.concatenate([line.points for line in self.lines])
        low, high = points.min(axis=0), points.max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def translate(self, x: float, y: float) -> PatternPiece:
        """Return the piece translated by (x, y) [mm]."""
        lines = tuple(replace(line, points=line.points + np.array([x, y])) for line in self.lines)
        return PatternPiece(self.name, lines, tuple(replace(t, at=(t.at[0] + x, t.at[1] + y)) for t in self.texts))


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """All pieces: x along the tube from its base, y upwards from the top of the first row.

    Row k extends downwards from y = -180 k mm. A piece stays within its row; a piece that is too wide spans several rows.
    """

    pieces: tuple[PatternPiece, ...]
    """The body first, then the strips from the base."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """min_x, min_y, max_x, max_y of the pieces [mm]."""
        each = np.array([piece.bounds for piece in self.pieces])
        low, high = each[:, :2].min(axis=0), each[:, 2:].max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    @property
    def rows(self) -> int:
        """Number of rows."""
        return math.ceil(-self.bounds[1] / ROW)

    def lines(self) -> Iterator[Line]:
        """Return the lines of all pieces."""
        return (line for piece in self.pieces for line in piece.lines)

    def texts(self) -> Iterator[Text]:
        """Return the texts of all pieces."""
        return (text for piece in self.pieces for text in piece.texts)
