"""Motion of a robot under given forces, by an adaptive integrator; growth that stops is locked until it resumes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import solve_ivp

from dynamics.euler_lagrange.kinematics import COIL, NEARLY, tip_positions, to_polar, to_regular
from dynamics.euler_lagrange.model import Robot, acceleration, check_inputs, check_start
from surrogate.kernels.compiled import Floats

Inputs = Callable[[float, Floats], ArrayLike]
"""Force in the core and pulls of the three actuators [N], shape (4,), over time [s] and q."""
Watch = Callable[[float], bool]
"""Gets the time that a computation has reached [s], and returns whether to end it there."""
AT_ONCE = 1e-9
"""Times that are closer than this [s] are merged."""
RELEASE = 1e-9
"""Growth resumes when its acceleration would exceed this [m/s^2], so that rounding does not release it."""
MOST_LOCKS = 10_000
"""Maximum number of phases of the growth between two jumps; more indicate a fault."""
EVENTS = "growth", "coil", "stop"
"""Causes for which a phase of the growth ends early: growth stops or resumes, the tube is a full circle, the watch ends it."""
ENDS = "coil", "stop"
"""Events with which the motion ends."""
REMEDY = "; give smaller or smoother inputs, or a robot with more damping or mass"


@dataclass(frozen=True, slots=True, eq=False)
class RobotMotion:
    """Motion of a robot over time."""

    times: Floats
    """Recorded times [s], shape (times,)."""
    q: Floats
    """s [m], u and v [rad], shape (times, 3)."""
    rates: Floats
    """Rates of q [m/s, rad/s], shape (times, 3)."""
    locks: tuple[tuple[float, float], ...]
    """Start and end of each interval without growth [s]."""
    ended: float
    """Time at which it ended [s]; later than the last recorded one if it ended early."""
    coiled: bool
    """Whether it ended early because the tube bent into a full circle."""
    stopped: bool
    """Whether the watch ended it early."""
    evaluations: int
    """Number of evaluations of the equations of motion."""
    given: Inputs
    """The forces under which it moved."""

    @property
    def polar(self) -> Floats:
        """s [m], theta [rad], phi [rad], shape (times, 3)."""
        return to_polar(self.q)

    @property
    def tips(self) -> Floats:
        """Positions of the tip relative to the base [m], shape (times, 3)."""
        return tip_positions(self.q)

    @property
    def inputs(self) -> Floats:
        """Force in the core and tensions [N], shape (times, 4)."""
        return np.array([self.given(time, q) for time, q in zip(self.times.tolist(), self.q, strict=True)], float)


class NotIntegrable(ArithmeticError):
    """A motion that the integrator cannot continue; the message says at which time."""

    exit_code = 2


def integrate_motion(
    robot: Robot,
    inputs: Inputs,
    start: ArrayLike,
    times: ArrayLike,
    jumps: Sequence[float] = (),
    start_rates: ArrayLike = (0.0, 0.0, 0.0),
    tolerance: float = 1e-8,
    watch: Watch | None = None,
) -> RobotMotion:
    """Integrate the motion of a robot by LSODA between events: growth stops, growth resumes, inputs jump.

    Args:
        start: s [m], theta [rad], phi [rad].
        times: Times to record [s], ascending; the first is that of the start.
        jumps: Times at which the inputs jump [s]; the integrator stops there.
        start_rates: Rates of s, u and v at the start [m/s, rad/s, rad/s].
        tolerance: Relative tolerance, and absolute tolerance in metres, radians and seconds.
        watch: Called after each step of the integrator; what was recorded before it ended the motion is returned.
    Raises:
        ValueError: The start has zero length or is a full circle, the initial growth rate or an input is negative, the times
            are not ascending, or the tolerance is out of range.
        NotIntegrable: The integrator cannot continue.
    """
    q, rates, times = to_regular(check_start(start)), np.asarray(start_rates, float), np.asarray(times, float)
    if rates.shape != (3,) or not np.isfinite(rates).all() or rates[0] < 0:
        raise ValueError(
            f"start_rates = {rates} must be three finite numbers, the first at least 0: a vine cannot shrink"
        )
    if times.ndim != 1 or len(times) < 2 or not (np.isfinite(times).all() and np.all(np.diff(times) > AT_ONCE)):
        raise ValueError(f"times must be at least two finite numbers that increase by more than {AT_ONCE:g} s")
    if not 1e-14 <= tolerance <= 0.1:
        raise ValueError(f"tolerance = {tolerance:g} must be from 1e-14 to 0.1")
    run = _Run(robot, inputs, tolerance, watch, float(times[0]))
    state = np.concatenate([q, rates])
    found: list[Floats] = [state]
    ended, event = float(times[0]), "time"
    for begin, end in pairwise(_ends(times, jumps)):
        recorded, ended, state, event = run.between(begin, end, state, times)
        found.extend(recorded)
        if event in ENDS:
            break
    states = np.array(found)
    if not (finite := np.isfinite(states).all(axis=1)).all():  # where numbers overflow, LSODA says that it succeeded
        raise NotIntegrable(f"the motion could not be integrated beyond {times[np.argmin(finite) - 1]:g} s{REMEDY}")
    # The integrator overshoots the end of growth by up to its tolerance; lengths must not decrease.
    states[:, 0], states[:, 3] = np.maximum.accumulate(states[:, 0]), np.maximum(states[:, 3], 0.0)
    return RobotMotion(
        times=times[: len(states)],
        q=states[:, :3],
        rates=states[:, 3:],
        locks=tuple(run.held),
        ended=ended,
        coiled=event == "coil",
        stopped=event == "stop",
        evaluations=run.evaluations,
        given=inputs,
    )


def _ends(times: Floats, jumps: Sequence[float]) -> list[float]:
    """Return the first time, the jumps in between, and the last time [s], without duplicates."""
    ends = [float(times[0])]
    for jump in sorted(jumps):
        if ends[-1] + AT_ONCE < jump < times[-1] - AT_ONCE:
            ends.append(jump)
    return [*ends, float(times[-1])]


def _append_lock(locks: list[tuple[float, float]], begin: float, end: float) -> list[tuple[float, float]]:
    """Append a lock; one that begins where the last one ended extends it."""
    if locks and locks[-1][1] >= begin:
        return [*locks[:-1], (locks[-1][0], end)]
    return [*locks, (begin, end)]


class _Run:
    """The equations of motion in first-order form; the state is q and its rates, shape (6,)."""

    def __init__(self, robot: Robot, inputs: Inputs, tolerance: float, watch: Watch | None, begin: float) -> None:
        self.robot, self.inputs, self.tolerance, self.watch = robot, inputs, tolerance, watch
        self.body = robot.body
        self.evaluations = 0
        self.state = np.zeros(6)
        self.held = list[tuple[float, float]]()
        self.reached, self.until = begin, math.inf

    def rate(self, time: float, state: Floats, locked: bool) -> Floats:
        """Time derivative of the state."""
        self.evaluations += 1
        self.state = state
        q, rates = state[:3], state[3:]
        actuation = self.robot.actuation(check_inputs(self.inputs(time, q)))
        body = self.body
        force = actuation - body.springs * q - body.dampers * rates
        return np.concatenate([rates, acceleration(q, rates, force, body.mass, body.gravity, locked)])

    def release(self, time: float, state: Floats) -> float:
        """Event function [m/s^2]: greater than 0 where locked growth resumes."""
        return float(self.rate(time, state, False)[3]) - RELEASE

    def locks(self, time: float, state: Floats) -> bool:
        """Return whether the growth is locked."""
        return bool(state[3] <= 0) and self.release(time, state) <= 0

    def left(self, time: float) -> float:
        """Event function [s]: less than 0 after the watch has ended the motion; called at the end of each step."""
        if self.watch and time > self.reached:
            if self.until == math.inf and self.watch(time):
                self.until = (self.reached + time) / 2  # within the step, so that the integrator finds the event
            self.reached = time
        return self.until - time

    def between(
        self, begin: float, end: float, state: Floats, times: Floats
    ) -> tuple[list[Floats], float, Floats, str]:
        """Integrate from one jump of the inputs to the next, through all phases of the growth.

        Args:
            times: Times to record [s].
        Returns:
            The recorded states, the time and state at the end, and its cause: "time", or one of `ENDS`.
        """
        found, now, locked = list[Floats](), begin, self.locks(begin, state)
        for _ in range(MOST_LOCKS):
            inside = times[(times > now) & (times <= end)]
            recorded, later, state, event = self.phase(now, end, state, locked, inside)
            found.extend(recorded)
            if locked and later > now:
                self.held = _append_lock(self.held, now, later)
            now, locked = later, not locked
            if event in ENDS:
                return found, now, state, event
            if now >= end:
                return found, now, state, "time"
        raise NotIntegrable(f"growth stopped and resumed {MOST_LOCKS} times between {begin:g} and {end:g} s{REMEDY}")

    def phase(
        self, begin: float, end: float, state: Floats, locked: bool, inside: Floats
    ) -> tuple[list[Floats], float, Floats, str]:
        """Integrate until the growth stops or resumes, the tube is a full circle, or the end [s] is reached.

        Args:
            inside: Times to record [s].
        Returns:
            The recorded states, the time and state at the end, and its cause: one of `EVENTS`, or "time".
        """

        last = np.nextafter(end, begin)  # inputs that jump at the end do so after this phase

        def turns(time: float, state: Floats) -> float:
            return self.release(min(time, last), state) if locked else float(state[3])

        def coils(_: float, state: Floats) -> float:
            return float(np.hypot(state[1], state[2])) - (COIL - NEARLY)

        def stops(time: float, _: Floats) -> float:
            return self.left(time)

        turns.terminal, turns.direction = True, 1 if locked else -1  # type: ignore[attr-defined]
        coils.terminal, coils.direction = True, 1  # type: ignore[attr-defined]
        stops.terminal, stops.direction = True, -1  # type: ignore[attr-defined]
        events = (turns, coils, stops) if self.watch else (turns, coils)  # each is evaluated at every step
        if locked:
            state = state.copy()
            state[3] = 0.0
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what they say is in the status
                solved = solve_ivp(
                    lambda time, state: self.rate(min(time, last), state, locked), (begin, end), state, "LSODA",
                    np.union1d(inside, end), events=events, rtol=self.tolerance, atol=self.tolerance,
                )  # fmt: skip
        except ValueError as error:
            # SciPy's words if an event is not found because numbers overflow.
            if np.isfinite([state, self.state]).all() and "different signs" not in str(error):
                raise
            raise NotIntegrable(f"the motion could not be integrated beyond {begin:g} s{REMEDY}") from None
        if solved.status < 0:
            known = solved.t[-1] if len(solved.t) else begin
            raise NotIntegrable(f"the motion could not be integrated beyond {known:g} s{REMEDY}")
        if solved.status == 0:
            states = solved.y.T
            return list(states[: len(inside)]), end, states[-1], "time"
        which = next(k for k, times in enumerate(solved.t_events) if len(times))
        later, last = float(solved.t_events[which][-1]), solved.y_events[which][-1].copy()
        if which == 0 and not locked:
            last[3] = 0.0
        states = np.reshape(solved.y, (6, -1)).T  # SciPy returns an empty list where there is none
        return list(states[: len(inside)]), later, last, EVENTS[which]
