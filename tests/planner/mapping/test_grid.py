"""Cells covered by shapes, and cells marked by deployments."""

import numpy as np
import pytest
import shapely

from dynamics.geometric.trace import Trace, new_trace
from planner.mapping.grid import BORDER, CELLS, CellGrid, covered_cells, mark, see, squares

UNIT = CellGrid(0.0, 0.0, 1.0, 1.0)
EVERY = np.ones((CELLS, CELLS), bool)


def marked(corners: np.ndarray, half: float = 0.5) -> np.ndarray:
    cells = np.zeros((CELLS, CELLS), bool)
    mark(cells, *corners.ravel(), half)
    return cells


def trace_of(nodes: np.ndarray, swept: np.ndarray, contacts: np.ndarray) -> Trace:
    """A hand-made trace."""
    trace = new_trace()
    for k, (room, part) in enumerate(
        zip((trace.nodes, trace.swept, trace.contacts), (nodes, swept, contacts), strict=True)
    ):
        room[: len(part)] = part
        trace.counts[k] = len(part)
    return trace


def seen(trace: Trace, rubric: np.ndarray, grid: CellGrid = UNIT) -> tuple[np.ndarray, np.ndarray]:
    hits, misses = np.zeros_like(rubric), np.zeros_like(rubric)
    see(trace, grid, rubric, hits, misses)
    return hits, misses


@pytest.mark.parametrize("corners", [3, 2, 1])
def test_marks_the_cells_that_shapely_finds(corners: int) -> None:
    """Triangles, segments and points, partly outside the grid, intersect the same cells as in shapely."""
    rng = np.random.default_rng(corners)
    every = squares(UNIT, EVERY)
    for size in np.exp(rng.uniform(np.log(0.01), np.log(60), 300)):
        points = rng.uniform(-3, CELLS + 3, 2) + size * rng.uniform(-1, 1, (corners, 2))
        points = points[[0, min(1, corners - 1), corners - 1]]
        shape = [shapely.Point(points[0]), shapely.LineString(points[:2]), shapely.Polygon(points)][corners - 1]
        expected = shapely.intersects(shape, every).reshape(CELLS, CELLS)
        assert np.array_equal(marked(points), expected)


def test_touching_a_border_does_not_mark_the_cell_beyond() -> None:
    """A triangle on whole cells marks only those inside, despite rounding; a wider margin also marks its neighbours."""
    square = np.array([[3.0, 4.0], [5.0, 4.0], [5.0, 6.0]])
    for shift in (0.0, 1e-12, -1e-12):
        inside = marked(square + shift, 0.5 - BORDER)
        assert np.argwhere(inside).tolist() == [[4, 3], [4, 4], [5, 4]]
        assert marked(square + shift, 0.5 + BORDER)[3:7, 2:6].sum() > 3


def test_squares_and_covered_agree_for_any_bounds() -> None:
    """A box on whole cells covers exactly these, in bounds that are not square and do not start at 0."""
    grid = CellGrid.of(np.array([-1.0, 2.0, 6.0, 16.0]))
    assert (grid.width, grid.height) == pytest.approx((0.2, 0.4))
    cells = covered_cells(grid, [shapely.box(-1 + 4 * 0.2, 2 + 7 * 0.4, -1 + 6 * 0.2, 2 + 10 * 0.4)])
    expected = np.zeros_like(cells)
    expected[7:10, 4:6] = True
    assert np.array_equal(cells, expected)
    merged = shapely.union_all(squares(grid, cells))
    assert merged.area == pytest.approx(6 * 0.2 * 0.4)


def test_nothing_is_covered_without_obstacles() -> None:
    """An empty environment has an empty rubric."""
    assert not covered_cells(UNIT, []).any()


def test_contact_on_a_border_is_in_the_covered_cell() -> None:
    """An obstacle's side on a border of cells is a hit only in the covered cell, whatever the rounding."""
    rubric = covered_cells(UNIT, [shapely.box(10, 10, 14, 12)])
    nodes = np.array([[5.5, 0.5], [5.5, 1.5]])
    for shift in (0.0, 1e-12, -1e-12):
        contacts = np.array([[10 + shift, 10.5, 10 + shift, 11.5], [14 + shift, 10.5, 14 + shift, 10.5]])
        hits, _ = seen(trace_of(nodes, np.empty((0, 3, 2)), contacts), rubric)
        assert np.argwhere(hits).tolist() == [[10, 10], [10, 13], [11, 10]]


def test_axis_and_swept_area_are_misses() -> None:
    """The final shape and all swept triangles are found free, in metres."""
    grid = CellGrid(-1.0, -2.0, 0.1, 0.2)
    nodes = np.array([[-0.95, -1.9], [-0.95, -1.1], [-0.65, -1.1]])
    swept = np.array([[[0.01, 0.01], [0.09, 0.01], [0.05, 0.19]]])
    _, misses = seen(trace_of(nodes, swept, np.empty((0, 4))), np.zeros((CELLS, CELLS), bool), grid)
    # Columns 0 to 3 of the fifth row are marked by the second link, which passes through its middle.
    assert np.argwhere(misses).tolist() == [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [4, 1], [4, 2], [4, 3], [10, 10]]
