"""Outlines with fewer corners."""

import numpy as np
import pytest
import shapely
from scipy import ndimage
from shapely.affinity import rotate, translate

from environments.importing.cells import outline_cells
from environments.importing.simplify import simplify_polygons


def blobs(seed: int) -> list[shapely.Polygon]:
    """Outlines of smooth and of noisy spots in a grid, with holes, and of bars that lie across one another."""
    generator = np.random.default_rng(seed)
    if seed % 3 == 0:
        bars = [shapely.box(0, 0, *generator.uniform(0.3, 12, 2) * [1, 0.2]) for _ in range(20)]
        laid = [translate(rotate(bar, generator.uniform(0, 180)), *generator.uniform(0, 12, 2)) for bar in bars]
        return [part for part in shapely.get_parts(shapely.union_all(laid)) if part.area]
    size = int(generator.integers(5, 45))
    field = ndimage.gaussian_filter(generator.random((size, size)), generator.uniform(0, 3))
    return outline_cells(field > np.quantile(field, generator.random()))


def apart(one: shapely.Geometry, other: shapely.Geometry) -> float:
    """The Hausdorff distance of two outlines, by shapely, in both directions."""
    return float(shapely.hausdorff_distance(one.boundary, other.boundary, densify=0.02))


@pytest.mark.parametrize("tolerance", [0.4, 0.5, 1.0, 3.0])
def test_outlines_move_by_no_more_than_is_said_and_allowed(tolerance: float) -> None:
    """Compared with shapely's Hausdorff distance; polygons stay valid, and keep their holes."""
    corners = np.zeros(2, int)
    for seed in range(20):
        before = blobs(seed)
        after, moved = simplify_polygons(before, tolerance)
        assert moved <= tolerance * 1.000001
        assert all(polygon.is_valid for polygon in after)
        assert [len(one.interiors) for one in after] == [len(one.interiors) for one in before]
        assert max(map(apart, before, after), default=0.0) <= moved + 1e-9
        corners += [shapely.get_num_coordinates(some).sum() for some in (before, after)]
    assert corners[1] < corners[0]


def test_the_distance_that_is_said_is_the_hausdorff_distance_of_a_notch() -> None:
    """A notch of depth 0.2 in a long side is gone within 0.25, and the distance is its depth."""
    notched = shapely.Polygon([(0, 0), (10, 0), (10, 5), (6, 5), (6, 4.8), (5, 4.8), (5, 5), (0, 5)])
    (plain,), moved = simplify_polygons([notched], 0.25)
    assert plain.equals(shapely.box(0, 0, 10, 5))
    assert moved == pytest.approx(0.2)
    (same,), none = simplify_polygons([notched], 0.15)
    assert same.equals(notched)
    assert none == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("slope", [(1, 1), (1, 2), (1, 5), (-1, 3)])
def test_the_stairs_of_a_slanted_wall_become_a_few_straight_lines(slope: tuple[int, int]) -> None:
    """Within half a cell, a regular stair keeps at most two corners between its ends, on both sides of the wall."""
    rise, run = slope
    row, column = np.mgrid[0:120, 0:120]
    solid = np.abs(row - 60 - np.floor_divide(rise * (column - 60), run)) <= 4
    (before,) = outline_cells(solid & (column > 20) & (column < 100))
    (polygon,), moved = simplify_polygons([before], 0.5)
    assert shapely.get_num_coordinates(polygon) <= 13 <= shapely.get_num_coordinates(before) / 5
    assert moved <= 0.5


def test_corners_at_which_outlines_touch_are_kept() -> None:
    """No gap opens between two stairs that meet at a corner: the way between them stays closed."""
    row, column = np.mgrid[0:20, 0:20]
    before = outline_cells(row != column)
    assert len(before) == 2
    after, _ = simplify_polygons(before, 0.5)
    assert shapely.get_num_coordinates(before[0].intersection(before[1])) == 19
    assert after[0].intersection(after[1]).equals(before[0].intersection(before[1]))


def test_thin_rooms_do_not_cross_their_walls() -> None:
    """Two rooms a tenth of the tolerance apart stay two holes of a valid polygon, in any position."""
    teeth = np.array([(x, 0.9 * (x % 2)) for x in range(21)])
    # One row of teeth ends low, the other high: the lines between the ends of each would cross.
    upper = shapely.Polygon([*teeth, (20, 6), (0, 6)])
    lower = shapely.Polygon([*(teeth[1:-1] - [0, 0.1]), (19, -6), (1, -6)])
    rooms = upper, lower
    ripples = [(21 + 0.6 * (y % 2), y) for y in range(-7, 8)]
    walls = shapely.Polygon([(-1, 7), (-1, -7), *ripples]).difference(shapely.union_all(rooms))
    walls = rotate(translate(walls, 3, 7), 20)
    (after,), moved = simplify_polygons([walls], 1.0)
    # What need not be kept at one place is not kept because of another.
    assert shapely.get_num_coordinates(after.exterior) == 5
    assert after.is_valid
    assert len(after.interiors) == len(walls.interiors) == 2
    assert apart(walls, after) <= moved + 1e-9
