"""Options for importing files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, TypedDict

from environments.importing.traced import UnusableFile


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options for importing a file; lengths in metres, angles in radians."""

    simplify: float | None = None
    """Largest distance by which outlines may move so that they have fewer corners [m]; None: half a cell of a map, a pixel of a
    rectified photograph, 0 for drawings."""
    start: tuple[float, float, float] | None = None
    """x, y [m] and heading [rad]; None takes that of the file."""
    goal: tuple[float, float, float] | None = None
    """x, y and radius [m]; None takes that of the file."""
    mount: Literal["free", "wall"] = "free"
    """Whether the base of the tube is free or in a wall."""
    edge: Literal["open", "table", "wall"] = "open"
    """Edge of the environment: free space, the edge of a table, or walls."""
    least_size: float = 0.0
    """Obstacles that are smaller across are left out [m]."""
    crop: tuple[float, float, float, float] | Literal["reach"] | None = None
    """min_x, min_y, max_x, max_y [m] of the part that is kept; "reach" keeps what can be reached from the start, with a margin."""
    known: tuple[float, tuple[float, float], tuple[float, float]] | None = field(
        default=None, metadata={"kinds": ("dxf", "svg", "photo")}
    )
    """A known length [m] and the two points between which it is: in units of the drawing, or pixels from the upper left of a photograph."""
    unit: str | None = field(default=None, metadata={"kinds": ("dxf", "geojson")})
    """Unit of the lengths in a DXF or GeoJSON file, in place of the one that the file names."""
    mm_per_unit: float | None = field(default=None, metadata={"kinds": ("svg",)})
    """Millimetres for each unit of an SVG file, if it is not what the file says."""
    layers: Mapping[str, str] = field(default_factory=dict, metadata={"kinds": ("dxf", "svg", "geojson")})
    """Layer or id in a drawing of "start" and "goal"; in a GeoJSON file the property `name` of a feature."""
    solid: tuple[str, ...] = field(default=(), metadata={"kinds": ("dxf", "svg", "geojson")})
    """Patterns of what is solid in a drawing, see `environments.importing.select.Selection`; none: layer WALL, or all without one."""
    free: tuple[str, ...] = field(default=(), metadata={"kinds": ("dxf", "svg", "geojson")})
    """Patterns of what is left out of it."""
    wall_thickness: float | None = field(default=None, metadata={"kinds": ("dxf", "svg", "geojson")})
    """Thickness of the walls that closed outlines without a fill stand for [m], as those of rooms; None: they are solid."""
    unknown_free: bool = field(default=False, metadata={"kinds": ("map",)})
    """Whether unknown cells of a map are free; otherwise they are obstacles."""
    size: tuple[float, float] | None = field(default=None, metadata={"kinds": ("photo",)})
    """Width and height of a rectangle in a photograph [m]: the bounds of the environment, with its first corner at 0, 0."""
    corners: tuple[tuple[float, float], ...] = field(default=(), metadata={"kinds": ("photo",)})
    """Pixels of its lower left, lower right, upper right and upper left corner, from the upper left of the photograph."""
    aruco: bool = field(default=False, metadata={"kinds": ("photo",)})
    """Whether ArUco markers 0 to 3 lie with their centres at these corners."""
    color: tuple[int, int, int] | None = field(default=None, metadata={"kinds": ("photo",)})
    """Red, green, blue of the obstacles in a photograph, from 0 to 255; None: they are darker than the bench."""
    tolerance: float | None = field(default=None, metadata={"kinds": ("photo",)})
    """Largest distance from this colour [CIELAB units], of which about 2 are just noticeable; None: 25."""

    @property
    def metres_per_unit(self) -> float | None:
        """Metres in a unit of a drawing by `known`; None without it."""
        if self.known is None:
            return None
        length, one, other = self.known
        return length / math.dist(one, other)

    def check(self) -> None:
        """Check the lengths.

        Raises:
            UnusableFile: One is not finite, below 0, or 0 where it must not be.
        """
        for name, length in (("simplify", self.simplify), ("least_size", self.least_size)):
            if length is not None and not 0 <= length < math.inf:
                raise UnusableFile(f"{name} = {length} m must be finite and at least 0")
        if self.wall_thickness is not None and not 0 < self.wall_thickness < math.inf:
            raise UnusableFile(f"wall_thickness = {self.wall_thickness} m must be finite and above 0")
        if self.known is not None and not (0 < self.known[0] < math.inf and 0 < math.dist(*self.known[1:]) < math.inf):
            raise UnusableFile(f"known = {self.known} must be a length above 0 m, and two points apart from each other")

    def foreign_names(self, kind: str) -> list[str]:
        """List the names of the options that are set but do not apply to a kind of file."""
        others = [field.name for field in fields(self) if kind not in field.metadata.get("kinds", (kind,))]
        return [name for name in others if getattr(self, name) != getattr(USUAL, name)]


USUAL = ImportOptions()
"""No option given."""


class ImportArguments(TypedDict, total=False):
    """Fields of `ImportOptions`, as arguments of `import_environment`."""

    simplify: float | None
    start: tuple[float, float, float] | None
    goal: tuple[float, float, float] | None
    mount: Literal["free", "wall"]
    edge: Literal["open", "table", "wall"]
    least_size: float
    crop: tuple[float, float, float, float] | Literal["reach"] | None
    known: tuple[float, tuple[float, float], tuple[float, float]] | None
    unit: str | None
    mm_per_unit: float | None
    layers: Mapping[str, str]
    solid: tuple[str, ...]
    free: tuple[str, ...]
    wall_thickness: float | None
    unknown_free: bool
    size: tuple[float, float] | None
    corners: tuple[tuple[float, float], ...]
    aruco: bool
    color: tuple[int, int, int] | None
    tolerance: float | None
