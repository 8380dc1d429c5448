"""Options for importing files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TypedDict


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
    unit: str | None = field(default=None, metadata={"kinds": ("dxf", "geojson")})
    """Unit of the lengths in a DXF or GeoJSON file, if it is not the one that the file names."""
    mm_per_unit: float | None = field(default=None, metadata={"kinds": ("svg",)})
    """Millimetres for each unit of an SVG file, if it is not what the file says."""
    layers: Mapping[str, str] = field(default_factory=dict, metadata={"kinds": ("dxf", "svg")})
    """Layer or id in a drawing of "wall", "start" and "goal"."""
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

    def foreign_names(self, kind: str) -> list[str]:
        """List the names of the options that are set but do not apply to a kind of file."""
        usual = ImportOptions()
        others = [field.name for field in fields(self) if kind not in field.metadata.get("kinds", (kind,))]
        return [name for name in others if getattr(self, name) != getattr(usual, name)]


class ImportArguments(TypedDict, total=False):
    """Fields of `ImportOptions`, as arguments of `import_environment`."""

    simplify: float | None
    start: tuple[float, float, float] | None
    goal: tuple[float, float, float] | None
    unit: str | None
    mm_per_unit: float | None
    layers: Mapping[str, str]
    unknown_free: bool
    size: tuple[float, float] | None
    corners: tuple[tuple[float, float], ...]
    aruco: bool
    color: tuple[int, int, int] | None
    tolerance: float | None
