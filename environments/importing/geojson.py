"""Environments from GeoJSON files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from environments.importing.geojson_content import Part, trace_parts
from environments.importing.marks import quote_name
from environments.importing.options import USUAL, ImportOptions
from environments.importing.sketch import MOST_POINTS
from environments.importing.traced import Tracing, UnusableFile
from environments.reading import UnreadableFile, read_file

_MOST_BYTES = 32_000_000
_MOST_FEATURES = 200_000
_DEEPEST = 16
"""Geometry collections one within another."""
_SESSION = {"bases", "prior", "deployments", "map"}
"""Keys of a mapping session, another JSON file with what was found of an environment."""


def read_geojson(path: Path, options: ImportOptions = USUAL) -> Tracing:
    """Read a GeoJSON file.

    Polygons are solid, lines are walls, points with the property `radius` are solid discs, unless patterns of properties, or
    of `geometry`, choose among them; where features carry `indoor`, only walls and columns are solid. A point or line with
    the property `name` "start" is the start (a point needs `heading_deg`; a line leads in the direction of growth), a point
    with `name` "goal" and `radius` is the goal. A radius, and the `thickness` of a line, are in the unit of the coordinates,
    or in metres where these are degrees.

    Args:
        path: A GeoJSON file.
        options: Those of drawings; others are not used. Without a unit the coordinates are metres if the file names a UTM
            zone, or degrees.

    Raises:
        UnusableFile: The file is no such file, nothing in it is solid, or its coordinates cannot be used.
    """
    try:
        data = _load(read_file(path, _MOST_BYTES))
        parts, left_out = _parts_of(data)
        return trace_parts(parts, data.get("crs"), options, left_out)
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


def _parts_of(data: dict[str, Any]) -> tuple[list[Part], Counter[str]]:
    """Return the geometries of a FeatureCollection, a Feature or a geometry, and the numbers of things that have none.

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
    parts: list[Part] = []
    left_out: Counter[str] = Counter()
    points = 0
    for k, feature in enumerate(features):
        where = f"features[{k}]"
        if not isinstance(feature, dict):
            raise UnusableFile(f"{where} is not an object")
        bare = feature.get("type") != "Feature"
        properties = feature.get("properties") if not bare else None
        geometry = feature if bare else feature.get("geometry")
        if geometry is None:
            left_out["features without geometry"] += 1
            continue
        for kind, coordinates in _parts(geometry, where):
            rings = _rings(kind, coordinates, where)
            parts.append(Part(kind, rings, properties if isinstance(properties, dict) else {}, where))
            points += sum(map(len, rings))
            if len(parts) > _MOST_FEATURES:
                raise UnusableFile(f"has more than {_MOST_FEATURES} geometries; leave some out")
            if points > MOST_POINTS:
                raise UnusableFile(f"has more than {MOST_POINTS} points; simplify it")
    return parts, left_out


def _rings(kind: str, coordinates: Any, where: str) -> list[np.ndarray]:
    """Return the positions of a Point, LineString or Polygon, each of shape (n, 2)."""
    if kind == "Point":
        return [_points([coordinates], where, 1)]
    if kind == "LineString":
        return [_points(coordinates, where, 2)]
    if not isinstance(coordinates, list) or not coordinates:
        raise UnusableFile(f"{where}.geometry.coordinates must be a list of rings")
    return [_points(ring, where, 4) for ring in coordinates]


def _points(coordinates: Any, where: str, least: int) -> np.ndarray:
    """Return positions, shape (n, 2); heights are left out."""
    wrong = UnusableFile(f"{where}.geometry.coordinates must have at least {least} positions [x, y] with numbers")
    if not isinstance(coordinates, list) or len(coordinates) < least:
        raise wrong
    for position in coordinates:
        if not isinstance(position, list) or len(position) < 2 or not all(map(_is_number, position[:2])):
            raise wrong
    try:
        return np.array([position[:2] for position in coordinates], float)
    except OverflowError:
        raise wrong from None


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
