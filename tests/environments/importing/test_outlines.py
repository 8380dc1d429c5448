"""Outlines of a drawing that are solid, and those that enclose the free space."""

import itertools
import math
from pathlib import Path

import ezdxf
import numpy as np
import pytest
import shapely

from environments.importing.chains import close_chains
from environments.importing.choose import import_environment
from environments.importing.options import ImportOptions
from environments.importing.sketch import Sketch
from environments.importing.traced import Tracing, UnusableFile

START, GOAL = (0.2, 0.2, 0.0), (1.8, 0.8, 0.05)


def box(x: float, y: float, width: float, height: float) -> np.ndarray:
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height], [x, y]])


ROOM, BLOCK, POST = box(0, 0, 2, 1), box(0.8, 0, 0.4, 0.5), box(1.5, 0.2, 0.1, 0.1)


def traced(*outlines: np.ndarray, ends: bool = True, lines: tuple[np.ndarray, ...] = ()) -> Tracing:
    sketch = Sketch()
    for outline in outlines:
        sketch.add_outline(outline, "outline")
    for line in lines:
        sketch.add_line(line, 0.0, "line")
    return sketch.trace(START if ends else None, GOAL if ends else None, [])


def area(result: Tracing) -> float:
    return float(shapely.union_all(list(result.solid)).area)


@pytest.mark.parametrize("ends", [True, False])
def test_the_outline_around_everything_is_the_bounds(ends: bool) -> None:
    """It becomes walls along it; the outlines inside are solid, and a note says so."""
    result = traced(BLOCK, ROOM, POST, ends=ends)
    assert result.bounds == (0, 0, 2, 1)
    assert area(result) == pytest.approx(0.2 + 0.01)
    assert np.hypot(*(result.walls[:, 2:4] - result.walls[:, :2]).T).sum() == pytest.approx(6)
    assert any("2000 x 1000 mm" in note and "bounds" in note for note in result.notes)


def test_sides_with_tiny_lines_between_them_are_an_outline() -> None:
    """The sides of a room as single lines, with one of 10 nm at a corner, as programs leave behind: it encloses the free space."""
    sides = [np.array([one, other]) for one, other in itertools.pairwise(ROOM)]
    tiny = np.array([ROOM[1], ROOM[1] + [1e-8, 0.0]])
    result = traced(POST, lines=(*sides, tiny))
    assert result.bounds == pytest.approx((0, 0, 2, 1))
    assert area(result) == pytest.approx(0.01)


def test_separate_outlines_are_solid() -> None:
    """Without one around everything there are no bounds, and an outline within another adds nothing."""
    result = traced(BLOCK, POST, box(0.9, 0.1, 0.1, 0.1))
    assert result.bounds is None
    assert len(result.walls) == 0
    assert area(result) == pytest.approx(0.2 + 0.01)


@pytest.mark.parametrize("ends", [True, False])
def test_two_outlines_around_the_room_are_its_wall(ends: bool) -> None:
    """The ring between them is solid, also if only its content tells that the inner one is free."""
    result = traced(ROOM, box(-0.1, -0.1, 2.2, 1.2), BLOCK, ends=ends)
    assert area(result) == pytest.approx(2.2 * 1.2 - 2 + 0.2)
    assert result.bounds == pytest.approx((-0.1, -0.1, 2.1, 1.1))
    assert len(result.walls) == 0


def test_of_three_outlines_around_the_room_the_outermost_is_a_line() -> None:
    """From the inside: free, solid, free, and the frame of the sheet."""
    result = traced(ROOM, box(-0.1, -0.1, 2.2, 1.2), box(-1, -1, 4, 3))
    assert area(result) == pytest.approx(2.2 * 1.2 - 2)
    assert result.bounds == (-1, -1, 3, 2)
    assert len(result.walls) == 4


def test_one_block_in_a_room_is_solid() -> None:
    """Where no start is known, the inner of two outlines contains nothing, and so is an obstacle."""
    result = traced(ROOM, BLOCK, ends=False)
    assert area(result) == pytest.approx(0.2)
    assert result.bounds == (0, 0, 2, 1)


@pytest.mark.parametrize("start", [(0.1, 0.2, 0.0), None])
def test_a_block_alone_is_solid(start: tuple[float, float, float] | None) -> None:
    """With start and goal outside of it, drawn or given as options, or with neither known: there is nothing in it that could be free."""
    sketch = Sketch()
    sketch.add_outline(BLOCK, "outline")
    given = sketch.trace(None, None, [], options=ImportOptions(start=start, goal=GOAL if start else None))
    assert area(given) == pytest.approx(0.2)
    assert len(given.walls) == 0
    assert area(sketch.trace(start, GOAL if start else None, [])) == pytest.approx(0.2)


def test_given_ends_count_before_those_that_are_drawn() -> None:
    """Start and goal drawn within the outline would make it a room; the options place them outside of it, far from the origin too."""
    for far in (0.0, 500_000.0):
        sketch, inside = Sketch(), (1.0 + far, 0.25, 0.0)
        sketch.add_outline(np.add(BLOCK, (far, 0.0)), "outline")
        sketch.add_outline(np.add(POST, (far, 0.0)), "outline")
        given = ImportOptions(start=(0.9, 0.9, 0.0), goal=(1.0, 0.9, 0.05))
        assert area(sketch.trace(inside, inside, [])) == pytest.approx(0.01)
        assert area(sketch.trace(inside, inside, [], options=given)) == pytest.approx(0.21)
        into = ImportOptions(start=(0.9, 0.2, 0.0), goal=(1.0, 0.2, 0.05))
        assert area(sketch.trace(None, None, [], options=into)) == pytest.approx(0.01)


def test_what_sticks_out_of_the_room_leaves_it_free() -> None:
    """An outline around start and goal is no solid, though the bounds must contain everything."""
    result = traced(ROOM, box(1.9, 0.4, 0.3, 0.1))
    assert result.bounds is None
    assert area(result) == pytest.approx(0.03)
    assert len(result.walls) == 4


def test_lines_count_as_content() -> None:
    """An outline does not enclose everything if a line is outside."""
    inside, outside = np.array([[0.5, 0.5], [1.0, 1.0]]), np.array([[0.5, 0.5], [1.0, 1.1]])
    assert traced(ROOM, ends=False, lines=(inside,)).bounds is not None
    result = traced(ROOM, ends=False, lines=(outside,))
    assert result.bounds is None
    assert area(result) == pytest.approx(2)


def test_four_lines_are_a_rectangle() -> None:
    """In any order and direction, with gaps below 0.1 mm, which are said to have moved the outline."""
    corners = box(0.4, 0.4, 0.2, 0.1)
    lines = [corners[[0, 1]], corners[[2, 1]], corners[[3, 2]] + [0.0, 5e-5], corners[[3, 4]]]
    result = traced(POST, lines=tuple(lines))
    assert area(result) == pytest.approx(0.02 + 0.01, abs=1e-4)
    assert len(result.walls) == 0
    assert result.moved == pytest.approx(5e-5)
    rings, rest, gap = close_chains([lines[0], lines[1], lines[2] + [0.0, 3e-4], lines[3]])
    assert (len(rings), len(rest), gap) == (0, 4, 0.0)


def test_lines_that_branch_stay_walls() -> None:
    """Where three ends meet there is no one outline; a chain that does not close is none either."""
    corners = box(0, 0, 1, 1)
    sides = [corners[k : k + 2] for k in range(4)]
    rings, rest, _ = close_chains([*sides, np.array([[1.0, 1.0], [2.0, 2.0]])])
    assert (len(rings), len(rest)) == (0, 5)
    rings, rest, _ = close_chains([*sides, *(side + 5.0 for side in sides[:3])])
    assert (len(rings), len(rest)) == (1, 3)
    assert shapely.Polygon(rings[0]).area == pytest.approx(1)


def test_ends_in_one_place_do_not_take_the_square_of_their_number() -> None:
    """A fan of 20 000 lines is read at once."""
    turn = np.linspace(0, math.tau, 20_000, endpoint=False)
    fan = [np.array([[0.0, 0.0], [math.cos(a), math.sin(a)]]) for a in turn]
    rings, rest, _ = close_chains(fan)
    assert (len(rings), len(rest)) == (0, 20_000)


def test_shapes_on_a_map_move_to_the_origin() -> None:
    """Far from it, all of them by the same whole metres, and a note says by how much."""
    sketch = Sketch()
    offset = np.array([400_000.25, 5_000_000.5])
    sketch.add_outline(BLOCK + offset, "block")
    sketch.add_outline(POST + offset, "post", (*(offset + 1.5), 0.05))
    sketch.add_line(ROOM[:2] + offset, 0.0, "line")
    result = sketch.trace((*(offset + 0.2), 1.0), (*(offset + 0.9), 0.1), [])
    assert shapely.union_all(list(result.solid)).bounds == pytest.approx((1.05, 0.5, 1.45, 1.0))
    assert result.circles[0] == pytest.approx([1.75, 2.0, 0.05])
    assert result.walls[0] == pytest.approx([0.25, 0.5, 2.25, 0.5, 0])
    assert result.start == pytest.approx((0.45, 0.7, 1.0))
    assert result.goal == pytest.approx((1.15, 1.4, 0.1))
    assert any("(400000, 5000000) m" in note for note in result.notes)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e9])
def test_coordinates_must_be_numbers_of_a_possible_size(wrong: float) -> None:
    """The message names the entity."""
    with pytest.raises(UnusableFile, match="post has a coordinate that is not a number below 1e"):
        Sketch().add_outline(POST * [1.0, wrong], "post")


@pytest.mark.parametrize("kind", ["dxf", "svg"])
def test_one_known_length_is_the_scale_of_a_drawing(tmp_path: Path, kind: str) -> None:
    """A block of 40 x 20 units of which 4 are 1 m: in a DXF file against its header, and in an SVG file that tells no unit."""
    path = tmp_path / f"block.{kind}"
    if kind == "dxf":
        drawing = ezdxf.new("R2010")
        drawing.header["$INSUNITS"] = 4
        drawing.modelspace().add_lwpolyline(box(3, 5, 40, 20)[:-1], close=True)
        drawing.saveas(path)
    else:
        path.write_text('<svg xmlns="http://www.w3.org/2000/svg"><rect x="3" y="5" width="40" height="20"/></svg>')
    found = import_environment(path, known=(1.0, (3.0, 5.0), (7.0, 5.0)))
    x0, y0, x1, y1 = found.obstacles.shapes()[0].bounds
    assert (x1 - x0, y1 - y0) == pytest.approx((10.0, 5.0))
    assert any("the known length" in note for note in found.notes)
