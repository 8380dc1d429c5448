"""The experiments of paper 004: a robot is released, grows, bends, turns, and follows a reference (Figs. 4 to 8)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from dynamics.euler_lagrange.control import Controller, Tracking, track
from dynamics.euler_lagrange.input_table import InputTable, simulate
from dynamics.euler_lagrange.kinematics import to_polar
from dynamics.euler_lagrange.model import LinearActuator, Robot, acceleration
from dynamics.euler_lagrange.motion import RobotMotion
from surrogate.kernels.compiled import Floats
from surrogate.spam import Spam

SECONDS, TOLERANCE, TIGHTER = 10.0, 1e-8, 1e-10
TIMES = np.linspace(0.0, SECONDS, 1001)
REPEATS = 3
"""Number of times that a motion is timed; the fastest counts."""
WEIGHTLESS, HANGING, ACROSS = (0.0, 0.0, 0.0), (0.0, 0.0, 9.81), (9.81, 0.0, 0.0)
LONG_ARM = 2.0
"""Moment arm of the actuators that reproduces the bends of the paper's Figs. 6 and 7 [diameters]."""
PULL, RAMP, PUSH, RELEASED = 20.0, 10.0, 5.0, 0.1
"""Tension in Fig. 7 [N], rate of the tension in Fig. 6 [N/s], force in Fig. 5 [N], initial bend in Fig. 4 [rad]."""
SWITCHED = 5.0
"""Time at which actuation switches from sPAM 1 to sPAM 2 [s]."""
HIGHEST_PRESSURE = 35e3
"""Maximum pressure of a sPAM [Pa]."""
SET_POINTS = np.array([[1.0, 0.5, 0.0], [3.0, 1.0, 1.0], [2.0, 2.0, 2.0], [5.0, 1.5, -1.0], [6.0, 0.5, -2.0]])
"""Requested s [m], theta [rad] and phi [rad] from each second on; the third length is shorter than the grown length."""
FIRST = np.array([1.0, 0.1, 0.0])
BLEND = 0.8
"""Duration of the smooth transition between set points [s]."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A robot under given forces for 10 s."""

    figure: str
    label: str
    robot: Robot
    inputs: InputTable
    start: tuple[float, float, float]
    """Initial s [m], theta [rad], phi [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class ExperimentResult:
    """The motion of an experiment, with its computing time."""

    experiment: Experiment
    motion: RobotMotion
    seconds: float
    """Computing time [s]."""
    moved: float
    """Maximum change of s, u and v if the tolerance is a hundred times smaller [m, rad]."""

    @property
    def speed(self) -> float:
        """Simulated time relative to computing time [-]."""
        return SECONDS / self.seconds


@dataclass(frozen=True, slots=True)
class ClosedFormCheck:
    """A computed value and its closed-form solution."""

    figure: str
    what: str
    found: float
    expected: float
    unit: str


@dataclass(frozen=True, slots=True, eq=False)
class Chase:
    """A controller that follows the reference of Fig. 8."""

    label: str
    robot: Robot
    tracking: Tracking


OFF, PUSHED = InputTable.constant(), InputTable.constant(core=PUSH)
RAMPED = InputTable(np.array([0.0, SECONDS]), np.zeros(2), np.array([[0.0, 0.0, 0.0], [RAMP * SECONDS, 0.0, 0.0]]))
SWITCHING = InputTable(
    np.array([0.0, SWITCHED, SWITCHED, SECONDS]),
    np.zeros(4),
    PULL * np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]]),
)
"""Inputs of Figs. 4 to 7."""


def list_experiments() -> list[Experiment]:
    """Figs. 4 to 7, each with unstated parameters set to reproduce the paper's curves, and with other values."""
    across, weightless = Robot(gravity=ACROSS, levers=LONG_ARM), Robot(gravity=WEIGHTLESS, levers=LONG_ARM)
    return [
        *(Experiment("static", f"s = {s:g} m", Robot(), OFF, (s, RELEASED, 0.0)) for s in (2.0, 4.0)),
        Experiment("growth", "no gravity along the axis", Robot(gravity=WEIGHTLESS), PUSHED, (0.5, 0.0, 0.0)),
        Experiment("growth", "hanging", Robot(gravity=HANGING), PUSHED, (0.5, 0.0, 0.0)),
        *(Experiment("ramp", f"s = {s:g} m, arm 2 D", across, RAMPED, (s, 0.0, 0.0)) for s in (1.0, 5.0)),
        Experiment("ramp", "s = 5 m, arm D / 2", replace(across, levers=Robot().levers), RAMPED, (5.0, 0.0, 0.0)),
        Experiment("plane", "arm 2 D", weightless, SWITCHING, (2.0, 0.0, 0.0)),
        Experiment("plane", "arm D / 2", replace(weightless, levers=Robot().levers), SWITCHING, (2.0, 0.0, 0.0)),
    ]  # fmt: skip


def run_experiment(experiment: Experiment) -> ExperimentResult:
    """Compute and time the motion of an experiment, and compute it with a tighter tolerance."""

    def motion(tolerance: float) -> RobotMotion:
        return simulate(experiment.robot, experiment.inputs, experiment.start, SECONDS, tolerance)

    found, seconds = motion(TOLERANCE), []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        motion(TOLERANCE)
        seconds.append(time.perf_counter() - begin)
    return ExperimentResult(experiment, found, min(seconds), float(np.abs(found.q - motion(TIGHTER).q).max()))


def swinging_plane(result: ExperimentResult) -> tuple[Floats, Floats]:
    """Fig. 7 after the switch with the damper of Eq. 16, which acts only along theta, not perpendicular to it.

    Args:
        result: Result of a "plane" experiment, at rest when the actuators are switched; its length is constant.
    Returns:
        Times [s], shape (times,), and s, theta, phi, shape (times, 3).
    """
    robot, motion = result.experiment.robot, result.motion
    begin = int(np.searchsorted(motion.times, SWITCHED))
    body = robot.body

    def rate(time: float, state: Floats) -> Floats:
        q, rates = state[:3], state[3:]
        along = np.append(0.0, q[1:] / np.hypot(q[1], q[2]))
        damper = robot.bending_damping * (along @ rates) * along
        force = robot.actuation(result.experiment.inputs.forces(robot, time, q)) - body.springs * q - damper
        return np.concatenate([rates, acceleration(q, rates, force, body.mass, body.gravity, True)])

    times, state = motion.times[begin:], np.concatenate([motion.q[begin], np.zeros(3)])
    solved = solve_ivp(rate, times[[0, -1]], state, "LSODA", times, rtol=TOLERANCE, atol=TOLERANCE)
    return times, to_polar(solved.y[:3].T)


def reference(at: float) -> tuple[Floats, Floats]:
    """Requested (s, theta, phi) and their rates at a time [s], with smooth transitions between set points."""
    k = min(int(at), len(SET_POINTS) - 1)
    before = SET_POINTS[k - 1] if k else FIRST
    x = min((at - k) / BLEND, 1.0)
    way = SET_POINTS[k] - before
    return before + way * x**3 * (10 - 15 * x + 6 * x**2), way * 30 * x**2 * (1 - x) ** 2 / BLEND


def cases() -> list[Experiment | tuple[str, Controller]]:
    """Return all experiments, then Fig. 8 with controllers of different gains and limits."""
    pull = LinearActuator.fit(Spam()).area * HIGHEST_PRESSURE
    controllers = {
        "default gains": Controller(),
        "paper's gains for s and theta": Controller(100.0, 10.0, 5e4, 1e3),
        "soft gains: 100 and 20 for s, 200 and 20 for u and v": Controller(100.0, 20.0, 200.0, 20.0),
        f"tensions up to {pull:.0f} N, what a sPAM pulls at {1e-3 * HIGHEST_PRESSURE:.0f} kPa": Controller(most_tension=pull),
    }  # fmt: skip
    return [*list_experiments(), *controllers.items()]


def run_cases(several: Sequence[Experiment | tuple[str, Controller]]) -> Iterator[ExperimentResult | Chase]:
    """Run motions and chases in sequence."""
    for case in several:
        yield run_experiment(case) if isinstance(case, Experiment) else run_chase(*case)


def run_chase(label: str, controller: Controller) -> Chase:
    """Follow the reference of Fig. 8."""
    robot = Robot(levers=LONG_ARM)
    return Chase(label, robot, track(robot, controller, reference, FIRST, float(len(SET_POINTS))))


def split_results(found: Sequence[ExperimentResult | Chase]) -> tuple[list[ExperimentResult], list[Chase]]:
    """Separate motions from chases."""
    return [one for one in found if isinstance(one, ExperimentResult)], [one for one in found if isinstance(one, Chase)]


def linear_swing(robot: Robot, s: float) -> tuple[float, float]:
    """Decay rate and angular frequency of small bends of a hanging robot of length s [1/s, rad/s].

    An oscillator of mass m s^2 / 4, spring K + m g s / 3 and damper D: the limit of M and G as theta goes to 0.
    """
    inertia = robot.mass * s**2 / 4
    decay = robot.bending_damping / (2 * inertia)
    spring = robot.stiffness + robot.mass * robot.gravity[2] * s / 3
    return decay, float(np.sqrt(spring / inertia - decay**2))


def check_motions(results: list[ExperimentResult]) -> list[ClosedFormCheck]:
    """Compare all motions with closed-form solutions."""
    found = []
    for result in results:
        robot, motion, label = result.experiment.robot, result.motion, result.experiment.label
        s = result.experiment.start[0]
        match result.experiment.figure:
            case "static":
                decay, swing = linear_swing(robot, s)
                expected = RELEASED * np.exp(-decay * TIMES)
                expected *= np.cos(swing * TIMES) + decay / swing * np.sin(swing * TIMES)
                lowest = int(np.argmin(expected))
                low = motion.q[:, 1].min()
                found.append(
                    ClosedFormCheck("static", f"{label}: lowest bend", float(low), float(expected[lowest]), "rad")
                )
            case "growth":
                half = len(TIMES) // 2
                slope = (motion.q[-1, 0] - motion.q[half, 0]) / (TIMES[-1] - TIMES[half])
                force = PUSH - robot.yield_force + robot.mass * robot.gravity[2]
                found.append(
                    ClosedFormCheck("growth", f"{label}: growth rate", float(slope), force / robot.axial_damping, "m/s")
                )
            case "ramp":
                end = float(motion.q[-1, 1])
                found.append(ClosedFormCheck("ramp", f"{label}: bend at the end", end, _ramp_end(robot, s), "rad"))
            case "plane":
                rest = PULL * robot.arm / robot.stiffness
                switched = int(np.searchsorted(TIMES, SWITCHED))
                for when, k, phi in (("before the switch", switched, 0.0), ("at the end", -1, 2 * np.pi / 3)):
                    _, theta, plane = motion.polar[k]
                    found.append(ClosedFormCheck("plane", f"{label}: theta {when}", float(theta), rest, "rad"))
                    found.append(ClosedFormCheck("plane", f"{label}: phi {when}", float(plane), phi, "rad"))
    return found


def _ramp_end(robot: Robot, s: float) -> float:
    """Bend at the end of the ramp [rad], with the lag of the damper: K u = a T - D a T' / K - m g s d/du[(1 - cos u) / u]."""
    pulled = robot.arm * RAMP * (SECONDS - robot.bending_damping / robot.stiffness)

    def missing(u: float) -> float:
        slope = (u * np.sin(u) - 1 + np.cos(u)) / u**2
        return float(pulled - robot.mass * robot.gravity[0] * s * slope - robot.stiffness * u)

    return float(brentq(missing, 1e-3, 2.0))
