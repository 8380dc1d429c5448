"""Environments sampled from a belief."""

import numpy as np
import shapely
from scipy import ndimage

from planner.mapping.belief import Belief
from planner.mapping.grid import CELLS, CellGrid, covered_cells, squares
from planner.mapping.sampling import kept_free, sample_environment

GRID = CellGrid.of(np.array([0.0, 0.0, 1.0, 1.0]))
POINTS, RADIUS = np.array([[1 / 3, 0.0], [2 / 3, 0.0]]), 0.01
FREE = kept_free(POINTS, RADIUS)


def beliefs(rng: np.random.Generator, count: int) -> list[Belief]:
    """Beliefs with scattered hits and misses, some hits beside a launch point."""
    found = []
    for share in rng.uniform(0, 0.06, count):
        hits = rng.random((CELLS, CELLS)) < share
        hits[:2, 10:13] = rng.random((2, 3)) < 0.5
        found.append(Belief(hits, rng.random((CELLS, CELLS)) < 0.3, 0.2))
    return found


def test_properties_of_samples() -> None:
    """Hits lie in obstacles, launch points do not; there are 6 to 8 obstacles, or as many as groups with hits."""
    rng = np.random.default_rng(4)
    for belief in beliefs(rng, 60):
        sample = sample_environment(belief, GRID, FREE, rng)
        solid = shapely.union_all(sample.shapes)
        missing = shapely.union_all(squares(GRID, belief.hits)).difference(FREE).difference(solid.buffer(1e-9))
        assert missing.area < 1e-12
        assert (shapely.distance(solid, shapely.points(POINTS)) >= 2 * RADIUS).all()
        most = ndimage.label(belief.hits, np.ones((3, 3)))[1]
        assert 6 <= len(sample.shapes) <= max(8, most)
        assert np.array_equal(sample.rubric, covered_cells(GRID, sample.shapes))


def test_a_known_environment_is_reproduced() -> None:
    """If every cell has been seen, the sample consists of the hulls of the hits."""
    hits = np.zeros((CELLS, CELLS), bool)
    hits[10:13, 5:9] = hits[20:22, 20:22] = True
    sample = sample_environment(Belief(hits, ~hits, 0.2), GRID, FREE, np.random.default_rng(0))
    assert len(sample.shapes) == 2
    assert np.array_equal(sample.rubric, hits)


def test_hulls_are_convex_and_the_largest_are_taken() -> None:
    """Without hits, all obstacles are convex, and no omitted group is larger than a chosen one."""
    seed, belief = 5, Belief.blank(0.2)
    sample = sample_environment(belief, GRID, kept_free(np.array([[9.0, 9.0]]), RADIUS), np.random.default_rng(seed))
    assert all(shape.equals(shape.convex_hull) for shape in sample.shapes)
    groups, count = ndimage.label(np.random.default_rng(seed).random((CELLS, CELLS)) < 0.2, np.ones((3, 3)))
    sizes = sorted((np.sum(groups == k) for k in range(1, count + 1)), reverse=True)
    centres = squares(GRID, groups > 0)
    filled = [np.sum(shapely.contains(shape.buffer(1e-9), centres)) for shape in sample.shapes]
    # A hull covers at least its own cells, and may cover others.
    assert all(has >= size for has, size in zip(filled, sizes, strict=False))


def test_samples_are_reproducible() -> None:
    """Equal beliefs and seeds give equal environments."""
    belief = beliefs(np.random.default_rng(6), 1)[0]
    one, other = (sample_environment(belief, GRID, FREE, np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(one.rubric, other.rubric)
