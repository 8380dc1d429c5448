"""The arc of the centreline of a tube that an actuator bends in free space, by hand."""

from collections.abc import Callable

import numpy as np
import pytest

from dynamics.euler_lagrange.propagator import EulerLagrange
from dynamics.links import LEAST_LINK
from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.propagator import Propagator
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.tube_file import similar
from dynamics.vine import Actuation, VineState, centerlines, pivots_of
from environments import Environment
from surrogate.registry import actuators

CELL, LENGTH = 42e-3, 0.8


def test_far_wall_keeps_its_length() -> None:
    """A tube of 50 mm radius whose film turns by 2 rad/m has a wall of radius 500 mm and a centreline of 450 mm; published: 500 mm."""
    curvature = np.array([2.0, -2.0, 0.0])
    corrected = centerline_curvature(curvature, VineParams(radius=0.05))
    assert corrected == pytest.approx([1 / 0.45, -1 / 0.45, 0.0])
    assert centerline_curvature(curvature, VineParams(radius=0.05, physics="published")) == pytest.approx(curvature)


@pytest.mark.parametrize("model", [QuasiStatic, EulerLagrange])
@pytest.mark.parametrize(("physics", "inset"), [("corrected", 1.0), ("published", 0.0)])
def test_free_section_ends_where_its_arc_does(
    environment: Callable[..., Environment],
    model: Callable[..., Propagator],
    physics: str,
    inset: float,
) -> None:
    """800 mm of film with a curvature k turn by 0.8 k on a centreline of radius 1 / k - R; published: of radius 1 / k."""
    params = VineParams(physics=physics)  # type: ignore[arg-type]
    kappa = float(free_curvature(joint_moments(params), -20e3, CELL))
    grown = model(environment(), params)
    shape = 1, round(LENGTH / params.segment_length)
    rollout = grown.grow(grown.start(*shape), Actuation(np.full(shape, -20e3), np.full(shape, CELL)), LENGTH, LENGTH)
    turn, radius = kappa * LENGTH, 1 / abs(kappa) - inset * params.radius
    # A joint bends at the start of its segment, so the chain is rotated by half a bend relative to its arc.
    half = abs(kappa) * params.segment_length / 2
    arc = radius * (np.exp(1j * abs(turn)) - 1) / 1j * np.exp(1j * half)
    assert kappa < 0
    # With its inertia, euler-lagrange lags behind by less than 2 mrad and 2 mm.
    within = 2e-3 if model is EulerLagrange else 2e-4
    assert rollout.tips[0, 0] == pytest.approx([arc.real, -arc.imag, turn], abs=within)
    line = centerlines(rollout.state(np.zeros(1, int), np.zeros(1, int)), np.zeros(3), params)[0]
    assert line[-1] == pytest.approx(rollout.tips[0, 0, :2], abs=1e-9)


def test_pivots_are_on_the_side_of_the_actuator() -> None:
    """The sign is that of a control or a pressure; without an actuator, and published, a link keeps its length."""
    assert pivots_of(np.array([[7, -3, 0]]), 0.03).tolist() == [[0.03, -0.03, 0.0]]
    params = VineParams(radius=0.05, segment_length=0.1)
    bent = VineState(
        np.array([[0.4, 0.4, -0.4]]), np.array([3]), np.array([0.1]), pivots_of([[2e4, 0.0, -2e4]], params.pivot)
    )
    joints = centerlines(bent, np.zeros(3), params)[0]
    assert np.hypot(*np.diff(joints, axis=0).T) == pytest.approx([0.1 - 0.05 * 0.4, 0.1, 0.1 - 0.05 * 0.4])


@pytest.mark.parametrize("kind", actuators())
@pytest.mark.parametrize("radius", [5e-3, 33.35e-3, 0.5])
def test_no_actuator_folds_a_link_by_itself(kind: str, radius: float) -> None:
    """At full contraction, beyond which no pressure pulls, a link in free space is longer than the least by far, in any tube."""
    params = similar(radius, kind=kind)
    strain = params.actuator.full_contraction(params.actuator.grid.l_0).max()
    assert params.pivot == radius
    assert params.radius * strain / params.arm() < 1 - LEAST_LINK
