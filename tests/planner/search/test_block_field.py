"""The way that a tip has left to the goal in a large environment."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.search import block_field
from planner.search.block_field import BlockField
from planner.search.distance_field import DistanceField
from surrogate.kernels.compiled import Floats

CLEARANCE, REACH = 0.04, 0.1


def field(place: Environment, blocks: int = 200, longest: float = 50.0) -> BlockField:
    return BlockField(place, CLEARANCE, REACH, 2, blocks, longest)


def tips_in(place: Environment, clearance: float) -> Floats:
    """Random positions at a clearance [m] from all solids."""
    tips = np.random.default_rng(0).uniform(place.bounds[:2], place.bounds[2:], (4000, 2))
    return tips[place.solids.clearance(tips) >= clearance]


@pytest.mark.parametrize("name", ["maze", "building", "spiral"])
@pytest.mark.parametrize("side", [1, 3, 6])
def test_it_is_that_of_the_fine_lattice_but_for_the_blocks(name: str, side: int) -> None:
    """As long as the way that the fine lattice finds, to two blocks and the share by which ways along its eight directions are longer."""
    params, place = VineParams(), load_environment(name)
    fine = DistanceField(place, params.clearance, REACH, 2)
    points = int(np.prod((place.bounds[2:] - place.bounds[:2]) / fine.step))
    blocks = BlockField(place, params.clearance, REACH, 2, points // side**2, 50.0)
    assert blocks.side in (side, side + 1)
    tips = tips_in(place, params.clearance)
    expected, found = fine.remaining(tips), blocks.remaining(tips)
    assert (np.abs(found - expected) <= 0.12 * np.abs(expected) + 2 * blocks.side * blocks.step).all()
    assert (expected > 1.5 * np.hypot(*(tips - place.goal[:2]).T)).mean() > 0.2


def test_a_block_with_a_wall_in_it_is_two_places(environment: Callable[..., Environment]) -> None:
    """Beside a wall of 20 mm within one block the way around it is long on one side and short on the other."""
    place = replace(environment(boxes=[(1.0, 0, 1.02, 0.9)], bounds=(0, 0, 2, 1)), goal=np.array([1.5, 0.1, REACH]))
    found = field(place, 90)
    assert found.side == 8
    near, far = found.remaining(np.array([[1.08, 0.1], [0.94, 0.1]]))
    assert near == pytest.approx(0.32, abs=0.15)
    assert far > near + 0.9


def test_a_lattice_that_is_coarse_keeps_thin_walls_closed(
    environment: Callable[..., Environment], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With steps of twice the clearance no way leads through a bare line; one leads through a wide gap in it."""
    monkeypatch.setattr(block_field, "MOST_POINTS", 2.0 / 0.08**2)
    line = [(1.013, -0.1, 1.013, 0.6, 0.0)]
    place = replace(environment(walls=line, bounds=(0, 0, 2, 1)), goal=np.array([1.5, 0.1, REACH]))
    found = field(place)
    assert found.step == pytest.approx(0.08)
    assert found.remaining(np.array([0.6, 0.1])) > 1.1
    closed = replace(place, obstacles=environment(walls=[(1.013, -0.1, 1.013, 1.1, 0.0)]).obstacles)
    assert field(closed).remaining(np.array([0.6, 0.1])) == pytest.approx(0.9 - REACH)


def test_beyond_the_longest_tube_the_straight_line_counts(environment: Callable[..., Environment]) -> None:
    """A goal that no tube can reach, tips beyond the lattice, and a goal that is not free: straight lines."""
    place = replace(environment(bounds=(0, 0, 30, 30)), goal=np.array([25.0, 25.0, REACH]))
    tips = np.array([[1.0, 1.0], [29.0, 29.0], [-0.1, 31.0]])
    straight = np.hypot(*(tips - 25.0).T) - REACH
    np.testing.assert_allclose(field(place, longest=5.0).remaining(tips), straight)
    blocked = replace(place, obstacles=environment(boxes=[(24, 24, 26, 26)]).obstacles)
    np.testing.assert_allclose(field(blocked).remaining(tips), straight)
