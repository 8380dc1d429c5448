"""Points of a lattice that are free of obstacles."""

import numpy as np
import pytest

from environments import Obstacles, generate_environment, known_environments, load_environment
from planner.search.free_lattice import Lattice, free_points

ALL = [*known_environments(), "random"]


@pytest.mark.parametrize("name", ALL)
def test_it_is_that_of_the_distance_to_obstacles(name: str) -> None:
    """In the shipped environments and in clutter of boxes, polygons and circles, a point is free where Shapely finds it far enough."""
    place = generate_environment(np.random.default_rng(4), density=0.4) if name == "random" else load_environment(name)
    low, step = place.bounds[:2], 0.0163
    shape = tuple(np.ceil((place.bounds[2:] - low) / step).astype(int) + 1)
    x, y = np.meshgrid(low[0] + step * np.arange(shape[0]), low[1] + step * np.arange(shape[1]), indexing="ij")
    for distance in (0.005, 0.0171, 0.06):
        expected = place.solids.clearance(np.stack([x, y], axis=-1)) >= distance
        found = free_points(Lattice(float(low[0]), float(low[1]), step), shape, place.solids, distance)
        np.testing.assert_array_equal(found, expected)
        assert found.any() or distance > 0.05
        assert not found.all()


def test_walls_circles_and_concave_outlines() -> None:
    """A round wall, a bare line, a circle, and an outline with a bay, which reach beyond the lattice: as Shapely finds them."""
    bay = [(0.2, -0.3), (0.9, -0.3), (0.9, 0.5), (0.7, 0.5), (0.55, 0.1), (0.4, 0.5), (0.2, 0.5)]
    walls = [(0.1, 0.7, 1.4, 0.95, 0.06), (1.2, -0.2, 1.25, 0.6, 0.0)]
    solids = Obstacles([bay], [(1.5, 0.3, 0.12)], walls, ends="round")
    x, y = np.meshgrid(0.01 * np.arange(151), 0.01 * np.arange(101), indexing="ij")
    expected = solids.clearance(np.stack([x, y], axis=-1)) >= 0.0333
    found = free_points(Lattice(0.0, 0.0, 0.01), (151, 101), solids, 0.0333)
    np.testing.assert_array_equal(found, expected)
