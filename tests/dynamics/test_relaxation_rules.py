"""When a vine counts as at rest, and how long the steps to its rest are, by themselves."""

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.quasistatic.relaxation import RelaxationProgress, at_rest, share_to_rest
from dynamics.tube import VineParams
from environments import Environment


@pytest.mark.parametrize(
    ("motion", "time", "growth", "expected"),
    [
        (0.9e-3, 1.0, 0.0, True),
        (1.1e-3, 1.0, 0.0, False),
        (0.4e-3, 0.05, 0.0, True),  # a step half as long as those that count fully may leave half the motion
        (0.6e-3, 0.05, 0.0, False),
        (1.9e-5, 1e-6, 0.0, True),  # its contacts come and go
        (2.1e-5, 1e-6, 0.0, False),
        (0.0, 1.0, -0.39e-3, True),  # it gives back a tenth of 4 mm, less than that with the share of a step
        (0.0, 1.0, -0.42e-3, False),
        (np.nan, 1.0, 0.0, False),
    ],
)
def test_rest_by_hand(
    shipped: dict[str, Environment], motion: float, time: float, growth: float, expected: bool
) -> None:
    """A vine that grew 4 mm since the last rest, with a limit of 1 mm; times as shares of the longest step."""
    params = VineParams()
    tube = QuasiStatic(shipped["plus"], params).tube
    progress = RelaxationProgress(1, time * params.hinge_length, 0.0, 1.0)
    assert at_rest(tube, 1e-3, progress, motion, 4e-3, growth) == expected


@pytest.mark.parametrize(("share", "softness"), [(1.0, 0.8), (1.0, 0.6), (1.6, 0.7), (1.0, 1.5)])
def test_share_ends_where_no_motion_is_left(share: float, softness: float) -> None:
    """Where a share s of a step d leaves a step of (1 - s k) d, a share of 1 / k of that leaves none; at least 1 is taken."""
    first = np.array([0.3, -0.2, 0.1])
    second = (1 - share * softness) * first
    found = share_to_rest(share, float(second @ first), float(first @ first))
    assert found == pytest.approx(max(1 / softness, 1.0))


def test_the_first_step_is_whole() -> None:
    """Before there is a last step, and it is taken farthest where the motion does not get smaller."""
    assert share_to_rest(1.0, 0.0, 0.0) == 1.0
    assert share_to_rest(1.0, 0.02, 0.02) == share_to_rest(1.0, 0.04, 0.02) > 1.0
