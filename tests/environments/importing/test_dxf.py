"""Reading DXF drawings: entities, blocks, layers and units."""

import math
from pathlib import Path
from typing import Any

import ezdxf
import numpy as np
import pytest
import shapely

from environments.importing.dxf import read_dxf
from environments.importing.options import ImportOptions
from environments.importing.traced import UnusableFile
from tests.environments.importing.dxf_drawings import WALL, Draw, area, block, read


@pytest.mark.parametrize("version", ["R12", "R2000", "R2018"])
def test_polylines_with_bulges_are_exact(tmp_path: Path, version: str) -> None:
    """A slot of 400 mm between half circles of 100 mm, closed by its flag."""
    corners = [(0, 0, 0), (400, 0, 1), (400, 200, 0), (0, 200, 1)]

    def draw(space: Any) -> None:
        add = space.add_polyline2d if version == "R12" else space.add_lwpolyline
        add(corners, format="xyb", close=True, dxfattribs=WALL)

    traced = read(tmp_path, draw, version=version, unit="mm" if version == "R12" else None)
    assert area(traced) == pytest.approx(0.08 + math.pi * 0.01, abs=2e-4 * math.pi * 0.1)
    assert traced.solid[0].bounds == pytest.approx((-0.1, 0, 0.5, 0.2), abs=1e-4)
    assert traced.moved == 1e-4


ENTITIES: dict[str, tuple[Draw, float]] = {
    "ellipse": (lambda s: s.add_ellipse((0, 0), (0, 300), 0.5, dxfattribs=WALL), math.pi * 0.3 * 0.15),
    "two arcs": (
        lambda s: [
            s.add_arc((0, 0), 100, 0, 180, dxfattribs=WALL),
            s.add_line((-100, 0), (100, 0), dxfattribs=WALL),
        ],
        math.pi * 0.01 / 2,
    ),
    "solid": (lambda s: s.add_solid([(0, 0), (100, 0), (0, 50), (100, 50)], dxfattribs=WALL), 0.005),
    "triangle": (lambda s: s.add_solid([(0, 0), (100, 0), (0, 50)], dxfattribs=WALL), 0.0025),
    "trace": (lambda s: s.add_trace([(0, 0), (100, 0), (0, 50), (100, 50)], dxfattribs=WALL), 0.005),
    "repeated vertex": (
        lambda s: s.add_lwpolyline([(0, 0), (100, 0), (100, 50), (0, 50), (0, 0)], dxfattribs=WALL), 0.005
    ),
    "polyline in space": (
        lambda s: s.add_polyline3d([(0, 0, 7), (100, 0, 8), (100, 50, 9), (0, 50, 0)], close=True, dxfattribs=WALL),
        0.005,
    ),
    "mirrored plane": (
        lambda s: s.add_lwpolyline(
            [(0, 0), (100, 0), (100, 50)], close=True, dxfattribs={**WALL, "extrusion": (0, 0, -1)}
        ),
        0.0025,
    ),
    "closed spline": (
        # Through points on a circle: an interpolation whose area is that of the circle within 1 %.
        lambda s: s.add_spline(
            [(100 * math.cos(a), 100 * math.sin(a), 0) for a in np.linspace(0, math.tau, 33)], dxfattribs=WALL
        ),
        math.pi * 0.01,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENTITIES)
def test_closed_entities_are_solid(tmp_path: Path, name: str) -> None:
    """With the area of what was drawn."""
    draw, expected = ENTITIES[name]
    traced = read(tmp_path, draw)
    assert area(traced) == pytest.approx(expected, rel=1e-2 if "spline" in name else 2e-3)
    assert len(traced.walls) == 0


def test_a_mirrored_plane_mirrors_x(tmp_path: Path) -> None:
    """An extrusion downwards turns the x axis of flat entities, as CAD programs write mirrored ones."""
    down = {**WALL, "extrusion": (0, 0, -1)}
    traced = read(tmp_path, lambda s: s.add_arc((100, 0), 50, 0, 90, dxfattribs=down))
    ends = traced.walls[:, :4].reshape(-1, 2)
    np.testing.assert_allclose(np.hypot(*(ends - [-0.1, 0]).T), 0.05, rtol=1e-9)
    assert ends[:, 0].min() == pytest.approx(-0.15)
    assert ends[:, 0].max() == pytest.approx(-0.1)


def test_tilted_planes_are_seen_from_above(tmp_path: Path) -> None:
    """Normal (0.6, 0, 0.8): its x axis is that of y, its y axis (-0.8, 0, 0.6), its height moves it by 0.6 of it along x."""
    tilted = {**WALL, "extrusion": (0.6, 0, 0.8), "elevation": 1000}
    square = [(0, 0), (100, 0), (100, 100), (0, 100)]
    traced = read(tmp_path, lambda s: s.add_lwpolyline(square, close=True, dxfattribs=tilted))
    assert traced.solid[0].bounds == pytest.approx((0.52, 0, 0.6, 0.1))


def test_the_frame_of_a_fitted_polyline_is_not_drawn(tmp_path: Path) -> None:
    """Old files keep the control points of a spline among the points on it."""

    def draw(space: Any) -> None:
        line = space.add_polyline2d([(0, 0), (50, 900), (100, 0), (0, 0), (50, 20), (100, 0)], dxfattribs=WALL)
        line.dxf.flags |= 4
        for vertex in line.vertices[:3]:
            vertex.dxf.flags |= 16

    traced = read(tmp_path, draw, version="R12", unit="mm")
    np.testing.assert_allclose(traced.walls[:, :4], [[0, 0, 0.05, 0.02], [0.05, 0.02, 0.1, 0]])


def test_widths_of_polylines_are_thicknesses(tmp_path: Path) -> None:
    """Closed or open, they are walls; lines have the thickness 0, and those of no length are none."""

    def draw(space: Any) -> None:
        space.add_lwpolyline([(0, 0), (1000, 0), (1000, 1000)], close=True, dxfattribs={**WALL, "const_width": 80})
        space.add_lwpolyline([(0, 1900, 30, 50), (500, 1900, 0, 0)], format="xyse", dxfattribs=WALL)
        space.add_line((0, 1950), (10, 1950), dxfattribs={**WALL, "lineweight": 50})
        space.add_line((0, 970), (0, 970), dxfattribs=WALL)

    traced = read(tmp_path, draw)
    assert sorted(traced.walls[:, 4]) == pytest.approx([0, 0.05])
    # along the inner and the outer side of the triangle the corners make up for each other
    assert area(traced) == pytest.approx(0.08 * (2 + math.sqrt(2)), rel=1e-6)


def test_hatches_say_what_is_solid(tmp_path: Path) -> None:
    """A hatch has holes, of lines or of arcs; an outline that repeats the edge of the hole does not fill it."""

    def draw(space: Any) -> None:
        hatch = space.add_hatch(dxfattribs=WALL)
        hatch.paths.add_polyline_path([(0, 0), (1000, 0), (1000, 500), (0, 500)], is_closed=True)
        hatch.paths.add_polyline_path([(100, 100), (300, 100), (300, 300), (100, 300)], is_closed=True, flags=16)
        edges = hatch.paths.add_edge_path(flags=16)
        edges.add_arc((700, 250), 100, 0, 180, ccw=True)
        edges.add_arc((700, 250), 100, 180, 360, ccw=True)
        for corners in ([(0, 0), (1000, 0), (1000, 500), (0, 500)], [(100, 100), (300, 100), (300, 300), (100, 300)]):
            space.add_lwpolyline(corners, close=True, dxfattribs=WALL)
        space.add_circle((700, 250), 100, dxfattribs=WALL)

    traced = read(tmp_path, draw)
    assert area(traced) == pytest.approx(0.5 - 0.04 - math.pi * 0.01, abs=1e-4)
    assert len(traced.circles) == 2


@pytest.mark.parametrize("clockwise", [False, True])
def test_edges_of_hatches_follow_one_another(tmp_path: Path, clockwise: bool) -> None:
    """A half disc and a half ellipse around a line, in either direction."""

    def draw(space: Any) -> None:
        hatch = space.add_hatch(dxfattribs=WALL)
        edges = hatch.paths.add_edge_path()
        if clockwise:
            edges.add_line((0, 0), (0, 200))
            edges.add_line((0, 200), (200, 200))
            edges.add_arc((200, 100), 100, 270, 90, ccw=False)
            edges.add_ellipse((100, 0), (100, 0), 0.5, 180, 360, ccw=False)
        else:
            edges.add_ellipse((100, 0), (100, 0), 0.5, 180, 360, ccw=True)
            edges.add_arc((200, 100), 100, 270, 90, ccw=True)
            edges.add_line((200, 200), (0, 200))
            edges.add_line((0, 200), (0, 0))

    expected = 0.04 + math.pi * 0.01 / 2 + math.pi * 0.1 * 0.05 / 2
    assert area(read(tmp_path, draw)) == pytest.approx(expected, abs=1e-4)


def test_blocks_are_scaled_turned_mirrored_and_repeated(tmp_path: Path) -> None:
    """A nested block at 2 x 3 places; layer 0 in a block is that of the insertion; its base point is where it is inserted."""

    def draw(space: Any) -> None:
        inner = block(space, lambda b: b.add_circle((30, 0), 5, dxfattribs={"layer": "0"}), "INNER", (10, 0))
        assert inner is not None
        block(space, lambda b: b.add_blockref("INNER", (0, 0), dxfattribs={"layer": "0", "xscale": -1}), "OUTER")
        space.add_blockref("OUTER", (1000, 500), dxfattribs={
            **WALL, "xscale": 2, "yscale": 2, "rotation": 90, "column_count": 2, "column_spacing": 100,
            "row_count": 3, "row_spacing": 200,
        })  # fmt: skip

    traced = read(tmp_path, draw, version="R2000")
    # 20 mm from the base, mirrored to -20, doubled to -40, turned to (0, -40); columns go up, rows to the left.
    expected = {(1.0 - 0.2 * row, 0.46 + 0.1 * column, 0.01) for row in range(3) for column in range(2)}
    found = {tuple(disc) for disc in traced.circles.round(9).tolist() if abs(disc[0]) < 4}
    assert found == {tuple(round(value, 9) for value in disc) for disc in expected}


def test_a_circle_in_a_stretched_block_is_an_ellipse(tmp_path: Path) -> None:
    """It is no exact disc any more."""

    def draw(space: Any) -> None:
        block(space, lambda b: b.add_circle((0, 0), 100))
        space.add_blockref("BLOCK", (0, 0), dxfattribs={**WALL, "xscale": 3, "yscale": -1, "rotation": 30})

    traced = read(tmp_path, draw)
    assert len(traced.circles) == 2
    assert area(traced) == pytest.approx(math.pi * 0.3 * 0.1, rel=2e-3)
    corners = shapely.get_coordinates(traced.solid[0])
    assert np.hypot(*corners.T).max() == pytest.approx(0.3, abs=1e-4)
    far = corners[np.hypot(*corners.T).argmax()]
    assert math.tan(math.radians(30)) == pytest.approx(far[1] / far[0], abs=1e-2)


def test_layers_and_their_names(tmp_path: Path) -> None:
    """Other layers are left out and told; names are case-insensitive, and the user may give others."""

    def draw(space: Any) -> None:
        square = [(0, 0), (100, 0), (100, 100), (0, 100)]
        space.add_lwpolyline(square, close=True, dxfattribs={"layer": "wall"})
        space.add_lwpolyline([(x + 500, y) for x, y in square], close=True, dxfattribs={"layer": "Furniture"})
        for layer, x in (("Start", 0), ("Base", 100)):
            space.add_line((x, 500), (x, 600), dxfattribs={"layer": layer})
        space.add_circle((900, 900), 50, dxfattribs={"layer": "goal"})
        space.add_text("north", dxfattribs=WALL)

    traced = read(tmp_path, draw)
    assert traced.start == pytest.approx((0, 0.5, math.pi / 2))
    assert traced.goal == pytest.approx((0.9, 0.9, 0.05))
    assert area(traced) == pytest.approx(0.01)
    assert "left out of layers: Base (1), Furniture (1)" in traced.notes
    assert "entities left out: 1 TEXT" in traced.notes
    other = read(tmp_path, draw, solid=("furniture",), layers={"start": "BASE"})
    assert other.start == pytest.approx((0.1, 0.5, math.pi / 2))
    assert other.solid[0].bounds == pytest.approx((0.5, 0, 0.6, 0.1))
    with pytest.raises(UnusableFile, match=r"nothing on a layer begin; layers with entities: Base, Furniture, .*"):
        read(tmp_path, draw, layers={"start": "Begin"})


def test_without_a_layer_of_walls_everything_counts(tmp_path: Path) -> None:
    """But start, goal, hidden layers, points of dimensions and the sheet; a note says so."""
    drawing = ezdxf.new("R2010", units=6)
    space = drawing.modelspace()
    drawing.layers.add("OFF").off()
    drawing.layers.add("FROZEN").freeze()
    for k, layer in enumerate(["A", "B", "OFF", "FROZEN", "Defpoints"]):
        space.add_circle((k, 0), 0.1, dxfattribs={"layer": layer})
    drawing.layout("Layout1").add_circle((0, 5), 0.1)
    space.add_line((0, 1), (1, 1), dxfattribs={"layer": "START"})
    path = tmp_path / "drawing.dxf"
    drawing.saveas(path)
    traced = read_dxf(path)
    np.testing.assert_allclose(traced.circles, [[0, 0, 0.1], [1, 0, 0.1]])
    assert any("no layer WALL" in note for note in traced.notes)
    assert "hidden layers left out: FROZEN, OFF" in traced.notes


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda s: s.add_point((0, 0), dxfattribs={"layer": "START"}), "layer START has 0 lines; draw one line"),
        (lambda s: s.add_circle((0, 0), 5, dxfattribs={"layer": "START"}), "in the direction of growth"),
        (
            lambda s: [s.add_line((0, 0), (k, 9), dxfattribs={"layer": "START"}) for k in (1, 2)],
            "layer START has 2 lines",
        ),
        (lambda s: s.add_point((0, 0), dxfattribs={"layer": "GOAL"}), "layer GOAL has 0 circles; draw one circle"),
        (
            lambda s: [s.add_circle((k, 0), 5, dxfattribs={"layer": "GOAL"}) for k in (1, 50)],
            "layer GOAL has 2 circles",
        ),
    ],
)
def test_marks_of_start_and_goal_must_be_clear(tmp_path: Path, draw: Draw, message: str) -> None:
    """The message says what to draw."""
    with pytest.raises(UnusableFile, match=message):
        read(tmp_path, draw)


@pytest.mark.parametrize(
    ("units", "unit", "metres"),
    [(4, None, 1e-3), (5, None, 1e-2), (6, None, 1.0), (1, None, 0.0254), (2, None, 0.3048), (0, "in", 0.0254),
     (0, "cm", 0.01), (4, "mm", 1e-3), (3, "ft", 0.3048), (4, "in", 0.0254), (6, "mm", 1e-3)],
)  # fmt: skip
def test_units(tmp_path: Path, units: int, unit: str | None, metres: float) -> None:
    """Those of the file, or of the user where it does not say them."""
    traced = read(tmp_path, lambda s: s.add_circle((7, 8), 3, dxfattribs=WALL), units, unit=unit)
    np.testing.assert_allclose(traced.circles[traced.circles[:, 0].argsort()][1], np.array([7, 8, 3]) * metres)


@pytest.mark.parametrize(
    ("units", "unit", "told"),
    [
        (4, "in", ["the unit of the drawing is 25.4 mm", "the header says mm ($INSUNITS = 4), which many programs write "
                   "without being asked: taken as in, as asked"]),
        (8, "m", ["the unit of the drawing is 1000 mm"]),
        (7, "m", ["the unit of the drawing is 1000 mm", "the header says 1000 m ($INSUNITS = 7), which many programs write "
                  "without being asked: taken as m, as asked"]),
        (1, "in", ["the unit of the drawing is 25.4 mm"]),
        (1, None, ["the unit of the drawing is 25.4 mm"]),
    ],
)  # fmt: skip
def test_a_unit_that_is_asked_for_overrules_the_header(
    tmp_path: Path, units: int, unit: str | None, told: list[str]
) -> None:
    """A note tells where the two differ."""
    traced = read(tmp_path, lambda s: s.add_circle((7, 8), 3, dxfattribs=WALL), units, unit=unit)
    assert [note for note in traced.notes if "unit" in note or "header" in note] == told


@pytest.mark.parametrize(
    ("units", "unit", "message"),
    [
        (0, None, r"does not say its unit \(\$INSUNITS is 0\); give --unit, one of mm, cm, m, in, ft"),
        (18, None, r"has the unit \$INSUNITS = 18; give --unit"),
        (0, "yd", "unit 'yd' is not known; use mm, cm, m, in, ft"),
    ],
)
def test_units_that_are_not_clear(tmp_path: Path, units: int, unit: str | None, message: str) -> None:
    """A missing or unknown unit is refused; nothing is guessed."""
    with pytest.raises(UnusableFile, match=message):
        read(tmp_path, lambda s: s.add_circle((7, 8), 3, dxfattribs=WALL), units, unit=unit)


def test_files_that_are_no_ascii_drawings(tmp_path: Path) -> None:
    """The message says what to save instead."""
    for name, content, message in (
        ("a.dwg", b"AC1032\0\0", "is a DWG file; save it as DXF"),
        ("a.dxf", b"AutoCAD Binary DXF\r\n\x1a\0", "save it as an ASCII one"),
        ("b.dxf", b"0\nSECTION\n2\nENTITIES\n0\nENDSEC\n0\nEOF\n", "no walls that can be read"),
        ("c.dxf", b"no drawing\n", "not a readable DXF file"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(UnusableFile, match=message):
            read_dxf(path, ImportOptions(unit="mm"))
    with pytest.raises(UnusableFile, match=r"missing\.dxf: cannot be read"):
        read_dxf(tmp_path / "missing.dxf")
