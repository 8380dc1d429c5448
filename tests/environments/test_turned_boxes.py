"""Boxes that are turned, and obstacles with names of their own, in code and in files."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.environment import Environment
from environments.environment_file import environment_text, parse_environment
from environments.file_model import InvalidEnvironment
from environments.obstacles import Obstacles

FILE = """schema = 2
unit = "cm"

[bounds]
min = [0, 0]
max = [200, 100]
edge = "wall"

[start]
position = [10, 10]
heading_deg = 0

[goal]
position = [180, 90]
radius = 5

[obstacles]
boxes = [[40, 40, 60, 50], [100, 40, 120, 50, 90]]
walls = [[70, 30, 70, 50, 1], [150, 30, 150, 50, 1]]

[obstacles.names]
"box 2" = "pillar"
"wall 1" = "door"
"""


def test_a_box_is_turned_anticlockwise_about_its_centre() -> None:
    """A box of 20 by 10 cm turned by a quarter is one of 10 by 20; by 45 degrees a square stands on a corner."""
    quarter, square = Obstacles(boxes=[(0.4, 0.4, 0.6, 0.5, math.pi / 2), (-1.0, -1.0, 1.0, 1.0, math.pi / 4)]).polygons
    np.testing.assert_allclose(quarter, [[0.55, 0.35], [0.55, 0.55], [0.45, 0.55], [0.45, 0.35]], atol=1e-12)
    top = math.sqrt(2)
    np.testing.assert_allclose(square, [[0, -top], [top, 0], [0, top], [-top, 0]], atol=1e-12)
    slightly = Obstacles(boxes=[(-1.0, -1.0, 1.0, 1.0, 0.01)]).polygons[0]
    assert slightly[1, 1] > -1.0  # its right lower corner goes up


def test_a_file_has_turned_boxes_in_its_unit_and_names_for_people() -> None:
    """The angle is in degrees whatever the unit of lengths; names are in messages, labels are the keys of files."""
    room = parse_environment(FILE.encode(), "room")
    box = room.obstacles.polygons[1]
    assert np.allclose(sorted(map(tuple, box)), [(1.05, 0.35), (1.05, 0.55), (1.15, 0.35), (1.15, 0.55)])
    np.testing.assert_allclose(room.obstacles.boxes[1], [1.0, 0.4, 1.2, 0.5, math.pi / 2])
    solids = room.solids  # walls of the bounds lie between
    assert [solids.name(k) for k in range(4)] == ["box 1", "box 2 (pillar)", "wall 1 (door)", "wall 2"]
    assert solids.label(1) == "box 2"
    assert solids.names([0, 1]) == "boxes 1 and 2 (pillar)"
    assert solids.names([1, 2]) == "box 2 (pillar) and wall 1 (door)"
    kept = solids.part(np.arange(len(solids)) > 0)
    assert (kept.name(0), kept.name(1), len(kept.boxes)) == ("box 2 (pillar)", "wall 1 (door)", 1)
    text = FILE.replace("walls =", "circles = [[50, 80, 5]]\nwalls =").replace('"wall 1" =', '"circle 1" =')
    piped = parse_environment(text.encode(), "room")
    assert piped.solids.name(len(piped.solids) - 1) == "circle 1 (door)"  # behind the walls of the bounds
    moved = room.obstacles.at(room.obstacles.polygons, room.obstacles.circles, room.obstacles.walls)
    assert moved.name(2) == "wall 1 (door)"


def test_errors_of_a_named_obstacle_are_found_by_its_label() -> None:
    """A table of errors names the obstacle by kind and number, as in files without names."""
    room = parse_environment((FILE + '[uncertainty.obstacle."box 2"]\nposition_mm = 7.0\n').encode(), "room")
    assert room.uncertainty.obstacles == ((2, (("position_mm", 7.0),)),)
    assert '[uncertainty.obstacle."box 2"]' in environment_text(replace(room, name="other"))


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.floats(-359, 359), st.floats(0.01, 0.3), st.floats(0.01, 0.3), st.floats(0.5, 1.2), st.floats(0.5, 0.7))
def test_what_is_written_has_the_same_corners_and_names(angle: float, dx: float, dy: float, x: float, y: float) -> None:
    """A box stays a box, with its angle to a billionth of a degree."""
    box = (x - dx, y - dy, x + dx, y + dy, math.radians(angle))
    obstacles = Obstacles(boxes=[(0.1, 0.8, 0.2, 0.9), box], circles=[(1.9, 0.1, 0.02)], names={"circle 1": "pipe"})
    room = Environment("room", "", (0, 0, 2, 1), (0.1, 0.1, 0), (1.8, 0.1, 0.02), obstacles)
    again = parse_environment(environment_text(room).encode(), "room", 0.0)
    assert again.sha256 == room.sha256
    assert again.obstacles.labels.tolist() == room.obstacles.labels.tolist()
    assert again.obstacles.own_names == ("", "", "pipe")
    np.testing.assert_allclose(again.obstacles.boxes[1], box, atol=2e-11)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("50, 90]", "50, 361]", "must have an angle from -360 to 360 deg"),
        ("50, 90]", "50, 90, 1]", "at most 5"),
        ('"wall 1" =', '"wall 3" =', "names obstacle 'wall 3', which is not there; those of this file: boxes 1 to 2, walls 1 to 2"),
        ('"door"', '""', "at least 1"),
        ('"door"', f'"{"d" * 41}"', "at most 40"),
        ("schema = 2", "schema = 1", "needs? schema = 2"),
    ],
)  # fmt: skip
def test_wrong_angles_and_names_are_refused(old: str, new: str, message: str) -> None:
    """The message says what is wrong."""
    text = FILE.replace('edge = "wall"\n', "") if "schema" in new else FILE
    with pytest.raises(InvalidEnvironment, match=message):
        parse_environment(text.replace(old, new).encode(), "room")


def test_a_name_of_no_obstacle_is_refused_in_code() -> None:
    """As in files."""
    with pytest.raises(ValueError, match="box 2"):
        Obstacles(boxes=[(0, 0, 1, 1)], names={"box 2": "pillar"})
