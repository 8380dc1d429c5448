"""Environments from GeoJSON files in a metric frame."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from environments.importing.marks import quote_name
from environments.importing.options import USUAL, ImportOptions
from environments.importing.sketch import Sketch
from environments.importing.traced import Tracing, UnusableFile
from environments.importing.units import METRES, metres_in
from environments.reading import UnreadableFile, read_file

_MOST_BYTES = 32_000_000
_MOST_FEATURES = 200_000
_DEEPEST = 16
"""Geometry collections one within another."""
_SESSION = {"bases", "prior", "deployments", "map"}
"""Keys of a mapping session, another JSON file with what was found of an environment."""
_CODE = re.compile(r"(?:^|:)EPSG:(?:[\d.]*:)?(\d+)\Z", re.IGNORECASE)
_METRIC = (range(32601, 32661), range(32701, 32761), range(25828, 25839), range(26901, 26924))
"""Codes of UTM zones: of WGS 84 north and south, ETRS89 and NAD83. Their coordinates are metres, true to 0.1 %."""
_GEOGRAPHIC = range(4001, 5000)
"""Codes of systems with degrees are in this range."""


def read_geojson(path: Path, options: ImportOptions = USUAL) -> Tracing:
    """Read a GeoJSON file whose coordinates are lengths.

    Polygons are solid, lines are walls, points with the property `radius` are solid discs. A point or line with the
    property `name` "start" is the start (a point needs `heading_deg`; a line leads in the direction of growth), a point
    with `name` "goal" and `radius` is the goal. A radius, and the `thickness` of a line, are in the unit of the coordinates.

    Args:
        path: A GeoJSON file.
        options: Those of drawings; others are not used. The unit may be left out only where the file names the UTM zone, since the
            coordinates of other GeoJSON files are degrees.

    Raises:
        UnusableFile: The file is no such file, or its coordinates are or may be degrees.
    """
    try:
        data = _load(read_file(path, _MOST_BYTES))
        content = _Features(_metres(data.get("crs"), options.unit))
        content.read(data)
        return content.trace()
    except (UnreadableFile, UnusableFile) as error:
        raise UnusableFile(f"{path}: {error}") from None


def _load(content: bytes) -> dict[str, Any]:
    """Return the object in a JSON file.

    Raises:
        UnusableFile: It is not JSON, or not an object.
    """

    def no_number(text: str) -> float:
        raise UnusableFile(f"has the number {text}, which JSON does not allow")

    try:
        data = json.loads(content, parse_constant=no_number)
    except RecursionError:
        raise UnusableFile("has brackets nested too deep") from None
    except UnusableFile:
        raise
    except ValueError as error:  # also wrong encodings, and integers of thousands of digits
        raise UnusableFile(f"is not valid JSON: {str(error).split(';')[0][:100]}") from None
    if not isinstance(data, dict):
        raise UnusableFile("is not GeoJSON: it must be an object with a type")
    if data.keys() >= _SESSION:
        raise UnusableFile("is a mapping session, not GeoJSON: give it to vinewright show")
    return data


def _metres(crs: Any, unit: str | None) -> float:
    """Metres in the unit of the coordinates.

    Raises:
        UnusableFile: They are or may be degrees.
    """
    properties = crs.get("properties") if isinstance(crs, dict) else None
    name = str(properties.get("name", "")) if isinstance(properties, dict) else ""
    match = _CODE.search(name)
    code = int(match[1][:9]) if match else 0
    if name.upper().endswith("CRS84") or code in _GEOGRAPHIC:
        raise UnusableFile(f"has degrees ({quote_name(name)}); save it in the UTM zone of the place")
    metric = any(code in zone for zone in _METRIC)
    if unit is None:
        if metric:
            return 1.0
        reason = (
            f"has the reference system {quote_name(name)}"
            if name
            else "names no reference system, so its coordinates may be degrees"
        )
        raise UnusableFile(
            f"{reason}; if they are lengths, give --unit, one of {', '.join(METRES)}, or save it in a UTM zone"
        )
    if metric and unit != "m":
        raise UnusableFile(f"is in metres ({quote_name(name)}), --unit says {unit}; leave --unit out")
    return metres_in(unit)


@dataclass(slots=True)
class _Features:
    """Content of the features of a file."""

    scale: float
    """Metres in the unit of the coordinates."""
    sketch: Sketch = field(default_factory=Sketch)
    discs: list[tuple[float, float, float]] = field(default_factory=list)
    starts: list[tuple[float, float, float]] = field(default_factory=list)
    goals: list[tuple[float, float, float]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    features: int = 0

    def read(self, data: dict[str, Any]) -> None:
        """Add the content of a FeatureCollection, a Feature or a geometry.

        Raises:
            UnusableFile: Something in it is not GeoJSON.
        """
        if data.get("type") != "FeatureCollection":
            features = [data]
        elif isinstance(data.get("features"), list):
            features = data["features"]
        else:
            raise UnusableFile("has no list of features")
        if len(features) > _MOST_FEATURES:
            raise UnusableFile(f"has more than {_MOST_FEATURES} features; leave some out")
        for k, feature in enumerate(features):
            where = f"features[{k}]"
            if not isinstance(feature, dict):
                raise UnusableFile(f"{where} is not an object")
            bare = feature.get("type") != "Feature"
            properties = feature.get("properties") if not bare else None
            geometry = feature if bare else feature.get("geometry")
            if geometry is None:
                self.left_out["features without geometry"] += 1
                continue
            for kind, coordinates in _parts(geometry, where):
                self.features += 1
                if self.features > _MOST_FEATURES:
                    raise UnusableFile(f"has more than {_MOST_FEATURES} geometries; leave some out")
                self._add(kind, coordinates, properties if isinstance(properties, dict) else {}, where)

    def _add(self, kind: str, coordinates: Any, properties: dict[str, Any], where: str) -> None:
        """Add one Point, LineString or Polygon."""
        name = str(properties.get("name", "")).lower()
        if kind == "Polygon":
            if not isinstance(coordinates, list) or not coordinates:
                raise UnusableFile(f"{where}.geometry.coordinates must be a list of rings")
            if name in ("start", "goal"):
                raise UnusableFile(f"{where} is the {name} but a polygon; it must be a point")
            self.sketch.add_area([self._points(ring, where, 4) for ring in coordinates], True, where)
            return
        points = self._points([coordinates] if kind == "Point" else coordinates, where, 1 if kind == "Point" else 2)
        x, y = points[0].tolist()
        if kind == "LineString":
            if name == "start":
                ahead = points[1] - points[0]
                self.starts.append((x, y, math.atan2(ahead[1], ahead[0])))
            elif name == "goal":
                raise UnusableFile(f"{where} is the goal but a line; it must be a point with the property radius")
            else:
                thickness = self._number(properties, "thickness", where) if "thickness" in properties else 0.0
                self.sketch.add_line(points, thickness * self.scale, where)
        elif name == "start":
            self.starts.append((x, y, math.radians(self._number(properties, "heading_deg", where, -math.inf))))
        elif name == "goal" or "radius" in properties:
            radius = self._number(properties, "radius", where) * self.scale
            (self.goals if name == "goal" else self.discs).append((x, y, radius))
        else:
            self.left_out["points without radius"] += 1

    def _points(self, coordinates: Any, where: str, least: int) -> np.ndarray:
        """Positions [m], shape (n, 2); heights are left out."""
        wrong = UnusableFile(f"{where}.geometry.coordinates must have at least {least} positions [x, y] with numbers")
        if not isinstance(coordinates, list) or len(coordinates) < least:
            raise wrong
        for position in coordinates:
            if not isinstance(position, list) or len(position) < 2 or not all(map(_is_number, position[:2])):
                raise wrong
        try:
            points = np.array([position[:2] for position in coordinates], float) * self.scale
        except OverflowError:
            raise wrong from None
        self.sketch.count(points, where)
        return points

    def _number(self, properties: dict[str, Any], key: str, where: str, above: float = 0.0) -> float:
        """Return a number among the properties of a feature."""
        value = properties.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool) or not above < value < 1e9:
            limit = f"a number above {above:g}" if math.isfinite(above) else "a number"
            raise UnusableFile(f"{where}.properties.{key} must be {limit}")
        return float(value)

    def trace(self) -> Tracing:
        """Return the environment.

        Raises:
            UnusableFile: There is nothing in it, or more than one start or goal.
        """
        notes = [f"the unit of the coordinates is {1000 * self.scale:g} mm"]
        for what, found in (("start", self.starts), ("goal", self.goals)):
            if len(found) > 1:
                raise UnusableFile(f'has {len(found)} features with the name "{what}"; only one can be it')
        if self.left_out:
            notes.append(f"left out: {', '.join(f'{n} {what}' for what, n in sorted(self.left_out.items()))}")
        if not (self.sketch.filled or self.sketch.lines or self.discs):
            raise UnusableFile("; ".join(["has no polygons, lines or discs", *notes[1:]]))
        start, goal = (found[0] if found else None for found in (self.starts, self.goals))
        return self.sketch.merge(np.array(self.discs).reshape(-1, 3), start, goal, notes)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _parts(geometry: Any, where: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Return the Points, LineStrings and Polygons of a geometry, with their coordinates.

    Raises:
        UnusableFile: It is no geometry.
    """
    if not isinstance(geometry, dict) or depth > _DEEPEST:
        raise UnusableFile(f"{where}.geometry must be an object, with collections at most {_DEEPEST} deep")
    kind = geometry.get("type")
    inner = geometry.get("geometries" if kind == "GeometryCollection" else "coordinates")
    if kind in ("Point", "LineString", "Polygon"):
        yield kind, inner
    elif kind in ("MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection") and isinstance(inner, list):
        for part in inner:
            if kind == "GeometryCollection":
                yield from _parts(part, where, depth + 1)
            else:
                yield kind.removeprefix("Multi"), part
    else:
        raise UnusableFile(
            f"{where} has the type {quote_name(str(kind))}, which is no geometry of GeoJSON with its coordinates"
        )
