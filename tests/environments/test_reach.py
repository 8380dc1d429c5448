"""Reachability of the goal."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

from environments import Environment, known_environments, load_environment
from environments.reach import WalledIn, goal_within_reach

RADIUS = 0.03335
GATE = """schema = 1
unit = "mm"
[bounds]
min = [0, 0]
max = [1000, 500]
[start]
position = [100, 250]
heading_deg = 0
[goal]
position = [900, 250]
radius = 50
[obstacles]
boxes = [[480, {low}, 520, 500], [480, 0, 520, 200]]
"""


@pytest.fixture
def gate(tmp_path: Path) -> Callable[[float], Environment]:
    """Factory of environments in two halves with a gate of a width [mm] between them."""

    def make(width: float) -> Environment:
        path = tmp_path / f"gate-{width}.toml"
        path.write_text(GATE.format(low=200 + width))
        return load_environment(path)

    return make


@pytest.mark.parametrize("name", known_environments())
def test_every_shipped_goal_is_reachable(name: str) -> None:
    """The reachable region lies in the goal disc, and a tube there touches nothing."""
    environment = load_environment(name)
    region = goal_within_reach(environment, RADIUS)
    x, y, radius = environment.goal
    assert 0 < region.area <= np.pi * radius**2
    assert shapely.Point(x, y).buffer(1.001 * radius, quad_segs=256).contains(region)
    inside = shapely.maximum_inscribed_circle(region).coords[0]
    assert environment.obstacles.clearance(np.array(inside)) >= RADIUS - 1e-4


def test_gate_width_is_compared_with_the_tube(gate: Callable[[float], Environment]) -> None:
    """Through a gate slightly wider than the tube the whole goal is reachable, through a narrower one none of it."""
    wide = goal_within_reach(gate(2e3 * RADIUS + 0.1), RADIUS)
    assert wide.area == pytest.approx(np.pi * 0.05**2, rel=1e-3)
    with pytest.raises(WalledIn, match=r"gate.*: the goal is walled in: no path as wide as the tube"):
        goal_within_reach(gate(2e3 * RADIUS - 0.1), RADIUS)


def test_an_empty_environment_is_open(environment: Callable[..., Environment]) -> None:
    """Without obstacles all of the goal within the bounds is reachable."""
    empty = environment()
    disc = shapely.Point(empty.goal[:2]).buffer(empty.goal[2], quad_segs=64)
    assert goal_within_reach(empty, RADIUS).area == pytest.approx(disc.intersection(shapely.box(*empty.bounds)).area)


def test_a_long_outline_is_buffered_like_a_short_one(environment: Callable[..., Environment]) -> None:
    """Corners added along the sides of a box do not change the gap between it and a wall."""
    corners = np.array([[1.0, -1.0], [2.0, -1.0], [2.0, 1.0], [1.0, 1.0]])
    part = np.arange(100)[:, None] / 100
    many = np.concatenate([a + part * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)])
    environments = [
        environment(polygons=[outline], bounds=(-1, -1.5, 3, 1.5), start=(0, 0, 0)) for outline in (corners, many)
    ]
    goal = np.array([2.0, 1.1, 0.3])
    few, most = (goal_within_reach(replace(one, goal=goal), 0.1) for one in environments)
    assert few.area > 0.01
    assert few.symmetric_difference(most).area < 1e-9
