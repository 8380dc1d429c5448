"""Clipping paths of blocks in DXF drawings."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from ezdxf.math import Matrix44
from ezdxf.xclip import XClip

from environments.importing.traced import Tracing, UnusableFile
from tests.environments.importing.dxf_drawings import WALL, Draw, area, block, read

WINDOW = [(0, 0), (100, 0), (100, 100), (0, 100)]


def insert(draw: Draw, window: Sequence[tuple[float, float]] = WINDOW, **place: Any) -> Callable[[Any], XClip]:
    """Draw a block that is clipped by a path in its own coordinates."""

    def drawn(space: Any) -> XClip:
        block(space, draw)
        clip = XClip(space.add_blockref("BLOCK", (0, 0), dxfattribs={**WALL, **place}))
        clip.set_block_clipping_path(window)
        return clip

    return drawn


def rectangle(space: Any, x0: float, y0: float, x1: float, y1: float, **more: Any) -> None:
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    space.add_lwpolyline(corners, close=True, dxfattribs={**WALL, **more})


def hatch(space: Any, *boxes: tuple[float, float, float, float]) -> None:
    made = space.add_hatch(dxfattribs=WALL)
    for x0, y0, x1, y1 in boxes:
        made.paths.add_polyline_path([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], is_closed=True)


def boxes(traced: Tracing) -> list[tuple[float, ...]]:
    """Bounds of the solid areas [mm]."""
    return sorted(tuple(round(1000 * side, 6) for side in part.bounds) for part in traced.solid)


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda b: rectangle(b, 10, 10, 20, 20), (10, 10, 20, 20)),
        (lambda b: rectangle(b, 50, 10, 400, 20), (50, 10, 100, 20)),
        (lambda b: rectangle(b, 150, 10, 400, 20), None),
        (lambda b: hatch(b, (50, -70, 400, 20)), (50, 0, 100, 20)),
        (lambda b: b.add_solid([(50, 10), (400, 10), (50, 20), (400, 20)], dxfattribs=WALL), (50, 10, 100, 20)),
        (lambda b: b.add_lwpolyline([(50, 90), (400, 90)], dxfattribs={**WALL, "const_width": 40}), (50, 70, 100, 100)),
        (
            lambda b: b.add_lwpolyline([(50, 110), (400, 110)], dxfattribs={**WALL, "const_width": 40}),
            (50, 90, 100, 100),
        ),
    ],
)
def test_areas_are_cut(tmp_path: Path, draw: Draw, expected: tuple[float, ...] | None) -> None:
    """Outlines, fills and thick lines, whose edge may be seen where their middle is not."""
    traced = read(tmp_path, insert(draw))
    assert boxes(traced) == ([expected] if expected else [])
    cut = expected != (10, 10, 20, 20)
    assert ("entities that clipping paths of blocks cut or hide: 1" in traced.notes) is cut


def test_holes_are_kept_and_parts_are_apart(tmp_path: Path) -> None:
    """A frame around the corner of the window, and a comb of two teeth."""
    framed = read(tmp_path, insert(lambda b: hatch(b, (50, 50, 150, 150), (70, 70, 130, 130))))
    assert area(framed) == pytest.approx((50**2 - 30**2) * 1e-6)
    inside = read(tmp_path, insert(lambda b: hatch(b, (50, 50, 90, 150), (60, 60, 80, 70))))
    assert area(inside) == pytest.approx((40 * 50 - 20 * 10) * 1e-6)
    comb = [(10, 50), (10, 150), (90, 150), (90, 50), (60, 50), (60, 120), (40, 120), (40, 50)]
    teeth = read(tmp_path, insert(lambda b: b.add_lwpolyline(comb, close=True, dxfattribs=WALL)))
    assert boxes(teeth) == [(10, 50, 40, 100), (60, 50, 90, 100)]


def test_lines_are_cut_as_lines(tmp_path: Path) -> None:
    """One that leaves the window and comes back is two; one along its edge is seen, one that touches it is not."""

    def draw(made: Any) -> None:
        made.add_lwpolyline([(50, 20), (150, 20), (150, 40), (50, 40)], dxfattribs=WALL)
        made.add_line((0, 100), (300, 100), dxfattribs=WALL)
        made.add_line((100, 100), (200, 200), dxfattribs=WALL)
        made.add_line((0, 200), (50, 200), dxfattribs=WALL)

    traced = read(tmp_path, insert(draw))
    found = {tuple(sorted([(a, b), (c, d)])) for a, b, c, d in (1000 * traced.walls[:, :4]).round(6).tolist()}
    assert found == {((50, 20), (100, 20)), ((50, 40), (100, 40)), ((0, 100), (100, 100))}
    assert "entities that clipping paths of blocks cut or hide: 4" in traced.notes


def test_a_circle_that_is_cut_is_no_disc(tmp_path: Path) -> None:
    """A whole one stays exact; of the other a half is left."""

    def draw(made: Any) -> None:
        made.add_circle((50, 50), 20, dxfattribs=WALL)
        made.add_circle((100, 50), 20, dxfattribs=WALL)

    traced = read(tmp_path, insert(draw))
    assert sorted(traced.circles[:, 2].tolist()) == pytest.approx([0.01, 0.01, 0.02])
    assert area(traced) == pytest.approx(math.pi * 0.02**2 / 2, abs=math.tau * 0.02 * 1e-4)
    assert traced.solid[0].bounds[2] == pytest.approx(0.1)


def test_an_outline_around_the_whole_window_is_cut_to_it(tmp_path: Path) -> None:
    """It is as solid as outlines are; as a room, whose walls are out of sight, it leaves nothing."""

    def draw(made: Any) -> None:
        rectangle(made, -50, -50, 150, 150)
        made.add_circle((50, 50), 20, dxfattribs={"layer": "PILLAR"})

    assert boxes(read(tmp_path, insert(draw))) == [(0, 0, 100, 100)]
    rooms = read(tmp_path, insert(draw), wall_thickness=0.01, solid=("WALL",))
    assert area(rooms) == pytest.approx(2 * math.tau * 0.01 * 0.01, rel=1e-2)  # the posts, as walls


def test_rooms_are_cut_as_their_walls(tmp_path: Path) -> None:
    """There is no wall along the edge of the window."""
    traced = read(tmp_path, insert(lambda b: rectangle(b, 50, 20, 150, 80)), wall_thickness=0.01)
    one = [part for part in traced.solid if abs(part.centroid.x) < 1]
    assert shapely.union_all(one).area == pytest.approx(0.01 * (0.05 + 0.06 + 0.05))
    assert shapely.union_all(one).bounds == pytest.approx((0.045, 0.015, 0.1, 0.085))


@pytest.mark.parametrize("mirrored", [1, -1])
def test_a_path_moves_with_its_block(tmp_path: Path, mirrored: int) -> None:
    """The block has a base, and is turned, scaled and mirrored where it is inserted: x of the block goes up, y goes aside."""

    def draw(space: Any) -> None:
        block(space, lambda b: rectangle(b, 10, 10, 500, 30), base=(10, 10))
        place = {**WALL, "xscale": 2, "yscale": 3 * mirrored, "rotation": 90}
        XClip(space.add_blockref("BLOCK", (1000, 500), dxfattribs=place)).set_block_clipping_path(WINDOW)

    left, right = sorted([1000, 1000 - mirrored * 60])
    assert boxes(read(tmp_path, draw)) == [(left, 500, right, 680)]


@pytest.mark.parametrize("whole", [False, True])
def test_a_path_that_was_drawn_before_the_block_moved(tmp_path: Path, whole: bool) -> None:
    """AutoCAD keeps the path where it was drawn, with the inverse of how the block was placed then; two corners are a rectangle
    there, which is turned in the block."""

    def draw(space: Any) -> None:
        block(space, lambda b: rectangle(b, -500, -500, 500, 500))
        reference = space.add_blockref("BLOCK", (300, 0), dxfattribs={**WALL, "rotation": 30})
        clip = XClip(reference)
        clip.set_block_clipping_path(WINDOW)
        path: Any = clip.get_spatial_filter()
        corners = [(300, 0), (400, 50)]
        path.set_boundary_vertices([(300, 0), (400, 0), (400, 50), (300, 50)] if whole else corners)
        to_block = reference.matrix44()
        to_block.inverse()
        path.set_inverse_insert_matrix(to_block)
        reference.dxf.insert = (1000, 0)
        reference.dxf.rotation = 120

    traced = read(tmp_path, draw)
    expected = shapely.box(0.95, 0, 1, 0.1)  # turned by the 90 degrees since then
    assert shapely.symmetric_difference(shapely.union_all(list(traced.solid)), expected).area < 1e-9


def test_paths_within_others_cut_both(tmp_path: Path) -> None:
    """The rest is within the two of them, each where its own block is."""

    def draw(space: Any) -> None:
        block(space, lambda b: rectangle(b, -500, -500, 500, 500), "INNER")
        outer = block(space, name="OUTER")
        for name, target, at, path in (
            ("INNER", outer, (50, 20), [(0, 0), (100, 100)]),
            ("OUTER", space, (1000, 0), [(0, 0), (100, 100)]),
        ):
            XClip(target.add_blockref(name, at, dxfattribs=WALL)).set_block_clipping_path(path)

    assert boxes(read(tmp_path, draw)) == [(1050, 20, 1100, 100)]


def test_inverted_paths_hide_what_is_inside(tmp_path: Path) -> None:
    """An outline that only goes around such a window is seen as a whole."""

    def draw(space: Any) -> None:
        clip = insert(
            lambda b: [rectangle(b, 50, 10, 400, 20), rectangle(b, 20, 30, 60, 40), hatch(b, (-9, 50, 109, 150))]
        )(space)
        clip.invert_clipping_path([(-900, -900), (900, 900)], ignore_acad_compatibility=True)

    assert boxes(read(tmp_path, draw)) == [(-9, 50, 109, 150), (100, 10, 400, 20)]
    assert area(read(tmp_path, draw)) == pytest.approx((118 * 100 - 100 * 50 + 300 * 10) * 1e-6)

    def around(space: Any) -> None:
        clip = insert(lambda b: rectangle(b, -50, -50, 150, 150))(space)
        clip.invert_clipping_path([(-900, -900), (900, 900)], ignore_acad_compatibility=True)

    assert area(read(tmp_path, around)) == pytest.approx(0.04)


def test_a_path_that_is_switched_off_cuts_nothing(tmp_path: Path) -> None:
    """CAD programs can keep a path without using it."""
    traced = read(tmp_path, lambda space: insert(lambda b: rectangle(b, 50, 10, 400, 20))(space).disable_clipping())
    assert boxes(traced) == [(50, 10, 400, 20)]
    assert not any("clipping" in note for note in traced.notes)


def with_planes(clip: XClip) -> None:
    path: Any = clip.get_spatial_filter()
    path.dxf.has_front_clipping_plane = 1
    path.dxf.front_clipping_plane_distance = 5.0


def in_other_plane(clip: XClip) -> None:
    path: Any = clip.get_spatial_filter()
    path.set_transform_matrix(Matrix44.x_rotate(math.pi / 2))


def from_below(clip: XClip) -> None:
    path: Any = clip.get_spatial_filter()
    path.dxf.extrusion = (0, 0, -1)


@pytest.mark.parametrize(
    ("place", "change", "reason"),
    [
        ({"column_count": 2, "column_spacing": 1000}, lambda _: None, "on an array of blocks"),
        ({"extrusion": (0.6, 0, 0.8)}, lambda _: None, "in a plane other than that of the drawing"),
        ({}, in_other_plane, "in a plane other than that of the drawing"),
        ({}, from_below, "in a plane other than that of the drawing"),
        ({}, with_planes, "with planes in front of it or behind it"),
    ],
)
def test_paths_that_cannot_be_followed_are_told(
    tmp_path: Path, place: dict[str, Any], change: Callable[[XClip], None], reason: str
) -> None:
    """Their blocks are whole."""
    traced = read(tmp_path, lambda space: change(insert(lambda b: rectangle(b, 50, 10, 400, 20), **place)(space)))
    assert f"clipping paths {reason} are not followed, so their blocks are whole: 1" in traced.notes
    assert area(traced) >= 350 * 10 * 0.8e-6 - 1e-12


@pytest.mark.parametrize(
    ("corners", "message"),
    [
        ([(0, 0), (math.nan, 0), (5, 5)], "a clipping path has a coordinate that is not a number below 1e9 m"),
        ([(math.cos(k), math.sin(k)) for k in np.linspace(0, 6, 1500)], "a clipping path has more than 500 corners"),
    ],
)
def test_hostile_paths_are_refused(tmp_path: Path, corners: list[tuple[float, float]], message: str) -> None:
    """They would cost time, or cut at nowhere."""
    with pytest.raises(UnusableFile, match=message):
        read(tmp_path, insert(lambda b: rectangle(b, 50, 10, 400, 20), corners))
