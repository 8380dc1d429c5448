"""A vine in space over time: what is conserved, what has a closed form, and how it follows a reference."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.euler_lagrange.control import Controller, Event, Reference, Saturation, track
from dynamics.euler_lagrange.kinematics import COIL, PLANES, actuator_jacobian
from dynamics.euler_lagrange.model import Muscle, Robot, step
from dynamics.euler_lagrange.motion import Motion, open_loop

WEIGHTLESS = (0.0, 0.0, 0.0)
FREE = Robot(axial_damping=0.0, bending_damping=0.0, yield_force=0.0)
"""A robot that loses no energy."""
TEN_SECONDS = np.linspace(0, 10, 101)


def constant(*inputs: float) -> Callable[[float, np.ndarray], np.ndarray]:
    return lambda _time, _q: np.array(inputs)


OFF = constant(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("gravity", "rates", "locked"),
    [(WEIGHTLESS, (0.3, 0.5, -1.0), False), ((0.0, 0.0, 9.81), (0.0, 2.0, 1.0), False), ((2.0, -1.0, -9.81), (0.5, 1.0, 0.4), True)],
)  # fmt: skip
def test_energy_is_conserved(gravity: tuple[float, float, float], rates: tuple[float, ...], locked: bool) -> None:
    """Without damping and input it stays within 1e-8 J for 10 s, growing, and where the growth stops and goes on."""
    robot = replace(FREE, gravity=gravity)
    motion = open_loop(robot, OFF, (1.0, 0.8, 0.3), TEN_SECONDS, start_rates=rates, tolerance=1e-12)
    energies = [robot.energy(q, rate) for q, rate in zip(motion.q, motion.rates, strict=True)]
    assert np.ptp(energies) < 1e-8
    assert np.ptp(motion.q[:, 1]) > 0.5  # it moves
    assert (sum(end - begin for begin, end in motion.locks) > 5) == locked


def test_energy_is_what_inputs_give_and_dampers_take() -> None:
    """With damping, gravity and inputs, the energy changes by the integral of the power."""
    robot, given = Robot(gravity=(3.0, 1.0, 2.0)), np.array([12.0, 5.0, 0.0, 2.0])
    times = np.linspace(0, 3, 30_001)
    motion = open_loop(robot, constant(*given), (0.7, 0.5, 1.0), times, tolerance=1e-11)
    power = motion.rates @ robot.actuation(given) - motion.rates**2 @ robot.dampers
    work = np.sum((power[1:] + power[:-1]) / 2) * (times[1] - times[0])
    gained = robot.energy(motion.q[-1], motion.rates[-1]) - robot.energy(motion.q[0], motion.rates[0])
    assert gained == pytest.approx(work, abs=1e-5)
    assert abs(gained) > 1.0


@pytest.mark.parametrize("angle", [0.7, -2.0, np.pi])
def test_turning_the_start_turns_the_motion(angle: float) -> None:
    """About the base's axis, along which gravity pulls, no direction is special without input."""
    turn = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
    rates = np.array([0.2, 1.0, -0.6])
    motion = open_loop(Robot(), OFF, (0.8, 0.6, 0.4), TEN_SECONDS, start_rates=rates, tolerance=1e-11)
    turned = open_loop(Robot(), OFF, (0.8, 0.6, 0.4 + angle), TEN_SECONDS, start_rates=turn @ rates, tolerance=1e-11)
    np.testing.assert_allclose(turned.q, motion.q @ turn.T, atol=1e-7)


def test_turning_the_muscles_turns_the_motion() -> None:
    """What sPAM 1 does, sPAM 2 does 120 degrees on, and sPAM 3 120 degrees back."""
    ends = [
        open_loop(Robot(), constant(90, *(80.0 * (np.arange(3) == k))), (0.8, 0.0, 0.0), TEN_SECONDS, tolerance=1e-11)
        for k in range(3)
    ]
    for k in (1, 2):
        np.testing.assert_allclose(ends[k].polar[1:, :2], ends[0].polar[1:, :2], atol=1e-7)
        np.testing.assert_allclose(ends[k].polar[1:, 2], PLANES[k], atol=1e-7)
    assert ends[0].polar[-1, 1] > 5e-3


@pytest.mark.parametrize(("axial", "rate"), [(0.0, 1.0 / 1.5), (9.81, (1.0 + 0.981) / 1.5)])
def test_growth_is_linear_under_a_constant_force(axial: float, rate: float) -> None:
    """s = s_0 + r (t - tau (1 - exp(-t / tau))), r = (P_s - Y_e + m g) / D_s and tau = m / D_s."""
    robot = Robot(gravity=(0.0, 0.0, axial))
    motion = open_loop(robot, constant(5, 0, 0, 0), (0.5, 0.0, 0.0), TEN_SECONDS, tolerance=1e-10)
    tau = robot.mass / robot.axial_damping
    expected = 0.5 + rate * (TEN_SECONDS - tau * (1 - np.exp(-TEN_SECONDS / tau)))
    np.testing.assert_allclose(motion.q[:, 0], expected, atol=1e-7)
    np.testing.assert_array_equal(motion.q[:, 1:], 0.0)
    assert motion.locks == ()


def test_plane_goes_to_that_of_the_muscle_that_pulls() -> None:
    """sPAM 2 in place of sPAM 1: phi goes from 0 to 2 pi / 3, theta comes back to T arm / K."""
    robot = Robot(gravity=WEIGHTLESS, levers=2.0)

    def inputs(time: float, _q: np.ndarray) -> tuple[float, ...]:
        return (0, 20, 0, 0) if time < 5 else (0, 0, 20, 0)

    motion = open_loop(robot, inputs, (1.0, 0.0, 0.0), TEN_SECONDS, jumps=(5.0,))
    np.testing.assert_allclose(motion.polar[50], [1.0, 20 * 0.1 / 20, 0.0], atol=1e-6)
    np.testing.assert_allclose(motion.polar[-1], [1.0, 20 * 0.1 / 20, 2 * np.pi / 3], atol=1e-6)


def test_pressure_bends_to_where_spring_and_muscle_balance() -> None:
    """Eq. 15 and the tube's spring, both linear: theta = a p A / (K + a^2 p A / (contraction s))."""
    robot = Robot(gravity=WEIGHTLESS, muscle=Muscle(2e-3, 0.25))
    motion = open_loop(
        robot, lambda _, q: np.append(0.0, robot.tensions([0.0, 0.0, 30e3], q)), (1.5, 0.0, 0.0), TEN_SECONDS
    )
    pull = robot.arm * 30e3 * 2e-3
    expected = pull / (robot.stiffness + robot.arm * pull / (0.25 * 1.5))
    np.testing.assert_allclose(motion.polar[-1], [1.5, expected, -2 * np.pi / 3], atol=1e-6)


def test_hanging_tube_swings_as_linear_theory_says() -> None:
    """Locked and nearly straight it is an oscillator of mass m s^2 / 4, spring K + m g s / 3 and damper D."""
    robot, s = Robot(), 4.0
    times = np.linspace(0, 3, 301)
    motion = open_loop(robot, OFF, (s, 1e-3, 0.0), times, tolerance=1e-11)
    mass, spring = robot.mass * s**2 / 4, robot.stiffness + robot.mass * 9.81 * s / 3
    decay = robot.bending_damping / (2 * mass)
    swing = np.sqrt(spring / mass - decay**2)
    expected = 1e-3 * np.exp(-decay * times) * (np.cos(swing * times) + decay / swing * np.sin(swing * times))
    np.testing.assert_allclose(motion.q[:, 1], expected, atol=2e-9)
    np.testing.assert_allclose(motion.locks, [(0.0, 3.0)])


def swung() -> Motion:
    """A tube whose core pushes just below its yield force, while its tip swings hard."""
    robot = Robot(gravity=WEIGHTLESS, axial_damping=20.0, bending_damping=0.05)
    return open_loop(robot, constant(3.9, 0, 0, 0), (1.0, 1.5, 0.0), np.linspace(0, 10, 2001), tolerance=1e-10)


def test_growth_never_turns_back() -> None:
    """Pulled out by its swinging tip, a tube grows in bursts, stands still between, and never shrinks."""
    motion = swung()
    assert len(motion.locks) > 5
    assert (motion.rates[:, 0] >= 0).all()
    assert (np.diff(motion.q[:, 0]) >= 0).all()
    assert motion.q[-1, 0] > 1.1
    for begin, end in motion.locks:
        inside = (motion.times >= begin) & (motion.times <= end)
        assert np.ptp(motion.q[inside, 0]) < 1e-12


def test_semi_implicit_steps_come_to_the_adaptive_motion() -> None:
    """In steps of half the time the error against the adaptive integrator is half as large, bursts of growth and all."""
    robot = Robot(gravity=(2.0, 0.0, 3.0), stiffness=0.3, bending_damping=0.05, axial_damping=6.0)
    inputs = np.array([16.0, 6.0, 0.0, 3.0])
    exact = open_loop(robot, constant(*inputs), (0.6, 0.4, 1.0), [0, 1], tolerance=1e-11).q[-1]
    errors = []
    for h in (2e-3, 1e-3, 5e-4):
        q, rates = np.array([0.6, 0.4 * np.cos(1), 0.4 * np.sin(1)]), np.zeros(3)
        for _ in range(round(1 / h)):
            force = robot.actuation(inputs) - robot.springs * q
            rates = step(q, rates, force, robot.springs, robot.dampers, robot.mass, np.array(robot.gravity), h, False)
            q = q + h * rates
        errors.append(np.abs(q - exact).max())
    assert errors[0] < 0.02
    np.testing.assert_allclose(np.divide(errors[1:], errors[:-1]), 0.5, atol=0.1)


def test_step_holds_and_locks_the_growth() -> None:
    """Held, a tube keeps its length under any force; not held, it does where it would shrink, and bends the same."""
    robot, q, rates = Robot(), np.array([1.0, 0.5, 0.2]), np.array([0.0, 1.0, 0.0])

    def after(core: float, held: bool) -> np.ndarray:
        force = np.array([core, 0.3, 0.1])
        return np.asarray(
            step(q, rates, force, robot.springs, robot.dampers, robot.mass, np.zeros(3), 1e-3, held), float
        )

    assert after(50.0, True)[0] == 0.0
    assert after(-50.0, False)[0] == 0.0
    np.testing.assert_array_equal(after(-50.0, False), after(50.0, True))
    assert after(50.0, False)[0] > 0.0


def test_motion_ends_at_a_full_circle() -> None:
    """A muscle that bends the tube into a circle ends the motion there, and it says so."""
    motion = open_loop(Robot(gravity=WEIGHTLESS), constant(0, 0, 0, 9e3), (1.0, 0.1, 0.0), TEN_SECONDS)
    assert motion.coiled
    assert len(motion.times) == len(motion.q) < len(TEN_SECONDS)
    assert (motion.polar[:, 1] < COIL).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": (0.0, 0.1, 0.0)}, "s = 0 m"),
        ({"start_rates": (-0.1, 0.0, 0.0)}, "no vine shrinks"),
        ({"times": [0.0, 1.0, 1.0]}, "rise by more than 1e-09 s"),
        ({"times": [1.0, np.nextafter(1.0, 2.0)]}, "rise by more than"),
        ({"times": [0.0, np.inf]}, "times must be finite"),
        ({"tolerance": np.nan}, "tolerance = nan must be from"),
        ({"tolerance": 0.0}, "tolerance = 0"),
        ({"start": (1.0, COIL - 5e-5, 0.0)}, "less than 2 pi"),
        ({"times": [0.0]}, "two at least"),
        ({"inputs": constant(0, -1, 0, 0)}, "sPAM 1: -1 N"),
    ],
)
def test_refuses_motions_that_cannot_be(change: dict[str, object], words: str) -> None:
    """Starts, times and inputs out of range are named before anything moves."""
    given: dict[str, object] = {"inputs": OFF, "start": (1.0, 0.1, 0.0), "times": [0.0, 1.0], **change}
    with pytest.raises(ValueError, match=words):
        open_loop(Robot(), **given)  # type: ignore[arg-type]


# Tracking


def still(s: float, theta: float, phi: float) -> Reference:
    return lambda _time: ((s, theta, phi), (0.0, 0.0, 0.0))


def waves(time: float) -> tuple[list[float], list[float]]:
    """A length that only grows, a bend that waves, a plane that turns."""
    return (
        [1.0 + 0.8 * time, 1.0 + 0.8 * np.sin(2 * time), 1.5 * np.sin(1.3 * time)],
        [0.8, 1.6 * np.cos(2 * time), 1.95 * np.cos(1.3 * time)],
    )


def test_tensions_make_the_force_asked_for_and_never_push() -> None:
    """Within the limits the inputs have the generalised force asked for exactly, at most two muscles pulling."""
    robot, controller = Robot(), Controller()
    for force in np.random.default_rng(2).uniform(-5, 5, (500, 3)) + np.array([200.0, 0, 0]):
        inputs, met = controller.inputs(robot, force)
        np.testing.assert_allclose(robot.actuation(inputs), force, rtol=1e-9, atol=1e-9)
        assert (inputs >= 0).all()
        assert (inputs[1:] > 0).sum() <= 2
        assert met == []


def test_least_tensions_are_taken() -> None:
    """A bend in a muscle's plane is that muscle's alone; between two it is shared; the core never sucks."""
    robot = Robot()
    for i, beta in enumerate(PLANES):
        inputs, _ = Controller().inputs(robot, np.array([0.0, np.cos(beta), np.sin(beta)]))
        np.testing.assert_allclose(inputs[1:], np.eye(3)[i] / robot.arm, atol=1e-9)
        assert inputs[0] == pytest.approx(robot.yield_force + 1 / robot.arm)
    opposite, met = Controller().inputs(robot, np.array([-500.0, -1.0, 0.0]))
    assert met == [Saturation.EMPTY]
    np.testing.assert_allclose(opposite, [0.0, 0.0, 1 / robot.arm, 1 / robot.arm], atol=1e-9)


def test_limits_keep_the_direction_of_the_bend() -> None:
    """At a limit all tensions are lessened alike, and what is at its limit is told."""
    robot, limited = Robot(), Controller(most_tension=10.0, most_core=15.0)
    inputs, met = limited.inputs(robot, np.array([0.0, 2.0, 1.0]))
    assert met == [Saturation.TENSION, Saturation.CORE]
    assert inputs[0] == 15.0
    assert inputs[1:].max() == pytest.approx(10.0)
    moment = -actuator_jacobian(robot.arm)[1:, 1:].T @ inputs[1:]
    assert moment[1] / moment[0] == pytest.approx(0.5)


def test_follows_a_reference_that_grows() -> None:
    """Where nothing is at its limit, errors stay within 0.01 m and 0.01 rad in all three, from rest on."""
    found = track(Robot(), Controller(), waves, (1.0, 1.0, 0.0), 5.0)
    moving = found.times > 0.3  # the reference sets out at full speed
    assert np.abs(found.errors[moving]).max() < 0.01
    assert found.events == ()
    assert not found.coiled
    assert (found.inputs >= 0).all()
    np.testing.assert_allclose(found.times[[0, -1]], [1e-3, 5.0])


def test_steps_half_as_long_track_alike() -> None:
    """The controller is as stable in long steps as in short ones, also for a short tube, whose inertia is next to none."""
    ends = [
        track(Robot(), Controller(), still(0.3, 1.2, 1.0), (0.02, 0.1, 0.0), 1.0, h).polar[-1] for h in (4e-3, 1e-3)
    ]
    np.testing.assert_allclose(ends[0], [0.3, 1.2, 1.0], atol=1e-3)
    np.testing.assert_allclose(ends[1], [0.3, 1.2, 1.0], atol=1e-3)


def test_bends_through_straight_to_the_other_side() -> None:
    """A reference may swing through straight, as a bend that becomes negative in a plane that stays."""

    def swinging(time: float) -> tuple[list[float], list[float]]:
        return [1.0, 0.5 * np.cos(4 * time), 0.7], [0.0, -2.0 * np.sin(4 * time), 0.0]

    found = track(Robot(), Controller(), swinging, (1.0, 0.5, 0.7), 2.0)
    assert np.abs(found.errors[:, :2]).max() < 0.01
    bent = found.polar[:, 1] > 0.1
    assert np.abs(found.errors[bent, 2]).max() < 0.01
    assert found.polar[np.argmin(np.abs(found.times - np.pi / 4)), 2] == pytest.approx(0.7 - np.pi, abs=1e-2)


def test_gravity_is_compensated() -> None:
    """Across its axis too, a heavy tip is held where it should be, without an error that stays."""
    heavy = Robot(mass=2.0, gravity=(5.0, 3.0, -6.0))
    found = track(heavy, Controller(100, 60, 200, 60), still(1.0, 0.8, 2.0), (1.0, 0.5, 1.0), 8.0)
    np.testing.assert_allclose(found.polar[-1, 1:], [0.8, 2.0], atol=1e-3)
    assert 1.0 <= found.q[-1, 0] < 1.01  # what it overshoots, it keeps


def test_reference_shorter_than_grown_is_an_event() -> None:
    """A vine cannot shrink: it keeps its length, goes on following the bend, and says from when to when."""

    def shrinking(time: float) -> tuple[list[float], list[float]]:
        return [2.0 - 0.5 * time if time < 2 else 1.0 + (time - 2), 0.8, 0.5], [-0.5 if time < 2 else 1.0, 0.0, 0.0]

    found = track(Robot(), Controller(), shrinking, (2.0, 0.8, 0.5), 4.0)
    assert [event.what for event in found.events] == [Saturation.SHORTER]
    event = found.events[0]
    assert isinstance(event, Event)
    assert event.begin == pytest.approx(0.002, abs=2e-3)
    assert event.end == pytest.approx(3.0, abs=5e-3)
    during = found.during(Saturation.SHORTER)
    assert during.sum() == pytest.approx((event.end - event.begin) / 1e-3, abs=1)
    np.testing.assert_allclose(found.q[during, 0], 2.0, atol=2e-3)
    assert np.abs(found.errors[:, 1:]).max() < 0.01
    assert np.abs(found.errors[found.times > 3.2, 0]).max() < 0.01
    assert "cannot shrink" in event.what


def test_muscles_at_their_limit_are_told_while_the_growth_waits() -> None:
    """What the core does meanwhile is no event: it is not to push."""
    found = track(Robot(), Controller(most_tension=30.0, most_core=1.0), still(0.5, 1.5, 1), (1.0, 0.1, 0.0), 0.5)
    assert {event.what for event in found.events} == {Saturation.SHORTER, Saturation.TENSION}


@pytest.mark.parametrize(
    ("limits", "what"),
    [({"most_tension": 30.0}, Saturation.TENSION), ({"most_core": 20.0}, Saturation.CORE)],
)
def test_limits_are_events(limits: dict[str, float], what: Saturation) -> None:
    """Asked for more than they can give, muscles and core stay at their limit, and the event is recorded."""
    found = track(Robot(), Controller(**limits), still(1.5, 1.5, 1.0), (1.0, 0.1, 0.0), 2.0)
    assert what in [event.what for event in found.events]
    largest = found.inputs[:, 1:] if what == Saturation.TENSION else found.inputs[:, 0]
    assert largest.max() == pytest.approx(next(iter(limits.values())))
    assert found.polar[-1, 2] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("robot", "most", "reference", "start", "seconds", "end"),
    [
        (Robot(), 500.0, waves, (0.5, 1.0, 0.0), 3.0, waves(3.0)[0]),
        (Robot(levers=2.0), 300.0, still(3, 1, 0), (1.0, 0.5, 0.0), 2.0, [3.0, 1.0, 0.0]),
        (Robot(), 60.0, still(3, 0.02, 0), (1.0, 0.02, 0.0), 1.0, [3.0, 0.02, 0.0]),
    ],
)
def test_core_at_its_limit_pushes_with_it(
    robot: Robot, most: float, reference: Reference, start: tuple[float, ...], seconds: float, end: list[float]
) -> None:
    """While the event lasts the core gives all it may; the tube grows on to its goal, and the bend is not upset."""
    found = track(robot, Controller(most_core=most), reference, start, seconds)
    limited = found.during(Saturation.CORE)
    assert limited.any()
    np.testing.assert_allclose(found.inputs[limited, 0], most)
    assert (found.inputs[:, 0] <= most).all()
    assert found.q[-1, 0] == pytest.approx(end[0], abs=0.2)
    np.testing.assert_allclose(found.polar[-1, 1:], end[1:], atol=0.05)
    np.testing.assert_allclose(found.errors[found.times > 0.3, 1:], 0.0, atol=0.05)


def test_core_that_would_have_to_suck_is_an_event() -> None:
    """Bent all at once, a tube is pulled longer than asked by its own tip; the core can only let go, and says so."""
    found = track(Robot(levers=2.0), Controller(), still(1.5, 0, 1), (1.0, 2.0, 0.0), 3.0)
    empty = found.during(Saturation.EMPTY)
    assert empty.any()
    np.testing.assert_array_equal(found.inputs[empty, 0], 0.0)


def test_waiting_for_a_reference_the_tube_stands_still() -> None:
    """While the reference is shorter, the length does not creep, however the bend moves."""

    def moving(time: float) -> tuple[list[float], list[float]]:
        return [2.0, 1.75 - 0.75 * np.cos(4 * time), 0.5 * time], [0.0, 3.0 * np.sin(4 * time), 0.5]

    found = track(Robot(), Controller(), moving, (3.0, 1.0, 0.0), 2.0)
    np.testing.assert_allclose(found.q[:, 0], 3.0, atol=1e-9)
    assert np.abs(found.errors[found.times > 0.1, 1:]).max() < 0.01


def test_tracking_ends_at_a_full_circle() -> None:
    """A reference beyond a full circle is followed to it; there the tracking ends, and it says so."""
    found = track(Robot(), Controller(), still(1.0, 6.5, 0.0), (1.0, 5.0, 0.0), 2.0)
    assert found.coiled
    assert len(found.times) == len(found.q) == len(found.inputs) == len(found.reference) < 2_000
    assert 6.0 < found.polar[-1, 1] < COIL


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"growth_gain": -1.0}, "controller.growth_gain = -1 must be at least 0"),
        ({"bend_damping": np.inf}, "controller.bend_damping"),
        ({"most_core": 0.0}, "controller.most_core = 0 N must be greater than 0"),
        ({"most_tension": np.nan}, "controller.most_tension"),
    ],
)
def test_refuses_controllers_that_cannot_be(change: dict[str, float], words: str) -> None:
    """Gains and limits out of range are named."""
    with pytest.raises(ValueError, match=words):
        Controller(**change)


@pytest.mark.parametrize(
    ("reference", "step_time", "words"),
    [
        (still(np.nan, 1, 1), 1e-3, "the reference at 0.001 s is not three finite numbers"),
        (lambda _: ((1.0, 1.0), (0.0, 0.0)), 1e-3, "the reference"),
        (still(1, 1, 1), 0.0, "step_time = 0 s"),
        (still(1, 1, 1), 3.0, "step_time = 3 s"),
    ],
)
def test_refuses_references_that_are_none(reference: Reference, step_time: float, words: str) -> None:
    """References that are no numbers, and steps that are none, are named."""
    with pytest.raises(ValueError, match=words):
        track(Robot(), Controller(), reference, (1.0, 0.1, 0.0), 2.0, step_time)


def test_inputs_that_jump_are_not_stepped_over() -> None:
    """A push of a tenth of a second in 10 s of rest grows the tube by what it gives, and by what runs out after it."""
    robot = Robot(gravity=WEIGHTLESS, yield_force=0.0)
    push, tau = 3.0, robot.mass / robot.axial_damping

    def inputs(time: float, _q: np.ndarray) -> tuple[float, ...]:
        return (push if 5.03 <= time < 5.13 else 0.0, 0, 0, 0)

    motion = open_loop(robot, inputs, (1.0, 0.0, 0.0), [0, 4, 10], jumps=(5.03, 5.13))
    rate = push / robot.axial_damping
    reached = rate * (0.1 - tau * (1 - np.exp(-0.1 / tau)))
    assert motion.q[-1, 0] == pytest.approx(1.0 + reached + tau * rate * (1 - np.exp(-0.1 / tau)), abs=1e-6)


def test_jumps_that_nearly_coincide_are_one() -> None:
    """Jumps a rounding apart, at the ends or beyond them, are no trouble."""
    jumps = (0.3, 0.1 * 3, np.nextafter(1.0, 0.0), 5e-324, -1.0, 7.0)
    motion = open_loop(Robot(), constant(5, 1, 0, 0), (1.0, 0.1, 0.0), [0.0, 0.3, 1.0], jumps=jumps)
    smooth = open_loop(Robot(), constant(5, 1, 0, 0), (1.0, 0.1, 0.0), [0.0, 0.3, 1.0])
    np.testing.assert_allclose(motion.q, smooth.q, atol=1e-6)


def test_inputs_after_a_jump_are_not_seen_before_it() -> None:
    """An input is asked for at a jump only when what was before it is over, and never at the end."""
    seen: list[float] = []

    def inputs(time: float, _q: np.ndarray) -> tuple[float, ...]:
        seen.append(time)
        return 5.0 if time < 0.5 else 50.0, 0, 0, 0

    open_loop(Robot(gravity=WEIGHTLESS), inputs, (1.0, 0.0, 0.0), [0.0, 1.0], jumps=(0.5,))
    first = next(k for k, time in enumerate(seen) if time >= 0.5)
    assert first > 10
    assert min(seen[first:]) >= 0.5
    assert seen[first] == 0.5
    assert max(seen) < 1.0


def test_growth_that_hardly_moves_never_turns_back() -> None:
    """A ten-billionth of a newton above the yield force: within the integrator's tolerance, and still no shrinking."""
    core = 4 + 1e-10
    motion = open_loop(Robot(gravity=WEIGHTLESS), constant(core, 0, 0, 0), (1.0, 0.0, 0.0), TEN_SECONDS)
    assert (np.diff(motion.q[:, 0]) >= 0).all()
    assert (motion.rates[:, 0] >= 0).all()


def test_core_at_its_yield_force_stands_still() -> None:
    """Nothing to grow with and nothing that pulls: one lock over all of the time, however often it is looked at."""
    motion = open_loop(Robot(gravity=WEIGHTLESS), constant(4, 0, 0, 0), (1.0, 0.0, 0.0), TEN_SECONDS, jumps=(2.0, 7.0))
    assert motion.locks == ((0.0, 10.0),)
    np.testing.assert_array_equal(motion.q, np.tile([1.0, 0.0, 0.0], (101, 1)))
