"""The way that a tip has left to the goal."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from environments import Environment
from planner.search.distance_field import DistanceField

CLEARANCE, REACH = 0.04, 0.1


def test_in_the_open_it_is_the_straight_line(environment: Callable[..., Environment]) -> None:
    """Without obstacles: the distance from the edge of the goal, negative inside."""
    room = replace(environment(bounds=(0, 0, 2, 1)), goal=np.array([1.5, 0.5, REACH]))
    tips = np.random.default_rng(0).uniform([0, 0], [2, 1], (200, 2))
    straight = np.hypot(*(tips - [1.5, 0.5]).T) - REACH
    np.testing.assert_allclose(DistanceField(room, CLEARANCE, REACH).remaining(tips), straight, atol=1e-12)


def test_around_a_wall_it_is_the_way_around(environment: Callable[..., Environment]) -> None:
    """Behind a wall with a gap on one side: at most the taut string around the end of the wall, and at least 90 % of it."""
    wall = (0.95, 0.0, 1.05, 0.7)
    room = replace(environment(boxes=[wall], bounds=(0, 0, 2, 1)), goal=np.array([1.5, 0.1, REACH]))
    tip = np.array([0.5, 0.1])
    taut = 2 * np.hypot(0.45 - CLEARANCE * 0.6, 0.6 + CLEARANCE * 0.8) + 0.1  # touches the widened corners
    left = DistanceField(room, CLEARANCE, REACH).remaining(tip)
    assert 0.9 * (taut - REACH) <= left <= taut - REACH
    assert left > 1.4 * (1.0 - REACH)
    coarse = DistanceField(room, CLEARANCE, REACH, 2)
    assert coarse.step == CLEARANCE / 2
    assert 0.85 * (taut - REACH) <= coarse.remaining(tip) <= taut - REACH


def test_a_goal_behind_a_closed_wall_is_as_far_as_a_straight_line(environment: Callable[..., Environment]) -> None:
    """Where no way leads to the goal the straight line counts, so that nothing is thought out of reach by mistake."""
    room = replace(environment(boxes=[(0.95, 0, 1.05, 1)], bounds=(0, 0, 2, 1)), goal=np.array([1.5, 0.5, REACH]))
    assert DistanceField(room, CLEARANCE, REACH).remaining(np.array([0.5, 0.5])) == 1.0 - REACH
