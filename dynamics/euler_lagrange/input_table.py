"""Inputs of a robot over time: the force or pressure in its core, and tensions or pressures of its actuators."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from dynamics.euler_lagrange.errors import InvalidTimeTable
from dynamics.euler_lagrange.model import Robot
from dynamics.euler_lagrange.motion import RobotMotion, Watch, integrate_motion
from surrogate.kernels.compiled import Floats

RECORD_EVERY = 0.01
"""Time between the records of a motion [s]; it is lessened so that the duration is a multiple."""


@dataclass(frozen=True, slots=True, eq=False)
class InputTable:
    """Inputs over time, linear between the times of a table; two rows with the same time are a jump.

    After the last time they stay as they are.

    Raises:
        InvalidTimeTable: The times decrease or do not begin at 0, three have the same time, or a value is negative or not finite.
    """

    times: Floats
    """Times [s], shape (rows,)."""
    core: Floats
    """Force [N] or pressure [Pa] in the core, shape (rows,)."""
    actuators: Floats
    """Tensions [N] or pressures [Pa] of the actuators, shape (rows, 3)."""
    pressurised: bool = False
    """Whether `actuators` are pressures, from which the tensions follow (`Robot.tensions`)."""
    core_pressurised: bool = False
    """Whether `core` is a pressure, from which the force follows (`Robot.core_area`)."""
    _rows: Floats = field(init=False, repr=False)
    _slopes: Floats = field(init=False, repr=False)
    """Rates of the inputs after each row, shape (rows, 4); 0 after the last one."""
    _starts: list[float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        times = np.asarray(self.times, float)
        rows = np.column_stack([np.asarray(self.core, float), np.asarray(self.actuators, float)])
        if rows.shape != (len(times), 4) or not np.all((rows >= 0) & (rows < np.inf)):
            raise InvalidTimeTable(
                "inputs must be a force or pressure in the core and three tensions or pressures for each time, at least 0 and finite"
            )
        if times[0] != 0 or not np.isfinite(times).all() or (np.diff(times) < 0).any():
            raise InvalidTimeTable("the times of inputs must begin at 0, be finite and not decrease")
        if (thrice := times[2:][times[2:] == times[:-2]]).size:
            raise InvalidTimeTable(f"has more than two rows for time_s = {thrice[0]:g}; two are a jump")
        steps = np.diff(times)[:, None]
        slopes = np.divide(np.diff(rows, axis=0), steps, out=np.zeros((len(times) - 1, 4)), where=steps > 0)
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_slopes", np.vstack([slopes, np.zeros(4)]))
        object.__setattr__(self, "_starts", times.tolist())

    @classmethod
    def constant(
        cls,
        core: float = 0.0,
        actuators: ArrayLike = (0.0, 0.0, 0.0),
        pressurised: bool = False,
        core_pressurised: bool = False,
    ) -> InputTable:
        """Inputs that do not change.

        Args:
            core: Force [N] or pressure [Pa] in the core.
            actuators: Tensions [N] or pressures [Pa], shape (3,).
            pressurised: Whether these are pressures.
            core_pressurised: Whether `core` is a pressure.
        Raises:
            InvalidTimeTable: As for the class.
        """
        return cls(np.zeros(1), np.array([core]), np.array([actuators], float), pressurised, core_pressurised)

    @property
    def seconds(self) -> float:
        """Last time [s]."""
        return float(self.times[-1])

    def forces(self, robot: Robot, time: float, q: Floats) -> Floats:
        """Force in the core and tensions [N], shape (4,), at a time [s] and a configuration q [m, rad]."""
        k = bisect_right(self._starts, time) - 1
        row = self._rows[k] + self._slopes[k] * (time - self._starts[k])
        if self.core_pressurised:
            row[0] *= robot.core_area
        return np.append(row[:1], robot.tensions(row[1:], q)) if self.pressurised else row


def simulate(
    robot: Robot,
    inputs: InputTable,
    start: ArrayLike,
    seconds: float,
    tolerance: float = 1e-8,
    watch: Watch | None = None,
) -> RobotMotion:
    """Compute the motion of a robot from rest under given inputs, recorded about every 0.01 s.

    The integrator stops at each row of the inputs, so that it steps over no short pulse.

    Args:
        start: s [m], theta [rad], phi [rad].
        seconds: Duration [s].
        tolerance: Relative tolerance, and absolute tolerance in metres, radians and seconds [-].
        watch: Called after each step with the time reached; what was recorded before it ended the motion is returned.
    Raises:
        ValueError: The start has zero length or is a full circle, or the duration or the tolerance is out of range.
        NotIntegrable: The integrator cannot continue.
    """
    if not 0 < seconds < np.inf:
        raise ValueError(f"seconds = {seconds:g} must be greater than 0 and finite")
    times = np.linspace(0.0, seconds, max(int(np.ceil(seconds / RECORD_EVERY - 1e-9)), 1) + 1)
    jumps = inputs.times.tolist()
    return integrate_motion(robot, partial(inputs.forces, robot), start, times, jumps, tolerance=tolerance, watch=watch)
