"""GeoJSON files with longitude and latitude."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from environments.importing.geojson import read_geojson
from environments.importing.options import ImportOptions
from environments.importing.traced import Tracing, UnusableFile


def read(
    tmp_path: Path, corners: list[list[float]], crs: str | None = None, unit: str | None = None, *more: Any
) -> Tracing:
    """Read a polygon, and more features."""
    polygon = {"type": "Polygon", "coordinates": [[*corners, corners[0]]]}
    data: dict[str, Any] = {
        "type": "FeatureCollection",
        "features": [{"type": "Feature", "properties": {}, "geometry": polygon}, *more],
    }
    if crs is not None:
        data["crs"] = {"type": "name", "properties": {"name": crs}}
    path = tmp_path / "site.geojson"
    path.write_text(json.dumps(data))
    return read_geojson(path, ImportOptions(unit=unit))


def around(longitude: float, latitude: float, half: float) -> list[list[float]]:
    """Make a rectangle of degrees about a point."""
    return [[longitude + a * half, latitude + b * half] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def size(traced: Tracing) -> tuple[float, float]:
    """Width and height of the polygon [m]."""
    x0, y0, x1, y1 = traced.solid[0].bounds
    return x1 - x0, y1 - y0


@pytest.mark.parametrize(
    ("latitude", "east", "north"),
    [
        (0, 111.320, 110.574),
        (15, 107.550, 110.649),
        (30, 96.486, 110.852),
        (45, 78.847, 111.132),
        (60, 55.800, 111.412),
        (75, 28.902, 111.618),
        (-45, 78.847, 111.132),
    ],
)
@pytest.mark.parametrize("crs", [None, "urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4326"])
def test_a_degree_has_its_known_length(
    tmp_path: Path, latitude: float, east: float, north: float, crs: str | None
) -> None:
    """Published lengths of a degree of WGS 84, in km, along the parallel and the meridian."""
    traced = read(tmp_path, around(11.5, latitude, 0.001), crs)
    width, height = size(traced)
    assert (width / 2, height / 2) == pytest.approx((east, north), abs=0.0006)
    assert traced.solid[0].centroid.distance(shapely.Point(0, 0)) < 1e-6


def east_north(points: np.ndarray, origin: tuple[float, float]) -> np.ndarray:
    """Place points on the ellipsoid, and project them on the plane that touches it at the origin; the plane's axes are the
    derivatives of the position."""

    def place(longitude: Any, latitude: Any) -> np.ndarray:
        a, b = 6378137.0, 6356752.314245179
        beta = np.arctan2(b * np.sin(latitude), a * np.cos(latitude))  # reduced latitude
        return np.stack(
            [a * np.cos(beta) * np.cos(longitude), a * np.cos(beta) * np.sin(longitude), b * np.sin(beta)], axis=-1
        )

    x, y = np.radians(points).T
    x0, y0 = np.radians(origin)
    step = 1e-6
    axes = [place(x0 + step, y0) - place(x0 - step, y0), place(x0, y0 + step) - place(x0, y0 - step)]
    unit = np.array([axis / np.linalg.norm(axis) for axis in axes])
    return np.asarray((place(x, y) - place(x0, y0)) @ unit.T)


@pytest.mark.parametrize(("latitude", "half"), [(48.1, 0.0005), (48.1, 0.03), (-33.9, 0.01), (70.0, 0.02), (0.0, 0.01)])
def test_positions_are_off_by_what_the_note_says(tmp_path: Path, latitude: float, half: float) -> None:
    """Against positions in space, at the corners of a room and of a town."""
    corners = around(11.5, latitude, half)
    traced = read(tmp_path, corners)
    note = traced.notes[0]
    found = re.fullmatch(
        r"the coordinates are degrees \(WGS 84\): latitude (\S+), longitude (\S+) is the origin, and positions are wrong "
        r"by at most (\S+) mm",
        note,
    )
    assert found, note
    lat, lon, error = map(float, found.groups())
    assert (lon, lat) == pytest.approx((11.5, latitude), abs=1e-7)
    exact = east_north(np.array(corners), (lon, lat))
    read_corners = shapely.get_coordinates(traced.solid[0])[:4]
    nearest = [min(math.dist(one, other) for other in read_corners) for one in exact]
    assert max(nearest) == pytest.approx(error / 1000, rel=2e-3, abs=1e-6)
    assert (max(nearest) < 1e-3) is (half < 0.001 or latitude == 0)


def test_lengths_in_files_of_degrees_are_metres(tmp_path: Path) -> None:
    """Radii and thicknesses; x is east and y is north, from which headings are counted."""
    more = [
        {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": coordinates}}
        for properties, kind, coordinates in (
            ({"radius": 2}, "Point", [10.0001, 50]),
            ({"thickness": 0.3}, "LineString", [[10, 50], [10, 50.0001]]),
            ({"name": "start"}, "LineString", [[9.9999, 50], [9.9999, 50.0001]]),
            ({"name": "goal", "radius": 1.5}, "Point", [10, 49.9999]),
        )
    ]
    traced = read(tmp_path, around(10, 50, 0.0002), None, None, *more)
    np.testing.assert_allclose(traced.circles, [[7.1696, 0, 2]], atol=1e-3)
    np.testing.assert_allclose(traced.walls, [[0, 0, 0, 11.1229, 0.3]], atol=1e-3)
    assert traced.start == pytest.approx((-7.1696, 0, math.pi / 2), abs=1e-3)
    assert traced.goal == pytest.approx((0, -11.1229, 1.5), abs=1e-3)


def test_only_what_is_used_must_be_near(tmp_path: Path) -> None:
    """Features that are left out may be anywhere."""
    far = {"type": "Feature", "properties": {"name": "far"}, "geometry": {"type": "Point", "coordinates": [100, 5]}}
    assert size(read(tmp_path, around(10, 50, 0.001), None, None, far))[1] == pytest.approx(222.458, abs=1e-3)


def test_a_unit_makes_lengths_of_them(tmp_path: Path) -> None:
    """A file without a reference system may hold lengths, if the user says so."""
    assert size(read(tmp_path, around(10, 50, 0.5), None, "m")) == pytest.approx((1, 1))


@pytest.mark.parametrize(
    ("corners", "crs", "message"),
    [
        (around(10, 50, 0.06), None, "as degrees reach 8 km from their middle; keep what is within 5 km, or save it in the UTM "
         "zone of the place; if they are lengths, give --unit, one of mm, cm, m, in, ft"),
        (around(10, 50, 0.06), "EPSG:4326", "as degrees reach 8 km from their middle; .*UTM zone of the place$"),
        (around(179.95, 50, 0.1), None, "names no reference system, and its coordinates are no degrees; if they are lengths, "
         "give --unit, one of mm, cm, m, in, ft, or save it in a UTM zone"),
        (around(10, 89.9995, 0.001), None, "its coordinates are no degrees"),
        (around(500, 50, 0.001), "EPSG:4326", "has coordinates that are no degrees, against its EPSG:4326; correct this name"),
    ],
)  # fmt: skip
def test_degrees_that_cannot_be_used(tmp_path: Path, corners: list[list[float]], crs: str | None, message: str) -> None:
    """Too far apart, or none at all."""
    with pytest.raises(UnusableFile, match=message):
        read(tmp_path, corners, crs)


def test_the_limit_of_distance_is_that_of_the_furthest_point(tmp_path: Path) -> None:
    """Half a diagonal of 4.99 km is allowed, one of 5.01 km is not."""
    half = 5000 / math.hypot(71695.8, 111229.0)  # metres in a degree at 50 degrees
    assert size(read(tmp_path, around(10, 50, half * 0.998)))[1] == pytest.approx(2 * 111229 * half * 0.998, rel=1e-5)
    with pytest.raises(UnusableFile, match="reach 5 km"):
        read(tmp_path, around(10, 50, half * 1.002))
