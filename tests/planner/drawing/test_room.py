"""Obstacles that inflated actuators are squeezed by, against closed forms: a straight tube beside walls."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dynamics.thickness import signed_thickness
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design, Section
from planner.drawing.room import Squeeze, room_notes, squeezes
from surrogate.actuators import Limits
from surrogate.spam import Spam
from vinewright.console.terminal import thickness_notes

CELL, PRESSURE = 0.04, 25e3
SECTIONS = (
    Section(0.0, 0.3, "none", 0.0, 0.0, 0.0),
    Section(0.3, 0.62, "left", 2.0, CELL, PRESSURE),
    Section(0.62, 0.94, "left", 2.0, CELL, PRESSURE, on=False),
)
MakeEnvironment = Callable[..., Environment]


@pytest.fixture
def straight(params: VineParams) -> Design:
    """A tube along the x axis, whose second section has eight inflated cells on its left, and whose third has vented ones."""
    joints = np.stack([np.linspace(0, 0.94, 38), np.zeros(38)], axis=1)
    return Design("beside", "0" * 64, params, SECTIONS, np.array([0.94, 0, 0]), joints)


@pytest.fixture
def edge(params: VineParams) -> float:
    """Distance of the outermost points of the actuator from the centreline [m]."""
    return params.radius + float(signed_thickness(params, PRESSURE, CELL))


@pytest.fixture
def beside(environment: MakeEnvironment) -> Callable[..., Environment]:
    """A room with obstacles beside the tube."""
    return lambda **obstacles: environment(bounds=(-0.5, -0.5, 1.5, 0.5), **obstacles)


def shapes(y: float) -> dict[str, dict[str, Any]]:
    """Obstacles of all kinds whose lowest point is at a height and at x = 0.4, between two cells, or beside the whole section."""
    return {
        "box 1": {"boxes": [[0.3, y, 0.62, 0.4]]},
        "polygon 1": {"polygons": [[[0.34, y], [0.46, y], [0.4, 0.4]]]},
        "wall 1": {"walls": [[0.2, y, 0.7, y, 0.0]]},
    }


@pytest.mark.parametrize("name", shapes(0))
def test_depth_is_the_overlap_of_cells_and_wall(
    straight: Design, beside: Callable[..., Environment], edge: float, name: str
) -> None:
    """In the middle of a cell the actuator is as thick as in free space: a wall 7 mm nearer than that squeezes it by 7 mm there."""
    (found,) = squeezes(straight, beside(**shapes(edge - 0.007)[name]))
    assert found.section == 1
    assert found.obstacle == name
    assert found.depth == pytest.approx(0.007, abs=1e-6)
    assert found.at[1] == pytest.approx(edge - 0.007)
    assert (found.at[0] - 0.32) % CELL == pytest.approx(0.0, abs=1e-9) or (found.at[0] - 0.32) % CELL > CELL - 1e-9


def test_a_circle_is_deepest_at_its_lowest_point(
    straight: Design, beside: Callable[..., Environment], edge: float
) -> None:
    """Its lowest point is in the middle of a cell."""
    radius, lowest = 0.1, edge - 0.009
    (found,) = squeezes(straight, beside(circles=[[0.44, lowest + radius, radius]]))
    assert found.obstacle == "circle 1"
    assert found.depth == pytest.approx(0.009, abs=1e-5)
    assert found.at == pytest.approx([0.44, lowest], abs=1e-5)


def test_only_what_is_deep_and_long_enough(straight: Design, beside: Callable[..., Environment], edge: float) -> None:
    """Not by 0.8 mm, not along 8 mm of film, not on the other side, and not where there is no pressure or no actuator."""
    assert squeezes(straight, beside(boxes=[[0.3, edge - 0.0008, 0.62, 0.4]])) == []
    assert squeezes(straight, beside(boxes=[[0.316, edge - 0.007, 0.324, 0.4]])) == []
    assert len(squeezes(straight, beside(boxes=[[0.314, edge - 0.007, 0.326, 0.4]]))) == 1
    assert squeezes(straight, beside(boxes=[[0.3, -0.4, 0.62, 0.007 - edge]])) == []
    assert squeezes(straight, beside(boxes=[[0.64, edge - 0.007, 0.9, 0.4], [0.1, edge - 0.007, 0.29, 0.4]])) == []
    assert [
        squeezes(replace(straight, centerline=np.zeros((n, 2))), beside(boxes=[[0.3, edge, 0.62, 0.4]]))
        for n in range(3)
    ] == 3 * [[]]
    grown = replace(straight, centerline=straight.centerline[:13])
    assert squeezes(grown, beside(boxes=[[0.32, edge - 0.007, 0.62, 0.4]])) == []


@pytest.mark.parametrize(
    ("cell", "width", "count"), [(0.008, 0.009, 1), (0.008, 0.007, 0), (0.04, 0.009, 0), (0.04, 0.011, 1)]
)
def test_one_short_cell_is_enough(
    params: VineParams, straight: Design, beside: Callable[..., Environment], cell: float, width: float, count: int
) -> None:
    """A box in nearly all of the thickness counts if it is longer than a cell, or than 10 mm where cells are longer."""
    tube = replace(params, actuator=Spam(limits=Limits(shortest_cell=6e-3)))
    design = replace(straight, params=tube, sections=(SECTIONS[0], replace(SECTIONS[1], l_0=cell), SECTIONS[2]))
    box = [0.48 - width / 2, params.radius + 5e-4, 0.48 + width / 2, 0.4]
    assert len(squeezes(design, beside(boxes=[box]))) == count


def test_the_mount_spares_the_first_diameter(straight: Design, edge: float) -> None:
    """As in contact: a base in the face of a wall is not squeezed there, nor is what it carries along the wall."""
    design = replace(straight, sections=(Section(0.0, 0.94, "left", 2.0, CELL, PRESSURE),))
    wall = [-0.1, -0.4, 0.0, 0.4]
    for length, count in ((0.06, 0), (0.2, 1)):
        around = [[0.0, edge - 0.007, length, 0.4]]
        solids = Obstacles(boxes=[wall, *around])
        made = Environment("m", "", (-0.5, -0.5, 1.5, 0.5), (0, 0, 0), (0.9, 0, 0.1), solids, mount="wall")
        assert len(squeezes(design, made)) == count


def test_a_passage_that_is_noted_is_not_noted_again(
    straight: Design, beside: Callable[..., Environment], edge: float, params: VineParams
) -> None:
    """Two boxes that leave too little room for tube and actuator are a passage; two that leave enough, but not there, are a squeeze."""
    upper, lower = [0.35, edge - 0.007, 0.55, 0.45], [0.35, -0.45, 0.55, -params.radius - 0.001]
    narrow = beside(boxes=[upper, lower])
    (passage,) = room_notes(straight, narrow)
    assert "section 1 needs" in passage
    assert [one.obstacle for one in squeezes(straight, narrow)] == []
    wide = beside(boxes=[upper, [*lower[:3], -params.radius - 0.02]])
    x, y = 1e3 * np.array([0.36, edge - 0.007])
    assert room_notes(straight, wide) == [
        f"section 1's inflated actuator is squeezed by box 1 by up to 7 mm at ({x:.0f}, {y:.0f}) mm"
    ]


def test_the_three_deepest_are_named(straight: Design, beside: Callable[..., Environment], edge: float) -> None:
    """The deepest of five come first, and the number of those left out is told; places are from the origin that is asked for."""
    depths = 0.004, 0.012, 0.006, 0.010, 0.008
    boxes = [[0.31 + 0.06 * k, edge - depth, 0.35 + 0.06 * k, 0.4] for k, depth in enumerate(depths)]
    notes = room_notes(straight, beside(boxes=boxes), origin=np.array([-0.5, -0.5]))
    assert [note.split(" mm")[0] for note in notes] == [
        f"section 1's inflated actuator is squeezed by box {number} by up to {depth}"
        for number, depth in ((2, 12), (4, 10), (5, 8))
    ]
    assert [note.endswith("; 2 more places by less") for note in notes] == [False, False, True]
    found: Squeeze = squeezes(straight, beside(boxes=boxes))[0]
    x, y = 1e3 * (found.at + 0.5)
    assert f"at ({x:.0f}, {y:.0f}) mm" in notes[0]
    printed = thickness_notes(straight, beside(boxes=boxes), "quasistatic")
    assert sum("squeezed" in note for note in printed) == 3
    assert all(note.startswith("note: ") for note in printed)
