"""Vines of short and long segments: the propagators take the moment of curvature, so all turn alike."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.geometric.propagator import Geometric
from dynamics.impulse.propagator import Impulse
from dynamics.moment import free_curvature, joint_moments
from dynamics.propagator import Propagator
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation
from environments import Environment

SEGMENTS = [25e-3, 12.5e-3, 6.25e-3]


@pytest.mark.parametrize("model", [QuasiStatic, Geometric])
def test_a_vine_in_free_space_turns_alike_with_any_segments(
    environment: Callable[..., Environment], model: type[Propagator]
) -> None:
    """Grown, a vine turns by its free curvature times its length, whatever its segments; the last one is not full."""
    expected = 0.085 * float(free_curvature(joint_moments(VineParams()), 20e3, 0.04))
    for length in SEGMENTS:
        propagator = model(environment(), VineParams(segment_length=length))
        room = int(np.ceil(0.085 / length))
        actuation = Actuation(np.full((1, room), 20e3), np.full((1, room), 0.04))
        rollout = propagator.grow(propagator.start(1, room), actuation, 0.085, 0.085)
        assert rollout.tips[0, rollout.records[0] - 1, 2] == pytest.approx(expected, rel=1e-9)


def test_damping_of_a_bend_is_that_of_any_segments(environment: Callable[..., Environment]) -> None:
    """Two segments of half the length in series are damped like one, corrected; published, every joint alike."""
    usual = VineParams()
    for physics, times in (("corrected", 2), ("published", 1)):
        halved = QuasiStatic(environment(), replace(usual, segment_length=12.5e-3, physics=physics))
        assert halved.tube.bending_viscosity == pytest.approx(times * usual.bending_viscosity)


def test_impulse_takes_the_moment_of_curvature(environment: Callable[..., Environment]) -> None:
    """Its tables are those of 25 mm for any segments, with either physics, of which it takes the taut actuator."""
    usual = {physics: joint_moments(VineParams(physics=physics)) for physics in ("corrected", "published")}
    for physics, joint in usual.items():
        made = Impulse(environment(), VineParams(segment_length=12.5e-3, physics=physics)).joint
        assert (made.length, made.elasticity) == (25e-3, joint.elasticity)
        np.testing.assert_array_equal(made.tables.taut, joint.tables.taut)
