"""Straight pieces of a noisy path, against lines known beforehand."""

import numpy as np
import pytest

from planner.mapping.sensing.paths import PathPiece, straight_pieces
from surrogate.kernels.compiled import Floats


def bent(counts: tuple[int, ...], headings: tuple[float, ...], step: float = 0.01) -> Floats:
    """A path of equal steps; the corner points belong to the piece before."""
    ways = np.concatenate([np.tile([np.cos(h), np.sin(h)], (n, 1)) for n, h in zip(counts, headings, strict=True)])
    return step * np.cumsum(ways, axis=0)


def test_pieces_of_an_exact_path_are_its_lines() -> None:
    """Three lines without noise: their headings to rounding, and no point that is on another line."""
    path = bent((20, 15, 25), (0.3, -0.5, 2.9))
    found = straight_pieces(path, 1e-6)
    assert [one.heading for one in found] == pytest.approx([0.3, -0.5, 2.9], abs=1e-9)
    assert all(abs(one.aside).max() < 1e-12 for one in found)
    # The point at a corner is on both lines.
    assert [(one.first, one.after) for one in found] == [(0, 19), (20, 34), (35, 60)]


def test_noise_alone_makes_no_pieces() -> None:
    """A straight path with the stated noise stays one piece in at least 95 of 100 cases."""
    rng = np.random.default_rng(0)
    path = bent((60,), (0.7,))
    counts = [len(straight_pieces(path + rng.normal(0, 2e-3, path.shape), 2e-3)) for _ in range(100)]
    assert sum(count == 1 for count in counts) >= 95


def test_a_bend_larger_than_the_noise_is_found() -> None:
    """A bend of 30 degrees between two lines of 20 cm with 2 mm of noise, at its place within 3 cm, in 48 of 50 cases."""
    rng = np.random.default_rng(1)
    path = bent((20, 20), (0.0, np.radians(30)))
    right = 0
    for _ in range(50):
        found = straight_pieces(path + rng.normal(0, 2e-3, path.shape), 2e-3)
        right += len(found) == 2 and 17 <= found[0].after <= found[1].first <= 23
    assert right >= 48


def test_direction_is_not_biased_by_oblique_errors() -> None:
    """Errors along a direction at 45 degrees to the path: the mean heading of 2000 fits is the path's, within 4 standard errors."""
    rng, path = np.random.default_rng(2), bent((12,), (0.0,), 5e-3)
    oblique = np.array([1.0, 1.0]) / np.sqrt(2)
    headings = [PathPiece.of(path + 6e-3 * rng.standard_normal((12, 1)) * oblique, 0, 12).heading for _ in range(2000)]
    assert abs(np.mean(headings)) < 4 * np.std(headings) / np.sqrt(2000)


@pytest.mark.parametrize(("count", "noise"), [(3, 1e-3), (10, 0.0), (10, float("nan"))])
def test_too_few_points_and_no_noise_are_refused(count: int, noise: float) -> None:
    """A line needs points, and distances are divided by the noise."""
    with pytest.raises(ValueError, match="at least 4"):
        straight_pieces(bent((count,), (0.0,)), noise)
