"""Features of GeoJSON files that are solid, by their properties."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from environments.importing.choose import import_environment
from environments.importing.geojson import read_geojson
from environments.importing.options import ImportOptions
from environments.importing.traced import Tracing, UnusableFile


def box(x: float, **properties: Any) -> dict[str, Any]:
    """Make a polygon of one square metre from x, 0."""
    ring = [[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]]
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def other(kind: str, coordinates: Any, /, **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": coordinates}}


def read(tmp_path: Path, *features: dict[str, Any], **options: Any) -> Tracing:
    path = tmp_path / "site.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return read_geojson(path, ImportOptions(**{"unit": "m", **options}))


def places(traced: Tracing) -> list[float]:
    """Left sides of the solid polygons [m]."""
    return sorted(part.bounds[0] for part in traced.solid)


PLAN = (
    box(0, indoor="corridor", level="0"),
    box(2, indoor="room", level="0"),
    box(4, indoor="room", level="0"),
    box(6, indoor="wall", level="0"),
    box(8, indoor="Column", level="0"),
    box(10, indoor="area"),
    box(12, indoor="door"),
    box(14, indoor="level"),
    box(16, building="yes"),
)


def test_rooms_are_free_and_their_walls_are_solid(tmp_path: Path) -> None:
    """Only walls and columns are, and the note says how to choose otherwise."""
    traced = read(tmp_path, *PLAN)
    assert places(traced) == [6, 8]
    assert traced.notes[1] == (
        "features carry indoor, so only wall and column are solid: indoor room (2), Column (1), area (1), corridor (1), "
        "door (1), level (1), wall (1), 1 without it; --solid and --free choose otherwise"
    )
    assert places(read(tmp_path, *PLAN, free=("indoor=wall",))) == [8]
    assert places(read(tmp_path, *PLAN, solid=("indoor=room",))) == [2, 4]


def test_rooms_without_walls_are_refused(tmp_path: Path) -> None:
    """The message says how the outlines of rooms become walls, and they do."""
    rooms = [box(0, indoor="room"), box(2, indoor="room"), box(4, indoor="corridor")]
    advice = "--solid indoor=room --wall-thickness MM makes walls of the outlines of rooms, without openings at doors"
    with pytest.raises(
        UnusableFile, match="has no polygons, lines or discs that are solid; features carry indoor"
    ) as caught:
        read(tmp_path, *rooms)
    assert str(caught.value).endswith(f"indoor room (2), corridor (1); {advice}")
    traced = read(tmp_path, *rooms, solid=("indoor=room",), wall_thickness=0.1)
    assert sum(part.area for part in traced.solid) == pytest.approx(2 * 4 * 0.1)
    assert "2 of 3 geometries are solid, as --solid and --free ask" in traced.notes


def test_walls_run_along_holes_too(tmp_path: Path) -> None:
    """A court within a building has walls around it."""
    hole = [[0.4, 0.4], [0.4, 0.6], [0.6, 0.6], [0.6, 0.4], [0.4, 0.4]]
    court = box(0)
    court["geometry"]["coordinates"].append(hole)
    traced = read(tmp_path, court, wall_thickness=0.1)
    assert sum(part.area for part in traced.solid) == pytest.approx(0.4 + 0.08)


def test_a_file_where_indoor_says_no_such_thing_is_any_file(tmp_path: Path) -> None:
    """Pools and tracks carry indoor=yes."""
    traced = read(tmp_path, box(0, indoor="yes", leisure="pool"), box(2, building="yes"))
    assert places(traced) == [0, 2]
    assert any("building yes (1)" in note for note in traced.notes)


def test_properties_that_sort_features_are_listed(tmp_path: Path) -> None:
    """Properties of few values are listed, walls first; not one that all have alike, nor numbers that are lengths."""
    features = [
        box(2 * k, id=k, site="A", kind="chair" if k % 2 else "table", Class="wall" if k < 3 else "item")
        for k in range(30)
    ]
    traced = read(tmp_path, *features, other("Point", [0, 5], radius=1, site="A"))
    assert len(traced.solid) == 30
    listed = "class item (27), wall (3); kind chair (15), table (15)"
    advice = "those named like walls: wall: --solid class=wall takes only these"
    assert f"all is solid, whatever its properties: {listed}; {advice}" in traced.notes
    some = read(tmp_path, *features, free=("kind=chair", "class=wall"))
    assert places(some) == list(range(8, 60, 4))
    assert "13 of 30 geometries are solid, as --solid and --free ask" in some.notes
    assert any(note.startswith("all that --free leaves is solid, whatever") for note in some.notes)
    plain = read(tmp_path, box(0), box(2, site="A"), other("LineString", [[0, 3], [1, 3]]))
    assert [note for note in plain.notes if "properties" in note] == [
        "all is solid, whatever its properties: site A (1); --solid KEY=VALUE takes only some"
    ]
    assert len(read(tmp_path, box(0), box(2)).notes) == 1


@pytest.mark.parametrize(
    ("solid", "free", "expected"),
    [
        (("level=0",), (), [0, 4]),
        (("LEVEL=0", "flag=true"), (), [0, 2, 4]),
        (("level=1.5",), (), [2]),
        (("layer=Wal*",), (), [4]),
        (("Wal*",), (), [4]),
        (("geometry=polygon",), ("Name=a",), [2, 4]),
        (("*=*",), (), None),
        (("level=*",), ("none=*",), None),
    ],
)
def test_patterns_choose_by_every_property(
    tmp_path: Path, solid: tuple[str, ...], free: tuple[str, ...], expected: list[int] | None
) -> None:
    """Numbers and truth values are compared as text; lists and missing values are none."""
    features = (
        box(0, level=0, Name="a", none=None, tags=["x"]),
        box(2, level=1.5, flag=True),
        box(4, Level="0", layer="Walls"),
        other("LineString", [[0, 5], [1, 5]], class_="fence"),
    )
    if expected is None:
        with pytest.raises(UnusableFile, match="has nothing that matches --"):
            read(tmp_path, *features, solid=solid, free=free)
    else:
        traced = read(tmp_path, *features, solid=solid, free=free)
        assert places(traced) == expected
        assert len(traced.walls) == 0


def test_start_and_goal_are_not_chosen(tmp_path: Path) -> None:
    """They are what they are, whatever the patterns say, and count as no feature."""
    traced = read(
        tmp_path,
        box(0, kind="a"),
        other("Point", [5, 5], name="start", heading_deg=90, kind="a"),
        other("Point", [5, 9], name="goal", radius=1, kind="b"),
        other("Point", [5, 7], kind="b"),
        solid=("kind=*",),
    )
    assert traced.start == pytest.approx((5, 5, 1.5707963))
    assert traced.goal == (5, 9, 1)
    assert len(traced.circles) == 0
    assert "left out: 1 points without radius" in traced.notes
    with pytest.raises(UnusableFile, match=r"matches --free name=goal; it has geometry Polygon \(1\); kind a \(1\)"):
        read(tmp_path, box(0, kind="a"), other("Point", [5, 9], name="goal", radius=1), free=("name=goal",))


def test_features_of_other_names_can_be_start_and_goal(tmp_path: Path) -> None:
    """Capitals do not matter; features that are named start and goal are then like others, and a name that no feature has is an error."""
    base = other("Point", [0.5, 3.0], name="Valve 7", heading_deg=90)
    leak, block = other("Point", [5.0, 4.0], name="leak", radius=0.3), box(0, name="goal")
    traced = read(tmp_path, base, leak, block, layers={"start": "valve 7", "goal": "LEAK"})
    assert traced.start == pytest.approx((0.5, 3.0, math.pi / 2))
    assert traced.goal == pytest.approx((5.0, 4.0, 0.3))
    assert places(traced) == [0]
    assert not len(traced.circles)
    with pytest.raises(UnusableFile, match=r'no feature with the name "tap"; names of features: valve 7, leak, goal'):
        read(tmp_path, base, leak, block, layers={"start": "tap", "goal": "leak"})
    with pytest.raises(UnusableFile, match="start and goal need a layer each"):
        read(tmp_path, base, leak, block, layers={"start": "leak", "goal": "leak"})


def test_a_known_length_is_refused_with_what_to_give(tmp_path: Path) -> None:
    """GeoJSON has its own scale."""
    path = tmp_path / "site.geojson"
    path.write_text(json.dumps(box(0)))
    with pytest.raises(UnusableFile, match=r"known is not for .* as a geojson: it has its own scale, .* give unit"):
        import_environment(path, known=(1.0, (0.0, 0.0), (1.0, 0.0)))
