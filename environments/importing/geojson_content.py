"""Content of the features of a GeoJSON file: what is solid, the start and the goal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from environments.importing.geojson_frame import Frame, frame_of
from environments.importing.marks import quote_name, role_names
from environments.importing.options import ImportOptions
from environments.importing.select import Properties, Selection
from environments.importing.sketch import Sketch
from environments.importing.traced import Tracing, UnusableFile

_INDOOR = "indoor"
"""Key of the simple indoor tagging of OpenStreetMap (https://wiki.openstreetmap.org/wiki/Simple_Indoor_Tagging)."""
_INDOOR_SOLID = ("wall", "column")
_INDOOR_FREE = ("room", "corridor", "area", "door", "level")
_MOST_KINDS = 20
"""Different values of a property that sorts features, and properties that are looked at."""
_LENGTHS = ("radius", "thickness", "heading_deg")
"""Properties that are read as numbers."""


@dataclass(frozen=True, slots=True)
class Part:
    """A Point, LineString or Polygon of a feature."""

    kind: str
    rings: list[np.ndarray]
    """Positions in the coordinates of the file, each of shape (n, 2)."""
    tags: dict[str, Any]
    """Properties of the feature."""
    where: str
    """The feature in messages."""

    @property
    def name(self) -> str:
        """Lower-case name of the feature, which tells start and goal."""
        return str(self.tags.get("name", "")).lower()

    def properties(self) -> Properties:
        """Return what patterns can choose it by: text, numbers and truth values, and the geometry."""
        found = {"geometry": [self.kind]}
        for key, value in self.tags.items():
            if isinstance(value, str | int | float):
                found.setdefault(key.lower(), []).append(str(value))
        return found

    def number(self, key: str, above: float = 0.0) -> float:
        """Return a number among the properties.

        Raises:
            UnusableFile: It is none, or not above the limit.
        """
        value = self.tags.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool) or not above < value < 1e9:
            limit = f"a number above {above:g}" if math.isfinite(above) else "a number"
            raise UnusableFile(f"{self.where}.properties.{key} must be {limit}")
        return float(value)


def trace_parts(parts: Sequence[Part], crs: Any, options: ImportOptions, left_out: Counter[str]) -> Tracing:
    """Trace what is solid in a file, the start and the goal.

    Args:
        parts: All geometries.
        crs: The member `crs` of the file.
        options: Unit, patterns of what is solid, names of start and goal, and the thickness of walls.
        left_out: Numbers of things that were left out so far.

    Raises:
        UnusableFile: Nothing is solid, there is more than one start or goal, or none of the given name, or the coordinates cannot
            be used.
    """
    names = role_names(options.layers)
    marks = {role: [part for part in parts if part.name == name] for role, name in names.items()}
    for role, found in marks.items():
        quoted = f'"{quote_name(names[role])}"'
        if len(found) > 1:
            raise UnusableFile(f"has {len(found)} features with the name {quoted}; only one can be it")
        if role in options.layers and not found:
            named = ", ".join(dict.fromkeys(quote_name(part.name) for part in parts if part.name))
            raise UnusableFile(f"has no feature with the name {quoted}; names of features: {named or 'none'}")
    chosen, notes = _choose([part for part in parts if part.name not in names.values()], options)
    solid = [part for part in chosen if part.kind != "Point" or "radius" in part.tags]
    bare = Counter({"points without radius": len(chosen) - len(solid)})
    if told := ", ".join(f"{n} {what}" for what, n in sorted((left_out + bare).items())):
        notes.append(f"left out: {told}")
    nothing = UnusableFile("; ".join(["has no polygons, lines or discs that are solid", *notes]))
    used = [ring for part in (*solid, *marks["start"], *marks["goal"]) for ring in part.rings]
    if not used:
        raise nothing
    frame = frame_of(crs, options.unit, np.concatenate(used))
    content = _Content(frame, options.wall_thickness)
    for part in solid:
        content.add(part)
    start, goal = (content.end(role, found[0]) if found else None for role, found in marks.items())
    if not solid:
        raise nothing
    discs = np.array(content.discs).reshape(-1, 3)
    return content.sketch.merge(discs, start, goal, [*frame.notes, *notes])


def _choose(parts: Sequence[Part], options: ImportOptions) -> tuple[list[Part], list[str]]:
    """Choose the parts that are solid; return also notes on how.

    Raises:
        UnusableFile: A pattern matches nothing.
    """
    selection = Selection(options.solid, options.free)
    described = [part.properties() for part in parts]
    for properties in described:
        selection.count(properties)
    tagged = {value.lower() for key, value in selection.counts if key == _INDOOR}
    indoor = not options.solid and not tagged.isdisjoint((*_INDOOR_SOLID, *_INDOOR_FREE))
    chosen = []
    for part, properties in zip(parts, described, strict=True):
        if options.solid:
            solid = selection.is_solid(properties)
        else:
            solid = not selection.is_free(properties)
            if indoor:
                solid &= any(value.lower() in _INDOOR_SOLID for value in properties.get(_INDOOR, ()))
        if solid:
            chosen.append(part)
    selection.check()
    if indoor:
        return chosen, [_indoor_note(selection, bool(chosen), sum(_INDOOR not in one for one in described))]
    notes = []
    if len(chosen) < len(parts):
        notes.append(f"{len(chosen)} of {len(parts)} geometries are solid, as --solid and --free ask")
    if not options.solid and (keys := _sorting_keys(selection, len(parts))):
        advice = next(filter(None, map(selection.advice, keys)), "--solid KEY=VALUE takes only some")
        rest = "all that --free leaves is" if options.free else "all is"
        notes.append(f"{rest} solid, whatever its properties: {selection.listing(keys)}; {advice}")
    return chosen, notes


def _indoor_note(selection: Selection, walls: bool, bare: int) -> str:
    """Return the note on a file with the simple indoor tagging, of which some geometries are bare."""
    note = f"features carry {_INDOOR}, so only {' and '.join(_INDOOR_SOLID)} are solid: {selection.listing([_INDOOR])}"
    note += f", {bare} without it" if bare else ""
    if walls:
        return f"{note}; --solid and --free choose otherwise"
    rooms = f"--solid {_INDOOR}=room --wall-thickness MM makes walls of the outlines of rooms"
    return f"{note}; {rooms}, without openings at doors"


def _sorting_keys(selection: Selection, parts: int) -> list[str]:
    """Return the properties that sort features: of few values, but not of one that all have; those of walls first, then the
    most frequent."""
    found: dict[str, list[int]] = {}
    for (key, _), count in selection.counts.items():
        found.setdefault(key, []).append(count)
    keys = [
        key
        for key, counts in found.items()
        if key not in (*_LENGTHS, "geometry") and len(counts) <= _MOST_KINDS and max(counts) < parts
    ]
    frequent = sorted(keys, key=lambda key: -sum(found[key]))[:_MOST_KINDS]
    return sorted(frequent, key=lambda key: not selection.likely(key))


@dataclass(slots=True)
class _Content:
    """Shapes of a file read so far [m]."""

    frame: Frame
    wall_thickness: float | None
    sketch: Sketch = field(default_factory=Sketch)
    discs: list[tuple[float, float, float]] = field(default_factory=list)

    def add(self, part: Part) -> None:
        """Add a part that is solid."""
        rings = [self.frame.apply(ring) for ring in part.rings]
        if part.kind == "Polygon":
            if self.wall_thickness is None:
                self.sketch.add_area(rings, True, part.where)
                return
            for ring in rings:
                self.sketch.add_line(ring, self.wall_thickness, part.where)
        elif part.kind == "LineString":
            thickness = part.number("thickness") if "thickness" in part.tags else 0.0
            self.sketch.add_line(rings[0], thickness * self.frame.length, part.where)
        else:
            self.sketch.count(rings[0], part.where)
            x, y = rings[0][0].tolist()
            self.discs.append((x, y, part.number("radius") * self.frame.length))

    def end(self, role: str, part: Part) -> tuple[float, float, float]:
        """Return the start, x, y [m] and heading [rad], or the goal, x, y and radius [m].

        Raises:
            UnusableFile: It is no such geometry, or a number is missing.
        """
        if part.kind == "Polygon":
            raise UnusableFile(f"{part.where} is the {role} but a polygon; it must be a point")
        points = self.frame.apply(part.rings[0])
        self.sketch.count(points, part.where)
        x, y = points[0].tolist()
        if role == "goal":
            if part.kind == "LineString":
                raise UnusableFile(f"{part.where} is the goal but a line; it must be a point with the property radius")
            return x, y, part.number("radius") * self.frame.length
        if part.kind == "Point":
            return x, y, math.radians(part.number("heading_deg", -math.inf))
        ahead = points[1] - points[0]
        return x, y, math.atan2(ahead[1], ahead[0])
