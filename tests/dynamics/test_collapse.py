"""Tubes whose cross-section collapses: they fold at one place."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

from dynamics.collapse import remaining_share
from dynamics.impulse.propagator import Impulse
from dynamics.moment import collapse_moment, joint_moments, restoring_moment, total_moment
from dynamics.propagator import PropagatorFactory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import InvalidTube, VineParams
from dynamics.tube_file import parse_tube
from dynamics.vine import Actuation, Status, centerlines
from environments import Environment
from surrogate.force_table import CellPosition
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]
BARE = CellPosition(0, 0.0, 0.0, 0.0)
FULL = np.pi * VineParams().growth_pressure * VineParams().radius ** 3
"""pi P R^3 [N m]."""
SLOPE = np.deg2rad(70)
"""Heading of the wall that `grown` meets [rad]."""
LENGTH = 0.6
"""Length to which `grown` grows [m]."""


def test_remaining_share_by_hand() -> None:
    """h^2 (2 - h) with h = 1 - tan(fold / 2): h = 1/2 where the tangent is 1/2; it falls by half a moment per radian at first."""
    assert remaining_share(0.0) == 1.0
    assert remaining_share(2 * np.arctan(0.5)) == pytest.approx(0.25 * 1.5)
    assert np.all(remaining_share([np.pi / 2, 2.0, 3.0]) < 1e-20)
    assert (1 - remaining_share(1e-5)) / 1e-5 == pytest.approx(0.5, rel=1e-4)


@pytest.mark.parametrize("segment", [25e-3, 12.5e-3, 6.25e-3])
@pytest.mark.parametrize("share", [0.6, 0.8])
@pytest.mark.parametrize("stiffness", [None, 1.3])
def test_a_fold_is_in_series_with_its_segment(segment: float, share: float, stiffness: float | None) -> None:
    """The segment bends evenly by Eq. 2 under the moment that the fold carries: both by root finding."""
    params = VineParams(segment_length=segment, collapse_share=share, bending_stiffness=stiffness)
    joint, spread = joint_moments(params), segment / params.hinge_length
    for fold in (0.2, 0.5, 1.0, 1.4):
        carried = share * FULL * float(remaining_share(fold))
        even = brentq(lambda bend, moment=carried: float(restoring_moment(bend, params)) - moment, 0.0, 3.0)
        moment = total_moment(joint, (fold + even * spread) / spread, 0.0, BARE)[0]
        assert moment == pytest.approx(carried, abs=2e-4 * FULL)
        assert total_moment(joint, -(fold + even * spread) / spread, 0.0, BARE)[0] == -moment


def test_before_the_collapse_the_moment_is_that_of_a_tube_that_does_not(params: VineParams) -> None:
    """Up to the collapse they are equal; there it is the moment of the collapse, beyond it less."""
    weak = replace(params, collapse_share=0.8)
    joint, usual = joint_moments(weak), joint_moments(params)
    assert usual.moment is usual.rising
    assert collapse_moment(weak) == pytest.approx(0.8 * FULL)
    onset = joint.elasticity.collapse
    for bend in (0.01, 0.05, 0.9 * onset):
        expected = float(restoring_moment(bend, params))
        assert total_moment(joint, bend, 0.0, BARE)[0] == pytest.approx(expected, rel=1e-4)
    assert float(restoring_moment(onset, params)) == pytest.approx(0.8 * FULL, rel=3e-3)
    assert total_moment(joint, 1.5 * onset, 0.0, BARE)[0] < 0.8 * FULL


def test_steps_take_the_slope_without_folds(params: VineParams) -> None:
    """A falling moment would make a step run away: its slope is that of Eq. 2, which rises."""
    joint, usual = joint_moments(replace(params, collapse_share=0.8)), joint_moments(params)
    for bend in (0.03, 0.1, 0.3, 1.0):
        slope = total_moment(joint, bend, 0.0, BARE)[1]
        assert slope > 0
        assert slope == pytest.approx(total_moment(usual, bend, 0.0, BARE)[1], rel=1e-6)


def grown(
    environment: MakeEnvironment, params: VineParams, make: PropagatorFactory = QuasiStatic, side: float = 1.0
) -> tuple[Floats, Floats, float]:
    """Bends, joints and normal force of a passive tube whose tip slides up a slope."""
    wall = np.array([0.3, 0.0]), np.array([np.cos(SLOPE), side * np.sin(SLOPE)])
    workspace = environment(walls=[[*(wall[0] - 0.3 * wall[1]), *(wall[0] + 0.9 * wall[1]), 0.0]])
    propagator = make(workspace, params)
    segments = round(LENGTH / params.segment_length)
    bare = Actuation(np.zeros((1, segments + 1)), np.full((1, segments + 1), 0.04))
    rollout = propagator.grow(propagator.start(1, segments + 1), bare, LENGTH, LENGTH)
    assert rollout.status[0] == Status.GROWN
    joints = centerlines(rollout.state(np.zeros(1, np.int64), np.zeros(1, np.int64)), workspace.start, params)[0]
    return rollout.angles[0, 0, :segments], joints[: segments + 1], float(np.nansum(rollout.contact_force[0, 0]))


@pytest.mark.parametrize("share", [0.6, 0.8])
def test_a_fold_carries_its_moment(environment: MakeEnvironment, params: VineParams, share: float) -> None:
    """The force of the slope on the tip, times its lever arm about the fold, is the moment of that fold angle.

    One joint folds, and all others bend by the moment that is left.
    """
    params = replace(params, collapse_share=share)
    bends, joints, force = grown(environment, params)
    folded = int(np.argmax(bends))
    x, y = joints[-1] - joints[folded]
    moment = force * (np.cos(SLOPE) * x + np.sin(SLOPE) * y)
    even = brentq(lambda bend: float(restoring_moment(bend, params)) - moment, 0.0, 3.0)
    fold = bends[folded] - even
    assert fold > 0.1
    assert moment == pytest.approx(share * FULL * float(remaining_share(fold)), rel=0.02)
    assert np.all(np.delete(bends, folded) < joint_moments(params).elasticity.collapse)


def test_a_fold_is_the_same_for_any_segments(environment: MakeEnvironment, params: VineParams) -> None:
    """Its angle and its place do not depend on the length of the segments; bends of a tube that does not fold do."""
    found = []
    for segment in (25e-3, 12.5e-3, 6.25e-3):
        bends, joints, _ = grown(environment, replace(params, collapse_share=0.6, segment_length=segment))
        folded = int(np.argmax(bends))
        even, _, _ = grown(environment, replace(params, segment_length=segment))
        found.append((bends[folded], folded * segment, joints[-1, 1], even.max()))
    angle, place, height, even = np.array(found).T
    assert angle[0] > 0.4
    np.testing.assert_allclose(angle[:2], angle[2], rtol=0.1)
    np.testing.assert_allclose(place[:2], place[2], atol=25e-3)
    np.testing.assert_allclose(height[:2], height[2], atol=5e-3)
    assert even[2] < 0.6 * even[1] < 0.4 * even[0]


def test_left_is_like_right(environment: MakeEnvironment, params: VineParams) -> None:
    """A tube that folds to the other side is the mirror image."""
    params = replace(params, collapse_share=0.6)
    left, right = (grown(environment, params, side=side)[0] for side in (1.0, -1.0))
    np.testing.assert_allclose(left, -right, atol=1e-9)


def test_impulse_folds_as_quasistatic_does(environment: MakeEnvironment, params: VineParams) -> None:
    """One joint folds in both, by nearly the same angle."""
    params = replace(params, collapse_share=0.6)
    fine = replace(params, segment_length=12.5e-3)
    np.testing.assert_array_equal(Impulse(environment(), fine).joint.moment, joint_moments(fine).moment)
    bends, joints, force = grown(environment, params)
    others, places, push = grown(environment, params, Impulse)
    assert np.argmax(bends) == np.argmax(others)
    assert others.max() == pytest.approx(bends.max(), rel=0.03)
    np.testing.assert_allclose(places, joints, atol=3e-3)
    assert push == pytest.approx(force, rel=0.1)


@pytest.mark.parametrize(
    ("share", "message"), [(0.0, "collapse_share"), (1.2, "at most 1"), (np.nan, "collapse_share")]
)
def test_impossible_share_is_refused(params: VineParams, share: float, message: str) -> None:
    """A share is greater than 0 and at most 1."""
    with pytest.raises(ValueError, match=message):
        replace(params, collapse_share=share)


def test_a_tube_that_folds_before_it_wrinkles_is_refused(params: VineParams) -> None:
    """In Python when its moments are computed, in a file when it is read; the message has the least share."""
    with pytest.raises(ValueError, match="wrinkles before it folds"):
        joint_moments(replace(params, collapse_share=0.4))
    with pytest.raises(InvalidTube, match="wrinkles before it folds"):
        parse_tube(b"schema = 1\nname = 'weak'\ncollapse_share = 0.4\n")


def test_the_strongest_actuator_bends_a_tube_no_farther_than_to_the_collapse(params: VineParams) -> None:
    """Its free curvature is at most that at which the tube folds."""
    from dynamics.moment import free_curvature

    weak = joint_moments(replace(params, collapse_share=0.6))
    curvature = free_curvature(weak, 35e3, 0.04)
    assert curvature == pytest.approx(weak.elasticity.collapse / weak.length, rel=1e-9)
    assert curvature < free_curvature(joint_moments(params), 35e3, 0.04)


def test_a_tube_that_collapses_just_below_its_greatest_moment_does_not_fold(params: VineParams) -> None:
    """Eq. 2 ends at 0.9906 pi P R^3: with a share above that there is no fold, and no moment above Eq. 2."""
    weak = joint_moments(replace(params, collapse_share=0.995))
    np.testing.assert_array_equal(weak.moment, joint_moments(params).moment)
