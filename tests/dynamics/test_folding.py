"""Tubes that fold where a corner presses them in."""

from collections.abc import Callable

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, centerlines
from environments import Environment

MakeEnvironment = Callable[..., Environment]
CORNER = np.array([0.5, 0.04])
SEGMENTS = 48


def bent(environment: MakeEnvironment, params: VineParams, **folding: float) -> tuple[Rollout, np.ndarray]:
    """A tube under the end of a wall, turned up by a slope behind it; and its joints at the end."""
    workspace = environment(walls=[[*CORNER, 0.3, 0.6, 0.0], [0.75, -0.1, 1.1, 0.4, 0.0]])
    propagator = QuasiStatic(workspace, params, **folding)
    bare = Actuation(np.zeros((1, SEGMENTS)), np.full((1, SEGMENTS), 0.04))
    rollout = propagator.grow(propagator.start(1, SEGMENTS), bare, 1.1, 0.05)
    last = rollout.records - 1
    return rollout, centerlines(rollout.state(np.zeros(1, np.int64), last), workspace.start, params)[0]


def test_tube_folds_at_the_corner_that_presses_it(environment: MakeEnvironment, params: VineParams) -> None:
    """The joint at the corner bends more than its neighbours, the more so the less of its moment is left; a round tube bends evenly."""
    peaks = []
    for corner_moment in (1.0, 0.3, 0.1):
        rollout, joints = bent(environment, params, corner_moment=corner_moment)
        angles = rollout.angles[0, rollout.records[0] - 1]
        at = int(np.nanargmin(np.hypot(*(joints - CORNER).T)))
        assert rollout.contact_force[0, rollout.records[0] - 1, at - 1 : at + 1].sum() > 0.1
        peaks.append(angles[at] / max(angles[at - 2], angles[at + 2]))
    assert peaks[0] < 1.1
    assert peaks[1] > 1.5
    assert peaks[2] > 1.2 * peaks[1]


def test_the_two_joints_about_the_corner_share_the_fold(environment: MakeEnvironment, params: VineParams) -> None:
    """The segment that the corner presses folds at its two ends, and at no joint beyond them."""
    rollout, joints = bent(environment, params, corner_moment=0.1)
    angles = rollout.angles[0, rollout.records[0] - 1]
    along = np.diff(joints, axis=0)
    position = ((CORNER - joints[:-1]) * along).sum(axis=1) / params.segment_length**2
    pressed = int(np.flatnonzero((position > 0) & (position < 1))[0])
    assert 0.05 < position[pressed] < 0.95, "neither end may be left out"
    assert angles[pressed] > 1.2 * angles[pressed - 1]
    assert angles[pressed + 1] > 1.2 * angles[pressed + 2]
    assert angles[pressed - 1] < 1.2 * angles[pressed - 2]
    assert angles[pressed + 2] < 1.2 * angles[pressed + 3]


@pytest.mark.parametrize("share", [0.0, -0.5, 1.01, np.nan])
def test_impossible_share_is_refused(environment: MakeEnvironment, params: VineParams, share: float) -> None:
    """A part is greater than 0 and at most 1."""
    with pytest.raises(ValueError, match="corner_moment"):
        QuasiStatic(environment(), params, corner_moment=share)
