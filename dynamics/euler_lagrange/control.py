"""Tracking: a PD controller with gravity compensation, whose core can only push and whose actuators can only pull."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from dynamics.euler_lagrange.kinematics import COIL, NEARLY, tip_positions, to_polar, to_regular
from dynamics.euler_lagrange.model import PointMass, Robot, check_start, implicit_system, rates_after, solve
from dynamics.euler_lagrange.motion import Watch
from surrogate.kernels.compiled import Floats

Reference = Callable[[float], tuple[ArrayLike, ArrayLike]]
"""(s, theta, phi) and their rates over time [s]."""
STEP = 1e-3
"""Usual time step [s]."""
NOTICED = 1e-3
"""A reference counts as shorter than the tube if the difference exceeds this [m]."""
PLANE_FROM = 0.05
"""Requested bend from which on its plane is compared [rad]: a straight tube has none."""


class Saturation(StrEnum):
    """Reason why the robot could not follow the reference."""

    SHORTER = "the reference is shorter than what has grown, and a vine cannot shrink"
    CORE = "the force in the core is at its limit"
    EMPTY = "the core would have to pull"
    TENSION = "a tension is at its limit"


class SaturationEvent(NamedTuple):
    """A saturation and its interval of time."""

    what: Saturation
    begin: float
    """[s]"""
    end: float
    """[s]"""


@dataclass(frozen=True, slots=True)
class Controller:
    """Gains and limits of paper 004's Eq. 24, in (s, u, v).

    The printed equation lacks the pseudo-inverse of the transpose, and Y_e. The requested forces are distributed such that
    the core does not pull and no actuator pushes. The paper's gains are for (s, theta, phi) and do not apply to (s, u, v);
    with the defaults the robot follows the reference of its Fig. 8 closely.

    Raises:
        ValueError: A gain is negative, or a limit is not greater than 0.
    """

    growth_gain: float = 4000.0
    """Force per error of the length, K_p [N/m]."""
    growth_damping: float = 60.0
    """Force per error of the growth rate, K_d [N s/m]."""
    bend_gain: float = 5000.0
    """Moment per error of u and v, K_p [N m/rad]."""
    bend_damping: float = 150.0
    """Moment per error of the rates of u and v, K_d [N m s/rad]."""
    most_core: float = math.inf
    """Largest force in the core [N]."""
    most_tension: float = math.inf
    """Largest pull of an actuator [N]."""

    def __post_init__(self) -> None:
        for name in ("growth_gain", "growth_damping", "bend_gain", "bend_damping"):
            if not 0 <= (value := getattr(self, name)) < math.inf:
                raise ValueError(f"controller.{name} = {value:g} must be at least 0 and finite")
        for name in ("most_core", "most_tension"):
            if not (value := getattr(self, name)) > 0:
                raise ValueError(f"controller.{name} = {value:g} N must be greater than 0")

    @property
    def gains(self) -> Floats:
        """K_p of s [N/m], u and v [N m/rad], shape (3,)."""
        return np.array([self.growth_gain, self.bend_gain, self.bend_gain])

    @property
    def damping(self) -> Floats:
        """K_d of s [N s/m], u and v [N m s/rad], shape (3,)."""
        return np.array([self.growth_damping, self.bend_damping, self.bend_damping])

    def inputs(self, robot: Robot, force: Floats) -> tuple[Floats, list[Saturation]]:
        """Core force and tensions [N], shape (4,), for a generalised force (s, u, v), and the saturations.

        The smallest non-negative tensions that give the requested bend are in at most two actuators. If one exceeds the limit,
        all are reduced by the same factor, which preserves the direction of the bend. The core compensates for the tensions'
        effect on the growth.
        """
        tensions, _ = nnls(-robot.jacobian[1:, 1:].T, force[1:])
        met = []
        if tensions.max() > self.most_tension:
            tensions *= self.most_tension / tensions.max()
            met.append(Saturation.TENSION)
        core = force[0] + robot.yield_force + tensions.sum()
        if core > self.most_core:
            met.append(Saturation.CORE)
        elif core < 0:
            met.append(Saturation.EMPTY)
        return np.append(min(max(core, 0.0), self.most_core), tensions), met


@dataclass(frozen=True, slots=True, eq=False)
class Tracking:
    """Motion of a robot that follows a reference."""

    start: Floats
    """s [m], u and v [rad] at the beginning, shape (3,)."""
    times: Floats
    """Time at the end of each step [s], shape (steps,)."""
    q: Floats
    """s [m], u and v [rad], shape (steps, 3)."""
    reference: Floats
    """s [m], theta [rad], phi [rad] requested, shape (steps, 3)."""
    inputs: Floats
    """Force in the core and tensions during the step [N], shape (steps, 4)."""
    events: tuple[SaturationEvent, ...]
    """Saturations, in order of their start."""
    coiled: bool
    """Whether it ended early because the tube bent into a full circle."""
    stopped: bool
    """Whether the watch ended it early."""

    @property
    def polar(self) -> Floats:
        """s [m], theta [rad], phi [rad], shape (steps, 3)."""
        return to_polar(self.q)

    @property
    def errors(self) -> Floats:
        """Difference from the reference, s [m], theta and phi [rad], shape (steps, 3); phi's within half a turn.

        A negative requested bend is a bend to the other side.
        """
        errors = to_polar(to_regular(self.reference)) - self.polar
        errors[:, 2] = (errors[:, 2] + np.pi) % (2 * np.pi) - np.pi
        return errors

    @property
    def tips(self) -> Floats:
        """Positions of the tip relative to the base [m], shape (steps, 3)."""
        return tip_positions(self.q)

    @property
    def able(self) -> NDArray[np.bool_]:
        """Whether the tube can follow, shape (steps,): the requested length is at least its first one and the greatest requested so far.

        A vine cannot become shorter.
        """
        asked = self.reference[:, 0]
        return np.asarray((asked >= np.maximum.accumulate(asked)) & (asked >= self.start[0] - NOTICED))

    @property
    def greatest_errors(self) -> Floats:
        """Greatest errors while the tube can follow, s [m], theta and phi [rad], shape (3,); NaN where there is nothing to compare.

        The plane is compared where the requested bend is at least `PLANE_FROM`.
        """
        able = self.able
        bent = able & (np.abs(self.reference[:, 1]) >= PLANE_FROM)
        errors = np.abs(self.errors)
        return np.array([errors[rows, k].max() if rows.any() else np.nan for k, rows in enumerate((able, able, bent))])

    @property
    def tip_errors(self) -> Floats:
        """Distances of the tip from that of the reference [m], shape (steps,)."""
        return np.asarray(np.linalg.norm(tip_positions(to_regular(self.reference)) - self.tips, axis=1))

    def during(self, what: Saturation) -> NDArray[np.bool_]:
        """Return whether a saturation was active in each step, shape (steps,)."""
        mine = np.zeros(len(self.times), bool)
        for event in self.events:
            if event.what == what:
                mine |= (self.times > event.begin + 1e-12) & (self.times < event.end + 1e-12)
        return mine


def track(
    robot: Robot,
    controller: Controller,
    reference: Reference,
    start: ArrayLike,
    seconds: float,
    step_time: float = STEP,
    watch: Watch | None = None,
) -> Tracking:
    """Follow a reference from rest, with semi-implicit time steps.

    The controller looks one step ahead: its errors are those at the end of the step, predicted by the model without limits.
    So stiff gains do not need short steps (Tan, Liu and Turk, Stable Proportional-Derivative Controllers, 2011). While the
    reference is shorter than the tube, the core force stays just below the growth threshold.

    Args:
        start: s [m], theta [rad], phi [rad].
        seconds: Duration [s].
        step_time: Maximum time step [s].
        watch: Called after each step; the steps before it ended the motion are returned.
    Raises:
        ValueError: The start has zero length or is a full circle, a step is not greater than 0, or the reference is not finite.
    """
    if not 0 < step_time <= seconds < math.inf:
        raise ValueError(f"step_time = {step_time:g} s must be greater than 0, and at most seconds = {seconds:g}")
    begin = to_regular(check_start(start))
    q, rates = begin, np.zeros(3)
    body = robot.body
    count = math.ceil(seconds / step_time - 1e-9)
    h = seconds / count
    states, wanted, inputs = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 4))
    met: list[tuple[Saturation, ...]] = []
    coiled = stopped = False
    for k in range(count):
        wanted[k], goal, goal_rates = _regular_reference(reference, (k + 1) * h)
        shorter = goal[0] < q[0] - NOTICED
        inputs[k], saturated = _command(robot, controller, q, rates, goal, goal_rates, h)
        force = robot.actuation(inputs[k]) - body.springs * q
        rates = rates_after(*implicit_system(q, rates, force, body, h), False)
        q = q + h * rates
        if coiled := bool(np.hypot(q[1], q[2]) >= COIL - NEARLY):
            break
        states[k] = q
        met.append((*((Saturation.SHORTER,) if shorter else ()), *saturated))
        if stopped := watch is not None and k + 1 < count and watch((k + 1) * h):
            break
    done = len(met)
    times = np.arange(1.0, done + 1) * h
    return Tracking(begin, times, states[:done], wanted[:done], inputs[:done], _events(met, h), coiled, stopped)


def _command(
    robot: Robot, controller: Controller, q: Floats, rates: Floats, goal: Floats, goal_rates: Floats, h: float
) -> tuple[Floats, list[Saturation]]:
    """Inputs for a time step [N], shape (4,), and the saturations."""
    body, gains, damping = robot.body, controller.gains, controller.damping
    requested = robot.static_force(q) + gains * (goal - q) + damping * goal_rates
    driven = PointMass(body.mass, body.gravity, body.springs + gains, body.dampers + damping)
    matrix, right = implicit_system(q, rates, requested - body.springs * q, driven, h)
    predicted = rates_after(matrix, right, goal[0] <= q[0])
    force = requested - (gains * h + damping) * predicted
    if predicted[0] <= 0.0:
        force[0] = requested[0] + (matrix[0] @ predicted - right[0]) / h  # the largest force without growth
        inputs, met = controller.inputs(robot, force)
        return inputs, [one for one in met if one == Saturation.TENSION]
    inputs, met = controller.inputs(robot, force)
    at_core = [one for one in met if one != Saturation.TENSION]
    if not at_core:
        return inputs, met
    # The core is at its limit, so the growth differs from the prediction. Growth and bend are coupled: with the predicted
    # growth the bend would be disturbed and corrected by huge tensions. So predict with the present growth rate.
    predicted = solve(matrix, right - matrix[:, 0] * rates[0], True)
    adjusted, met = controller.inputs(robot, requested - (gains * h + damping) * predicted)
    return np.append(inputs[0], adjusted[1:]), [*at_core, *(one for one in met if one == Saturation.TENSION)]


def _regular_reference(reference: Reference, time: float) -> tuple[Floats, Floats, Floats]:
    """Return the reference in (s, theta, phi), and in (s, u, v) with its rates."""
    wanted, rates = (np.array(values, float) for values in reference(time))
    if wanted.shape != (3,) or rates.shape != (3,) or not np.isfinite([wanted, rates]).all():
        raise ValueError(f"the reference at {time:g} s is not three finite numbers and their rates: {wanted}, {rates}")
    cosine, sine = np.cos(wanted[2]), np.sin(wanted[2])
    turning = wanted[1] * rates[2]
    slopes = np.array([rates[0], rates[1] * cosine - turning * sine, rates[1] * sine + turning * cosine])
    return wanted, to_regular(wanted), slopes


def _events(met: Sequence[Sequence[Saturation]], h: float) -> tuple[SaturationEvent, ...]:
    """Merge successive steps with the same saturation into events."""
    events = []
    for what in Saturation:
        begin = 0
        for is_met, run in groupby(what in one for one in met):
            end = begin + len(list(run))
            if is_met:
                events.append(SaturationEvent(what, begin * h, end * h))
            begin = end
    return tuple(sorted(events, key=lambda event: event.begin))
