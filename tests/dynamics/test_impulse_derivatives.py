"""Derivatives of growths with inertia: against central differences of whole growths, and closed forms."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.impulse.derivatives import Derivatives, Make, differentiate
from dynamics.impulse.inputs import GrowthInputs
from dynamics.impulse.propagator import Impulse
from dynamics.moment import free_curvature, joint_moments
from dynamics.propagator import CannotRun
from dynamics.tube import Inertia, VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState
from environments import Environment
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]
STEP = 0.00937
"""A segment does not take a whole number of such steps [s]."""


def steered(segments: int, pressure: float) -> Actuation:
    return Actuation(np.full((1, segments), pressure), np.full((1, segments), 0.04))


def of_tube(place: Environment, params: VineParams, segments: int = 24) -> Make:
    """From EI [N m2], damping time [s], growth rate [m/s] and actuator pressure [Pa]."""

    def make(values: Floats) -> tuple[Impulse, Actuation]:
        bending, damping, rate, pressure = values.tolist()
        inertia = replace(params.inertia, damping_time=damping, growth_rate=rate)
        tube = replace(params, bending_stiffness=bending, inertia=inertia)
        return Impulse(place, tube, STEP), steered(segments, pressure)

    return make


def whole(make: Make, values: Floats, length: float, state: VineState | None = None) -> Rollout:
    """The compiled growth."""
    model, actuation = make(values)
    begin = model.start(*actuation.pressure.shape) if state is None else state
    return model.grow(begin, actuation, length, 0.1)


def assert_central_differences(
    found: Derivatives, make: Make, values: Floats, length: float, apart: float, within: float
) -> None:
    """Derivatives are the central differences of compiled growths, relative to the largest one of each value."""
    for k, value in enumerate(values):
        distance = np.zeros(len(values))
        distance[k] = apart * value
        above, below = (whole(make, values + side * distance, length) for side in (1.0, -1.0))
        for name in ("tips", "angles", "contact_force"):
            own = getattr(found, name)[k]
            expected = (np.asarray(getattr(above, name))[0] - np.asarray(getattr(below, name))[0])[: len(own)]
            np.testing.assert_allclose(own, expected / (2 * distance[k]), atol=within * max(np.abs(own).max(), 1e-30))


def test_derivatives_in_free_space_are_central_differences(environment: MakeEnvironment, params: VineParams) -> None:
    """Tips and bends by K, C, growth rate and actuator pressure, within 1e-4; the growth itself is the compiled one to the last bit."""
    heavy = replace(params, inertia=Inertia(tip_mass=0.2))  # it swings, so that damping matters
    make, values = of_tube(environment(), heavy), np.array([0.6, 0.05, 0.1, 15e3])
    found = differentiate(make, values, 0.5, 0.1)
    grown = whole(make, values, 0.5)
    for name in ("tips", "angles", "contact_force", "last_length"):
        np.testing.assert_array_equal(getattr(found.rollout, name), getattr(grown, name))
    assert found.tips.shape == (4, found.rollout.records[0], 3)
    assert_central_differences(found, make, values, 0.5, 1e-4, 1e-4)


@pytest.mark.parametrize("least_height", [1.0, 0.9])
def test_derivatives_in_contact_are_central_differences(
    environment: MakeEnvironment, params: VineParams, least_height: float
) -> None:
    """Along a wall too, which dents the tube or does not: within 0.2 % of differences so small that no contact changes."""
    place = environment(boxes=[[0.5, -0.6, 0.6, 0.9]], start=(0, 0, 0.6))
    make = of_tube(place, replace(params, least_height=least_height), 30)
    values = np.array([0.6, 0.05, 0.1, -2.7e3])
    found = differentiate(make, values, 0.65, 0.1)
    assert found.rollout.status[0] == Status.GROWN
    assert found.rollout.contact_force[0, found.rollout.records[0] - 1].sum() > 1.0
    assert np.abs(found.contact_force[0]).max() > 0.1
    assert_central_differences(found, make, values, 0.65, 1e-5, 2e-3)


def test_derivatives_by_inputs_over_time(environment: MakeEnvironment, params: VineParams) -> None:
    """By growth rate and body pressure in single rows of the inputs, against central differences."""

    def make(values: Floats) -> tuple[Impulse, Actuation]:
        early, late, pressure = values.tolist()
        inputs = GrowthInputs([0.0, 2.03, 4.11], [early, 0.11, late], [11e3, pressure, 9e3])
        return Impulse(environment(), params, STEP, inputs=inputs), steered(16, 20e3)

    values = np.array([0.05, 0.09, 13e3])
    found = differentiate(make, values, 0.33, 0.1)
    assert_central_differences(found, make, values, 0.33, 1e-5, 1e-3)
    assert np.abs(found.tips).max(axis=(1, 2)).min() > 0


def test_stalled_force_changes_with_the_growth_pressure(environment: MakeEnvironment, params: VineParams) -> None:
    """Head-on against a wall the tip presses with share P pi R^2, whose derivative by P is share pi R^2."""
    place = environment(boxes=[[0.3, -1, 0.4, 1]])

    def make(values: Floats) -> tuple[Impulse, Actuation]:
        return Impulse(place, replace(params, growth_pressure=float(values[0])), STEP), steered(24, 0.0)

    found = differentiate(make, [params.growth_pressure], 0.5, 0.05)
    assert found.rollout.status[0] == Status.STALLED
    expected = params.growth_share * np.pi * params.radius**2
    assert found.contact_force[0, -1].sum() == pytest.approx(expected, rel=1e-3)


def test_bends_at_rest_change_with_the_pressure(environment: MakeEnvironment, params: VineParams) -> None:
    """A held tube at rest in free space: the derivative of each bend is that of the free curvature times the length of a segment."""

    def make(values: Floats) -> tuple[Impulse, Actuation]:
        return Impulse(environment(), params), steered(4, float(values[0]))

    state = VineState(np.full((1, 4), 0.03), np.array([4]), np.array([params.segment_length]))
    found = differentiate(make, [20e3], 0.0, 0.1, state)
    assert found.rollout.status[0] == Status.GROWN
    joint = joint_moments(params)
    slope = float(free_curvature(joint, 20.01e3, 0.04) - free_curvature(joint, 19.99e3, 0.04)) / 20.0
    np.testing.assert_allclose(found.angles[0, 0, :4], slope * params.segment_length, rtol=5e-3)


def test_growth_that_takes_other_steps_is_refused(environment: MakeEnvironment, params: VineParams) -> None:
    """A segment takes exactly 25 steps: a slower tube needs one more. The message names what to do."""

    def make(values: Floats) -> tuple[Impulse, Actuation]:
        return Impulse(environment(), replace(params, inertia=Inertia(growth_rate=float(values[0])))), steered(9, 0.0)

    with pytest.raises(CannotRun, match=r"beside .*take slightly different values, or another step"):
        differentiate(make, [0.1], 0.2, 0.1)


def test_values_and_vines_that_cannot_be_used_are_refused(environment: MakeEnvironment, params: VineParams) -> None:
    """Zero has no relative neighbours, and there must be one vine."""

    def make(values: Floats) -> tuple[Impulse, Actuation]:
        return Impulse(environment(), params), Actuation(np.full((2, 9), values[0]), np.full((2, 9), 0.04))

    with pytest.raises(CannotRun, match="none of them 0"):
        differentiate(make, [1.0, 0.0], 0.2, 0.1)
    with pytest.raises(CannotRun, match="one vine is differentiated at a time, not 2"):
        differentiate(make, [5e3], 0.2, 0.1)
