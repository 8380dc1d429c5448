"""Reachability of the goal."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

from environments import Environment, Obstacles, known_environments, load_environment
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


# ---- the widest way in ----


def walled(boxes: object = (), goal: tuple[float, ...] = (0.9, 0.25, 0.05), **others: object) -> str:
    """Message for a room of 1 m x 0.5 m with these obstacles and a tube 66.7 mm wide."""
    obstacles = Obstacles(boxes=boxes, **others)  # type: ignore[arg-type]
    room = Environment(name="room", bounds=(0, 0, 1, 0.5), start=(0.1, 0.25, 0), goal=goal, obstacles=obstacles)
    with pytest.raises(WalledIn) as caught:
        goal_within_reach(room, RADIUS)
    return str(caught.value)


DOORS = (0.48, 0, 0.52, 0.2), (0.48, 0.262, 0.52, 0.5)


@pytest.mark.parametrize(
    ("boxes", "way"),
    [
        (DOORS, r"62 mm wide at (500, 231) mm"),
        # of two ways the wider one, of two doors in a row the narrower one
        ([(0.48, 0, 0.52, 0.1), (0.48, 0.13, 0.52, 0.3), (0.48, 0.34, 0.52, 0.5)], "40 mm wide at (500, 320) mm"),
        ([*DOORS, (0.7, 0, 0.72, 0.3), (0.7, 0.35, 0.72, 0.5)], "50 mm wide at (710, 325) mm"),
        # of two equal ones in a row the first, of two equal ones side by side either
        ([*DOORS, (0.7, 0, 0.72, 0.3), (0.7, 0.362, 0.72, 0.5)], "62 mm wide at (500, 231) mm"),
        ([(0.48, 0, 0.52, 0.1), (0.48, 0.15, 0.52, 0.3), (0.48, 0.35, 0.52, 0.5)], "50 mm wide at (500, "),
        # a dead end of the same width is not on the way
        ([*DOORS, (0.2, 0, 0.21, 0.1), (0.272, 0, 0.28, 0.1)], "62 mm wide at (500, 231) mm"),
        # beside the open bounds half of a tube may be outside
        ([(0.48, 0, 0.52, 0.48)], "40 mm wide at ("),
    ],
)
def test_the_widest_way_in_is_named(boxes: list[tuple[float, ...]], way: str) -> None:
    """Its width where it is narrowest, its position, the tube's diameter, and what to do."""
    message = walled(boxes)
    assert f"the widest way in is {way}" in message
    assert message.endswith("the tube is 66.7 mm wide: widen it, take a thinner tube, or move the start or the goal")


def test_the_widest_way_between_circles_and_into_a_corner() -> None:
    """Between round obstacles the width is exact; where a small goal is the narrowest part, it is at the goal."""
    circles = [(0.5, 0.11, 0.11), (0.5, 0.4, 0.14)]
    assert "is 40 mm wide at (500, 240) mm" in walled([(0.49, 0.4, 0.51, 0.5)], circles=circles)
    # The farthest point of the goal from both sides is 10 sqrt(0.5) + 15 mm from them, on the diagonal.
    corner = walled([(-0.1, -0.1, 1.1, 0), (1, 0, 1.1, 0.5)], goal=(0.985, 0.015, 0.01))
    assert "is 44.14 mm wide at (978, 22) mm" in corner


def test_no_way_at_all() -> None:
    """A closed wall has no width to name; a seam of less than 0.1 mm is none."""
    for boxes in ([(0.48, 0, 0.52, 0.5)], [(0.48, 0, 0.52, 0.2), (0.48, 0.20005, 0.52, 0.5)]):
        assert walled(boxes).endswith(
            "the start to it, and no narrower one either; open a passage wider than 66.7 mm, or move the start or the goal"
        )


def test_tolerance_of_the_tube() -> None:
    """A tube that obstacles may indent by 1 mm on each side passes where one without tolerance does not."""
    room = Environment(
        bounds=(0, 0, 1, 0.5), start=(0.1, 0.25, 0), goal=(0.9, 0.25, 0.05), obstacles=Obstacles(boxes=DOORS)
    )
    assert goal_within_reach(room, 0.0318, 0.0308).area > 0
    with pytest.raises(WalledIn, match=r"62 mm wide at \(500, 231\) mm, the tube is 63.6 mm wide"):
        goal_within_reach(room, 0.0318, 0.0313)
