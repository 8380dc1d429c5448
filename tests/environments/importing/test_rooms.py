"""Walls along closed outlines of drawings."""

import math
from pathlib import Path
from typing import Any

import pytest
import shapely

from environments.importing.traced import Tracing
from tests.environments.importing.dxf_drawings import WALL, Draw, read

CORNERS = [(0, 0), (4000, 0), (4000, 3000), (0, 3000)]
BAND = 14 * 0.1
"""Area of walls of 100 mm along a rectangle of 4 m x 3 m, half of them outside: outer corners make up for inner ones."""


def walls_of(traced: Tracing) -> Any:
    """Solid areas but the two posts, which are circles and so become walls too."""
    return shapely.union_all([part for part in traced.solid if abs(part.centroid.x) < 4.5])


def four_lines(space: Any) -> None:
    for k in range(4):
        space.add_line(CORNERS[k], CORNERS[(k + 1) % 4], dxfattribs=WALL)


ROOMS: dict[str, Draw] = {
    "closed": lambda space: space.add_lwpolyline(CORNERS, close=True, dxfattribs=WALL),
    "first corner repeated": lambda space: space.add_lwpolyline([*CORNERS, CORNERS[0]], dxfattribs=WALL),
    "four lines": four_lines,
}


@pytest.mark.parametrize("name", ROOMS)
def test_outlines_are_rooms(tmp_path: Path, name: str) -> None:
    """However they are drawn, with walls half inside and half outside and mitred corners; the room is free."""
    traced = read(tmp_path, ROOMS[name], wall_thickness=0.1)
    walls = walls_of(traced)
    assert walls.area == pytest.approx(BAND)
    assert walls.bounds == pytest.approx((-0.05, -0.05, 4.05, 3.05))
    assert not walls.intersects(shapely.box(0.06, 0.06, 3.94, 2.94))
    assert len(traced.circles) == 0
    assert "closed outlines without a fill that are walls 100 mm thick: 3" in traced.notes


def test_fills_and_lines_stay_what_they_are(tmp_path: Path) -> None:
    """A fill whose edge is drawn too is no room; open lines have their own thickness."""

    def draw(space: Any) -> None:
        space.add_hatch(dxfattribs=WALL).paths.add_polyline_path(CORNERS, is_closed=True)
        space.add_lwpolyline(CORNERS, close=True, dxfattribs=WALL)
        space.add_line((0, 3500), (1000, 3500), dxfattribs=WALL)
        space.add_lwpolyline([(0, 4000), (1000, 4000)], dxfattribs={**WALL, "const_width": 30})
        space.add_lwpolyline([(0, 5000), (1000, 5000), (0, 6000)], close=True, dxfattribs={**WALL, "const_width": 30})

    traced = read(tmp_path, draw, wall_thickness=0.1)
    solid = walls_of(traced)
    assert shapely.intersection(solid, shapely.box(-1, -1, 5, 3.2)).area == pytest.approx(12)
    assert sorted(traced.walls[:, 4].tolist()) == pytest.approx([0, 0.03])
    assert shapely.intersection(solid, shapely.box(-1, 4.5, 5, 7)).area == pytest.approx(0.03 * (2 + math.sqrt(2)))


def test_gaps_that_were_closed_are_told(tmp_path: Path) -> None:
    """Ends within a tenth of a millimetre are one corner, by which the walls may be off."""

    def draw(space: Any) -> None:
        for k in range(4):
            (x, y), end = CORNERS[k], CORNERS[(k + 1) % 4]
            space.add_line((x, y + 0.05), end, dxfattribs=WALL)

    traced = read(tmp_path, draw, posts="POST", solid=("WALL",), wall_thickness=0.1)
    assert traced.moved == pytest.approx(1e-4)
    assert walls_of(traced).area == pytest.approx(BAND, rel=1e-3)
