"""Parts of an import that are kept, and obstacles that are too small to matter."""

import numpy as np
import pytest
import shapely

from environments.importing.build import build_obstacles
from environments.importing.crop import crop, crop_hint, reachable_box
from environments.importing.options import ImportOptions
from environments.importing.small import drop_small
from environments.importing.traced import Tracing, UnusableFile
from environments.obstacles import Obstacles

START, GOAL = (0.5, 0.5, 0.0), (1.5, 0.5, 0.1)
ROOM = shapely.box(0, 0, 4, 2).difference(shapely.box(0.1, 0.1, 2.0, 1.9))
"""A room of 1.9 x 1.8 m in a solid of 4 x 2 m."""


def area(traced: Tracing) -> float:
    shapes = [*traced.solid, *Obstacles(circles=traced.circles, walls=traced.walls).shapes()]
    return float(shapely.union_all(shapes).area)


def test_everything_is_cut_at_the_rectangle() -> None:
    """A block, a disc, a thick wall and a bare line that reach out of it, and one of each within it."""
    traced = Tracing(
        (shapely.box(-1, -1, 0.5, 0.5), shapely.box(0.6, 0.6, 0.7, 0.7)),
        np.array([[1.0, 0.5, 0.2], [0.2, 0.8, 0.05]]),
        np.array(
            [
                [0.5, 0.9, 3.0, 0.9, 0.1],
                [0.3, 0.6, 0.4, 0.6, 0.02],
                [0.5, 0.3, 2.0, 0.3, 0.0],
                [0.7, 0.1, 0.8, 0.1, 0.0],
            ]
        ),
    )
    cut = crop(traced, (0.0, 0.0, 1.0, 1.0))
    assert cut.bounds == (0.0, 0.0, 1.0, 1.0)
    assert cut.circles.tolist() == [[0.2, 0.8, 0.05]]
    assert sorted(map(tuple, cut.walls.tolist())) == [
        (0.3, 0.6, 0.4, 0.6, 0.02),
        (0.5, 0.3, 1.0, 0.3, 0.0),
        (0.7, 0.1, 0.8, 0.1, 0.0),
    ]
    half = np.pi * 0.2**2 / 2
    assert area(cut) == pytest.approx(0.25 + 0.01 + np.pi * 0.05**2 + 0.5 * 0.1 + 0.1 * 0.02 + half, rel=1e-3)
    assert shapely.union_all(list(cut.solid)).bounds == pytest.approx((0, 0, 1, 0.95), abs=1e-9)
    assert cut.notes[-1] == "cropped to [0, 0] to [1000, 1000] mm"


def test_reach_is_the_room_around_the_start() -> None:
    """Another room behind the wall does not count; the margin is 5 % of the larger side, up to the bounds."""
    two = ROOM.difference(shapely.box(2.5, 0.1, 3.9, 1.9))
    assert reachable_box(Tracing((two,)), (0, 0, 4, 2), START[:2]) == pytest.approx((0.005, 0.005, 2.095, 1.995))
    assert reachable_box(Tracing((two,)), (0, 0, 4, 2), (3.0, 1.0)) == pytest.approx((2.41, 0.01, 3.99, 1.99))
    # A bare line keeps two halves of a room apart; a start in a wall is nearest to one of them.
    line = np.array([[1.0, 0.0, 1.0, 2.0, 0.0]])
    assert reachable_box(Tracing((ROOM,), walls=line), (0, 0, 4, 2), (0.05, 0.5))[2] == pytest.approx(
        1.0 + 0.05 * 1.8, abs=1e-3
    )
    with pytest.raises(UnusableFile, match="nothing within the bounds is free"):
        reachable_box(Tracing((shapely.box(0, 0, 1, 1),)), (0, 0, 1, 1), START[:2])


def test_imports_are_cropped_as_asked() -> None:
    """Reach needs a start; the environment has the bounds of the crop."""
    traced = Tracing((ROOM,), bounds=(0.0, 0.0, 4.0, 2.0))
    environment = build_obstacles(
        "room.dxf", traced, options=ImportOptions(start=START, goal=GOAL, crop="reach")
    ).environment()
    assert environment.bounds == pytest.approx([0.005, 0.005, 2.095, 1.995])
    with pytest.raises(UnusableFile, match=r"room.dxf has no start, from which crop = reach"):
        build_obstacles("room.dxf", traced, options=ImportOptions(crop="reach"))
    found = build_obstacles("room.dxf", traced, options=ImportOptions(crop=(0.0, 0.0, 1.0, 1.0)))
    assert found.bounds == (0, 0, 1, 1)


def test_small_obstacles_are_left_out_by_what_touches() -> None:
    """A speck, a dot and a letter of lines go; a small box at a large one, and a long thin wall, stay."""
    letter = [[2.0, 0.0, 2.0, 0.02, 0.0], [2.0, 0.02, 2.01, 0.02, 0.0]]
    traced = Tracing(
        (shapely.box(0, 0, 1, 1), shapely.box(1, 0.5, 1.01, 0.51), shapely.box(3, 3, 3.01, 3.01)),
        np.array([[4.0, 4.0, 0.01], [5.0, 5.0, 0.1]]),
        np.array([*letter, [0.0, 2.0, 1.0, 2.0, 0.0]]),
        notes=("read",),
    )
    left = drop_small(traced, 0.03)
    assert len(left.solid) == 2
    assert left.circles.tolist() == [[5.0, 5.0, 0.1]]
    assert left.walls.tolist() == [[0.0, 2.0, 1.0, 2.0, 0.0]]
    assert left.notes == ("read", "3 obstacles of less than 30 mm across left out, as asked")
    assert drop_small(traced, 0.0) is traced
    assert len(drop_small(traced, 0.015).solid) == 2  # the speck is 14.1 mm across
    assert len(drop_small(traced, 0.0141).solid) == 3


def test_mount_and_edge_are_those_of_the_environment() -> None:
    """A start inside an obstacle names the mount; at its surface, with the mount, it is one."""
    traced = Tracing((shapely.box(0, 0, 0.2, 1),), bounds=(0.0, 0.0, 2.0, 1.0))
    inside = ImportOptions(start=(0.1, 0.5, 0.0), goal=GOAL)
    with pytest.raises(UnusableFile, match="is inside an obstacle; if the base is mounted in it, give mount = wall"):
        build_obstacles("a.svg", traced, options=inside).environment()
    mounted = ImportOptions(start=(0.2, 0.5, 0.0), goal=GOAL, mount="wall", edge="wall")
    environment = build_obstacles("a.svg", traced, options=mounted).environment()
    assert (environment.mount, environment.edge) == ("wall", "wall")


def test_a_crop_of_large_maps_is_a_hint() -> None:
    """Start and goal 1 m apart with a goal of 0.1 m: 1.1 m beyond both, within the bounds, if that is less than a third each way."""
    bounds, start, goal = (0.0, -20.0, 60.0, 20.0), (10.0, 0.0, 0.0), (11.0, 0.0, 0.1)
    hint = crop_hint(bounds, start, goal)
    assert hint.startswith("the map is 60 x 40 m, and start and goal are 1 m apart: --crop 8900,-1100,12100,1100 keeps")
    assert "--crop 0,-1100,2600,1100 keeps" in crop_hint(bounds, (0.5, 0.0, 0.0), (1.5, 0.0, 0.1))
    assert crop_hint((0.0, -3.4, 9.7, 3.4), (4.0, 0.0, 0.0), (5.0, 0.0, 0.1))
    assert crop_hint((0.0, -3.4, 9.5, 3.4), (4.0, 0.0, 0.0), (5.0, 0.0, 0.1)) == ""
    assert crop_hint((0.0, -3.2, 9.7, 3.2), (4.0, 0.0, 0.0), (5.0, 0.0, 0.1)) == ""
    # What the hint keeps gives no other one.
    assert crop_hint((8.9, -1.1, 12.1, 1.1), start, goal) == ""
