import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from environments.obstacles import Obstacles, box_corners

L_SHAPE = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ((0.5, 1.5), 0.0),  # in the upright of the L
        ((1.5, 1.5), 0.5),  # in its notch: outside, though inside the convex hull
        ((3.0, 2.0), math.sqrt(2)),  # from the corner (2, 1)
        ((-1.0, 1.0), 1.0),
    ],
)
def test_clearance_of_a_concave_polygon(point: tuple[float, float], expected: float) -> None:
    """The clearance of an L-shaped polygon is that of the L, not of its hull, for both orientations."""
    for corners in (L_SHAPE, L_SHAPE[::-1]):
        assert Obstacles(polygons=(corners,)).clearance(np.array(point)) == pytest.approx(expected, abs=1e-12)


@given(st.floats(0.1, 5), st.floats(0, 10), st.floats(-math.pi, math.pi))
def test_clearance_of_a_circle_is_exact(radius: float, distance: float, angle: float) -> None:
    """The clearance of a circle is the distance to its centre minus its radius, and 0 inside."""
    circle = Obstacles(circles=np.array([[1.0, -2.0, radius]]))
    point = np.array([1 + distance * math.cos(angle), -2 + distance * math.sin(angle)])
    assert circle.clearance(point) == pytest.approx(max(0.0, distance - radius), abs=1e-12)


@pytest.mark.parametrize(
    ("point", "thickness", "expected"),
    [
        ((5.0, 3.0), 0.0, 3.0),  # beside
        ((5.0, 3.0), 2.0, 2.0),
        ((13.0, 4.0), 0.0, 5.0),  # past the end: 3-4-5 triangle
        ((13.0, 4.0), 2.0, 4.0),  # round cap
        ((5.0, 0.5), 2.0, 0.0),  # within the thickness
        ((5.0, 0.0), 0.0, 0.0),
    ],
)
def test_clearance_of_a_wall(point: tuple[float, float], thickness: float, expected: float) -> None:
    """The clearance of a wall is the distance to its segment minus half its thickness, and 0 inside."""
    wall = Obstacles(walls=[[0.0, 0.0, 10.0, 0.0, thickness]], ends="round")
    assert wall.clearance(np.array(point)) == pytest.approx(expected, abs=1e-12)


def test_clearance_takes_the_nearest_of_all_kinds_in_any_shape_of_points() -> None:
    """Points of shape (2, 2, 2) give distances of shape (2, 2), each to the nearest obstacle of any kind."""
    obstacles = Obstacles(
        polygons=(box_corners(0, 0, 1, 1), box_corners(0, 10, 1, 11)),
        circles=np.array([[10.0, 0.0, 1.0]]),
        walls=np.array([[20.0, -5.0, 20.0, 5.0, 0.5]]),
        ends="round",
    )
    points = np.array([[[2.0, 0.5], [0.5, 9.0]], [[8.0, 0.0], [19.0, 0.0]]])
    np.testing.assert_allclose(obstacles.clearance(points), [[1.0, 1.0], [1.0, 0.75]], atol=1e-12)


def test_no_obstacles() -> None:
    """Without obstacles the clearance is infinite and there are no shapes; no points give no distances."""
    assert Obstacles().clearance(np.zeros((3, 2))).tolist() == [math.inf] * 3
    assert Obstacles().shapes() == []
    assert Obstacles(polygons=(L_SHAPE,)).clearance(np.zeros((0, 2))).shape == (0,)


def test_shapes_have_the_areas_of_their_closed_forms() -> None:
    """Shapes are in the order polygons, circles, walls and have the analytic areas; a bare wall is a line of its length."""
    obstacles = Obstacles(
        polygons=(L_SHAPE,),
        circles=np.array([[0.0, 0.0, 2.0]]),
        walls=np.array([[0.0, 0.0, 3.0, 4.0, 0.0], [0.0, 0.0, 3.0, 4.0, 0.2]]),
        ends="round",
    )
    polygon, circle, line, wall = obstacles.shapes()
    assert polygon.area == 3.0
    assert circle.area == pytest.approx(4 * math.pi, rel=2e-4)
    assert (line.geom_type, line.length, line.area) == ("LineString", 5.0, 0.0)
    assert wall.area == pytest.approx(5 * 0.2 + math.pi * 0.1**2, rel=2e-4)


def test_corners_of_a_box() -> None:
    """A box becomes its four corners, anticlockwise from the lower left."""
    assert box_corners(1, 2, 3, 4).tolist() == [[1, 2], [3, 2], [3, 4], [1, 4]]


EVERY_KIND = Obstacles(
    polygons=(L_SHAPE, box_corners(2, 0, 3, 4)),
    circles=np.array([[5.0, 1.0, 0.5]]),
    walls=np.array([[0.0, 6.0, 3.0, 10.0, 0.2], [0.0, 12.0, 6.0, 12.0, 0.0]]),
    ends="round",
)


def test_widths_are_the_shorter_sides() -> None:
    """The width of a box at any angle is its shorter side, of a circle its diameter, of a wall its thickness."""
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    turned = Obstacles(polygons=(box_corners(2, 0, 3, 4) @ turn,))
    assert turned.widths() == pytest.approx([1.0])
    assert EVERY_KIND.widths()[1:] == pytest.approx([1.0, 1.0, 0.2, 0.0])
    assert Obstacles().widths().shape == (0,)
    assert (len(EVERY_KIND), len(Obstacles())) == (5, 0)


@pytest.mark.parametrize("corners", [31, 32, 33, 64, 65, 500])
def test_distances_from_long_outlines_are_those_of_the_polygons(corners: int) -> None:
    """A star of many corners beside a triangle: to the last bit the distance that Shapely finds from the whole polygons, and 0 within."""
    turn = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    star = (1 + 0.3 * np.cos(7 * turn))[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    obstacles = Obstacles([star, [(2, 2), (3, 2), (2, 3)]])
    points = np.vstack([np.random.default_rng(0).uniform(-3, 4, (3000, 2)), star, star[[-1]] / 2 + star[[0]] / 2])
    expected = np.min(
        [shapely.distance(shapely.Polygon(one), shapely.points(points)) for one in obstacles.polygons], axis=0
    )
    found = obstacles.clearance(points)
    np.testing.assert_array_equal(found, expected)
    assert (found == 0).sum() > 200
