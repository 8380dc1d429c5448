"""Areas within curves, by the two fill rules."""

import math

import numpy as np
import pytest
import shapely

from environments.importing.rings import CrossingCount, area_of, thicken
from environments.importing.traced import UnusableFile

SQUARE = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
INNER = np.array([[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]])
CORE = INNER / 2 + 1.0
TURN = np.arange(5) * 4 * math.pi / 5
PENTAGRAM = np.column_stack([np.cos(TURN), np.sin(TURN)])
GOLDEN = (1 + math.sqrt(5)) / 2
STAR = 5 * math.sin(math.pi / 5) / GOLDEN**2
"""Area of a pentagram in the unit circle; its inner corners are at the distance 1 / GOLDEN^2."""
PENTAGON = 2.5 * math.sin(2 * math.pi / 5) / GOLDEN**4
"""Area within these corners."""


def total(rings: list[np.ndarray], even_odd: bool) -> float:
    parts = area_of(rings, CrossingCount(), even_odd)
    assert all(part.is_valid for part in parts)
    return float(shapely.area(np.array(parts)).sum())


@pytest.mark.parametrize(
    ("rings", "even_odd", "nonzero"),
    [
        ([SQUARE], 16, 16),
        ([SQUARE, INNER], 12, 16),
        ([SQUARE, INNER[::-1]], 12, 12),
        ([SQUARE[::-1], INNER], 12, 12),
        ([SQUARE, INNER, CORE], 13, 16),
        ([SQUARE, INNER[::-1], CORE], 13, 13),
        ([SQUARE, INNER[::-1], CORE[::-1]], 13, 13),
        ([SQUARE, INNER + 2.0], 16 - 1 + 3, 19),
        ([SQUARE, INNER[::-1] + 2.0], 16 - 1 + 3, 16 - 1 + 3),
        ([SQUARE, SQUARE + np.array([10.0, 0.0])], 32, 32),
        ([PENTAGRAM], STAR - PENTAGON, STAR),
    ],
)
def test_areas_follow_the_fill_rule(rings: list[np.ndarray], even_odd: float, nonzero: float) -> None:
    """By even-odd every second curve is a hole; by nonzero only one that runs the other way; curves may cross."""
    assert total(rings, True) == pytest.approx(even_odd)
    assert total(rings, False) == pytest.approx(nonzero)


@pytest.mark.parametrize("ring", [SQUARE[:2], SQUARE[:1], np.zeros((5, 2)), SQUARE[[0, 1, 0]], SQUARE[[0, 1, 2, 1]]])
def test_curves_around_nothing_have_no_area(ring: np.ndarray) -> None:
    """A line there and back, or one point, is no polygon."""
    assert area_of([ring], CrossingCount()) == []


def test_thick_lines_have_flat_ends_and_mitred_corners() -> None:
    """An L of 3 x 2 m, 0.2 m thick; a closed line is a ring with full corners; a line of no length is nothing."""
    (bent,) = thicken(np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 2.0]]), 0.2, CrossingCount())
    assert bent.area == pytest.approx(3 * 0.2 + 2 * 0.2)
    assert bent.bounds == pytest.approx((0, -0.1, 3.1, 2))
    (ring,) = thicken(np.append(SQUARE, SQUARE[:1], axis=0), 0.2, CrossingCount())
    assert ring.area == pytest.approx(4.2**2 - 3.8**2)
    assert thicken(np.zeros((4, 2)), 0.2, CrossingCount()) == []


def test_a_long_curve_that_crosses_itself_is_refused() -> None:
    """It could have as many crossings as pairs of its sides."""
    turn = np.arange(5001) * math.tau * 2500 / 5001
    with pytest.raises(UnusableFile, match="too many points on outlines that cross themselves"):
        area_of([np.column_stack([np.cos(turn), np.sin(turn)])], CrossingCount())
