"""Friction of the tip of quasi-static vines: it slides under Coulomb's force, or sticks."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.chain import forward_kinematics
from dynamics.contact_rows import NO_KEY
from dynamics.contacts import find_contacts
from dynamics.growth import Span
from dynamics.moment import new_actuated_vine, restoring_moment
from dynamics.quasistatic.friction import TIP_KEY
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.quasistatic.step import bend_by, new_work, set_up, solve, sum_forces
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, centerlines
from environments import Environment

MakeEnvironment = Callable[..., Environment]
WALL = 0.4
"""Height of a flat wall above the base [m]."""
SEGMENTS = 60


def grown(
    environment: MakeEnvironment,
    params: VineParams,
    friction: float,
    degrees: float,
    length: float = 0.9,
    wall: float = WALL,
    step: float = 4e-3,
) -> tuple[Rollout, np.ndarray]:
    """A bare tube grown towards a wall, under an angle between its heading and the wall; and its joints at every record."""
    place = environment(start=(0.0, 0.0, np.radians(degrees)), boxes=[[-3, wall, 3, wall + 0.1]])
    propagator = QuasiStatic(place, params, step, friction=friction)
    bare = Actuation(np.zeros((1, SEGMENTS)), np.full((1, SEGMENTS), 0.04))
    rollout = propagator.grow(propagator.start(1, SEGMENTS), bare, length, params.segment_length)
    records = np.arange(rollout.records[0])
    return rollout, centerlines(rollout.state(np.zeros_like(records), records), place.start, params)


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3])
def test_sliding_tip_is_held_back_by_coulombs_force(
    environment: MakeEnvironment, params: VineParams, friction: float
) -> None:
    """The moments in all joints are those of the wall's normal force and of friction against the slide, at the tip."""
    slow = replace(params, bending_viscosity=1e-7)
    rollout, joints = grown(environment, slow, friction, 45.0, step=2.5e-4)
    record = rollout.records[0] - 1
    assert rollout.status[0] == Status.GROWN
    count = rollout.segments[0, record]
    moments = restoring_moment(rollout.angles[0, record, :count], slow)
    lever = joints[record, count] - joints[record, :count]
    normal, along = np.linalg.lstsq(np.stack([-lever[:, 0], -lever[:, 1]], axis=1), moments)[0]
    assert normal == pytest.approx(rollout.contact_force[0, record].sum(), rel=0.01)
    assert -along == pytest.approx(friction * normal, abs=0.01 * normal)


def pressed(
    environment: MakeEnvironment, params: VineParams, friction: float | None, theta: float, slid: bool = False
) -> tuple[float, float, np.ndarray]:
    """One step of a straight tube of four segments whose tip touches a wall under an angle theta [rad] to it.

    Args:
        slid: Whether the tip slid before, pressed by what a tip presses that is held.
    Returns:
        Growth over the growth of a free step without viscosity, normal force [N], and the joints' bends in the step [rad].
    """
    segments, dt = 4, 4e-3
    length = segments * params.segment_length
    wall = length * np.sin(theta) + params.radius
    flat = environment(start=(0.0, 0.0, theta), boxes=[[-3, wall, 3, wall + 0.1]])
    propagator = QuasiStatic(flat, params, dt, friction=friction)
    joint, tube, work, known = propagator.joint, propagator.tube, new_work(segments), 0
    if slid:
        work.slid[:2], work.way[0], work.pressed[0] = [TIP_KEY, NO_KEY], 1, params.growth_force * np.sin(theta)
    for _ in range(40):  # the same step, until the friction is that of its own normal force
        vine = new_actuated_vine(joint, np.zeros(segments), np.zeros(segments), np.full(segments, 0.04))
        forward_kinematics(
            work.chain,
            vine.angles,
            vine.pivots,
            propagator.pose,
            segments,
            params.segment_length,
            params.segment_length,
        )
        count = find_contacts(propagator.scene, tube.section, tube.margin, work.chain, segments, work.contacts)
        span = Span(segments, params.segment_length, count, dt)
        curvature = set_up(tube, joint, tube.bending_viscosity / dt, vine, work, span)
        growth, known = solve(tube, work, span, dt, known, True)
        sum_forces(work, span, known)
        bend_by(work, span, curvature, growth)
    return growth / dt, work.forces.sum(), work.step.bend


@pytest.mark.parametrize("degrees", [45.0, 120.0])
@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3])
def test_growth_has_what_normal_force_and_friction_leave_of_the_growth_force(
    environment: MakeEnvironment, params: VineParams, friction: float, degrees: float
) -> None:
    """A straight tube that slides grows at (F - N (sin theta + mu cos theta)) / viscosity, with theta to the wall (paper 003)."""
    resisted, theta = replace(params, growth_viscosity=100.0, bending_viscosity=1.0), np.radians(degrees)
    growth, normal, _ = pressed(environment, resisted, friction, theta)
    assert normal > 0.05 * params.growth_force
    left = params.growth_force - normal * (np.sin(theta) + friction * abs(np.cos(theta)))
    assert growth * resisted.growth_viscosity == pytest.approx(left, rel=1e-6)


@pytest.mark.parametrize("degrees", [60.0, 120.0])
@pytest.mark.parametrize(("share", "sticks"), [(1.05, True), (0.95, False)])
def test_a_straight_tube_sticks_from_the_cotangent_of_its_angle_on(
    environment: MakeEnvironment, params: VineParams, degrees: float, share: float, sticks: bool
) -> None:
    """A tube without moments passes on the growth force F along itself: N = F sin theta, T = F |cos theta|.

    So its tip sticks where T <= mu N, i.e. mu >= |cot theta|; then it neither grows nor bends, and N is F sin theta.
    """
    theta = np.radians(degrees)
    rigid_wall = replace(params, contact_stiffness=1e9)
    growth, normal, bends = pressed(environment, rigid_wall, share / abs(np.tan(theta)), theta)
    if sticks:
        assert normal == pytest.approx(params.growth_force * np.sin(theta), rel=1e-3)
        assert growth == pytest.approx(0.0, abs=1e-3)
        np.testing.assert_allclose(bends, 0.0, atol=1e-5)
    else:
        assert growth > 0.01
        assert np.abs(bends).max() > 1e-4


@pytest.mark.parametrize("degrees", [60.0, 120.0])
@pytest.mark.parametrize("slid", [False, True])
def test_a_tip_that_slid_slides_on_where_one_that_stuck_stays_stuck(
    environment: MakeEnvironment, params: VineParams, degrees: float, slid: bool
) -> None:
    """Where the cotangent of the angle is between the kinetic and the static coefficient."""
    theta = np.radians(degrees)
    needed = 1 / abs(np.tan(theta))
    rough = replace(params, contact_stiffness=1e9, friction=0.9 * needed, static_friction=1.1 * needed)
    growth, _, _ = pressed(environment, rough, None, theta, slid)
    assert growth > 0.01 if slid else growth == pytest.approx(0.0, abs=1e-3)


def test_tip_sticks_where_its_force_lies_within_the_cone_of_friction(
    environment: MakeEnvironment, params: VineParams
) -> None:
    """A force along a tube that stands at 45 degrees slides no tip with a coefficient of 2: the tube bulges instead."""
    rollout, _ = grown(environment, params, 2.0, 45.0, length=0.6, step=1e-3)
    tips = rollout.tips[0, : rollout.records[0], :2]
    touching = np.flatnonzero(rollout.contact_force[0, : rollout.records[0]].sum(axis=1) > 0)
    moved = tips[touching] - tips[touching[0]]
    assert len(touching) >= 4
    assert np.hypot(*moved.T).max() < 1e-3
    free, _ = grown(environment, params, 0.0, 45.0, length=0.6)
    assert free.tips[0, free.records[0] - 1, 0] - tips[touching[0], 0] > 0.05


@pytest.mark.parametrize(("friction", "status"), [(0.0, Status.GROWN), (0.5, Status.STALLED)])
def test_stiff_tube_slides_or_stalls_by_the_critical_angle(
    environment: MakeEnvironment, params: VineParams, friction: float, status: Status
) -> None:
    """Paper 003, Eq. 3: a short tube at 60 degrees is within the critical angle with friction, beyond it without."""
    length = 0.1
    wall = length * np.sin(np.radians(60)) + params.radius
    full = np.pi * params.growth_pressure * params.radius**3
    critical = np.degrees(np.arctan(params.growth_force * length / full) - np.arctan(friction))
    assert (critical < 60) == (status == Status.STALLED)
    rollout, _ = grown(environment, params, friction, 60.0, length=0.2, wall=wall)
    assert rollout.status[0] == status


def test_mirrored_place_mirrors_the_slide(environment: MakeEnvironment, params: VineParams) -> None:
    """Friction knows no side."""
    one, _ = grown(environment, params, 0.3, 60.0)
    other, _ = grown(environment, params, 0.3, 120.0)
    np.testing.assert_allclose(other.tips[..., 0], -one.tips[..., 0], atol=1e-6)
    np.testing.assert_allclose(other.tips[..., 1], one.tips[..., 1], atol=1e-6)


def test_a_hair_of_friction_changes_a_hair(environment: MakeEnvironment, params: VineParams) -> None:
    """Towards no friction each step becomes that without: rows that hold the tip are let go."""
    single = replace(params, physics="published")
    one, _ = grown(environment, single, 1e-9, 45.0)
    none, _ = grown(environment, single, 0.0, 45.0)
    np.testing.assert_allclose(one.tips, none.tips, atol=1e-6)


@pytest.mark.parametrize("friction", [-0.1, np.nan, np.inf])
def test_impossible_friction_is_refused(environment: MakeEnvironment, params: VineParams, friction: float) -> None:
    """A coefficient is a number of at least 0."""
    with pytest.raises(ValueError, match="friction"):
        QuasiStatic(environment(), params, friction=friction)
