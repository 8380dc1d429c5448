"""Biarcs between poses."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planner.search.reverse.biarc import biarcs, pose_on

COORDINATE = st.floats(-5, 5)
HEADING = st.floats(-10, 10)


def gap(one: np.ndarray, other: np.ndarray) -> float:
    """Distance of two poses [m], with one radian equivalent to one metre, headings periodic."""
    turn = np.angle(np.exp(1j * (one[..., 2] - other[..., 2])))
    return float(np.max(np.hypot(np.hypot(one[..., 0] - other[..., 0], one[..., 1] - other[..., 1]), turn)))


@settings(max_examples=500, deadline=None)
@given(COORDINATE, COORDINATE, HEADING, COORDINATE, COORDINATE, HEADING)
@example(0, 0, 0, 1, 0, 0)
@example(0, 0, 1e-9, 1, 0, 0)
@example(0, 0, 0, 0, 1, 0)
@example(0, 0, 0, 0, 1, 1e-7)
@example(0, 0, 0, -1, 1e-3, 0)
@example(0, 0, 0, 0, 2, np.pi)
@example(0, 0, 0, 1, 1, -np.pi)
@example(0, 0, 2.0, 1e-6, 1e-6, 2.5)
def test_both_arcs_lead_to_the_end(x0: float, y0: float, h0: float, x1: float, y1: float, h1: float) -> None:
    """The arcs of every biarc end in the end pose to 1e-9, and neither turns by more than half a turn."""
    start, end = np.array([x0, y0, h0]), np.array([x1, y1, h1])
    arcs = biarcs(start, end)
    if not np.isfinite(arcs.length).all():
        return  # no biarc: see below
    joint = pose_on(start, arcs.curvature[0], arcs.length[0])
    assert gap(pose_on(joint, arcs.curvature[1], arcs.length[1]), end) < 1e-9 * max(1.0, np.hypot(x1 - x0, y1 - y0))
    assert np.max(np.abs(arcs.sweep)) <= np.pi + 1e-9
    assert min(arcs.length) >= 0


@settings(max_examples=200, deadline=None)
@given(COORDINATE, COORDINATE, HEADING, COORDINATE, COORDINATE, HEADING)
def test_the_tangent_at_the_joint_is_common(x0: float, y0: float, h0: float, x1: float, y1: float, h1: float) -> None:
    """The second arc, traversed from its end, reaches the joint with the opposite heading of the first."""
    start, end = np.array([x0, y0, h0]), np.array([x1, y1, h1])
    about = np.array([0, 0, np.pi])
    arcs = biarcs(start, end)
    if not np.isfinite(arcs.length).all():
        return
    joint = pose_on(start, arcs.curvature[0], arcs.length[0])
    back = pose_on(end + about, -arcs.curvature[1], arcs.length[1])
    assert gap(back, joint + about) < 1e-9 * max(1.0, np.hypot(x1 - x0, y1 - y0))


@pytest.mark.parametrize(
    ("end", "curvature", "length"),
    [
        ((2, 0, 0), (0, 0), (1, 1)),  # straight on
        ((0, 0, 0), (0, 0), (0, 0)),  # the same pose
        ((0, 2, np.pi), (1, 1), (np.pi / 2, np.pi / 2)),  # opposite headings: half a circle
        ((2, 2, 0), (1, -1), (np.pi / 2, np.pi / 2)),  # a change of lane
        ((1, 1, np.pi / 2), (1, 1), (np.pi / 4, np.pi / 4)),  # a quarter of a circle
        ((0, 4, 0), (1, -1), (np.pi, np.pi)),  # side by side: two half circles
    ],
)
def test_closed_forms(
    end: tuple[float, float, float], curvature: tuple[float, float], length: tuple[float, float]
) -> None:
    """Biarcs from the origin along x agree with the closed forms of elementary cases."""
    arcs = biarcs(np.zeros(3), np.array(end))
    assert np.allclose(arcs.curvature, curvature, atol=1e-12)
    assert np.allclose(arcs.length, length, atol=1e-12)


@pytest.mark.parametrize("end", [(0, 0, 1), (0, 0, np.pi), (-1, 0, 0), (1, 0, np.pi), (-1, 0, np.pi)])
def test_a_turn_on_the_spot_is_no_biarc(end: tuple[float, float, float]) -> None:
    """For poses that two arcs of less than half a turn cannot connect, curvatures and lengths are infinite."""
    arcs = biarcs(np.zeros(3), np.array(end))
    assert np.isinf(arcs.curvature).all()
    assert np.isinf(arcs.length).all()


def test_arcs_of_many_poses_at_once() -> None:

    rng = np.random.default_rng(3)
    ends = rng.uniform(-2, 2, (4, 5, 3))
    batch = biarcs(np.array([0.3, -0.2, 1.0]), ends)
    assert batch.curvature[0].shape == (4, 5)
    for index in np.ndindex(4, 5):
        alone = biarcs(np.array([0.3, -0.2, 1.0]), ends[index])
        assert np.array_equal(np.array(alone.length), [part[index] for part in batch.length])
        assert np.array_equal(np.array(alone.sweep), [part[index] for part in batch.sweep])
