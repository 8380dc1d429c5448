"""Reading GeoJSON files: geometries, marks and reference systems."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from environments.importing.geojson import read_geojson
from environments.importing.options import ImportOptions
from environments.importing.traced import Tracing, UnusableFile

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
HOLE = [[1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]
BLOCK = {"type": "Polygon", "coordinates": [SQUARE]}


def named(name: str, kind: str, coordinates: Any, **properties: Any) -> dict[str, Any]:
    return {
        "type": "Feature",
        "properties": {"name": name, **properties},
        "geometry": {"type": kind, "coordinates": coordinates},
    }


def read(tmp_path: Path, data: Any, unit: str | None = "m", crs: str | None = None) -> Tracing:
    if isinstance(data, list):
        data = {"type": "FeatureCollection", "features": data}
    if crs is not None:
        data = {**data, "crs": {"type": "name", "properties": {"name": crs}}}
    path = tmp_path / "site.geojson"
    path.write_text(json.dumps(data))
    return read_geojson(path, ImportOptions(unit=unit))


def test_every_geometry_becomes_what_it_is(tmp_path: Path) -> None:
    """Polygons with holes, lines with their thickness, discs, collections; heights are left out; a bare point is told."""
    shifted = [[x + 10, y, 7.0] for x, y in SQUARE]
    parts = [{"type": "MultiPolygon", "coordinates": [[SQUARE, HOLE], [shifted]]}]
    features = [
        {"type": "Feature", "properties": None, "geometry": {"type": "GeometryCollection", "geometries": parts}},
        named("", "LineString", [[0, 5], [1, 5]], thickness=0.2),
        named("", "MultiLineString", [[[0, 7], [1, 7]], [[2, 7], [3, 7]]]),
        named("", "Point", [8, 8], radius=0.5),
        named("tree", "Point", [9, 9]),
        {"type": "Feature", "properties": {}, "geometry": None},
    ]
    traced = read(tmp_path, features)
    assert sorted(part.area for part in traced.solid) == pytest.approx([15, 16])
    np.testing.assert_allclose(traced.circles, [[8, 8, 0.5]])
    walls = [[0, 7, 1, 7, 0], [2, 7, 3, 7, 0], [0, 5, 1, 5, 0.2]]
    np.testing.assert_allclose(traced.walls, walls)
    assert "left out: 1 features without geometry, 1 points without radius" in traced.notes
    assert traced.bounds is None
    assert traced.moved == 0


@pytest.mark.parametrize(
    "start",
    [
        named("start", "Point", [1000, 5000], heading_deg=135),
        named("Start", "LineString", [[1000, 5000], [500, 5500], [0, 0]]),
    ],
)
def test_start_and_goal_are_named(tmp_path: Path, start: dict[str, Any]) -> None:
    """A point with a heading or a line; the unit applies to all lengths."""
    goal = named("GOAL", "Point", [3000, 6000], radius=250)
    wall = named("", "LineString", [[0, 0], [0, 500]], thickness=20)
    traced = read(tmp_path, [start, goal, BLOCK, wall], "mm")
    np.testing.assert_allclose(traced.walls, [[0, 0, 0, 0.5, 0.02]])
    assert traced.start == pytest.approx((1, 5, math.radians(135)))
    assert traced.goal == pytest.approx((3, 6, 0.25))
    assert traced.solid[0].area == pytest.approx(16e-6)


@pytest.mark.parametrize(
    "crs",
    ["urn:ogc:def:crs:EPSG::25832", "EPSG:32633", "urn:ogc:def:crs:EPSG:6.18:32701", "epsg:26917"],
)
def test_coordinates_of_a_utm_zone_are_metres(tmp_path: Path, crs: str) -> None:
    """They need no unit, and move to the origin."""
    corners = [[x + 500_000, y + 5_000_000] for x, y in SQUARE]
    traced = read(tmp_path, {"type": "Polygon", "coordinates": [corners]}, None, crs)
    assert traced.solid[0].equals(shapely.box(0, 0, 4, 4))
    assert any("(500000, 5000000) m in the file is the origin here" in note for note in traced.notes)


@pytest.mark.parametrize(
    ("crs", "unit", "message"),
    [
        ("urn:ogc:def:crs:OGC:1.3:CRS84", "m", r"has degrees \(urn:ogc:def:crs:OGC:1.3:CRS84\); leave --unit out"),
        ("urn:ogc:def:crs:EPSG::4326", "m", "has degrees .*leave --unit out"),
        ("EPSG:4258", None, r"has degrees \(EPSG:4258\); save it in the UTM zone"),
        ("EPSG:4258", "m", "has degrees .*save it in the UTM zone"),
        ("EPSG:3857", None, "has the reference system EPSG:3857; if they are lengths, give --unit"),
        ("EPSG:25832", "mm", "is in metres .*--unit says mm; leave --unit out"),
        (None, "yd", "unit 'yd' is not known"),
    ],
)
def test_units_and_reference_systems_must_agree(
    tmp_path: Path, crs: str | None, unit: str | None, message: str
) -> None:
    """The message says which of them to change."""
    with pytest.raises(UnusableFile, match=message):
        read(tmp_path, BLOCK, unit, crs)


WRONG = [
    ([], "no polygons, lines or discs"),
    (named("start", "Point", [0, 0]), r"features\[0\].properties.heading_deg must be a number"),
    (named("start", "Point", [0, 0], heading_deg="north"), "heading_deg must be a number"),
    (named("goal", "Point", [0, 0]), "properties.radius must be a number above 0"),
    (named("goal", "Point", [0, 0], radius=0), "properties.radius must be a number above 0"),
    (named("goal", "LineString", [[0, 0], [1, 1]]), "is the goal but a line"),
    (named("start", "Polygon", [SQUARE]), "is the start but a polygon"),
    ([named("goal", "Point", [k, 0], radius=1) for k in (0, 1)], 'has 2 features with the name "goal"'),
    (named("", "LineString", [[0, 0]]), "at least 2 positions"),
    (named("", "Polygon", [[[0, 0], [1, 1], [0, 0]]]), "at least 4 positions"),
    (named("", "Polygon", []), "must be a list of rings"),
    (named("", "Point", ["a", 0]), "positions .* with numbers"),
    (named("", "Point", [True, 0]), "positions .* with numbers"),
    (named("", "LineString", [[0, 0], [1, 1]], thickness=-1), "thickness must be a number above 0"),
    ({"type": "Circle", "coordinates": [0, 0]}, "has the type Circle, which is no geometry"),
    ({"type": "FeatureCollection"}, "has no list of features"),
    ([7], r"features\[0\] is not an object"),
]


@pytest.mark.parametrize(("data", "message"), WRONG)
def test_what_is_no_geojson_is_refused(tmp_path: Path, data: Any, message: str) -> None:
    """The message names the feature and the key."""
    with pytest.raises(UnusableFile, match=message):
        read(tmp_path, data)


@pytest.mark.parametrize("text", ["", "[]", "7", "{", '{"type": "Point", "coordinates": [Infinity, 0]}', "\udcff"])
def test_what_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    """In one line."""
    path = tmp_path / "a.geojson"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UnusableFile, match=r"a\.geojson: (is not|has the number)") as caught:
        read_geojson(path, ImportOptions(unit="m"))
    assert "\n" not in str(caught.value)
