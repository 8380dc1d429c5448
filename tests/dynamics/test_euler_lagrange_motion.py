"""A vine in space over time: what is conserved, and what has a closed form."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.euler_lagrange.kinematics import COIL, PLANES
from dynamics.euler_lagrange.model import LinearActuator, Robot, implicit_system, rates_after
from dynamics.euler_lagrange.motion import NotIntegrable, RobotMotion, integrate_motion

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
    motion = integrate_motion(robot, OFF, (1.0, 0.8, 0.3), TEN_SECONDS, start_rates=rates, tolerance=1e-12)
    energies = [robot.energy(q, rate) for q, rate in zip(motion.q, motion.rates, strict=True)]
    assert np.ptp(energies) < 1e-8
    assert np.ptp(motion.q[:, 1]) > 0.5  # it moves
    assert (sum(end - begin for begin, end in motion.locks) > 5) == locked


def test_energy_is_what_inputs_give_and_dampers_take() -> None:
    """With damping, gravity and inputs, the energy changes by the integral of the power."""
    robot, given = Robot(gravity=(3.0, 1.0, 2.0)), np.array([12.0, 5.0, 0.0, 2.0])
    times = np.linspace(0, 3, 30_001)
    motion = integrate_motion(robot, constant(*given), (0.7, 0.5, 1.0), times, tolerance=1e-11)
    power = motion.rates @ robot.actuation(given) - motion.rates**2 @ robot.body.dampers
    work = np.sum((power[1:] + power[:-1]) / 2) * (times[1] - times[0])
    gained = robot.energy(motion.q[-1], motion.rates[-1]) - robot.energy(motion.q[0], motion.rates[0])
    assert gained == pytest.approx(work, abs=1e-5)
    assert abs(gained) > 1.0


@pytest.mark.parametrize("gravity", [WEIGHTLESS, (0.0, 0.0, 9.81)])
@pytest.mark.parametrize("angle", [0.7, -2.0, np.pi])
def test_turning_the_start_turns_the_motion(angle: float, gravity: tuple[float, float, float]) -> None:
    """About the base's axis no direction is special without input, also where gravity pulls along it."""
    robot = Robot(gravity=gravity)
    turn = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
    rates = np.array([0.2, 1.0, -0.6])
    motion = integrate_motion(robot, OFF, (0.8, 0.6, 0.4), TEN_SECONDS, start_rates=rates, tolerance=1e-11)
    turned = integrate_motion(
        robot, OFF, (0.8, 0.6, 0.4 + angle), TEN_SECONDS, start_rates=turn @ rates, tolerance=1e-11
    )
    np.testing.assert_allclose(turned.q, motion.q @ turn.T, atol=1e-7)


def test_turning_the_actuators_turns_the_motion() -> None:
    """sPAM 2 moves 120 degrees on as sPAM 1 does, and sPAM 3 120 degrees back."""
    ends = [
        integrate_motion(
            Robot(), constant(90, *(80.0 * (np.arange(3) == k))), (0.8, 0.0, 0.0), TEN_SECONDS, tolerance=1e-11
        )
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
    motion = integrate_motion(robot, constant(5, 0, 0, 0), (0.5, 0.0, 0.0), TEN_SECONDS, tolerance=1e-10)
    tau = robot.mass / robot.axial_damping
    expected = 0.5 + rate * (TEN_SECONDS - tau * (1 - np.exp(-TEN_SECONDS / tau)))
    np.testing.assert_allclose(motion.q[:, 0], expected, atol=1e-7)
    np.testing.assert_array_equal(motion.q[:, 1:], 0.0)
    assert motion.locks == ()


def test_plane_goes_to_that_of_the_actuator_that_pulls() -> None:
    """sPAM 2 in place of sPAM 1: phi goes from 0 to 2 pi / 3, theta comes back to T arm / K."""
    robot = Robot(gravity=WEIGHTLESS, levers=2.0)

    def inputs(time: float, _q: np.ndarray) -> tuple[float, ...]:
        return (0, 20, 0, 0) if time < 5 else (0, 0, 20, 0)

    motion = integrate_motion(robot, inputs, (1.0, 0.0, 0.0), TEN_SECONDS, jumps=(5.0,))
    np.testing.assert_allclose(motion.polar[50], [1.0, 20 * 0.1 / 20, 0.0], atol=1e-6)
    np.testing.assert_allclose(motion.polar[-1], [1.0, 20 * 0.1 / 20, 2 * np.pi / 3], atol=1e-6)


def test_pressure_bends_to_where_spring_and_actuator_balance() -> None:
    """Eq. 15 and the tube's spring, both linear: theta = a p A / (K + a^2 p A / (contraction s))."""
    robot = Robot(gravity=WEIGHTLESS, actuator=LinearActuator(2e-3, 0.25))
    motion = integrate_motion(
        robot, lambda _, q: np.append(0.0, robot.tensions([0.0, 0.0, 30e3], q)), (1.5, 0.0, 0.0), TEN_SECONDS
    )
    pull = robot.arm * 30e3 * 2e-3
    expected = pull / (robot.stiffness + robot.arm * pull / (0.25 * 1.5))
    np.testing.assert_allclose(motion.polar[-1], [1.5, expected, -2 * np.pi / 3], atol=1e-6)


def test_hanging_tube_swings_as_linear_theory_says() -> None:
    """Locked and nearly straight it is an oscillator of mass m s^2 / 4, spring K + m g s / 3 and damper D."""
    robot, s = Robot(), 4.0
    times = np.linspace(0, 3, 301)
    motion = integrate_motion(robot, OFF, (s, 1e-3, 0.0), times, tolerance=1e-11)
    mass, spring = robot.mass * s**2 / 4, robot.stiffness + robot.mass * 9.81 * s / 3
    decay = robot.bending_damping / (2 * mass)
    swing = np.sqrt(spring / mass - decay**2)
    expected = 1e-3 * np.exp(-decay * times) * (np.cos(swing * times) + decay / swing * np.sin(swing * times))
    np.testing.assert_allclose(motion.q[:, 1], expected, atol=2e-9)
    np.testing.assert_allclose(motion.locks, [(0.0, 3.0)])


def swung() -> RobotMotion:
    """A tube whose core pushes just below its yield force, while its tip swings hard."""
    robot = Robot(gravity=WEIGHTLESS, axial_damping=20.0, bending_damping=0.05)
    return integrate_motion(robot, constant(3.9, 0, 0, 0), (1.0, 1.5, 0.0), np.linspace(0, 10, 2001), tolerance=1e-10)


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
    exact = integrate_motion(robot, constant(*inputs), (0.6, 0.4, 1.0), [0, 1], tolerance=1e-11).q[-1]
    errors = []
    for h in (2e-3, 1e-3, 5e-4):
        q, rates = np.array([0.6, 0.4 * np.cos(1), 0.4 * np.sin(1)]), np.zeros(3)
        for _ in range(round(1 / h)):
            force = robot.actuation(inputs) - robot.body.springs * q
            rates = rates_after(*implicit_system(q, rates, force, robot.body, h), False)
            q = q + h * rates
        errors.append(np.abs(q - exact).max())
    assert errors[0] < 0.02
    np.testing.assert_allclose(np.divide(errors[1:], errors[:-1]), 0.5, atol=0.1)


def test_step_holds_and_locks_the_growth() -> None:
    """Held, a tube keeps its length under any force; not held, it does where it would shrink, and bends the same."""
    robot, q, rates = Robot(gravity=WEIGHTLESS), np.array([1.0, 0.5, 0.2]), np.array([0.0, 1.0, 0.0])

    def after(core: float, held: bool) -> np.ndarray:
        force = np.array([core, 0.3, 0.1])
        return np.asarray(rates_after(*implicit_system(q, rates, force, robot.body, 1e-3), held), float)

    assert after(50.0, True)[0] == 0.0
    assert after(-50.0, False)[0] == 0.0
    np.testing.assert_array_equal(after(-50.0, False), after(50.0, True))
    assert after(50.0, False)[0] > 0.0


def test_motion_ends_at_a_full_circle() -> None:
    """An actuator that bends the tube into a circle ends the motion there, and it says so."""
    motion = integrate_motion(Robot(gravity=WEIGHTLESS), constant(0, 0, 0, 9e3), (1.0, 0.1, 0.0), TEN_SECONDS)
    assert motion.coiled
    assert len(motion.times) == len(motion.q) < len(TEN_SECONDS)
    assert (motion.polar[:, 1] < COIL).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": (0.0, 0.1, 0.0)}, "s = 0 m"),
        ({"start_rates": (-0.1, 0.0, 0.0)}, "a vine cannot shrink"),
        ({"times": [0.0, 1.0, 1.0]}, "increase by more than 1e-09 s"),
        ({"times": [1.0, np.nextafter(1.0, 2.0)]}, "increase by more than"),
        ({"times": [0.0, np.inf]}, "two finite numbers"),
        ({"tolerance": np.nan}, "tolerance = nan must be from"),
        ({"tolerance": 0.0}, "tolerance = 0"),
        ({"start": (1.0, COIL - 5e-5, 0.0)}, "less than 2 pi"),
        ({"times": [0.0]}, "at least two finite numbers"),
        ({"inputs": constant(0, -1, 0, 0)}, "sPAM 1: -1 N"),
    ],
)
def test_refuses_motions_that_cannot_be(change: dict[str, object], words: str) -> None:
    """Starts, times and inputs out of range are named before anything moves."""
    given: dict[str, object] = {"inputs": OFF, "start": (1.0, 0.1, 0.0), "times": [0.0, 1.0], **change}
    with pytest.raises(ValueError, match=words):
        integrate_motion(Robot(), **given)  # type: ignore[arg-type]


def test_inputs_that_jump_are_not_stepped_over() -> None:
    """A push of a tenth of a second in 10 s of rest grows the tube by what it gives, and by what runs out after it."""
    robot = Robot(gravity=WEIGHTLESS, yield_force=0.0)
    push, tau = 3.0, robot.mass / robot.axial_damping

    def inputs(time: float, _q: np.ndarray) -> tuple[float, ...]:
        return (push if 5.03 <= time < 5.13 else 0.0, 0, 0, 0)

    motion = integrate_motion(robot, inputs, (1.0, 0.0, 0.0), [0, 4, 10], jumps=(5.03, 5.13))
    rate = push / robot.axial_damping
    reached = rate * (0.1 - tau * (1 - np.exp(-0.1 / tau)))
    assert motion.q[-1, 0] == pytest.approx(1.0 + reached + tau * rate * (1 - np.exp(-0.1 / tau)), abs=1e-6)


def test_jumps_that_nearly_coincide_are_one() -> None:
    """Jumps a rounding apart, at the ends or beyond them, are no trouble."""
    jumps = (0.3, 0.1 * 3, np.nextafter(1.0, 0.0), 5e-324, -1.0, 7.0)
    motion = integrate_motion(Robot(), constant(5, 1, 0, 0), (1.0, 0.1, 0.0), [0.0, 0.3, 1.0], jumps=jumps)
    smooth = integrate_motion(Robot(), constant(5, 1, 0, 0), (1.0, 0.1, 0.0), [0.0, 0.3, 1.0])
    np.testing.assert_allclose(motion.q, smooth.q, atol=1e-6)


def test_inputs_after_a_jump_are_not_seen_before_it() -> None:
    """An input is evaluated at a jump only when what was before it is over, and never at the end."""
    seen: list[float] = []

    def inputs(time: float, _q: np.ndarray) -> tuple[float, ...]:
        seen.append(time)
        return 5.0 if time < 0.5 else 50.0, 0, 0, 0

    integrate_motion(Robot(gravity=WEIGHTLESS), inputs, (1.0, 0.0, 0.0), [0.0, 1.0], jumps=(0.5,))
    first = next(k for k, time in enumerate(seen) if time >= 0.5)
    assert first > 10
    assert min(seen[first:]) >= 0.5
    assert seen[first] == 0.5
    assert max(seen) < 1.0


def test_growth_that_hardly_moves_never_turns_back() -> None:
    """A ten-billionth of a newton above the yield force: within the integrator's tolerance, and still no shrinking."""
    core = 4 + 1e-10
    motion = integrate_motion(Robot(gravity=WEIGHTLESS), constant(core, 0, 0, 0), (1.0, 0.0, 0.0), TEN_SECONDS)
    assert (np.diff(motion.q[:, 0]) >= 0).all()
    assert (motion.rates[:, 0] >= 0).all()


def test_core_at_its_yield_force_stands_still() -> None:
    """Nothing to grow with and nothing that pulls: one lock over all of the time, however often it is checked."""
    motion = integrate_motion(
        Robot(gravity=WEIGHTLESS), constant(4, 0, 0, 0), (1.0, 0.0, 0.0), TEN_SECONDS, jumps=(2.0, 7.0)
    )
    assert motion.locks == ((0.0, 10.0),)
    np.testing.assert_array_equal(motion.q, np.tile([1.0, 0.0, 0.0], (101, 1)))


def test_a_motion_that_is_not_finite_is_no_motion() -> None:
    """A short wide tube under a huge pull, where numbers overflow: the time before is named."""
    robot, pulls = (
        Robot(axial_damping=250.0, bending_damping=1.6e-5, diameter=0.19),
        constant(0.57, 19.0, 11.0, 12000.0),
    )
    with pytest.raises(NotIntegrable, match="the motion could not be integrated beyond 0 s; give smaller"):
        integrate_motion(robot, pulls, (0.0047, 5.9, 0.0), [0.0, 0.01, 0.02])
