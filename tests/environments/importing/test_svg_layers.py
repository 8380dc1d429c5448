"""Choice of what is solid in an SVG drawing: by layers, colours, classes and types of shapes."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from environments.importing.traced import UnusableFile
from tests.environments.importing.svg_drawings import area, boxes, note, read

LAYERS = (
    '<g id="g1" inkscape:groupmode="layer" inkscape:label="{wall}"><rect width="10" height="10"/></g>'
    '<g id="g2" inkscape:label="Old"><rect x="50" width="10" height="10"/></g>'
    '<path id="{start}" d="m 20,80 10,-10 h 50"/><circle id="{goal}" cx="180" cy="20" r="5" fill="none"/>'
)


@pytest.mark.parametrize(
    ("wall", "start", "goal", "options", "told"),
    [
        ("WALL", "START", "GOAL", {}, "shapes on other layers"),
        ("wall", "start", "Goal_1_", {}, "shapes on other layers"),
        (
            "Bench 3", "my_x5F_start", "end",
            {"solid": ("bench 3",), "layers": {"start": "my_start", "goal": "END"}}, "shapes that match no --solid",
        ),
        ("A_x5F_WALL_2_", "_x53_tart", "goal", {"solid": ("a wall",)}, "shapes that match no --solid"),
        ("W\u00e4nde", "start", "goal", {"solid": ("w\u00e4*",)}, "shapes that match no --solid"),
    ],
)  # fmt: skip
def test_layers_have_labels_or_ids(
    tmp_path: Path, wall: str, start: str, goal: str, options: dict[str, Any], told: str
) -> None:
    """Groups or single shapes are chosen, in the spelling of Illustrator too; others are left out."""
    traced = read(tmp_path, LAYERS.format(wall=wall, start=start, goal=goal), **options)
    assert area(traced) == pytest.approx(100)
    assert traced.start == pytest.approx((0.02, 0.02, math.pi / 4))
    assert traced.goal == pytest.approx((0.18, 0.08, 0.005))
    assert traced.bounds == pytest.approx((0, 0, 0.2, 0.1))
    assert note(traced, "left out") == f"{told} that were left out: 1"


def test_layers_that_are_missing(tmp_path: Path) -> None:
    """Without WALL everything counts, and a note lists what could be chosen; a name that the user gave must exist."""
    body = LAYERS.format(wall="Bench", start="start", goal="goal")
    traced = read(tmp_path, body)
    assert area(traced) == pytest.approx(200)
    expected = "there is no layer WALL: all but start and goal counts as walls: layer Bench (1), Old (1)"
    assert note(traced, "no layer WALL") == expected
    with pytest.raises(UnusableFile, match=r"nothing on a layer base; it has layer Bench \(1\), Old \(1\)"):
        read(tmp_path, body, layers={"start": "base"})


PLAN = (
    '<style>.st1{fill:navy}</style>'
    '<g inkscape:label="A-WALL" id="g1"><rect id="rect1" width="10" height="10"/>'
    '<g class="st1"><path id="path2-1" d="M20 0h10v10h-10z"/></g></g>'
    '<g inkscape:label="Chairs" id="g2" fill="#00f"><rect id="rect3" x="40" width="10" height="10" class="chair low"/>'
    '<circle id="circle4" cx="65" cy="5" r="5" stroke="rgb(255,0,0)"/></g>'
    '<rect id="pillar" x="80" width="10" height="10" fill="none" stroke="#F00"/>'
    '<line x1="150" x2="160" y1="5" y2="5" stroke="red"/><path id="start" d="M100 50h5"/><circle id="goal" cx="150" cy="50" r="5"/>'
)  # fmt: skip
RECT, PATH, CHAIR, PILLAR = (0, 90, 10, 100), (20, 90, 30, 100), (40, 90, 50, 100), (80, 90, 90, 100)
ALL = [RECT, PATH, CHAIR, PILLAR]


@pytest.mark.parametrize(
    ("solid", "free", "expected", "circles", "walls"),
    [
        ((), (), ALL, 1, 1),
        (("A-WALL",), (), [RECT, PATH], 0, 0),
        (("layer=a-wall",), (), [RECT, PATH], 0, 0),
        (("*wall", "chairs"), (), [RECT, PATH, CHAIR], 1, 0),
        (("rect1",), (), [RECT], 0, 0),
        (("g2", "pillar"), (), [CHAIR, PILLAR], 1, 0),
        (("fill=#000000",), (), [RECT], 0, 0),
        (("fill=#000080",), (), [PATH], 0, 0),
        (("fill=#0000ff",), (), [CHAIR], 1, 0),
        (("fill=none",), (), [PILLAR], 0, 1),
        (("stroke=#ff0000",), (), [PILLAR], 1, 1),
        (("stroke=none",), (), [RECT, PATH, CHAIR], 0, 0),
        (("class=chair",), (), [CHAIR], 0, 0),
        (("class=st?",), (), [PATH], 0, 0),
        (("type=rect", "type=line"), (), [RECT, CHAIR, PILLAR], 0, 1),
        (("Chairs",), ("class=low",), [], 1, 0),
        ((), ("fill=#0000ff", "type=line"), [RECT, PATH, PILLAR], 0, 0),
        (("type=*",), ("chairs", "stroke=#f*"), [RECT, PATH], 0, 0),
    ],
)
def test_parts_are_chosen_by_their_properties(
    tmp_path: Path,
    solid: tuple[str, ...],
    free: tuple[str, ...],
    expected: list[tuple[float, ...]],
    circles: int,
    walls: int,
) -> None:
    """The colours of all notations are #rrggbb, classes and layers are those of the groups around too; the rest is left out."""
    traced = read(tmp_path, PLAN, solid=solid, free=free)
    assert boxes(traced) == expected
    assert (len(traced.circles), len(traced.walls)) == (circles, walls)
    told = "; ".join(traced.notes)
    assert ("no layer WALL" in told) == (not solid)
    number = 6 - len(expected) - circles - walls
    assert ("shapes that --free names" in told) == bool(free)
    if solid and not free:
        assert f"shapes that match no --solid that were left out: {number}" in told
    elif not solid and free:
        assert f"left out: {number} shapes that --free names" in told


def test_free_parts_are_left_out_of_a_layer_of_walls(tmp_path: Path) -> None:
    """WALL is otherwise solid as a whole."""
    body = '<g id="WALL"><rect width="10" height="10"/><rect x="20" width="10" height="10" fill="red"/></g>'
    traced = read(tmp_path, body + '<rect x="50" width="10" height="10"/>', free=("fill=#ff0000",), start=None)
    assert note(traced, "--free") == "left out: 1 shapes that --free names"
    assert "shapes on other layers that were left out: 1" in traced.notes


def test_marks_are_never_solid(tmp_path: Path) -> None:
    """A pattern that matches everything takes neither start nor goal, and does not count them."""
    body = LAYERS.format(wall="Bench", start="start", goal="goal")
    traced = read(tmp_path, body, solid=("*",))
    assert area(traced) == pytest.approx(200)
    assert traced.start is not None
    assert traced.goal is not None
    with pytest.raises(UnusableFile, match="nothing that matches --solid goal"):
        read(tmp_path, body, solid=("goal",))


def test_the_note_offers_what_could_be_chosen(tmp_path: Path) -> None:
    """Layers and fills with their numbers; those that sound like walls as an option. Ids that Inkscape made up are not listed."""
    expected = (
        "there is no layer WALL: all but start and goal counts as walls: layer A-WALL (2), Chairs (2), pillar (1); "
        "fill #0000ff (2), none (2), #000000 (1), #000080 (1); --solid A-WALL takes only this"
    )
    assert note(read(tmp_path, PLAN), "no layer WALL") == expected
    body = PLAN.replace("Chairs", "old walls")
    assert note(read(tmp_path, body), "no layer WALL").endswith("; --solid A-WALL --solid 'old walls' takes only these")
    plain = '<rect width="10" height="10"/><rect x="20" width="10" height="10"/><line x1="150" x2="160" stroke="red"/>'
    everything = "there is no layer WALL: all but start and goal counts as walls"
    assert note(read(tmp_path, plain), "no layer") == f"{everything}: fill #000000 (2), none (1)"
    assert note(
        read(tmp_path, plain + '<rect id="table" x="50" width="9" height="9"/>', free=("type=line",)), "no layer"
    ) == (f"{everything}: layer table (1); fill #000000 (3), none (1)")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solid": ("WALLS",)}, r"nothing that matches --solid WALLS; it has layer A-WALL \(2\), Chairs \(2\), pillar \(1\)$"),
        ({"solid": ("A-WALL", "fill=#123456")}, "nothing that matches --solid fill=#123456"),
        ({"free": ("color=red",)}, "nothing that matches --free color=red"),
        ({"solid": ("A-WALL",), "free": ("A-WALL",)}, "no walls that can be read.*2 shapes that --free names"),
    ],
)  # fmt: skip
def test_patterns_that_match_nothing_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    """The message lists what there is."""
    with pytest.raises(UnusableFile, match=message):
        read(tmp_path, PLAN, **options)


def test_outlines_without_a_fill_can_be_walls(tmp_path: Path) -> None:
    """Half of the given thickness is on each side; what is filled stays solid, and open lines keep their stroke."""
    body = (
        '<rect x="10" y="10" width="100" height="50" fill="none" stroke="red" stroke-width="7"/>'
        '<rect x="130" y="10" width="10" height="10"/><line x1="150" x2="160" y1="5" y2="5" stroke="red" stroke-width="3"/>'
        '<circle id="goal" cx="60" cy="30" r="5" fill="none" stroke="red"/>'
    )
    traced = read(tmp_path, body, wall_thickness=0.004)
    assert boxes(traced) == [(8, 38, 112, 92), (130, 80, 140, 90)]
    assert area(traced) == pytest.approx(104 * 54 - 96 * 46 + 100)
    np.testing.assert_allclose(traced.walls * 1000, [[150, 95, 160, 95, 3]], atol=1e-9)
    assert traced.goal == pytest.approx((0.06, 0.07, 0.005))
    two = '<path fill="none" stroke="red" d="M10 10h20v20h-20z M50 10h20v20h-20z"/>'
    assert area(read(tmp_path, two, wall_thickness=0.002)) == pytest.approx(2 * (22**2 - 18**2))


TEXTS = (
    '<g aria-label="Room 7" id="text12"><path d="M0 0h5v5h-5z"/><path d="M0 10h5v5h-5z"/></g>'
    '<path aria-label="B" d="M0 20h5v5h-5z"/><path id="text34-6" d="M0 30h5v5h-5z"/>'
    '<g inkscape:label="Text 3"><g><path d="M0 40h5v5h-5z"/></g></g><text>wall</text>'
)


@pytest.mark.parametrize("options", [{}, {"solid": ("type=path",)}])
def test_outlines_of_text_are_left_out(tmp_path: Path, options: dict[str, Any]) -> None:
    """Text that Inkscape made paths of; not what is called texture, nor a layer of walls with a label for readers of screens."""
    body = '<path id="texture" d="M50 0h10v10h-10z"/><path id="context" d="M80 0h10v10h-10z"/>'
    traced = read(tmp_path, TEXTS + body, **options)
    assert boxes(traced) == [(50, 90, 60, 100), (80, 90, 90, 100)]
    assert note(traced, "left out") == "left out: 5 outlines of text, 1 text"
    walls = read(
        tmp_path, f'<g id="WALL" aria-label="The walls">{body}<g aria-label="A"><path d="M0 0h5v5h-5z"/></g></g>'
    )
    assert boxes(walls) == [(50, 90, 60, 100), (80, 90, 90, 100)]
    with pytest.raises(UnusableFile, match="layer START has 0 lines"):
        read(tmp_path, f'{body}<g id="START"><path aria-label="here" d="M0 20h5v5h-5z"/></g>')
