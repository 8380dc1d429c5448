"""Objects: which pieces of an environment move as one."""

from collections.abc import Sequence
from typing import Any

import pytest
import shapely

from environments import Environment, Obstacles
from environments.importing.cut import cut_holes
from environments.objects import objects_of


def room(**standing: Any) -> Environment:
    shapes = {key: standing.pop(key, ()) for key in ("boxes", "polygons", "circles", "walls")}
    obstacles = Obstacles(**shapes, ends="round")
    return Environment("room", "", (0, 0, 2, 1), (1, 0.5, 0), (1.8, 0.5, 0.1), obstacles, **standing)


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [
        ([(0.1, 0.1, 0.2, 0.2), (0.2, 0.1, 0.3, 0.2), (0.3, 0.2, 0.4, 0.3), (0.6, 0.1, 0.7, 0.2)], [0, 0, 0, 1]),
        ([(0.6, 0.1, 0.7, 0.2), (0.1, 0.1, 0.2, 0.2), (0.3, 0.1, 0.4, 0.2), (0.2, 0.1, 0.3, 0.2)], [0, 1, 1, 1]),
        ([(0.1, 0.1, 0.2, 0.2), (0.6, 0.1, 0.7, 0.2), (0.15, 0.15, 0.3, 0.3)], [0, 1, 0]),
        ([(0.1, 0.1, 0.2, 0.2), (0.20005, 0.1, 0.3, 0.2), (0.3002, 0.1, 0.4, 0.2)], [0, 0, 1]),
    ],
    ids=["through others", "in another order", "overlapping", "a gap of 0.05 mm, and one of 0.2 mm"],
)
def test_touching_pieces_are_one_object(boxes: Sequence[Sequence[float]], expected: list[int]) -> None:
    """Directly or through others; objects are counted by their first piece."""
    assert objects_of(room(boxes=boxes)).tolist() == expected


def test_pieces_of_all_kinds_join() -> None:
    """A box, a disc at its side, and a wall that begins in the disc; another wall is apart."""
    environment = room(
        boxes=[(0.1, 0.1, 0.2, 0.2)],
        circles=[(0.25, 0.15, 0.05)],
        walls=[(0.25, 0.15, 0.5, 0.15, 0.01), (0.25, 0.5, 0.5, 0.5, 0.0)],
    )
    assert objects_of(environment).tolist() == [0, 0, 0, 1]


def test_a_wall_at_the_bounds_is_apart() -> None:
    """A box along a whole side is not one object with what stands on it; a box along a part of that side is an obstacle."""
    along, stub, on_both = (0, -0.1, 2, 0), (0.5, 0, 0.6, 0.4), (0.5, 0.4, 0.7, 0.5)
    assert objects_of(room(boxes=[along, stub, on_both])).tolist() == [0, 1, 1]
    assert objects_of(room(boxes=[(0, -0.1, 1.9, 0), stub, on_both])).tolist() == [0, 0, 0]


def test_halves_of_one_outline_are_one_object() -> None:
    """A room whose outline was cut through its middle: each half covers a whole side, and with the other it is one piece."""
    ring = shapely.box(0, 0, 2, 1) - shapely.box(0.1, 0.1, 1.9, 0.9)
    halves = [shapely.get_coordinates(half)[:-1] for half in cut_holes(ring)]
    assert len(halves) == 2
    apart = (0.4, 0.4, 0.5, 0.5)
    assert objects_of(room(boxes=[apart], polygons=halves)).tolist() == [0, 1, 1]
    # A box along the whole side is a wall, also where it touches such an outline.
    assert objects_of(room(boxes=[(0, -0.1, 2, 0)], polygons=halves)).tolist() == [0, 1, 1]


def test_each_wall_of_a_frame_is_apart() -> None:
    """The four walls at the bounds come last, each by itself, also where the corner of a box touches them."""
    corner = (0, 0, 0.1, 0.1), (0.1, 0, 0.2, 0.1)
    assert objects_of(room(boxes=corner, edge="wall")).tolist() == [0, 0, 1, 2, 3, 4]
    assert objects_of(room(edge="wall")).tolist() == [0, 1, 2, 3]


def test_no_obstacles() -> None:
    """There are no objects then."""
    assert objects_of(room()).shape == (0,)


def test_callers_cannot_change_what_they_share() -> None:
    """Each call returns one and the same array."""
    environment = room(boxes=[(0.1, 0.1, 0.2, 0.2)])
    found = objects_of(environment)
    assert objects_of(environment) is found
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1
