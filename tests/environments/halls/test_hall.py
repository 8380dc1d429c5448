"""Random halls: valid, of the size asked for, and with a passage for the tube."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from environments import Environment, load_environment, write_environment
from environments.halls.hall import HALLS, generate_hall
from environments.reach import goal_within_reach

RADIUS = 0.03335


def hall(kind: str, seed: int, **arguments: Any) -> Environment:
    return generate_hall(kind, np.random.default_rng(seed), **arguments)


def corners(environment: Environment) -> int:
    return sum(map(len, environment.obstacles.polygons))


@pytest.mark.parametrize("kind", HALLS)
def test_same_seed_same_hall(kind: str) -> None:
    """A seed gives one hall; other seeds give others."""
    assert hall(kind, 7).sha256 == hall(kind, 7).sha256
    assert len({hall(kind, seed).sha256 for seed in range(4)}) == 4


@pytest.mark.parametrize("kind", HALLS)
@pytest.mark.parametrize(
    ("size", "count"),
    [((10.0, 8.0), 500), ((20.0, 15.0), 4000), pytest.param((60.0, 30.0), 20_000, marks=pytest.mark.slow)],
)
def test_a_hall_is_a_file_of_about_so_many_corners(
    tmp_path: Path, kind: str, size: tuple[float, float], count: int
) -> None:
    """It loads back with the same sha256, fills its bounds, and has the number of corners asked for, to a third."""
    made = hall(kind, 3, size=size, corners=count)
    assert corners(made) == pytest.approx(count, rel=1 / 3)
    np.testing.assert_array_equal(made.bounds, [0, 0, *size])
    solid = shapely.union_all(made.obstacles.shapes())
    np.testing.assert_allclose(solid.bounds, made.bounds)
    write_environment(made, tmp_path / "hall.toml")
    assert load_environment(tmp_path / "hall.toml").sha256 == made.sha256


@pytest.mark.parametrize("kind", HALLS)
@pytest.mark.parametrize("seed", range(3))
def test_a_passage_leads_from_a_free_start_to_a_free_goal(kind: str, seed: int) -> None:
    """The start has two radii around it and six ahead, the goal disc is free, and the exact free space connects them, 2 to 20 m apart."""
    made = hall(kind, seed, size=(16.0, 12.0), corners=1500)
    x, y, heading = made.start
    clearance = made.obstacles.clearance
    assert clearance([x, y]) >= 2 * RADIUS
    ahead = np.array([x, y]) + np.linspace(0, 6 * RADIUS, 50)[:, None] * [math.cos(heading), math.sin(heading)]
    assert (clearance(ahead) >= RADIUS).all()
    assert clearance(made.goal[:2]) >= made.goal[2]
    assert 2 <= math.dist((x, y), made.goal[:2]) <= 20
    region = goal_within_reach(made, RADIUS)
    assert region.area == pytest.approx(math.pi * made.goal[2] ** 2, rel=0.01)


@pytest.mark.parametrize("kind", HALLS)
def test_walls_are_ragged(kind: str) -> None:
    """Corners are not on straight lines, as in a measured map: few have both neighbours in one line with them."""
    polygon = max(hall(kind, 1).obstacles.polygons, key=len)
    before, after = np.roll(polygon, 1, axis=0) - polygon, np.roll(polygon, -1, axis=0) - polygon
    turn = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]) / np.hypot(*before.T) / np.hypot(*after.T)
    assert (turn < 1e-3).mean() < 0.1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kind": "room"}, "kind = 'room' must be one of corridors, racks, caves, tracks"),
        ({"size": (5.0, 20.0)}, r"size = \(5.0, 20.0\) must be from 8 to 100 m on each side"),
        ({"corners": 499}, "corners = 499 must be from 500 to 20000"),
        ({"tube_radius": 0.2}, "tube_radius = 0.2 must be from 0.001 to 0.1 m"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any], words: str) -> None:
    """An argument out of its range is refused with its value and the range."""
    with pytest.raises(ValueError, match=words):
        hall(**({"kind": "caves", "seed": 0} | arguments))
