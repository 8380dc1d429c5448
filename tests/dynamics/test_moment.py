"""Moments of a joint: the tube's resistance, the actuator's pull, and the curvature at which they balance."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, getcontext

import numpy as np
import pytest
from scipy.optimize import brentq

from dynamics.growth import Span
from dynamics.moment import (
    JointMoments,
    critical_strain,
    free_curvature,
    holding_pressure,
    joint_moments,
    linearise,
    new_actuated_vine,
    restoring_moment,
    total_moment,
    transition_bend,
)
from dynamics.quasistatic.dual import QuadraticStep
from dynamics.quasistatic.step import bending_model
from dynamics.tube import VineParams
from surrogate.force_table import cell
from surrogate.kernels.compiled import Floats
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam, cell_state, contraction

Reference = Callable[[str], dict[str, np.ndarray]]

PRESSURES = [200.0, 2_000.0, 10_342.0, 20_000.0]
"""Growth pressures [Pa] over the range of the fits."""


def plateau(params: VineParams) -> float:
    """Moment of a fully wrinkled tube [N m]."""
    return float(np.pi * params.growth_pressure * params.radius**3)


def sine_and_cosine(angle: Decimal) -> tuple[Decimal, Decimal]:
    """Power series, to the precision of the decimal context."""
    sine, cosine, term = Decimal(0), Decimal(0), Decimal(1)
    for k in range(60):
        sign = -1 if k % 4 >= 2 else 1
        if k % 2:
            sine += sign * term
        else:
            cosine += sign * term
        term *= angle / (k + 1)
    return sine, cosine


def moments(joint: JointMoments, bends: Floats, pressure: float, l_0: float) -> tuple[Floats, Floats]:
    """Total moment and slope at each bend."""
    of = cell(joint.tables, 0, l_0)
    values = np.array([total_moment(joint, bend, pressure, of) for bend in bends])
    return values[:, 0], values[:, 1]


def random_actuators(count: int, seed: int) -> Floats:
    """Rows of pressure [Pa], signed by side, and l_0 [m]."""
    rng = np.random.default_rng(seed)
    side = rng.choice([-1.0, 1.0], count)
    return np.column_stack([side * rng.uniform(2e3, 40e3, count), rng.uniform(20e-3, 80e-3, count)])


def test_restoring_moment_agrees_with_the_reference(params: VineParams, reference: Reference) -> None:
    """The table computed with 40 digits is met to 1e-9."""
    table = reference("restoring_moment_reference")
    np.testing.assert_allclose(restoring_moment(table["bend_angle_rad"], params), table["moment_Nm"], rtol=1e-9)


def test_kernels_see_the_same_restoring_moment(joint: JointMoments, reference: Reference) -> None:
    """Without an actuator the kernels' table meets the reference to 1e-4, on both sides of zero."""
    table = reference("restoring_moment_reference")
    bends, expected = table["bend_angle_rad"], table["moment_Nm"]
    for side in (1.0, -1.0):
        np.testing.assert_allclose(moments(joint, side * bends, 0.0, 0.04)[0], side * expected, rtol=1e-4)


@pytest.mark.parametrize("pressure", PRESSURES)
def test_restoring_moment_is_odd_and_never_falls(params: VineParams, pressure: float) -> None:
    """It changes sign with the bend, and grows with it up to a half turn."""
    tube = replace(params, growth_pressure=pressure)
    bends = np.linspace(0.0, np.pi, 2001)
    moment = restoring_moment(bends, tube)
    np.testing.assert_array_equal(restoring_moment(-bends, tube), -moment)
    assert moment[0] == 0.0
    assert np.all(np.diff(moment) > 0)


@pytest.mark.parametrize("pressure", PRESSURES)
def test_restoring_moment_lies_between_onset_and_plateau(params: VineParams, pressure: float) -> None:
    """Once wrinkled it is at least pi P R^3 / 2, and never more than pi P R^3, which it nearly reaches."""
    tube = replace(params, growth_pressure=pressure)
    moment = restoring_moment(np.linspace(transition_bend(pressure), np.pi, 2001), tube)
    assert np.all(moment >= plateau(tube) / 2)
    assert np.all(moment <= plateau(tube))
    # M -> pi P R^3 (1 - delta^2 / 10) with delta^2 -> 4 eps_crit: the expansion of Eq. 2a about full wrinkling.
    if pressure <= 2_000.0:
        assert moment[-1] == pytest.approx(plateau(tube) * (1 - 0.4 * critical_strain(pressure)), rel=1e-5)


@pytest.mark.parametrize("pressure", PRESSURES)
def test_restoring_moment_is_continuous_at_the_transition(params: VineParams, pressure: float) -> None:
    """Elastic below the transition and wrinkled above, it does not jump, and is linear through zero below."""
    tube = replace(params, growth_pressure=pressure)
    transition = transition_bend(pressure)
    below, at, above = restoring_moment(transition * np.array([1 - 1e-9, 1.0, 1 + 1e-9]), tube)
    assert below == pytest.approx(at, rel=1e-8)
    assert above == pytest.approx(at, rel=1e-8)
    shares = np.linspace(-1.0, 1.0, 41)
    np.testing.assert_allclose(restoring_moment(transition * shares, tube), at * shares, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("delta", ["0.02", "0.03", "0.045", "0.0499", "0.0501", "0.06", "0.1", "0.2"])
def test_moment_near_full_wrinkling_keeps_its_digits(params: VineParams, delta: str) -> None:
    """Where Eq. 2a is 0 / 0 the moment agrees with 50-digit arithmetic to 1e-9, in the series and outside it."""
    getcontext().prec = 50
    pressure = 150.0
    tube = replace(params, growth_pressure=pressure)
    gap = Decimal(delta)
    sine, cosine = sine_and_cosine(gap)
    bend = 2 * np.arcsin(float(2 * Decimal(critical_strain(pressure)) / (1 - cosine)))
    assert transition_bend(pressure) < bend < np.pi
    ratio = (2 * gap - 2 * sine * cosine) / (4 * (sine - gap * cosine))  # Eq. 2a with gamma_0 = pi - delta
    assert float(restoring_moment(bend, tube)) == pytest.approx(plateau(tube) * float(ratio), rel=1e-9)


def test_total_moment_rises_with_the_bend(joint: JointMoments) -> None:
    """For any actuator the moment rises with the bend, so its integral is a convex potential."""
    bends = np.linspace(-1.2, 1.2, 801)
    for pressure, l_0 in random_actuators(60, seed=0):
        moment, slope = moments(joint, bends, pressure, l_0)
        assert np.all(np.diff(moment) > 0)
        assert np.all(slope > 0)


def test_slope_is_the_derivative_of_the_total_moment(joint: JointMoments) -> None:
    """The slope is the finite difference of the moment, against and with the actuator."""
    rng = np.random.default_rng(1)
    h = 1e-8
    for pressure, l_0 in [*random_actuators(40, seed=2), (0.0, 0.04)]:
        bends = rng.uniform(-0.5, 0.5, 40)
        slope = moments(joint, bends, pressure, l_0)[1]
        ends = [moments(joint, bends + shift, pressure, l_0)[0] for shift in (h, -h)]
        difference = (ends[0] - ends[1]) / (2 * h)
        # Both tables are piecewise linear: now and then a difference straddles a node.
        assert np.isclose(difference, slope, rtol=1e-4, atol=1e-6).sum() >= 39


def test_total_moment_is_the_tube_less_the_actuator(joint: JointMoments, params: VineParams) -> None:
    """M_tot(theta) = M(theta) - s F_t(s arm theta / l) arm (Eq. 3), with the force from the analytic model."""
    arm = 2 * 33.35e-3 + 17.18e-3
    for pressure, l_0 in random_actuators(30, seed=3):
        side = np.sign(pressure)
        full = float(cell_state([0.5], l_0, params.actuator).strain[0])
        strain = np.linspace(0.0, 0.95, 12) * full
        bends = side * strain * 25e-3 / arm
        force = (
            abs(pressure)
            * cell_state(contraction(strain, l_0, params.actuator), l_0, params.actuator).force_per_pressure
        )
        expected = restoring_moment(bends, params) - side * force * arm
        np.testing.assert_allclose(moments(joint, bends, pressure, l_0)[0], expected, atol=1e-3 * arm * force.max())
        slack = moments(joint, side * np.array([1.01, 1.3]) * full * 25e-3 / arm, pressure, l_0)[0]
        np.testing.assert_allclose(
            slack, restoring_moment(side * np.array([1.01, 1.3]) * full * 25e-3 / arm, params), rtol=1e-4
        )


def test_free_curvature_agrees_with_the_reference(joint: JointMoments, reference: Reference) -> None:
    """The reference curvatures are met within 1e-3 on either side; the tables' own error is about 2e-5."""
    table = reference("free_space_curvature_reference")
    pressure, l_0 = table["pressure_kpa"] * 1e3, table["l0_mm"] * 1e-3
    left, right = free_curvature(joint, pressure, l_0), free_curvature(joint, -pressure, l_0)
    np.testing.assert_allclose(left, table["curvature_per_m"], rtol=1e-3)
    np.testing.assert_array_equal(right, -left)
    np.testing.assert_allclose(left, table["curvature_per_m"], rtol=4e-5)


def test_forces_of_the_reference_balance_the_tube(params: VineParams, reference: Reference) -> None:
    """At the reference's free-space curvature the tube's moment is force times arm, and the strain arm times curvature."""
    table = reference("free_space_curvature_reference")
    bend = table["curvature_per_m"] * 25e-3
    np.testing.assert_allclose(restoring_moment(bend, params), table["force_N"] * params.arm(), rtol=1e-6)
    np.testing.assert_allclose(table["strain"], table["curvature_per_m"] * params.arm(), rtol=1e-6)


def test_free_curvature_is_the_root_of_the_analytic_moment(joint: JointMoments, params: VineParams) -> None:
    """Between the reference's rows it is the root found by Brent's method on the analytic models, within 1e-3."""
    actuators = random_actuators(12, seed=4)
    for pressure, l_0 in actuators:
        full = float(cell_state([0.5], l_0, params.actuator).strain[0])

        def excess(bend: float, pressure: float = abs(pressure), l_0: float = l_0) -> float:
            m = contraction([bend * params.arm() / params.segment_length], l_0, params.actuator)
            force = pressure * cell_state(m, l_0, params.actuator).force_per_pressure[0]
            return float(restoring_moment(bend, params)) - force * params.arm()

        root = brentq(excess, 0.0, 0.999999 * full * params.segment_length / params.arm())
        expected = np.sign(pressure) * root / params.segment_length
        assert float(free_curvature(joint, [pressure], [l_0])[0]) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("l_0", "pressure"), [(0.02, 5e3), (0.02, 35e3), (0.033, 12e3), (0.06, 5e3), (0.06, 35e3)])
def test_pouches_bend_the_tube_until_the_moments_balance(l_0: float, pressure: float) -> None:
    """A pouch's free curvature is the root, over its half angle, of the paper's moment less P D l_0 cos / theta on 2 R."""
    params = VineParams(actuator=PouchMotor(width=60e-3, seam=0.0))
    arm, segment = 2 * 33.35e-3, params.segment_length

    def excess(theta: float) -> float:
        bend = (1 - np.sin(theta) / theta) * segment / arm
        return float(restoring_moment(bend, params)) - pressure * 60e-3 * l_0 * np.cos(theta) / theta * arm

    theta = brentq(excess, 1e-3, np.pi / 2, xtol=1e-14)
    expected = (1 - np.sin(theta) / theta) / arm
    assert 1.0 < expected < 5.0
    found = free_curvature(joint_moments(params), [pressure, -pressure], l_0)
    np.testing.assert_allclose(found, [expected, -expected], rtol=1e-3)


def test_without_pressure_the_tube_is_straight(joint: JointMoments) -> None:
    """No actuator, no curvature, whatever the cell length."""
    np.testing.assert_array_equal(free_curvature(joint, 0.0, [20e-3, 80e-3]), 0.0)


@pytest.mark.parametrize("l_0", [20e-3, 47e-3, 80e-3])
def test_holding_pressure_undoes_the_free_curvature(joint: JointMoments, l_0: float) -> None:
    """The pressure that holds a curvature gives it, to both sides, and straight needs none."""
    curvature = np.linspace(-1.8, 1.8, 23)
    pressure = holding_pressure(joint, curvature, l_0)
    assert free_curvature(joint, pressure, l_0) == pytest.approx(curvature, abs=1e-9)
    assert pressure[11] == 0


SEGMENTS = [25e-3, 12.5e-3, 6.25e-3]


def bending_moments(params: VineParams, curvature: float, pressure: float, l_0: float) -> tuple[Floats, Floats]:
    """Moment [N m] and stiffness over curvature [N m2] of the joints of an arc, whose last segment is 0.4 of a full one."""
    joint, full = joint_moments(params), params.segment_length
    angles, last_length = np.full(4, curvature * full), 0.4 * full
    angles[-1] *= 0.4
    vine = new_actuated_vine(joint, angles, np.full(4, pressure), np.full(4, l_0))
    step, span = QuadraticStep(np.empty(4), np.empty(4), np.empty(4)), Span(4, last_length, 0, 0.0)
    assert bending_model(joint, 0.0, vine, step, np.zeros(4), span) == pytest.approx(curvature)
    return -step.free / step.inverse, np.array([full, full, full, last_length]) / step.inverse


@pytest.mark.parametrize("stiffness", [None, 0.7])
@pytest.mark.parametrize(("pressure", "l_0"), [(0.0, 0.04), (15e3, 0.033), (-32e3, 0.058)])
def test_moment_is_one_of_curvature(params: VineParams, stiffness: float | None, pressure: float, l_0: float) -> None:
    """At the same curvature segments of 25, 12.5 and 6.25 mm have the same moment and stiffness, the growing one too: at 25 mm, Eq. 3."""
    tubes = [replace(params, segment_length=length, bending_stiffness=stiffness) for length in SEGMENTS]
    usual = joint_moments(tubes[0])
    for curvature in (-6.0, -0.9, 0.3, 1.7, 8.0):
        expected, slope = total_moment(usual, curvature * 25e-3, pressure, cell(usual.tables, 0, l_0))
        for tube in tubes:
            moment, stiff = bending_moments(tube, curvature, pressure, l_0)
            np.testing.assert_allclose(moment, expected, rtol=1e-9)
            np.testing.assert_allclose(stiff, slope * 25e-3, rtol=1e-9)


def test_free_curvature_is_that_of_any_segment(params: VineParams) -> None:
    """It does not depend on the segment length, nor does the pressure that holds a curvature; published, shorter segments bend more."""
    actuators = random_actuators(20, seed=5).T
    found = [free_curvature(joint_moments(replace(params, segment_length=length)), *actuators) for length in SEGMENTS]
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
    held = [holding_pressure(joint_moments(replace(params, segment_length=h)), 1.3, 0.04) for h in SEGMENTS]
    assert held[1] == held[2] == held[0]
    published = [
        free_curvature(joint_moments(VineParams(segment_length=length, physics="published")), *actuators)
        for length in SEGMENTS
    ]
    assert np.all(np.abs(published[2]) > np.abs(published[1]))
    assert np.all(np.abs(published[1]) > np.abs(published[0]))


@pytest.mark.parametrize("physics", ["corrected", "published"])
@pytest.mark.parametrize("actuator", [Spam(), PouchMotor()], ids=["spam", "pouch"])
def test_total_moment_rises_for_every_actuator_of_the_grid(actuator: Spam | PouchMotor, physics: str) -> None:
    """For every cell and pressure it rises with the bend on both sides of 0, as steeply as its slopes say: without a jump."""
    joint, grid = joint_moments(VineParams(actuator=actuator, physics=physics)), actuator.grid
    l_0, pressure = (part.ravel() for part in np.meshgrid(grid.l_0, grid.pressure))
    bends = np.linspace(-0.25, 0.25, 1001)
    vine = new_actuated_vine(joint, np.zeros(len(l_0)), pressure, l_0)
    moment, slope = np.empty((2, len(bends), len(l_0)))
    for k, bend in enumerate(bends):
        vine.angles[:] = bend
        linearise(joint, vine, len(l_0), 1.0, bend, moment[k], slope[k])
    rise = np.diff(moment, axis=0) / np.diff(bends)[:, None]
    assert np.all(rise > 0)
    assert np.all(slope > 0)
    # The table's nodes lie closer or farther apart than these bends: a slope in between may be steeper than both ends.
    near = np.maximum.reduce([np.roll(slope, shift, axis=0) for shift in range(-4, 5)])[4:-5]
    assert np.all(rise[4:-4] <= near * 1.02)


def test_a_taut_actuator_pulls_about_the_near_wall(joint: JointMoments) -> None:
    """Bent against it, M + P max(g(0) arm, g(-R_act |theta| / l) R_act) with g by Eq. 1: hand-derived, on both sides."""
    arm, near, pressure = 83.88e-3, 17.18e-3, 20e3
    bends = np.concatenate([np.linspace(1e-4, 3e-3, 10), np.linspace(4e-3, 0.07, 30)])
    strain = -near * bends / 25e-3
    for l_0 in (21e-3, 40e-3, 80e-3):
        far = Spam().force_per_pressure(0.0, l_0) * arm
        about_near = Spam().force_per_pressure(strain, l_0) * near
        assert np.any(about_near < far)
        assert np.any(about_near > far) == (l_0 < 60e-3)  # long cells start with so much force that this is further out
        expected = pressure * np.maximum(far, about_near)
        for side in (1.0, -1.0):
            bare, loaded = (moments(joint, -side * bends, given, l_0)[0] for given in (0.0, side * pressure))
            np.testing.assert_allclose(-side * (loaded - bare), expected, rtol=1e-3)


def test_an_actuator_on_the_wall_keeps_its_moment_when_bent_against() -> None:
    """A pouch lies on the near wall: bent against, the tube turns about it, and it pulls as if straight."""
    joint = joint_moments(VineParams(actuator=PouchMotor(seam=0.0)))
    bare, loaded = (moments(joint, np.array([-0.3, -0.05, -1e-6, 0.0]), given, 0.03)[0] for given in (0.0, 10e3))
    np.testing.assert_allclose(
        loaded - bare, -10e3 * PouchMotor(seam=0.0).force_per_pressure(0.0, 0.03) * 66.7e-3, rtol=1e-9
    )


@pytest.mark.parametrize(
    ("params", "bend", "pressure", "l_0", "moment", "slope"),
    [
        (VineParams(), -0.12, 20e3, 0.04, -160.56451476165364, 1271.2597086396847),
        (VineParams(), 0.03, -35e3, 0.025, 80.44451887787565, 2398.5787342749545),
        (VineParams(), 0.045, 15e3, 0.058, -0.77662398277175, 104.84072371049633),
        (VineParams(segment_length=12.5e-3), -0.12, 20e3, 0.04, -312.9036387361972, 2540.752408427548),
        (VineParams(segment_length=12.5e-3), 0.03, -35e3, 0.025, 152.00438615862666, 4783.907643633321),
        (VineParams(segment_length=12.5e-3), 0.045, 15e3, 0.058, 0.5962421212464446, 13.24982491658766),
        (VineParams(actuator=PouchMotor(seam=0.0)), -0.12, 20e3, 0.04, -236.16480035904686, 1799.7594580606385),
        (VineParams(actuator=PouchMotor(seam=0.0)), 0.03, -35e3, 0.025, 80.61198465489618, 1979.8040662376345),
    ],
)
def test_published_moments_stay(
    params: VineParams, bend: float, pressure: float, l_0: float, moment: float, slope: float
) -> None:
    """With the published physics moment and slope are, to rounding, those from before there were others."""
    joint = joint_moments(replace(params, physics="published"))
    found = total_moment(joint, bend, pressure, cell(joint.tables, 0, l_0))
    assert found == pytest.approx((moment, slope), rel=1e-12)
