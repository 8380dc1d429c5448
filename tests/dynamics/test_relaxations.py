"""Rests of held vines that move with inertia, by drag and by viscosity: where they agree, where they part, and what the drag is."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics import relaxations
from dynamics.growth import Span
from dynamics.impulse.growing import start
from dynamics.impulse.model import ImpulseModel, new_work
from dynamics.impulse.propagator import Hold, Impulse
from dynamics.impulse.step import take_step
from dynamics.moment import free_curvature, joint_moments, new_actuated_vine
from dynamics.relaxations import PARTED, Relaxations
from dynamics.tube import Inertia, VineParams
from dynamics.vine import Actuation, Status, VineState
from environments import Environment

MakeEnvironment = Callable[..., Environment]
H = VineParams().segment_length


def steered(segments: int, *pressures: float) -> Actuation:
    """One vine a pressure [Pa], the same all along."""
    return Actuation(
        np.repeat(np.array(pressures)[:, None], segments, axis=1), np.full((len(pressures), segments), 0.04)
    )


def bent(segments: int, *turns: float) -> VineState:
    """Vines of whole segments that turn evenly by angles [rad]."""
    angles = np.repeat(np.array(turns)[:, None], segments, axis=1) / segments
    return VineState(angles, np.full(len(turns), segments), np.full(len(turns), H))


def peg(environment: MakeEnvironment, params: VineParams, segments: int, overlap: float) -> Environment:
    """A peg to the left of a straight tube, over which its tip, swinging past, would come by an overlap [m]."""
    distance = segments * H + params.radius + 0.02 - overlap
    return environment(circles=[[distance * np.cos(0.3), distance * np.sin(0.3), 0.02]])


def test_rests_of_a_stable_tube_are_one(environment: MakeEnvironment, params: VineParams) -> None:
    """A free tube comes to its closed form in all three ways, and one pressed against a peg to the same place within 1 mm."""
    segments, pressure = 16, 15e3
    rests = Relaxations(peg(environment, params, segments, 0.05), params).relax(
        bent(segments, 0.8, -0.3, 1.2), steered(segments, pressure, -pressure, 0.0)
    )
    curvature = float(free_curvature(joint_moments(params), -pressure, 0.04))
    headings, link = curvature * H * np.arange(1, segments + 1), H * (1 + params.radius * curvature)
    free = link * np.array([np.cos(headings).sum(), np.sin(headings).sum()])
    np.testing.assert_allclose(rests.joints[:, 1, segments], np.tile(free, (3, 1)), atol=1e-4)
    assert rests.apart.max() < 1e-3
    assert rests.joints[:, 2, segments, 1].min() > 0.1  # the passive tube leans on the peg
    assert rests.apart[2] > 0.0


@pytest.mark.parametrize(("mass", "still"), [(0.04, relaxations.STILL), (1.0, relaxations.STILL), (4.0, 10.0)])
def test_rests_that_part_are_reported(
    environment: MakeEnvironment, params: VineParams, monkeypatch: pytest.MonkeyPatch, mass: float, still: float
) -> None:
    """Let go above a peg that it overlaps by 20 mm, a tube slips past it by its inertia alone, also if it seemed to rest too soon."""
    segments, heavy = 40, replace(params, inertia=Inertia(mass_per_length=mass))
    monkeypatch.setattr(relaxations, "STILL", still)
    state = bent(segments, 1.2)
    rests = Relaxations(peg(environment, params, segments, 0.02), heavy).relax(state, steered(segments, 0.0))
    tips = rests.joints[:, 0, segments]
    np.testing.assert_allclose(tips[0], [segments * H, 0.0], atol=1e-4)
    np.testing.assert_allclose(tips[1], tips[2], atol=1e-4)
    assert rests.apart[0] == pytest.approx(np.hypot(*(tips[0] - tips[1])), rel=1e-6)
    assert rests.apart[0] > 10 * PARTED
    assert (state.angles == 1.2 / segments).all()


def test_vine_without_a_rest_is_infinitely_apart(environment: MakeEnvironment, params: VineParams) -> None:
    """A tube that swings out of the bounds has no rest, and its neighbour in the batch keeps its own."""
    place = environment(bounds=[-0.1, -0.1, 1.0, 0.5])
    rests = Relaxations(place, params).relax(bent(16, 0.2, 0.2), steered(16, -15e3, 0.0))
    assert rests.apart[0] == np.inf
    assert rests.apart[1] < 1e-3
    assert np.isnan(rests.joints[:, 0]).all()
    assert np.isfinite(rests.joints[:, 1, :17]).all()


def test_drag_is_the_mass_over_the_step(environment: MakeEnvironment, params: VineParams) -> None:
    """A joint springs back against (inertia / dt + damping) times its rate: by the same share of its bend in every step."""
    propagator, base, dt = Impulse(environment(), params, drag=True), np.zeros(3), 0.01
    joint, tube, work, angles = propagator.joint, propagator.tube, new_work(1, 2), np.array([0.01])
    vine = new_actuated_vine(joint, angles, np.zeros(1), np.full(1, 0.04))
    start(work, tube, vine, base, 1, H)
    model, mass, stiffness = (
        ImpulseModel(propagator.scene, joint, tube, base),
        tube.mass_per_length * H,
        joint.elasticity.stiffness,
    )
    # Half of the mass is at the joint, half at the tip.
    inertia = mass * params.radius**2 / 2 + mass / 2 * H**2
    resistance = inertia / dt + params.inertia.damping_time * stiffness
    for step in range(1, 5):
        take_step(model, vine, work, Span(1, H, 0, 0.0), None)
        assert angles[0] == pytest.approx(0.01 * (resistance / (resistance + dt * stiffness)) ** step, rel=1e-9)


def test_drag_brings_a_tube_to_the_same_rest_without_overshoot(
    environment: MakeEnvironment, params: VineParams
) -> None:
    """Let go straight, an actuated tube creeps to its bend and never beyond, where one with inertia swings past it by 10 %."""
    segments, pressure, tips, most = 20, 15e3, [], []
    rest = float(free_curvature(joint_moments(params), pressure, 0.04)) * H * segments
    for drag in (True, False):
        propagator = Impulse(environment(), params, drag=drag)
        held = propagator.grow(bent(segments, 0.1), steered(segments, pressure), 0.0, 0.1)
        assert held.status[0] == Status.GROWN
        tips.append(held.tips[0, 0])
        work, angles, turns = new_work(segments, segments + 1), np.full(segments, 0.1 / segments), []
        vine = new_actuated_vine(propagator.joint, angles, np.full(segments, pressure), np.full(segments, 0.04))
        start(work, propagator.tube, vine, np.zeros(3), segments, H)
        model = ImpulseModel(propagator.scene, propagator.joint, propagator.tube, np.zeros(3))
        for _ in range(100):
            take_step(model, vine, work, Span(segments, H, 0, 0.0), None)
            turns.append(angles.sum())
        most.append(max(turns) / rest)
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-5)
    assert 0.5 < most[0] <= 1 + 1e-9
    assert most[1] > 1.1


def test_hold_ends_sooner_where_a_tube_is_still_enough(environment: MakeEnvironment, params: VineParams) -> None:
    """Held until no joint strays by 1 mm for 0.6 s, a swinging tube ends 1.2 s sooner or more, and within 3 mm of its rest."""
    rest, soon = (
        Impulse(environment(), params, hold=Hold(still)).grow(bent(30, 0.5), steered(30, 15e3), 0.0, 0.1)
        for still in (0.0, 1e-3)
    )
    assert rest.status[0] == soon.status[0] == Status.GROWN
    assert 60 < soon.steps[0] <= rest.steps[0] - 120
    np.testing.assert_allclose(soon.tips[0, 0, :2], rest.tips[0, 0, :2], atol=3e-3)


@pytest.mark.parametrize("longest", [0.3, relaxations.LONGEST_SWING])
def test_a_vine_held_for_the_longest_time_is_not_held_again(
    environment: MakeEnvironment, params: VineParams, monkeypatch: pytest.MonkeyPatch, longest: float
) -> None:
    """A second, longer hold is only for vines that seemed to rest too soon: the others would only do the same again."""
    monkeypatch.setattr(relaxations, "STILL", 10.0)
    monkeypatch.setattr(relaxations, "LONGEST_SWING", longest)
    monkeypatch.setattr(relaxations, "LONGEST_CREEP", longest)
    model = Relaxations(environment(), params)
    held: list[Impulse] = []
    grow = Impulse.grow
    monkeypatch.setattr(Impulse, "grow", lambda self, *given: held.append(self) or grow(self, *given))
    model.relax(bent(30, 1.2), steered(30, 0.0))
    assert all(one in held for one in model.quick)
    assert any(one in held for one in model.patient) == (longest > 0.3)


def test_rests_do_not_depend_on_the_number_of_threads(environment: MakeEnvironment, params: VineParams) -> None:
    """On two threads, in a batch or alone, tubes that lean on a peg come to the same bits as on one."""
    place, carried = peg(environment, params, 16, 0.05), steered(16, 15e3, -15e3, 0.0)
    one, two = (Relaxations(place, params, threads).relax(bent(16, 0.8, -0.3, 1.2), carried) for threads in (1, 2))
    np.testing.assert_array_equal(one.joints, two.joints)
    alone = Relaxations(place, params, 2).relax(bent(16, 1.2), steered(16, 0.0))
    np.testing.assert_array_equal(alone.joints[:, 0], one.joints[:, 2])
