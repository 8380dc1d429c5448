"""Outlines of the cells of a grid."""

import numpy as np
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from environments.importing.cells import outline_cells

GRIDS = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(lambda shape: arrays(bool, shape, fill=st.nothing()))


def squares(solid: np.ndarray) -> shapely.Geometry:
    """The union of the solid cells, by shapely."""
    rows, columns = np.nonzero(solid)
    return shapely.union_all(shapely.box(columns, rows, columns + 1, rows + 1))


@settings(max_examples=300, derandomize=True, deadline=None)
@given(GRIDS)
def test_outlines_enclose_exactly_the_solid_cells(solid: np.ndarray) -> None:
    """The polygons are valid, do not overlap, and their union is that of the squares, as many as pieces connected by edges."""
    polygons = outline_cells(solid)
    assert all(polygon.is_valid for polygon in polygons)
    assert sum(polygon.area for polygon in polygons) == solid.sum()
    if solid.any():
        merged = squares(solid)
        assert shapely.union_all(polygons).equals(merged)
        # Shapely's pieces also touch at most at corners.
        assert len(polygons) == len(shapely.get_parts(merged))


def test_pieces_that_touch_one_another_at_several_corners() -> None:
    """No polygon is valid whose inside falls apart where it touches itself."""
    two = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]], bool)
    assert sorted(polygon.area for polygon in outline_cells(two)) == [2.0] * 4
    twice = np.ones((7, 7), bool)
    twice[[2, 3, 4, 3], [3, 2, 3, 4]] = False
    middle, around = sorted(outline_cells(twice), key=lambda polygon: polygon.area)
    assert middle.equals(shapely.box(3, 3, 4, 4))
    assert around.is_valid
    assert len(around.interiors) == 1
    assert around.area == 44


def test_corners_are_only_where_the_outline_turns() -> None:
    """A rectangle of cells has four corners, whatever its size."""
    solid = np.zeros((50, 70), bool)
    solid[10:30, 5:60] = True
    (polygon,) = outline_cells(solid)
    assert shapely.get_num_coordinates(polygon) == 5
    assert polygon.equals(shapely.box(5, 10, 60, 30))


def test_pieces_that_touch_at_a_corner_stay_apart_and_a_hole_may_touch_its_outline() -> None:
    """Two cells on a diagonal are two polygons; a free cell that touches the outside at a corner is a hole."""
    assert len(outline_cells(np.eye(2, dtype=bool))) == 2
    ring = np.ones((3, 3), bool)
    ring[1, 1] = ring[0, 0] = False
    (polygon,) = outline_cells(ring)
    assert polygon.is_valid
    assert len(polygon.interiors) == 1
    assert polygon.exterior.intersection(polygon.interiors[0]).equals(shapely.Point(1, 1))
