"""Curves that become lines, and affine maps."""

import itertools
import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.importing.curves import apply_map, arc, bezier, bulge_arc, circle, compose, largest_stretch
from environments.importing.traced import UnusableFile

numbers = st.integers(-5000, 5000).map(lambda number: number / 1000)
points = st.tuples(numbers, numbers).map(np.array)


def furthest(curve: np.ndarray, lines: np.ndarray) -> float:
    """Largest distance of points on a curve from lines."""
    return float(shapely.distance(shapely.points(curve), shapely.LineString(lines)).max())


@settings(max_examples=50, deadline=None)
@given(points, points, points, numbers, numbers, st.floats(1e-4, 0.5))
def test_an_arc_is_nowhere_further_from_its_chords_than_the_sagitta(
    centre: np.ndarray, major: np.ndarray, minor: np.ndarray, start: float, sweep: float, sagitta: float
) -> None:
    """Also that of an ellipse with any conjugate half diameters; its ends are exact."""
    chords = arc(centre, major, minor, start, sweep, sagitta)
    turn = start + sweep * np.linspace(0, 1, 2001)[:, None]
    curve = centre + np.cos(turn) * major + np.sin(turn) * minor
    assert furthest(curve, chords) <= sagitta * (1 + 1e-6) + 1e-12
    np.testing.assert_allclose(chords[[0, -1]], curve[[0, -1]], atol=1e-12)


@pytest.mark.parametrize(("radius", "sagitta"), [(1.0, 1e-4), (0.05, 1e-4), (250.0, 1e-4), (1.0, 1e-9)])
def test_a_circle_has_no_more_chords_than_it_needs(radius: float, sagitta: float) -> None:
    """The sagitta of n chords is radius (1 - cos(pi / n)): within the limit for n, beyond it for n - 1."""
    count = len(circle(np.zeros(2), radius, sagitta)) - 1
    assert radius * (1 - math.cos(math.pi / count)) <= sagitta * (1 + 1e-6)
    assert radius * (1 - math.cos(math.pi / (count - 1))) > sagitta * (1 - 1e-6)


@settings(max_examples=50, deadline=None)
@given(st.lists(points, min_size=3, max_size=4), st.floats(1e-3, 0.5))
def test_a_bezier_curve_is_nowhere_further_from_its_chords_than_the_sagitta(
    control: list[np.ndarray], sagitta: float
) -> None:
    """Compared with de Casteljau's construction of the curve."""
    level = [np.tile(point, (501, 1)) for point in control]
    at = np.linspace(0, 1, 501)[:, None]
    while len(level) > 1:
        level = [(1 - at) * a + at * b for a, b in itertools.pairwise(level)]
    chords = bezier(np.array(control), sagitta)
    assert furthest(level[0], chords) <= sagitta * (1 + 1e-6) + 1e-12
    np.testing.assert_allclose(chords[[0, -1]], [control[0], control[-1]], atol=1e-12)


@pytest.mark.parametrize(
    ("bulge", "lowest", "centre"),
    [(1.0, -1.0, (1.0, 0.0)), (-1.0, 1.0, (1.0, 0.0)), (math.tan(math.pi / 8), 1 - math.sqrt(2), (1.0, 1.0))],
)
def test_a_bulge_is_an_arc_to_the_right_of_its_chord_if_positive(
    bulge: float, lowest: float, centre: tuple[float, float]
) -> None:
    """A half and a quarter of a circle from (0, 0) to (2, 0), anticlockwise with a positive bulge."""
    arc_points = bulge_arc(np.array([0.0, 0.0]), np.array([2.0, 0.0]), bulge, 1e-6)
    extreme = arc_points[np.abs(arc_points[:, 1]).argmax(), 1]
    assert extreme == pytest.approx(lowest, abs=1e-5)
    np.testing.assert_allclose(np.hypot(*(arc_points - centre).T), math.hypot(*centre), rtol=1e-12)


def test_maps_are_joined_inner_first() -> None:
    """A translation after a rotation by 90 degrees."""
    turn, shift = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 5.0], [0.0, 1.0, 0.0]])
    np.testing.assert_allclose(apply_map(compose(shift, turn), np.array([[1.0, 0.0]])), [[5.0, 1.0]])


@settings(max_examples=50, deadline=None)
@given(points, points)
def test_the_stretch_of_a_map_is_its_largest_singular_value(a: np.ndarray, b: np.ndarray) -> None:
    """It is the same in all directions only where both singular values are equal."""
    matrix = np.column_stack([a, b, np.zeros(2)])
    large, small = np.linalg.svd(matrix[:, :2], compute_uv=False)
    factor, alike = largest_stretch(matrix)
    assert factor == pytest.approx(large, abs=1e-12)
    if large - small > 1e-6 * large:
        assert not alike
    for mirror in (1, -1):
        same = np.array([[a[0], -mirror * a[1], 0.0], [a[1], mirror * a[0], 0.0]])
        assert largest_stretch(same) == (pytest.approx(math.hypot(*a)), True)


@pytest.mark.parametrize("radius", [1e10, 1e300])
def test_curves_that_need_too_many_points_are_refused(radius: float) -> None:
    """Before they are made."""
    with pytest.raises(UnusableFile, match="more than 100000 points"):
        circle(np.zeros(2), radius, 1e-4)
