"""Paper and pages: a pattern split into tiles that fit on sheets, and drawing on a page in millimetres."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Literal

import numpy as np
import shapely
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from matplotlib.transforms import Affine2D

from environments.environment import Environment
from planner.drawing.style import INK
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.success import PackSuccess
from planner.fabrication.pattern.pattern import GAP, ROW, Line, Pattern, Text

Paper = Literal["a4", "letter"]
SHORT_EDGE: dict[Paper, float] = {"a4": 210.0, "letter": 215.9}
LONG_EDGE = {"a4": 297.0, "letter": 279.4}
"""Paper sizes [mm]."""
PITCH = {"a4": 260.0, "letter": 240.0}
"""Width of a tile [mm]; the height is `ROW`."""
RULER = 100.0
"""Length of the ruler on the cover and on every sheet [mm]."""
UNKNOWN = PackSuccess(None, False)
INCH, POINT = 25.4, 25.4 / 72
"""An inch, and a typographic point [mm]."""


@dataclass(frozen=True, slots=True)
class Tile:
    """The part of the pattern on one sheet, counted from 0 at the upper left."""

    row: int
    column: int


@dataclass(frozen=True)
class Template:
    """The contents of a printed template."""

    paper: Paper
    build: Build
    pattern: Pattern
    environment: Environment
    reached: bool
    """Whether the build reaches the goal in simulation."""
    warnings: Sequence[str] = ()
    """Fabrication warnings."""
    success: PackSuccess = UNKNOWN
    """Success of the design under errors."""

    @property
    def pitch(self) -> float:
        """Width of a tile [mm]; the height is `ROW`."""
        return PITCH[self.paper]

    @property
    def left(self) -> float:
        """Left edge of the first tile in pattern coordinates [mm]."""
        return self.pattern.bounds[0] - GAP

    def name(self, most: int) -> str:
        """Return the environment's name on one line, truncated to `most` characters."""
        name = " ".join(self.environment.name.split())
        return name if len(name) <= most else f"{name[: most - 1]}…"

    def within(self, left: float, bottom: float, right: float, top: float) -> list[Line | Text]:
        """Return lines and texts of the pattern that intersect a box [mm], in drawing order."""
        items, tree = self._items
        return [items[k] for k in sorted(tree.query(shapely.box(left, bottom, right, top), "intersects"))]

    @cached_property
    def _items(self) -> tuple[list[Line | Text], shapely.STRtree]:
        """All lines and texts, and a search tree of their shapes."""
        lines, texts = list(self.pattern.lines()), list(self.pattern.texts())
        shapes = [(shapely.polygons if line.closed else shapely.linestrings)(line.points) for line in lines]
        shapes += [shapely.box(*text.bounds) for text in texts]
        return [*lines, *texts], shapely.STRtree(shapes)

    def tiles(self) -> list[Tile]:
        """Return the non-empty parts of the pattern, row by row."""
        inside = 1e-6  # excludes what only touches a tile
        columns = math.ceil((self.pattern.bounds[2] + GAP - self.left) / self.pitch)
        tiles = []
        for row, column in product(range(self.pattern.rows), range(columns)):
            x, y = self.left + column * self.pitch, -row * ROW
            if self.within(x + inside, y - ROW + inside, x + self.pitch - inside, y - inside):
                tiles.append(Tile(row, column))
        return tiles


@dataclass(slots=True)
class Page:
    """A page with millimetre coordinates from its lower left corner."""

    width: float
    height: float
    figure: Figure = field(init=False)

    def __post_init__(self) -> None:
        self.figure = Figure(figsize=(self.width / INCH, self.height / INCH), facecolor="white")

    @property
    def scale(self) -> Any:
        """Transform from millimetres to the page."""
        return Affine2D().scale(1 / INCH) + self.figure.dpi_scale_trans

    def line(self, points: Any, clip: Any = None, closed: bool = False, **style: Any) -> None:
        """Draw a line through points [mm], shape (n, 2)."""
        x, y = np.array([*points, points[0]] if closed else points).T
        look: dict[str, Any] = {"color": INK, "linewidth": 0.5, "snap": False, "clip_path": clip} | style
        self.figure.add_artist(Line2D(x, y, transform=self.scale, **look))

    def text(self, x: float, y: float, text: str, size: float = 8.0, **style: Any) -> None:
        """Write text at a baseline, `size` in points; math markup is not parsed."""
        look: dict[str, Any] = {"color": INK, "size": size, "parse_math": False} | style
        self.figure.text(x, y, text, transform=self.scale, **look)

    def box(self, x: float, y: float, width: float, height: float, **style: Any) -> Rectangle:
        """Return a rectangle in page coordinates [mm]; it is not added to the page."""
        return Rectangle((x, y), width, height, transform=self.scale, **style)

    def circle(self, middle: Any, radius: float, **style: Any) -> None:
        """Draw a circle around a point [mm], shape (2,)."""
        self.figure.add_artist(Circle((float(middle[0]), float(middle[1])), radius, transform=self.scale, **style))

    def ruler(self, x: float, y: float) -> None:
        """Draw a line of 100 mm with a downward tick every 10 mm."""
        self.line([(x, y), (x + RULER, y)], linewidth=0.8)
        for k in range(11):
            tick = x + RULER * k / 10
            self.line([(tick, y), (tick, y - (2.4 if k % 5 == 0 else 1.5))])
