"""A robot under given forces, by an adaptive integrator; where the growth stops it is held until it resumes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import solve_ivp

from dynamics.euler_lagrange.kinematics import COIL, NEARLY, polar, regular
from dynamics.euler_lagrange.model import Robot, acceleration, checked_inputs, checked_start
from surrogate.compiled import Floats

Inputs = Callable[[float, Floats], ArrayLike]
"""Force in the core and pulls of the three actuators [N], shape (4,), over time [s] and q."""
AT_ONCE = 1e-9
"""Times that are closer than this [s] are merged."""
RELEASE = 1e-9
"""Growth resumes when its acceleration would exceed this [m/s^2], so that rounding does not release it."""
MOST_LOCKS = 10_000
"""Most phases of the growth between two jumps: more indicate a fault."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A robot over time."""

    times: Floats
    """[s], shape (times,)."""
    q: Floats
    """s [m], u and v [rad], shape (times, 3)."""
    rates: Floats
    """Of q [m/s, rad/s], shape (times, 3)."""
    locks: tuple[tuple[float, float], ...]
    """From when to when the growth stood still [s]."""
    coiled: bool
    """It ended early, as the tube was a full circle."""
    evaluations: int
    """Of the equations of motion."""

    @property
    def polar(self) -> Floats:
        """s [m], theta [rad], phi [rad], shape (times, 3)."""
        return polar(self.q)


def open_loop(
    robot: Robot,
    inputs: Inputs,
    start: ArrayLike,
    times: ArrayLike,
    jumps: Sequence[float] = (),
    start_rates: ArrayLike = (0.0, 0.0, 0.0),
    tolerance: float = 1e-8,
) -> Motion:
    """Move a robot by LSODA, event by event: growth that stops, growth that resumes, inputs that jump.

    Args:
        start: s [m], theta [rad], phi [rad].
        times: To record at [s], rising, the first that of the start.
        jumps: Times at which the inputs jump [s]; the integrator stops there.
        start_rates: Of s, u and v.
        tolerance: Relative, and absolute in metres, radians and seconds.
    Raises:
        ValueError: A start without length or of a full circle, growth that begins backwards, inputs that push,
            times that do not rise, a tolerance out of range.
        ArithmeticError: The integrator cannot continue.
    """
    q, rates, times = regular(checked_start(start)), np.asarray(start_rates, float), np.asarray(times, float)
    if rates.shape != (3,) or not np.isfinite(rates).all() or rates[0] < 0:
        raise ValueError(f"start_rates = {rates} must be three finite numbers, the first at least 0: no vine shrinks")
    if times.ndim != 1 or len(times) < 2 or not (np.isfinite(times).all() and np.all(np.diff(times) > AT_ONCE)):
        raise ValueError(f"times must be finite, rise by more than {AT_ONCE:g} s, and be two at least")
    if not 1e-14 <= tolerance <= 0.1:
        raise ValueError(f"tolerance = {tolerance:g} must be from 1e-14 to 0.1")
    run = _Run(robot, inputs, tolerance)
    state = np.concatenate([q, rates])
    found: list[Floats] = [state]
    locks: list[tuple[float, float]] = []
    coiled = False
    for begin, end in pairwise(_ends(times, jumps)):
        now, locked = begin, run.locks(begin, state)
        for _ in range(MOST_LOCKS):
            inside = times[(times > now) & (times <= end)]
            recorded, later, state, event = run.phase(now, end, state, locked, inside)
            found.extend(recorded)
            if locked and later > now:
                locks = _with(locks, now, later)
            now, locked, coiled = later, not locked, event == "coil"
            if coiled or now >= end:
                break
        else:
            raise ArithmeticError(f"growth stopped and went on {MOST_LOCKS} times between {begin:g} and {end:g} s")
        if coiled:
            break
    states = np.array(found)
    # Where growth stops, the integrator is a tolerance beyond it; nothing shrinks.
    states[:, 0], states[:, 3] = np.maximum.accumulate(states[:, 0]), np.maximum(states[:, 3], 0.0)
    return Motion(times[: len(states)], states[:, :3], states[:, 3:], tuple(locks), coiled, run.evaluations)


def _ends(times: Floats, jumps: Sequence[float]) -> list[float]:
    """The first time, the jumps between, and the last [s]; those that are one, once."""
    ends = [float(times[0])]
    for jump in sorted(jumps):
        if ends[-1] + AT_ONCE < jump < times[-1] - AT_ONCE:
            ends.append(jump)
    return [*ends, float(times[-1])]


def _with(locks: list[tuple[float, float]], begin: float, end: float) -> list[tuple[float, float]]:
    """The locks with one more; one that begins where the last ended extends it."""
    if locks and locks[-1][1] >= begin:
        return [*locks[:-1], (locks[-1][0], end)]
    return [*locks, (begin, end)]


class _Run:
    """The equations of motion as an integrator takes them; its state is q and its rates, shape (6,)."""

    def __init__(self, robot: Robot, inputs: Inputs, tolerance: float) -> None:
        self.robot, self.inputs, self.tolerance = robot, inputs, tolerance
        self.body = robot.body
        self.evaluations = 0

    def rate(self, time: float, state: Floats, locked: bool) -> Floats:
        """Of the state."""
        self.evaluations += 1
        q, rates = state[:3], state[3:]
        actuation = self.robot.actuation(checked_inputs(self.inputs(time, q)))
        body = self.body
        force = actuation - body.springs * q - body.dampers * rates
        return np.concatenate([rates, acceleration(q, rates, force, body.mass, body.gravity, locked)])

    def release(self, time: float, state: Floats) -> float:
        """Above 0 where stopped growth resumes [m/s^2]."""
        return float(self.rate(time, state, False)[3]) - RELEASE

    def locks(self, time: float, state: Floats) -> bool:
        """Whether the growth stands still."""
        return bool(state[3] <= 0) and self.release(time, state) <= 0

    def phase(
        self, begin: float, end: float, state: Floats, locked: bool, inside: Floats
    ) -> tuple[list[Floats], float, Floats, str]:
        """Move on until the growth stops or resumes, the tube is a circle, or to the end [s].

        Args:
            inside: Times to record at [s].
        Returns:
            The states recorded, when it ended, the state then, and by what: "growth", "coil" or "time".
        """

        last = np.nextafter(end, begin)  # inputs that jump at the end do so after this phase

        def turns(time: float, state: Floats) -> float:
            return self.release(min(time, last), state) if locked else float(state[3])

        def coils(_: float, state: Floats) -> float:
            return float(np.hypot(state[1], state[2])) - (COIL - NEARLY)

        turns.terminal, turns.direction = True, 1 if locked else -1  # type: ignore[attr-defined]
        coils.terminal, coils.direction = True, 1  # type: ignore[attr-defined]
        if locked:
            state = state.copy()
            state[3] = 0.0
        solved = solve_ivp(
            lambda time, state: self.rate(min(time, last), state, locked), (begin, end), state, "LSODA", np.union1d(inside, end),
            events=(turns, coils), rtol=self.tolerance, atol=self.tolerance,
        )  # fmt: skip
        if solved.status < 0:
            known = solved.t[-1] if len(solved.t) else begin
            raise ArithmeticError(f"the motion could not be followed beyond {known:g} s: {solved.message}")
        if solved.status == 0:
            states = solved.y.T
            return list(states[: len(inside)]), end, states[-1], "time"
        which = 0 if len(solved.t_events[0]) else 1
        later, last = float(solved.t_events[which][-1]), solved.y_events[which][-1].copy()
        if which == 0 and not locked:
            last[3] = 0.0
        states = np.reshape(solved.y, (6, -1)).T  # SciPy gives a list where there is none
        return list(states[: len(inside)]), later, last, ("growth", "coil")[which]
