"""A design as lines of characters."""

import numpy as np
import pytest

from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.design.design import Design
from planner.drawing.text import text_picture

JOINTS = np.stack([np.linspace(0, 1.0, 51), np.zeros(51)], axis=1)
"""A straight tube along the x axis, as long as the sections of the design."""


def bench_of(right: float) -> Environment:
    """2 m high, with a box in the upper right and a goal in the lower left, from x = -1.25 m to `right`."""
    obstacles = Obstacles((box_corners(0.5, 0.3, 1.0, 0.8),), ends="round")
    bounds, goal = np.array([-1.25, -1.0, right, 1.0]), np.array([-0.8, -0.5, 0.2])
    return Environment("bench", "", bounds, np.zeros(3), goal, obstacles)


@pytest.fixture
def bench() -> Environment:
    """2.5 by 2 m with the origin at its centre."""
    return bench_of(1.25)


def area(lines: list[str], letters: str) -> float:
    """Area of characters [m^2], of an environment of 5 m^2."""
    return 5.0 * sum(line.count(letter) for line in lines for letter in letters) / sum(map(len, lines))


def where(lines: list[str], letter: str) -> tuple[float, float]:
    """Mean position of a character [m]."""
    row, column = np.nonzero(np.array([list(line) for line in lines]) == letter)
    return 2.5 * ((column.mean() + 0.5) / len(lines[0]) - 0.5), 2.0 * (0.5 - (row.mean() + 0.5) / len(lines))


@pytest.mark.parametrize("columns", [24, 60, 200])
def test_every_line_is_as_wide_as_asked(bench: Environment, design: Design, columns: int) -> None:
    """Characters are twice as high as wide, so that the picture is not distorted."""
    lines = text_picture(bench, design, JOINTS, columns)
    assert {len(line) for line in lines} == {columns}
    assert len(lines) == pytest.approx(columns * 2.0 / 2.5 / 2, abs=0.5)


def test_areas_are_those_of_what_is_drawn(bench: Environment, design: Design) -> None:
    """Box, with half a character around it, goal and tube, each at its place."""
    lines, half = text_picture(bench, design, JOINTS, 400), 2.5 / 800
    assert area(lines, "#") == pytest.approx((0.5 + 2 * half) ** 2, rel=0.02)
    assert area(lines, ".") == pytest.approx(np.pi * 0.2**2, rel=0.02)
    assert area(lines, "oLR") == pytest.approx(2 * design.params.radius, rel=0.15)
    assert where(lines, "#") == pytest.approx((0.75, 0.55), abs=0.01)
    assert where(lines, ".") == pytest.approx((-0.8, -0.5), abs=0.01)


def test_letters_follow_the_sections(bench: Environment, design: Design) -> None:
    """From base to tip: 20 cm without an actuator, 40 on the left, 10 without, 30 on the right."""
    lines = text_picture(bench, design, JOINTS, 250)
    (row,) = {line.strip() for line in lines if line.strip("oLR ") == "" and "L" in line}
    parts = [row.count("L"), row.count("R"), row.count("o")]
    assert row == "o" * row.index("L") + "L" * parts[0] + "o" * (row.rindex("o") - row.rindex("L")) + "R" * parts[1]
    assert parts == pytest.approx([40, 30, 30], abs=2)


def test_what_leaves_the_bounds_is_cut(design: Design) -> None:
    """A tube that grows out of them is drawn up to their edge: without the 30 cm on the right, which begin at 0.7 m."""
    lines = text_picture(bench_of(0.6), design, JOINTS, 185)
    assert sum("L" in line for line in lines) > 0
    assert not any("R" in line for line in lines)
