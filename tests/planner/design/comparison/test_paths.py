"""Obstacles that a way touches, and ways that are equal."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from environments import Environment
from planner.design.comparison.paths import TOUCH, are_homotopic, touched_obstacles, winding

MakeEnvironment = Callable[..., Environment]
RADIUS = 0.03


def test_obstacles_are_listed_in_the_order_of_first_touch(environment: MakeEnvironment) -> None:
    """By record, then from the base on; what comes no nearer than the radius and the allowance is not touched."""
    near, off = RADIUS + 0.9 * TOUCH, RADIUS + 1.1 * TOUCH
    workspace = environment(
        boxes=[(0.8, near, 0.9, 1), (0.2, near, 0.3, 1), (0.5, off, 0.6, 1)],
        circles=[(0.17, -0.1 - near, 0.1)],
        walls=[(1.2, -0.5, 1.2, 0.5, 0.02)],
    )
    lines = [np.array([[0.0, 0], [end, 0]]) for end in (0.1, 0.5, 1.0, 1.2 - 0.01 - near)]
    assert touched_obstacles(lines, workspace, RADIUS) == [(3, 1), (1, 1), (0, 2), (4, 3)]
    assert [workspace.solids.name(k) for k in (1, 3, 4)] == ["box 2", "circle 1", "wall 1"]
    assert touched_obstacles(lines, environment(), RADIUS) == []


def test_walls_of_the_bounds_and_the_mount_are_touched_where_they_count(environment: MakeEnvironment) -> None:
    """A wall of the bounds is an obstacle; the mount is none for the first diameter, and one for a tube that comes back."""
    along_the_edge = replace(environment(bounds=(0, 0, 2, 1), circles=[(1, 0.7, 0.1)]), edge="wall")
    (index, record), *others = touched_obstacles([np.array([[0.2, RADIUS], [1.8, RADIUS]])], along_the_edge, RADIUS)
    assert (record, others) == (0, [])
    assert along_the_edge.solids.name(index) == "wall at the bounds, bottom"
    assert along_the_edge.solids.name(4) == "circle 1"
    mounted = replace(environment(boxes=[(-0.2, -1, 0, 1)]), mount="wall")
    back = np.array([[0, 0], [0.2, 0], [0.2, 0.2], [RADIUS, 0.2]])
    assert touched_obstacles([back[:2], back], mounted, RADIUS) == [(0, 1)]


@pytest.mark.parametrize("turns", [-2, -1, 1, 3])
def test_winding_counts_turns(turns: int) -> None:
    """A circle that is run through several times winds as often about a point inside, and not about one outside."""
    angle = turns * np.linspace(0, 2 * np.pi, 200, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    assert winding(circle, np.array([0.3, -0.4])) == turns
    assert winding(circle, np.array([1.3, -0.4])) == 0


def test_ways_round_an_obstacle_differ(environment: MakeEnvironment) -> None:
    """Left and right of a box are two ways; two ways on one side are the same, and so is a way beside a box that is not between."""
    workspace = environment(boxes=[(0.4, -0.1, 0.6, 0.1), (0.4, 0.5, 0.6, 0.6)])
    left, wider, right = (np.array([[0, 0], [0.5, y], [1, 0.01 * y]]) for y in (0.2, 0.4, -0.2))
    assert are_homotopic(left, wider, workspace)
    assert are_homotopic(left, left, workspace)
    assert are_homotopic(left, right, workspace) is False
    beyond = np.array([[0, 0], [0.5, 0.7], [1, 0.0]])
    assert are_homotopic(left, beyond, workspace) is False


def test_ways_round_boxes_that_touch_differ(environment: MakeEnvironment) -> None:
    """A way round two boxes that touch is another than one that passes both on one side."""
    workspace = environment(boxes=[(0.4, -0.1, 0.5, 0.1), (0.5, -0.1, 0.6, 0.1)])
    left, right = (np.array([[0, 0], [0.5, y], [1, 0.0]]) for y in (0.2, -0.2))
    assert are_homotopic(left, right, workspace) is False
    assert are_homotopic(left, 0.9 * left, workspace)


def test_ends_with_an_obstacle_between_have_no_class(environment: MakeEnvironment) -> None:
    """The straight line that would join the tips enters a wall."""
    workspace = environment(walls=[(0.5, -0.2, 0.5, 0.2, 0.02)])
    here, there = (np.array([[0, 0.4], [x, 0.4], [x, 0]]) for x in (0.3, 0.7))
    assert are_homotopic(here, there, workspace) is None
