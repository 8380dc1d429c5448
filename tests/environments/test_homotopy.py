"""Homotopy classes of paths, and the roadmap that lists them."""

import itertools
import math
from dataclasses import replace

import networkx
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from environments import Environment, Obstacles, load_environment
from environments.homotopy import Islands, Word, reduce_word
from environments.roadmap import shortest_ways, visibility_graph, ways_content

CLEARANCE = 0.03
TWO = Obstacles(boxes=[(0.8, 0.8, 1.0, 1.0), (0.8, 1.4, 1.0, 1.6)])


def room(obstacles: Obstacles, edge: str = "open") -> Environment:
    """A room of 2 m with obstacles; the start is at the left, the goal at the right."""
    bounds = np.array([0.0, 0.0, 2.0, 2.0])
    return Environment("room", "", bounds, np.array([0.2, 0.9, 0.0]), np.array([1.8, 0.9, 0.1]), obstacles, edge=edge)  # type: ignore[arg-type]


def inverse(word: Word) -> Word:
    """Word of the reversed path."""
    return tuple(-one for one in reversed(word))


def test_what_no_path_goes_around_is_no_island() -> None:
    """A box at the bounds, and one so near to it that no tube fits between, are part of the outside; two others are an island each."""
    boxes = [(0.5, 0.0, 0.6, 0.3), (0.5, 0.35, 0.6, 0.5), *[(0.8, 0.8, 1.0, 1.0), (0.8, 1.4, 1.0, 1.6)]]
    islands = Islands.of(room(Obstacles(boxes=boxes)), CLEARANCE)
    assert islands.members == ((2,), (3,))
    assert Islands.of(room(Obstacles(boxes=boxes)), 0.02).members == ((1,), (2,), (3,))


def test_obstacles_between_which_no_tube_fits_are_one_island() -> None:
    """A gap of 58 mm is closed for a tube of 60 mm, one of 62 mm is not."""
    for gap, count in ((0.058, 1), (0.062, 2)):
        boxes = [(0.8, 0.8, 1.0, 1.0), (0.8, 1.0 + gap, 1.0, 1.3)]
        assert len(Islands.of(room(Obstacles(boxes=boxes)), CLEARANCE).members) == count


def test_the_mount_is_no_island() -> None:
    """A box out of which the tube grows cannot be passed; another one can."""
    mounted = replace(room(Obstacles(boxes=[(0.05, 0.8, 0.2, 1.0), (0.8, 0.8, 1.0, 1.0)])), mount="wall")
    assert mounted.mounted.tolist() == [True, False]
    assert Islands.of(mounted, CLEARANCE).members == ((1,),)


def test_walls_at_the_bounds_are_the_outside() -> None:
    """In a room with walls the walls are no island, nor is a box that touches one."""
    islands = Islands.of(room(Obstacles(boxes=[(0.8, 0.8, 1.0, 1.0), (1.2, 1.9, 1.4, 2.0)]), "wall"), CLEARANCE)
    assert [room(TWO, "wall").solids.names(group) for group in islands.members] == ["box 1"]


def test_sides_are_those_of_a_walker() -> None:
    """Above a box it is on the right of a path to the right, below it on the left; beyond its end, an island is not passed."""
    islands = Islands.of(room(TWO), CLEARANCE)
    over, under = (np.array([[0.2, 0.9], [0.9, y], [1.8, 0.9]]) for y in (1.2, 0.6))
    assert islands.passed(over) == (["box 2"], ["box 1"])
    assert islands.passed(under) == (["box 1", "box 2"], [])
    assert islands.passed(under[::-1]) == ([], ["box 1", "box 2"])
    assert islands.passed(np.array([[0.2, 0.9], [0.3, 0.9]])) == ([], [])


def test_turns_are_angles() -> None:
    """A path along a line turns about a point by the angle between its ends; a loop turns by a whole turn about what is inside."""
    islands = Islands.of(room(TWO), CLEARANCE)
    np.testing.assert_allclose(islands.points, [[0.9, 0.9], [0.9, 1.5]])
    line = np.column_stack([np.linspace(0.2, 1.6, 30), np.full(30, 0.5)])
    expected = math.atan2(0.7, 0.4) + math.atan2(0.7, 0.4)
    assert islands.turns(line)[0] == pytest.approx(expected)
    loop = np.array([[0.7, 0.7], [1.1, 0.7], [1.1, 1.1], [0.7, 1.1], [0.7, 0.7]])
    np.testing.assert_allclose(islands.turns(loop), [2 * math.pi, 0.0], atol=1e-12)
    assert islands.word(loop) == (-1,)


def test_a_loop_that_no_count_of_turns_sees_is_another_class() -> None:
    """Around one island, around the other, and both back again: no turn about either is left, but the class is not the trivial one."""
    islands = Islands.of(room(TWO), CLEARANCE)
    first = [(1.2, 1.2), (1.2, 0.7), (0.7, 0.7), (0.7, 1.2)]
    second = [(0.7, 1.2), (0.7, 1.7), (1.2, 1.7), (1.2, 1.2)]
    base = (1.2, 1.2)
    path = np.array([base, *first, base, *second[::-1], base, *first[::-1], base, *second, base], float)
    np.testing.assert_allclose(islands.turns(path), 0.0, atol=1e-12)
    assert len(islands.word(path)) > 0


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.floats(0.05, 1.95), st.floats(0.05, 1.95)), min_size=3, max_size=12), st.integers(0, 2**31)
)
def test_words_multiply(points: list[tuple[float, float]], seed: int) -> None:
    """The word of a path is the product of those of its parts; that of the reversed path is its inverse; more points change nothing.

    A detour that goes out and back by the same way disappears.
    """
    islands, path = Islands.of(room(TWO), CLEARANCE), np.array(points)
    word = islands.word(path)
    cut = len(path) // 2
    assert reduce_word((*islands.word(path[: cut + 1]), *islands.word(path[cut:]))) == word
    assert islands.word(path[::-1]) == inverse(word)
    finer = np.concatenate([np.linspace(one, other, 7, endpoint=False) for one, other in itertools.pairwise(path)])
    assert islands.word(np.vstack([finer, path[-1]])) == word
    aside = np.random.default_rng(seed).uniform(0.05, 1.95, (4, 2))
    assert islands.word(np.vstack([path[: cut + 1], aside, aside[::-1], path[cut:]])) == word


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(0, 2**31))
def test_paths_that_can_be_moved_into_one_another_have_one_word(seed: int) -> None:
    """Two paths between the same points have one word exactly if they enclose no island: of paths that go up along x, that is how many
    islands lie between them."""
    rng, islands = np.random.default_rng(seed), Islands.of(room(TWO), CLEARANCE)
    x = np.array([0.2, 0.7, 0.75, 1.05, 1.1, 1.8])
    heights = [
        np.array([0.9, *np.repeat(rng.choice([0.5, 1.2, 1.8]), 4), 0.9])
        + rng.uniform(-0.1, 0.1, 6) * [0, 1, 1, 1, 1, 0]
        for _ in range(2)
    ]
    one, other = (np.column_stack([x, y]) for y in heights)
    between = [min(y[2] for y in heights) < point[1] < max(y[2] for y in heights) for point in islands.points]
    assert (islands.word(one) == islands.word(other)) == (not any(between))


def test_the_shortest_ways_around_a_box_are_known() -> None:
    """Below and above a box that is 0.9 m high from the line between start and goal: lengths around its corners, inflated."""
    box = (0.9, 0.6, 1.1, 1.4)
    environment = room(Obstacles(boxes=[box]))
    below, above = shortest_ways(environment, CLEARANCE)  # there is no third one: it would go around the box
    for way, corner in ((below, 0.6), (above, 1.4)):
        rise = abs(corner - 0.9)
        # A tangent to the round corner of radius r at a distance d is sqrt(d^2 - r^2) long.
        reach, d = 0.9 - 0.2, math.hypot(0.9 - 0.2, rise)
        tangent = math.sqrt(d**2 - CLEARANCE**2)
        arc = CLEARANCE * (math.atan2(rise, reach) + math.asin(CLEARANCE / d))
        # Round corners are inscribed polygons with two edges per quarter turn.
        assert 0 <= 2 * (tangent + arc) + 0.2 - way.length < 2 * CLEARANCE * (1 - math.cos(math.pi / 8)), way
    assert [(one["obstacles_left"], one["obstacles_right"]) for one in ways_content(environment, CLEARANCE)] == [
        (["box 1"], []),
        ([], ["box 1"]),
    ]


def test_ways_are_distinct_and_in_order() -> None:
    """In `plus` four ways with four words, each the word of its path, from the shortest; the first is as short as the graph's."""
    environment = load_environment("plus")
    ways, islands = shortest_ways(environment, CLEARANCE), Islands.of(environment, CLEARANCE)
    assert len({way.word for way in ways}) == len(ways) == 4
    assert [way.length for way in ways] == sorted(way.length for way in ways)
    for way in ways:
        assert islands.word(way.path) == way.word
        assert np.hypot(*np.diff(way.path, axis=0).T).sum() == pytest.approx(way.length)
        free = shapely.LineString(way.path).distance(shapely.union_all(environment.solids.shapes()))
        assert free == pytest.approx(CLEARANCE, abs=2.5e-3)  # outlines of round corners are inscribed


def test_a_walled_in_goal_has_no_way() -> None:
    """Behind a wall from side to side there is none; with too many corners none is looked for."""
    assert shortest_ways(room(Obstacles(boxes=[(0.9, 0.0, 1.0, 2.0)])), CLEARANCE) == []
    many = [(x, y, 0.02) for x in np.arange(0.3, 1.7, 0.1) for y in np.arange(0.1, 2.0, 0.12)]
    assert shortest_ways(room(Obstacles(circles=many)), 0.005) == []


def test_lines_of_sight_are_a_graph() -> None:
    """Two points on both sides of a square see two of its corners each, and not each other."""
    graph = visibility_graph([shapely.box(-0.5, -0.5, 0.5, 0.5)], np.array([[-2.0, 0.0], [2.0, 0.0]]))
    assert isinstance(graph, networkx.Graph)
    assert sorted(len(graph[node]) for node in (0, 1)) == [2, 2]
    assert not graph.has_edge(0, 1)
    assert networkx.shortest_path_length(graph, 0, 1, "length") == pytest.approx(2 * math.hypot(1.5, 0.5) + 1)
