"""Growth rate and body pressure over time in the impulse propagator: closed forms, and the tube with the pressure of the moment."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.impulse.input_tables import model_at
from dynamics.impulse.inputs import GrowthInputs, InvalidInputs
from dynamics.impulse.inputs_file import read_inputs
from dynamics.impulse.model import ImpulseModel, new_work
from dynamics.impulse.propagator import Impulse
from dynamics.moment import free_curvature, joint_moments, restoring_moment, total_moment
from dynamics.propagator import CannotRun
from dynamics.registry import choose_propagator
from dynamics.tube import Inertia, VineParams
from dynamics.vine import Actuation, Rollout, Status, grown_length
from environments import Environment
from surrogate.force_table import CellPosition

MakeEnvironment = Callable[..., Environment]
P = VineParams().growth_pressure


def carried(segments: int, pressure: float = 0.0) -> Actuation:
    return Actuation(np.full((1, segments), pressure), np.full((1, segments), 0.04))


def last_length(rollout: Rollout, params: VineParams) -> float:
    return float(grown_length(rollout.state(np.zeros(1, int), rollout.records - 1), params)[0])


def test_length_is_the_integral_of_the_growth_rate(environment: MakeEnvironment, params: VineParams) -> None:
    """In free space, with ramps, a pause of 3 s and steps of the rate, the tube ends as long as the rate's integral, when that stops."""
    times = [0.0, 1.0, 1.5, 1.5, 4.5, 4.5, 5.0, 5.253]
    rates = [0.0, 0.1, 0.1, 0.0, 0.0, 0.06, 0.06, 0.0]
    inputs = GrowthInputs(times, rates)
    area = 0.05 + 0.05 + 0.0 + 0.03 + 0.03 * 0.253
    assert inputs.grown(9.0) == pytest.approx(area)
    assert inputs.grown(0.5) == pytest.approx(0.0125)
    propagator = Impulse(environment(), params, inputs=inputs)
    rollout = propagator.grow(propagator.start(1, 20), carried(20), 0.5, 0.5)
    assert rollout.status[0] == Status.STALLED
    assert last_length(rollout, params) == pytest.approx(area, abs=2e-6)


@pytest.mark.parametrize("ei", [None, 0.15])
def test_moments_are_those_of_the_pressure_of_the_moment(
    environment: MakeEnvironment, params: VineParams, ei: float | None
) -> None:
    """While the pressure rises, the moment is that of Eq. 2 with it, within 0.02 %; the drag on a joint and the growth force are too."""
    tube = replace(params, bending_stiffness=ei)
    propagator = Impulse(environment(), tube, inputs=GrowthInputs([0.0, 2.0], pressures=[0.6 * P, 1.8 * P]))
    work = new_work(3, 4)
    model = ImpulseModel(
        propagator.scene, propagator.joint, propagator.tube, np.asarray(environment().start), propagator.tables
    )
    for time in (0.0, 0.611, 1.377, 2.5):
        now = model_at(model, time, work.moments)
        pressure = P * min(0.6 + 0.6 * (time + propagator.tube.time_step), 1.8)
        of = replace(tube, growth_pressure=pressure)
        for bend in (1e-3, 0.05, 0.2, 0.9, -0.9):
            moment, _ = total_moment(now.joint, bend, 0.0, CellPosition(0, 0.0, 0.0, 0.0))
            assert moment == pytest.approx(float(restoring_moment(bend, of)), rel=2e-4)
        assert now.tube.growth_force == pytest.approx(of.growth_force)
        stiffness = float(restoring_moment(1e-4, of)) / 1e-4
        assert now.tube.damping == pytest.approx(tube.inertia.damping_time * stiffness, rel=2e-4)
        if ei:  # below the onset of wrinkling an elastic tube does not depend on its pressure
            assert stiffness == pytest.approx(ei / params.hinge_length, rel=1e-6)


def test_constant_inputs_change_nothing(environment: MakeEnvironment, params: VineParams) -> None:
    """Constant rows are the tube with that growth rate and pressure, to the last bit: the prototype's, and another tube's."""
    place = environment(boxes=[[0.5, -0.6, 0.6, 0.9]], start=(0, 0, 0.6))
    for rate, pressure in ((0.1, P), (0.05, 1.3 * P)):
        tube = replace(params, growth_pressure=pressure, inertia=Inertia(growth_rate=rate), least_height=0.9)
        own = Impulse(place, tube)
        fed = Impulse(
            place, replace(params, least_height=0.9), inputs=GrowthInputs([0, 1, 1, 5], [rate] * 4, [pressure] * 4)
        )
        rollouts = [model.grow(model.start(1, 40), carried(40, -6e3), 0.9, 0.05) for model in (own, fed)]
        assert rollouts[0].contact_force.max() > 0.1
        for field in ("angles", "tips", "contact_force", "steps"):
            np.testing.assert_array_equal(getattr(rollouts[0], field), getattr(rollouts[1], field))


def test_stalls_with_the_growth_force_of_the_pressure_it_has(environment: MakeEnvironment, params: VineParams) -> None:
    """Head-on against a wall after its pressure has fallen to 70 %, a tube presses with 70 % of its growth force."""
    place = environment(boxes=[[0.3, -1, 0.4, 1]])
    propagator = Impulse(place, params, inputs=GrowthInputs([0.5, 1.5], pressures=[P, 0.7 * P]))
    rollout = propagator.grow(propagator.start(1, 24), carried(24), 0.5, 0.05)
    assert rollout.status[0] == Status.STALLED
    full = params.growth_share * 0.7 * P * np.pi * params.radius**2
    assert rollout.contact_force[0, rollout.records[0] - 1].sum() == pytest.approx(full, rel=1e-3)


def test_a_held_tube_follows_the_pressure_in_its_body(environment: MakeEnvironment, params: VineParams) -> None:
    """Held while the pressure in its body doubles after 3 s, an actuated tube ends with the curvature that it has at that pressure."""
    propagator = Impulse(environment(), params, inputs=GrowthInputs([3.0, 4.0], pressures=[P, 2 * P]))
    state = propagator.grow(propagator.start(1, 8), carried(8, 20e3), 0.2, 0.2).state(
        np.zeros(1, int), np.zeros(1, int)
    )
    rollout = propagator.grow(state, carried(8, 20e3), 0.0, 0.2)
    assert rollout.status[0] == Status.GROWN
    of = replace(params, growth_pressure=2 * P)
    bend = free_curvature(joint_moments(of), 20e3, 0.04) * params.segment_length
    np.testing.assert_allclose(rollout.angles[0, 0, :8], bend, rtol=1e-3)


def test_half_the_step_has_the_same_inputs(environment: MakeEnvironment, params: VineParams) -> None:
    """A refined model follows them too."""
    inputs = GrowthInputs([0.0, 1.0], [0.02, 0.1])
    finer = Impulse(environment(), params, inputs=inputs).refined()
    assert finer.inputs is inputs
    assert finer.tube.time_step == 0.005


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (([0.0, 1.0], None, None), "a growth rate or a body pressure"),
        (([0.0, 1.0], [0.1], None), "in each row"),
        (([1.0, 0.0], [0.1, 0.1], None), "row 2, at 0 s, must not be before row 1"),
        (([0.0, 1.0, 1.0, 1.0], [0.1] * 4, None), "rows 2 to 4 have the same time"),
        (([0.0, 1.0], [0.1, -0.1], None), "row 2: the growth rate must be finite and at least 0"),
        (([0.0, 1.0], None, [0.0, 1e4]), "row 1: the body pressure must be finite and greater than 0"),
        (([0.0, np.nan], [0.1, 0.1], None), "row 2: the time must be finite"),
        (([0.0, 1.0], [0.0, 0.0], None), "the growth rate is 0 in every row"),
    ],
)
def test_inputs_that_cannot_be_followed_are_refused(
    rows: tuple[list[float], list[float] | None, list[float] | None], message: str
) -> None:
    """Each with the row that is wrong."""
    with pytest.raises(InvalidInputs, match=message):
        GrowthInputs(*rows)


def test_a_pressure_that_the_tube_cannot_have_is_refused(environment: MakeEnvironment, params: VineParams) -> None:
    """Beyond the measured range of wrinkling, and below the tension of the tail; the message has the pressure."""
    with pytest.raises(InvalidInputs, match=r"at a body pressure of 90 kPa: .*range of the wrinkling"):
        Impulse(environment(), params, inputs=GrowthInputs([0.0], pressures=[90e3]))
    with pytest.raises(InvalidInputs, match="at a body pressure of 2 kPa: tail_tension"):
        Impulse(environment(), replace(params, tail_tension=6.0), inputs=GrowthInputs([0.0], pressures=[2e3]))


def test_inputs_are_for_impulse_only(params: VineParams) -> None:
    """Another propagator refuses them."""
    with pytest.raises(CannotRun, match="--inputs is for --propagator impulse; quasistatic does not have this option"):
        choose_propagator(params, "quasistatic", inputs=GrowthInputs([0.0], [0.1]))


def test_a_table_is_read_in_its_units(tmp_path: Path) -> None:
    """Columns in any order, in mm/s and kPa; others are ignored. One of the two may be missing."""
    path = tmp_path / "inputs.csv"
    path.write_text("note,body_kpa,time_s,growth_mm_per_s\nup,10,0,50\nup,12,2.5,80\n")
    inputs = read_inputs(path)
    assert inputs.growth_rates is not None
    assert inputs.pressures is not None
    np.testing.assert_allclose(inputs.times, [0, 2.5])
    np.testing.assert_allclose(inputs.growth_rates, [0.05, 0.08])
    np.testing.assert_allclose(inputs.pressures, [10e3, 12e3])
    path.write_text("time_s,body_kpa\n0,10\n1,11\n")
    assert read_inputs(path).growth_rates is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the first line must name the columns time_s and growth_mm_per_s or body_kpa"),
        ("time_s,growth\n0,1\n", "the first line must name the columns"),
        pytest.param('time_s,body_kpa\n0,"' + "1" * 200_000, "is not a table of text", id="endless"),
        ("time_s,body_kpa\n", "inputs of 0 rows must have from 1"),
        ("time_s,body_kpa\n0,x\n", "line 2 must have a number in each of 2 columns"),
        ("time_s,body_kpa\n0\n", "line 2 must have a number"),
        ("time_s,body_kpa\n1,5\n0,6\n", "row 2, at 0 s, must not be before row 1"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """Each with the file and the line or row."""
    path = tmp_path / "inputs.csv"
    path.write_text(text)
    with pytest.raises(InvalidInputs, match=rf"inputs\.csv: .*{message}"):
        read_inputs(path)
