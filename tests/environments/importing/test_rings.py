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


def test_a_long_outline_that_hardly_crosses_itself_is_read() -> None:
    """A gear of 30 000 teeth, each of which crosses itself once: what counts is how many sides may cross, not how many points there are."""
    count = 30_000
    turn = np.repeat(np.arange(count) * math.tau / count, 2)
    # The two corners of each tooth are the wrong way round.
    turn += np.tile([0.75, 0.25], count) * math.tau / count
    radius = np.tile([1.0, 1.001], count)
    parts = area_of([np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])], CrossingCount(), even_odd=False)
    assert sum(part.area for part in parts) == pytest.approx(math.pi * 1.0005**2, rel=1e-3)


def test_a_hatch_of_thousands_of_lines_is_read() -> None:
    """One line that goes to and fro: its area is that of its sides."""
    x = np.arange(2000) * 0.01
    hatch = np.column_stack([np.repeat(x, 2), np.tile([0, 5, 5, 0], 1000)])
    (area,) = thicken(hatch, 0.001, CrossingCount())
    assert area.area == pytest.approx(2000 * 5 * 0.001 + 1999 * 0.009 * 0.001, rel=1e-3)


def test_a_long_curve_that_crosses_itself_is_refused() -> None:
    """It could have as many crossings as pairs of its sides."""
    turn = np.arange(5001) * math.tau * 2500 / 5001
    with pytest.raises(UnusableFile, match="outlines that cross themselves"):
        area_of([np.column_stack([np.cos(turn), np.sin(turn)])], CrossingCount())
