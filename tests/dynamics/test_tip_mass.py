"""The mass that a tip carries: the mass matrix, oscillations against closed forms, growth, and who ignores it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigh

from dynamics.growth import Span
from dynamics.impulse.growing import dimension, start
from dynamics.impulse.model import ImpulseModel, new_work
from dynamics.impulse.propagator import Impulse
from dynamics.impulse.step import take_step
from dynamics.moment import new_actuated_vine, restoring_moment
from dynamics.registry import ignored_properties, propagators
from dynamics.tube import Inertia, VineParams
from dynamics.tube_file import check_tube, parse_tube, tube_content
from dynamics.vine import Actuation, Status
from environments import Environment

MakeEnvironment = Callable[..., Environment]
TIP = 0.5


def heavy(params: VineParams, **inertia: float) -> VineParams:
    return replace(params, inertia=Inertia(mass_per_length=1e-3, tip_mass=TIP, **inertia))


def test_the_last_body_has_the_mass_of_the_tip(environment: MakeEnvironment, params: VineParams) -> None:
    """Every other body is as without it, whatever the length; the last one has its mass, and the inertia of a ring about a diameter."""
    without = Impulse(environment(), params)
    with_it = Impulse(environment(), replace(params, inertia=Inertia(tip_mass=TIP)))
    for segments, last_length in ((1, 0.0), (1, 0.02), (4, 0.01)):
        bodies = []
        for model in (with_it, without):
            work = new_work(6, 7)
            dimension(work.bodies, model.tube, segments, last_length)
            bodies.append(work.bodies)
        added = bodies[0].mass - bodies[1].mass, bodies[0].inertia - bodies[1].inertia
        expected = np.zeros(7)
        expected[segments] = TIP
        np.testing.assert_allclose(added[0], expected, atol=1e-15)
        np.testing.assert_allclose(added[1], expected * params.radius**2 / 2, atol=1e-15)


@pytest.mark.parametrize("segments", [2, 6])
def test_a_tip_mass_swings_at_its_natural_frequency(
    environment: MakeEnvironment, params: VineParams, segments: int
) -> None:
    """A light tube without damping swings its tip as joints and mass have it: the slowest mode of their flexibility, within 0.2 %."""
    propagator = Impulse(environment(), heavy(params, damping_time=0.0))
    full, stiffness = params.segment_length, float(restoring_moment(1e-4, params)) / 1e-4
    arms = full * np.arange(1, segments + 1)
    flexible = np.array([[(arms**2).sum(), arms.sum()], [arms.sum(), segments]]) / stiffness
    # The few grams of tube per metre do not matter.
    shapes, modes = eigh(np.linalg.inv(flexible), np.diag([TIP, TIP * params.radius**2 / 2]))
    omega = float(np.sqrt(shapes[0]))
    sag = modes[:, 0] / abs(modes[0, 0])
    load = np.linalg.solve(flexible, sag)
    angles = (load[0] * arms[::-1] + load[1]) / stiffness
    angles *= 1e-3 / np.abs(angles).max()
    base, work = np.zeros(3), new_work(segments, segments + 1)
    vine = new_actuated_vine(propagator.joint, angles, np.zeros(segments), np.full(segments, 0.04))
    step = 2 * np.pi / omega / 4000
    start(work, propagator.tube, vine, base, segments, full)
    model = ImpulseModel(propagator.scene, propagator.joint, propagator.tube._replace(time_step=step), base)
    offsets = []
    for _ in range(9000):
        take_step(model, vine, work, Span(segments, full, 0, 0.0), None)
        offsets.append(work.bodies.pose[segments, 1])
    swing = np.array(offsets)
    falls = np.flatnonzero((swing[:-1] > 0) & (swing[1:] <= 0))
    crossings = falls + swing[falls] / (swing[falls] - swing[falls + 1])
    assert len(crossings) == 2
    assert 2 * np.pi / (step * np.diff(crossings)[0]) == pytest.approx(omega, rel=2e-3)


def test_a_heavy_tip_grows_on(environment: MakeEnvironment, params: VineParams) -> None:
    """In free space a straight tube reaches its length with a mass of 200 g at its tip."""
    propagator = Impulse(environment(), replace(params, inertia=Inertia(tip_mass=0.2)))
    straight = Actuation(np.zeros((1, 20)), np.full((1, 20), 0.04))
    rollout = propagator.grow(propagator.start(1, 20), straight, 0.5, 0.1)
    assert rollout.status[0] == Status.GROWN
    np.testing.assert_allclose(rollout.tips[0, rollout.records[0] - 1], [0.5, 0, 0], atol=1e-9)


def test_a_file_gives_it_in_grams() -> None:
    """50 g are 0.05 kg. A tube of a design that was written before there was one has none."""
    tube = parse_tube(b"schema = 1\ntip_mass_g = 50\n")
    assert tube.inertia.tip_mass == 0.05
    assert tube_content(tube)["tip_mass_g"] == 50.0
    assert check_tube({"schema": 1}).inertia.tip_mass == 0.0


def test_models_that_ignore_it_say_so(environment: MakeEnvironment, params: VineParams) -> None:
    """All but impulse have a note, those with inertia too."""
    for name in propagators():
        notes = ignored_properties(heavy(params), name, environment())
        assert (name == "impulse") == (notes == [])
        assert all("it ignores the mass at the tip (500 g)" in note for note in notes)
        assert not ignored_properties(params, name, environment())
