"""Polygons with holes become simple ones."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from environments.importing.cells import outline_cells
from environments.importing.cut import cut_holes, extract_polygons


@settings(max_examples=150, derandomize=True, deadline=None)
@given(arrays(bool, (8, 8), elements=st.sampled_from([True, True, True, False]), fill=st.nothing()), st.floats(0, 3))
def test_cuts_do_not_change_what_is_solid(solid: np.ndarray, turn: float) -> None:
    """The pieces have no holes, are valid, do not overlap, and cover what the polygon covers."""
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    for polygon in outline_cells(solid):
        whole = shapely.transform(polygon, lambda points: points @ turned)
        pieces = cut_holes(whole)
        assert all(piece.is_valid and not piece.interiors for piece in pieces)
        assert sum(piece.area for piece in pieces) == pytest.approx(whole.area)
        assert shapely.union_all(pieces).symmetric_difference(whole).area < 1e-9


def test_a_polygon_without_holes_is_not_cut() -> None:
    """It is returned as it is."""
    plain = shapely.Polygon([(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)])
    assert cut_holes(plain) == [plain]


def test_few_cuts_are_made() -> None:
    """A wall around a 10 x 10 grid of rooms needs no more pieces than three for each room."""
    rooms = [shapely.box(x, y, x + 0.8, y + 0.8) for x in range(10) for y in range(10)]
    walls = shapely.box(-1, -1, 11, 11).difference(shapely.union_all(rooms))
    assert len(walls.interiors) == 100
    assert len(cut_holes(walls)) <= 300


def test_areas_are_found_within_collections_of_collections() -> None:
    """Polygons in a multipolygon in a collection count; lines and points do not."""
    boxes = shapely.box(0, 0, 1, 1), shapely.box(2, 0, 3, 1), shapely.box(5, 5, 6, 6)
    nested = shapely.GeometryCollection([shapely.MultiPolygon(boxes[:2]), boxes[2], shapely.Point(9, 9)])
    assert extract_polygons(nested) == [*boxes]
