"""A reference for a robot over time: its length, bend and plane, or the positions of its tip."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

from dynamics.euler_lagrange.errors import InvalidTimeTable
from dynamics.euler_lagrange.kinematics import COIL, NEARLY, polar_of_tip, tip_jacobian, to_regular
from surrogate.kernels.compiled import Floats

NEAR = 1e-3
"""Least distance of the tip from the base [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceTable:
    """A reference of `track`: smooth and monotone between the rows of a table (PCHIP), so that a length that grows never shrinks.

    Rows of lengths, bends and planes are joined in these numbers, and the plane takes the shorter way round. Rows of tips are
    joined in space.

    Raises:
        InvalidTimeTable: There are fewer than two rows, the times do not begin at 0 or do not increase, or a tip cannot be reached.
    """

    times: Floats
    """Times [s], shape (rows,)."""
    rows: Floats
    """s [m], theta [rad] and phi [rad], or the position of the tip [m], shape (rows, 3)."""
    of_tip: bool = False
    """Whether the rows are positions of the tip."""
    _path: Any = field(init=False, repr=False)
    _slope: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        times, rows = np.asarray(self.times, float), np.array(self.rows, float)
        if (
            len(times) < 2
            or rows.shape != (len(times), 3)
            or not (np.isfinite(times).all() and np.isfinite(rows).all())
        ):
            raise InvalidTimeTable("a reference needs three finite numbers at each of at least two times")
        if times[0] != 0 or not (np.diff(times) > 0).all():
            k = int(np.argmin(np.diff(times) > 0)) + 1
            raise InvalidTimeTable(
                f"the times of a reference must begin at 0 and increase; {times[k]:g} s follows {times[k - 1]:g} s"
            )
        if self.of_tip:
            self._check_tips(times, rows)
        else:
            rows[:, 2] = np.unwrap(rows[:, 2])
        object.__setattr__(self, "_path", PchipInterpolator(times, rows))
        object.__setattr__(self, "_slope", self._path.derivative())

    @staticmethod
    def _check_tips(times: Floats, tips: Floats) -> None:
        bent = polar_of_tip(tips)[:, 1] >= COIL - NEARLY
        if (bad := bent | (np.hypot(np.hypot(tips[:, 0], tips[:, 1]), tips[:, 2]) < NEAR)).any():
            k = int(np.argmax(bad))
            x, y, z = tips[k]
            raise InvalidTimeTable(
                f"at {times[k]:g} s no arc ends at ({x:g}, {y:g}, {z:g}) m: the tip must be at least {NEAR:g} m from the base, and not "
                "straight behind it"
            )

    @property
    def seconds(self) -> float:
        """Last time [s]."""
        return float(self.times[-1])

    @property
    def start(self) -> Floats:
        """s [m], theta [rad], phi [rad] at the beginning, with theta at least 0, shape (3,)."""
        s, theta, phi = self(0.0)[0]
        return np.array([s, abs(theta), phi if theta >= 0 else phi + np.pi])

    def __call__(self, time: float) -> tuple[Floats, Floats]:
        """Return s [m], theta [rad] and phi [rad] at a time [s], and their rates.

        Raises:
            InvalidTimeTable: The tip comes too near to the base between two rows.
        """
        point, rate = self._path(time), self._slope(time)
        return _polar_of_moving_tip(time, point, rate) if self.of_tip else (point, rate)


def _polar_of_moving_tip(time: float, tip: Floats, rate: Floats) -> tuple[Floats, Floats]:
    """Return (s, theta, phi) and their rates for a tip [m] and its velocity [m/s]."""
    polar = polar_of_tip(tip)
    if not (np.isfinite(polar[0]) and polar[1] < COIL - NEARLY):
        raise InvalidTimeTable(f"at {time:g} s the tip of the reference passes through the base, or straight behind it")
    q = to_regular(polar)
    growth, du, dv = np.linalg.solve(tip_jacobian(q), rate)
    s, theta, phi = polar
    if theta < 1e-9:  # a straight tube has no plane but that into which it bends
        return np.array([s, theta, np.arctan2(dv, du)]), np.array([growth, np.hypot(du, dv), 0.0])
    along, across = np.cos(phi) * du + np.sin(phi) * dv, np.cos(phi) * dv - np.sin(phi) * du
    return polar, np.array([growth, along, across / theta])
