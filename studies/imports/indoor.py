"""Indoor maps of a floor as GeoJSON: walls, rooms and levels with their properties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from studies.imports.floors import Floor, Written
from surrogate.kernels.compiled import Floats

UTM = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32631"}}
ORIGIN = 500_000.0, 5_400_000.0
"""Origin of the floor in the UTM zone [m]."""
EQUATOR, FLATTENING = 6_378_137.0, 1 / 298.257223563
"""Radius at the equator [m], and flattening, of WGS 84."""
VARIANTS: dict[str, dict[str, Any]] = {
    "UTM, indoor=wall and room": {},
    "degrees at 48 N": {"latitude": 48.0},
    "degrees at 69 N": {"latitude": 69.0},
    "two levels, --solid level=0": {"levels": True, "options": {"solid": ("level=0",), "free": ("indoor=room",)}},
    "millimetres": {"unit": "mm"},
    "by type": {"key": "type", "options": {"solid": ("type=wall",)}},
    "one MultiPolygon": {"multi": True},
    "metres": {"unit": "m"},
}
"""Properties of the maps by their description."""


def write_indoor(floor: Floor, variant: str, folder: Path) -> Written:
    """Write a GeoJSON file."""
    how = VARIANTS[variant]
    options, shift, key = dict(how.get("options", {})), (0.0, 0.0), how.get("key", "indoor")
    middle = np.array(floor.size) / 2

    def place(points: Floats) -> Floats:
        if latitude := how.get("latitude"):
            return _degrees(points - middle, latitude)
        if unit := how.get("unit"):
            return points * {"mm": 1e3, "m": 1.0}[unit]
        return np.asarray(points + ORIGIN)

    if "latitude" in how:
        shift = float(-middle[0]), float(-middle[1])
    if unit := how.get("unit"):
        options["unit"] = unit
    walls = [
        [place(np.asarray(ring.coords)).tolist() for ring in (one.exterior, *one.interiors)] for one in floor.walls
    ]
    solid = (
        [{"type": "MultiPolygon", "coordinates": walls}]
        if how.get("multi")
        else [{"type": "Polygon", "coordinates": one} for one in walls]
    )
    room = place(np.asarray(shapely.box(0, 0, *floor.size).exterior.coords)).tolist()
    features = [_feature(one, {key: "wall", "level": "0"}) for one in solid]
    features.append(_feature({"type": "Polygon", "coordinates": [room]}, {key: "room", "level": "0", "name": "hall"}))
    if how.get("levels"):
        features.append(_feature({"type": "Polygon", "coordinates": [room]}, {key: "wall", "level": "1"}))
    content: dict[str, Any] = {"type": "FeatureCollection", "features": features}
    if not ("latitude" in how or "unit" in how):
        content["crs"] = UTM
    (folder / "floor.geojson").write_text(json.dumps(content))
    return Written(folder / "floor.geojson", options, shift=shift)


def _feature(geometry: dict[str, Any], properties: dict[str, str]) -> dict[str, Any]:
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def _degrees(points: Floats, latitude: float) -> Floats:
    """Return longitude and latitude of points in the tangent plane at a latitude, exactly: by geocentric coordinates [deg]."""
    phi, square = np.radians(latitude), FLATTENING * (2 - FLATTENING)
    normal = EQUATOR / np.sqrt(1 - square * np.sin(phi) ** 2)
    base = np.array([normal * np.cos(phi), 0.0, normal * (1 - square) * np.sin(phi)])
    east, north = np.array([0.0, 1.0, 0.0]), np.array([-np.sin(phi), 0.0, np.cos(phi)])
    x, y, z = (base + points[:, :1] * east + points[:, 1:] * north).T
    across, angle = np.hypot(x, y), phi * np.ones(len(points))
    for _ in range(10):
        angle = np.arctan2(z + square * EQUATOR / np.sqrt(1 - square * np.sin(angle) ** 2) * np.sin(angle), across)
    return np.degrees(np.column_stack([np.arctan2(y, x), angle]))
