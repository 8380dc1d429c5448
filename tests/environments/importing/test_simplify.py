"""Outlines with fewer corners."""

import numpy as np
import pytest
import shapely
from scipy import ndimage
from shapely.affinity import rotate, translate

from environments.importing.cells import outlines
from environments.importing.simplify import simplified


def blobs(seed: int) -> list[shapely.Polygon]:
    """Outlines of smooth and of noisy spots, with holes."""
    generator = np.random.default_rng(seed)
    size = int(generator.integers(5, 45))
    field = ndimage.gaussian_filter(generator.random((size, size)), generator.uniform(0, 3))
    return outlines(field > np.quantile(field, generator.random()))


def apart(one: shapely.Geometry, other: shapely.Geometry) -> float:
    """The Hausdorff distance of two outlines, by shapely, in both directions."""
    return float(shapely.hausdorff_distance(one.boundary, other.boundary, densify=0.02))


@pytest.mark.parametrize("tolerance", [0.4, 0.5, 1.0, 3.0])
def test_outlines_move_by_no_more_than_is_said_and_allowed(tolerance: float) -> None:
    """Compared with shapely's Hausdorff distance; polygons stay valid, and keep their holes."""
    corners = np.zeros(2, int)
    for seed in range(20):
        before = blobs(seed)
        after, moved = simplified(before, tolerance)
        assert moved <= tolerance * 1.000001
        assert all(polygon.is_valid for polygon in after)
        assert [len(one.interiors) for one in after] == [len(one.interiors) for one in before]
        assert max(map(apart, before, after), default=0.0) <= moved + 1e-9
        corners += [shapely.get_num_coordinates(some).sum() for some in (before, after)]
    assert corners[1] < corners[0]


def test_the_distance_that_is_said_is_the_hausdorff_distance_of_a_notch() -> None:
    """A notch of depth 0.2 in a long side is gone within 0.25, and the distance is its depth."""
    notched = shapely.Polygon([(0, 0), (10, 0), (10, 5), (6, 5), (6, 4.8), (5, 4.8), (5, 5), (0, 5)])
    (plain,), moved = simplified([notched], 0.25)
    assert plain.equals(shapely.box(0, 0, 10, 5))
    assert moved == pytest.approx(0.2)
    (same,), none = simplified([notched], 0.15)
    assert same.equals(notched)
    assert none == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("slope", [(1, 1), (1, 2), (1, 5), (-1, 3)])
def test_the_stairs_of_a_slanted_wall_become_a_few_straight_lines(slope: tuple[int, int]) -> None:
    """Within half a cell, a regular stair keeps at most two corners between its ends, on both sides of the wall."""
    rise, run = slope
    row, column = np.mgrid[0:120, 0:120]
    solid = np.abs(row - 60 - np.floor_divide(rise * (column - 60), run)) <= 4
    (before,) = outlines(solid & (column > 20) & (column < 100))
    (polygon,), moved = simplified([before], 0.5)
    assert shapely.get_num_coordinates(polygon) <= 13 <= shapely.get_num_coordinates(before) / 5
    assert moved <= 0.5


def test_corners_at_which_outlines_touch_are_kept() -> None:
    """No gap opens between two stairs that meet at a corner: the way between them stays closed."""
    row, column = np.mgrid[0:40, 0:40]
    stairs = (column >= row) & (column < row + 6)
    lower, upper = stairs & (row < 20), stairs & (row >= 20) & (column >= 25)
    polygons = outlines(lower | upper)
    assert len(polygons) == 2
    assert polygons[0].touches(polygons[1])
    after, _ = simplified(polygons, 0.5)
    assert after[0].distance(after[1]) == 0.0


def test_thin_rooms_do_not_cross_their_walls() -> None:
    """Two rooms a tenth of the tolerance apart stay two holes of a valid polygon, in any position."""
    teeth = [(x, 0.9 * (x % 2)) for x in range(20)]
    rooms = (
        shapely.Polygon([*teeth, (19, 6), (0, 6)]),
        shapely.Polygon([*[(x, y - 0.1) for x, y in teeth], (19, -6), (0, -6)]),
    )
    walls = rotate(translate(shapely.box(-1, -7, 20, 7).difference(shapely.union_all(rooms)), 3, 7), 20)
    (after,), moved = simplified([walls], 1.0)
    assert after.is_valid
    assert len(after.interiors) == len(walls.interiors) == 2
    assert apart(walls, after) <= moved + 1e-9
