"""Tips drawn by how far they are from the goal."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Integers
from environments import Environment
from planner.search.levels import Levels
from planner.search.sst import UNGUIDED_SHARE, Search, Switches
from surrogate.kernels.compiled import Floats

DRAWS = 20000


def room(environment: Callable[..., Environment], *boxes: tuple[float, float, float, float]) -> Environment:
    return replace(environment(boxes=list(boxes), bounds=(0, 0, 2, 1)), goal=np.array([1.9, 0.5, 0.1]))


def test_each_level_is_drawn_as_often_and_each_tip_in_it(
    environment: Callable[..., Environment], params: VineParams
) -> None:
    """Fifty tips near the start count together as much as each of two that are farther: the counts fit that."""
    near = np.column_stack([np.linspace(0.1, 0.11, 50), np.full(50, 0.5)])
    tips = np.vstack([near, [[0.8, 0.5], [1.5, 0.5]]])
    drawn = Levels(room(environment), params, 0.1, 50.0).draw(tips, DRAWS, np.random.default_rng(0))
    counts = np.bincount(drawn, minlength=52)
    expected = np.array([*np.full(50, 1 / 150), 1 / 3, 1 / 3])
    assert chisquare(counts, DRAWS * expected).pvalue > 1e-3


def test_a_level_is_as_wide_as_the_tube(environment: Callable[..., Environment], params: VineParams) -> None:
    """Four tips in two levels, three and one: the one is drawn half of the time, so the levels are a tube's width apart."""
    levels, width = Levels(room(environment), params, 0.1, 50.0), 2 * params.radius
    # Behind the edge of the goal at x = 1.8 m.
    tips = np.column_stack([1.8 - width * np.array([3.1, 3.5, 3.9, 4.1]), np.full(4, 0.5)])
    counts = np.bincount(levels.draw(tips, DRAWS, np.random.default_rng(1)), minlength=4)
    np.testing.assert_allclose(counts / DRAWS, [1 / 6, 1 / 6, 1 / 6, 1 / 2], atol=0.02)


def test_a_wall_parts_tips_that_are_as_near_to_the_goal(
    environment: Callable[..., Environment], params: VineParams
) -> None:
    """Three tips, all as near in a straight line, share a level; the one behind a wall as thin as 20 mm is in one of its own."""
    tips = np.array([[1.5, 0.25], [1.9, 0.03], [1.9, 0.03]])
    for boxes, shares in ((), [1 / 3, 1 / 3, 1 / 3]), ([(1.6, 0.0, 1.62, 0.9)], [1 / 2, 1 / 4, 1 / 4]):
        levels = Levels(room(environment, *boxes), params, 0.1, 50.0)
        counts = np.bincount(levels.draw(tips, DRAWS, np.random.default_rng(2)), minlength=3)
        np.testing.assert_allclose(counts / DRAWS, shares, atol=0.02)


def test_searches_share_the_distances_of_an_environment(
    environment: Callable[..., Environment], params: VineParams
) -> None:
    """Distances in a large environment take many megabytes, and each friction has a search of its own."""
    for place in (room(environment), replace(room(environment), bounds=np.array([0.0, 0.0, 30.0, 30.0]))):
        one, other = (Levels(place, replace(params, friction=friction), 0.1, 50.0) for friction in (0.0, 0.3))
        assert one._field is other._field
    assert Levels(place, params, 0.2, 50.0)._field is not one._field


@pytest.mark.parametrize("size", [10.5, 30.0, 1e4])
def test_a_large_environment_has_levels_too(
    environment: Callable[..., Environment], params: VineParams, size: float
) -> None:
    """In bounds of up to 10 km a wall of 20 mm before the goal parts tips as in a small room; one without it does not."""
    tips = np.array([[1.5, 0.25], [1.9, 0.03], [1.9, 0.03]])
    for boxes, shares in (
        ([], [1 / 3, 1 / 3, 1 / 3]),
        ([(1.6, -size, 1.62, 0.9), (1.6, 1.2, 1.62, size)], [1 / 2, 1 / 4, 1 / 4]),
    ):
        place = replace(environment(boxes=boxes, bounds=(0, 0, size, size)), goal=np.array([1.9, 0.5, 0.1]))
        counts = np.bincount(Levels(place, params, 0.1, 50.0).draw(tips, DRAWS, np.random.default_rng(2)), minlength=3)
        np.testing.assert_allclose(counts / DRAWS, shares, atol=0.02)


@pytest.mark.parametrize("levels", [True, False])
def test_most_of_a_first_batch_is_drawn_by_level(
    environment: Callable[..., Environment], params: VineParams, levels: bool
) -> None:
    """Until there is a solution a quarter of a batch is drawn as before; afterwards, or without levels, all of it."""
    place = room(environment)
    search = Search(place, QuasiStatic(place, params), params, np.random.default_rng(0), 40, Switches(levels=levels))
    search.iterate()
    drawn: list[int] = []
    draw = Levels.draw

    def counted(self: Levels, tips: Floats, count: int, rng: np.random.Generator) -> Integers:
        drawn.append(count)
        return draw(self, tips, count, rng)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Levels, "draw", counted)
        search.iterate()
        search.tighten(100.0)
        search.iterate()
    first = min(40, search.switches.first_batch)
    assert drawn == ([first - int(np.ceil(UNGUIDED_SHARE * first))] if levels else [])
