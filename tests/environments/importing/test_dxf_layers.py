"""Layers, colours and types of DXF drawings that are walls, and what is hidden."""

from pathlib import Path
from typing import Any

import pytest
from ezdxf import colors

from environments.importing.dxf import read_dxf
from environments.importing.traced import Tracing, UnusableFile
from tests.environments.importing.dxf_drawings import area, block, read


def square(space: Any, x: float, layer: str, **attributes: Any) -> None:
    """Draw a square of 100 mm with its lower left corner at x, 0."""
    corners = [(x, 0), (x + 100, 0), (x + 100, 100), (x, 100)]
    space.add_lwpolyline(corners, close=True, dxfattribs={"layer": layer, **attributes})


def places(traced: Tracing) -> list[float]:
    """Left sides of the squares [mm]."""
    return sorted(round(1000 * part.bounds[0]) for part in traced.solid)


def plan(space: Any) -> None:
    for x in (0, 200, 400):
        square(space, x, "A-FURN")
    square(space, 600, "A-WALL")
    square(space, 800, "A-WALL-EXT")
    space.add_text("north", dxfattribs={"layer": "A-ANNO"})


def test_layers_are_listed_where_none_is_that_of_walls(tmp_path: Path) -> None:
    """All are solid, and the note says which option takes only those named like walls."""
    traced = read(tmp_path, plan, posts="WALLPAPER")
    assert places(traced) == [0, 200, 400, 600, 800]
    assert "there is no layer WALL: everything but start and goal counts as walls" in traced.notes
    layers = "layers: A-FURN (3), WALLPAPER (2), A-ANNO (1), A-WALL (1), A-WALL-EXT (1)"
    likely = "A-WALL, A-WALL-EXT: --solid A-WALL --solid A-WALL-EXT takes only these"
    assert f"{layers}; those named like walls: {likely}" in traced.notes


@pytest.mark.parametrize(
    ("solid", "free", "expected"),
    [
        (("A-WALL", "POST"), (), [600]),
        (("a-wall*", "POST"), (), [600, 800]),
        (("A-WALL", "A-FURN", "POST"), (), [0, 200, 400, 600]),
        (("*",), ("*FURN",), [600, 800]),
        ((), ("*FURN",), [600, 800]),
        (("type=lwpolyline", "type=circle"), ("layer=A-WALL*",), [0, 200, 400]),
    ],
)
def test_patterns_choose_layers(
    tmp_path: Path, solid: tuple[str, ...], free: tuple[str, ...], expected: list[int]
) -> None:
    """Several are taken together; those that are left out count more."""
    traced = read(tmp_path, plan, posts="POST", solid=solid, free=free)
    assert places(traced) == expected
    assert any("what --free leaves out counts as walls" in note for note in traced.notes) is (not solid)


def test_patterns_leave_out_parts_of_the_layer_of_walls(tmp_path: Path) -> None:
    """Without patterns of what is solid this layer alone is, as ever."""

    def draw(space: Any) -> None:
        plan(space)
        square(space, 1000, "WALL", color=3)
        square(space, 1200, "WALL")

    assert places(read(tmp_path, draw)) == [1000, 1200]
    traced = read(tmp_path, draw, free=("color=3",))
    assert places(traced) == [1200]
    assert "left out of layers: A-FURN (3), A-WALL (1), A-WALL-EXT (1), WALL (1)" in traced.notes
    with pytest.raises(
        UnusableFile, match=r"nothing that matches --solid A-WAL; it has layer WALL \(4\), A-FURN \(3\), "
    ):
        read(tmp_path, draw, solid=("A-WAL",))
    with pytest.raises(UnusableFile, match=r"nothing that matches --free color=9; it has color 7 \(9\), 3 \(1\)$"):
        read(tmp_path, draw, free=("color=9",))


def test_start_and_goal_are_no_walls_whatever_is_asked(tmp_path: Path) -> None:
    """A pattern of all layers leaves them what they are."""

    def draw(space: Any) -> None:
        square(space, 0, "A")
        space.add_line((500, 0), (500, 100), dxfattribs={"layer": "START"})
        space.add_circle((900, 900), 50, dxfattribs={"layer": "GOAL"})

    traced = read(tmp_path, draw, solid=("*",), wall_thickness=0.02)
    assert traced.start is not None
    assert traced.goal == pytest.approx((0.9, 0.9, 0.05))
    assert not any("START" in note for note in traced.notes)


def test_colours_are_those_that_are_drawn(tmp_path: Path) -> None:
    """Entities have their own colour, or that of their layer or of the INSERT around; a true colour counts in place of the number."""

    def draw(space: Any) -> None:
        layers = space.doc.layers
        layers.add("RED", color=1)
        layers.add("EXACT", true_color=colors.rgb2int((18, 52, 171)))
        square(space, 0, "RED")
        square(space, 200, "RED", color=5)
        square(space, 400, "RED", color=5, true_color=colors.rgb2int((18, 52, 171)))
        square(space, 500, "RED", true_color=colors.rgb2int((18, 52, 171)))
        square(space, 600, "EXACT")
        square(space, 800, "NOWHERE")
        made = block(space)
        square(made, 1000, "0")
        square(made, 1200, "0", color=0)
        square(made, 1400, "RED", color=0)
        square(made, 1600, "RED")
        space.add_blockref("BLOCK", (0, 0), dxfattribs={"layer": "EXACT", "color": 5})

    for pattern, expected in (
        ("color=1", [0, 1600]),
        ("color=5", [200, 1200, 1400]),
        ("color=#1234AB", [400, 500, 600, 1000]),
        ("color=7", [800]),
    ):
        assert places(read(tmp_path, draw, solid=(pattern,))) == expected, pattern


def test_types_choose_fills(tmp_path: Path) -> None:
    """Hatches are walls, outlines are furniture."""

    def draw(space: Any) -> None:
        square(space, 0, "A")
        space.add_hatch(dxfattribs={"layer": "A"}).paths.add_polyline_path(
            [(300, 0), (400, 0), (400, 50)], is_closed=True
        )

    assert area(read(tmp_path, draw, solid=("type=HATCH",))) == pytest.approx(0.0025)


def test_entities_of_unknown_types_are_left_out(tmp_path: Path) -> None:
    """Programs for buildings write walls of their own kind, which are told by it, with their layer."""

    def draw(space: Any) -> None:
        square(space, 0, "WALL")

    read(tmp_path, draw)
    path = tmp_path / "drawing.dxf"
    lines = path.read_text().split("\n")
    at = lines.index("LWPOLYLINE", lines.index("ENTITIES")) - 1
    own = [
        "0",
        "AEC_WALL",
        "5",
        "FFFE",
        "330",
        lines[at + 5],
        "100",
        "AcDbEntity",
        "8",
        "Wall",
        "100",
        "AecDbWall",
        "70",
        "1",
    ]
    path.write_text("\n".join(lines[:at] + own + lines[at:]))
    assert "entities left out: 1 AEC_WALL" in read_dxf(path).notes


def test_hidden_entities_are_left_out(tmp_path: Path) -> None:
    """By their own flag or transparency, or by their layer, also within blocks; a note counts them."""

    def draw(space: Any) -> None:
        layers = space.doc.layers
        layers.add("OFF").off()
        layers.add("FROZEN").freeze()
        layers.add("CLEAR").transparency = 1.0
        layers.add("PALE").transparency = 0.9
        made = block(space)
        for y, target in ((0, space), (1000, made)):
            square(target, y, "WALL", invisible=1)
            square(target, y + 100, "OFF")
            square(target, y + 200, "FROZEN")
            square(target, y + 300, "CLEAR")
            square(target, y + 400, "WALL", transparency=colors.float2transparency(1.0))
            square(target, y + 500, "WALL", transparency=colors.float2transparency(0.5))
            square(target, y + 600, "PALE")
        square(made, 1700, "0", transparency=colors.TRANSPARENCY_BYBLOCK)
        space.add_blockref("BLOCK", (0, 0), dxfattribs={"layer": "WALL"})
        space.add_blockref(
            "BLOCK", (1000, 0), dxfattribs={"layer": "WALL", "transparency": colors.float2transparency(1.0)}
        )
        space.add_blockref("BLOCK", (2000, 0), dxfattribs={"layer": "WALL", "invisible": 1})

    traced = read(tmp_path, draw, solid=("*",))
    assert places(traced) == [500, 600, 1500, 1600, 1700, 2500, 2600]
    assert "hidden layers left out: FROZEN, OFF" in traced.notes
    assert "invisible entities left out: 11" in traced.notes


@pytest.mark.parametrize(("layer", "expected"), [("OFF", [1000]), ("FROZEN", []), ("WALL", [0, 1000])])
def test_a_layer_that_is_off_hides_only_what_is_on_it(tmp_path: Path, layer: str, expected: list[int]) -> None:
    """A block on it is hidden as a whole only if the layer is frozen, as CAD programs do."""

    def draw(space: Any) -> None:
        space.doc.layers.add("OFF").off()
        space.doc.layers.add("FROZEN").freeze()
        made = block(space)
        square(made, 0, "0")
        square(made, 1000, "WALL")
        space.add_blockref("BLOCK", (0, 0), dxfattribs={"layer": layer})

    assert places(read(tmp_path, draw)) == expected
