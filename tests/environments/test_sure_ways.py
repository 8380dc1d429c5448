"""The quick proof that a goal can be reached, in environments of many corners, against their exact free space."""

from dataclasses import replace

import numpy as np
import pytest
import shapely

from environments import Environment, Obstacles, reach, sure_ways
from environments.halls.hall import generate_hall
from environments.reach import WalledIn, goal_within_reach
from environments.sure_ways import reachable_cells

RADIUS = 0.03335


def exact(environment: Environment, radius: float = RADIUS) -> shapely.Geometry:
    """Find the part of the goal within reach from the whole free space."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reach, "MANY", 10**9)
        return goal_within_reach(environment, radius)


@pytest.fixture(scope="module")
def hall() -> Environment:
    return generate_hall("caves", np.random.default_rng(8), size=(9.0, 8.0), corners=2500)


def with_wall(environment: Environment, gap: float) -> Environment:
    """Build a wall around the goal with a gap of a width [m], and 2100 corners far away."""
    x, y = environment.goal[:2]
    lines = [(x - 1, y - 1, x + 1, y - 1), (x + 1, y - 1, x + 1, y + 1), (x - 1, y + 1, x + 1, y + 1)]
    ends = [y - gap / 2 - 0.01, y + gap / 2 + 0.01] if gap else [y, y]
    lines += [(x - 1, y - 1, x - 1, ends[0]), (x - 1, ends[1], x - 1, y + 1)]
    walls = [(*line, 0.02) for line in lines]
    bounds, many = environment.bounds, [np.array([[8.0 + k, -2], [8.5 + k, -2.5], [8.9 + k, -2]]) for k in range(700)]
    return replace(environment, bounds=bounds, obstacles=Obstacles(many, walls=walls, ends="round"))


def test_it_is_the_exact_region(hall: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a cave of 2500 corners the part of the goal within reach is the exact one, without the whole free space."""
    expected = exact(hall)
    monkeypatch.setattr(reach, "_reachable_area", lambda *_: pytest.fail("the whole free space was needed"))
    found = goal_within_reach(hall, RADIUS)
    assert found.symmetric_difference(expected).area < 1e-9
    cells = reachable_cells(hall, RADIUS)
    assert cells is not None
    assert shapely.contains_xy(expected, *cells.T).all()


@pytest.mark.parametrize(("gap", "proven"), [(0.3, True), (0.07, False)])
def test_a_way_that_is_only_just_wide_enough_is_found_exactly(hall: Environment, gap: float, proven: bool) -> None:
    """A gap of 300 mm in a wall around the goal is seen on the raster. One of 70 mm, just wider than the tube, is not; it is found too."""
    room = with_wall(replace(hall, start=np.array([2.0, 2.0, 0.0]), goal=np.array([6.0, 5.0, 0.1])), gap)
    assert (reachable_cells(room, RADIUS) is not None) == proven
    assert goal_within_reach(room, RADIUS).symmetric_difference(exact(room)).area < 1e-9


@pytest.mark.parametrize("gap", [0.0, 0.066])
def test_nothing_is_proven_where_no_way_leads(hall: Environment, gap: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed wall around the goal, and a gap in it that is a little narrower than the tube: no way on any raster, and none at all."""
    room = with_wall(replace(hall, start=np.array([2.0, 2.0, 0.0]), goal=np.array([6.0, 5.0, 0.1])), gap)
    for most in (10_000, 100_000, 1_000_000):
        monkeypatch.setattr(sure_ways, "_CELLS", (most,))
        assert reachable_cells(room, RADIUS) is None
    with pytest.raises(WalledIn):
        goal_within_reach(room, RADIUS)


def test_the_start_may_be_as_near_to_a_wall_as_the_tube_is_wide(hall: Environment) -> None:
    """A start that touches a wall has a way out; one in a slot that is narrower than the raster sees has none that is proven."""
    room = with_wall(replace(hall, goal=np.array([6.0, 5.0, 0.1])), 0.5)
    near = replace(room, start=np.array([7.01 + RADIUS + 1e-9, 5.0, 0.0]))
    assert reachable_cells(near, RADIUS) is not None
    slot = [(1.0, 1.0, 3.0, 1.0, 0.02), (1.0, 1.0 + 2 * RADIUS + 0.022, 3.0, 1.0 + 2 * RADIUS + 0.022, 0.02)]
    between = replace(
        room,
        start=np.array([2.0, 1.0 + RADIUS + 0.011, 0.0]),
        obstacles=Obstacles(room.obstacles.polygons, walls=[*room.obstacles.walls, *slot], ends="round"),
    )
    assert reachable_cells(between, RADIUS) is None
    assert not goal_within_reach(between, RADIUS).is_empty


def test_the_edge_of_a_table_is_kept(hall: Environment) -> None:
    """On a table a way beside a wall that reaches almost to its edge is none; in open bounds half of the tube may be outside."""
    tops = [np.array([[8.0 + k, -2], [8.5 + k, -2.5], [8.9 + k, -2]]) for k in range(700)]
    x0, y0, x1, y1 = hall.bounds
    walls = [(4.0, y0 - 1, 4.0, y1 - 0.17, 0.02)]
    room = Environment("", "", [x0, y0, x1, y1], [1, 1, 0], [8, 1, 0.2], Obstacles(tops, walls=walls, ends="round"))
    assert reachable_cells(room, 0.06) is not None
    assert reachable_cells(replace(room, edge="table"), 0.06) is None
    assert reachable_cells(replace(room, edge="wall"), 0.06) is None


def boxed(environment: Environment, x: float, y: float, half: float, slit: float) -> Environment:
    """Build a thin box around a point, of half a width and with a slit on its right side [m]."""
    left, right, low, high = x - half, x + half, y - half, y + half
    lines = [(left, low, right, low), (left, low, left, high), (left, high, right, high)]
    lines += [(right, low, right, y - slit / 2), (right, y + slit / 2, right, high)]
    walls = [*environment.obstacles.walls, *((*line, 0.0) for line in lines)]
    return replace(environment, obstacles=Obstacles(environment.obstacles.polygons, walls=walls, ends="round"))


def test_no_way_leads_from_the_start_through_a_slit(hall: Environment) -> None:
    """A start in a box with a slit of 40 mm, through which only lines pass: nothing is proven; through one of 80 mm the tube passes."""
    room = with_wall(replace(hall, start=np.array([2.0, 2.0, 0.0]), goal=np.array([6.0, 5.0, 0.1])), 0.5)
    assert reachable_cells(boxed(room, 2.0, 2.0, 0.05, 0.04), RADIUS) is None
    assert reachable_cells(boxed(room, 2.0, 2.0, 0.05, 0.08), RADIUS) is not None


def test_closed_parts_of_the_goal_are_left_out(hall: Environment) -> None:
    """Half of the goal disc is in a closed box: what is within reach is the exact rest of it."""
    room = with_wall(replace(hall, start=np.array([2.0, 2.0, 0.0]), goal=np.array([6.0, 5.0, 0.4])), 0.5)
    room = boxed(room, 6.2, 5.0, 0.2, 0.0)
    found, expected = goal_within_reach(room, RADIUS), exact(room)
    assert found.symmetric_difference(expected).area < 1e-9
    assert 0.1 < found.area < 0.4
