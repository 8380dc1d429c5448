"""Steering while a tube grows: the pressures of its actuators as functions of its length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from surrogate.kernels.compiled import Floats

VENTED = 1.0
"""Pressure of an actuator that is open to the air [Pa]. It does not pull; but it is there, and the centreline of its section
still shortens with a bend, so that a section that is vented keeps its shape as its pressure goes to 0."""
ALONG = 1e-9
"""Tolerance of a length at a multiple of another, in that other [-]."""
MOST_ROWS = 1000
"""Maximum number of rows."""


class InvalidSchedule(ValueError):
    """A schedule that cannot be followed; the message says which row or pressure is wrong."""

    exit_code = 2


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Schedule:
    """Pressures of the actuators of one tube over its grown length: piecewise linear, constant before the first and after the last row.

    Two rows with the same length are a step: there the tube is held, at constant length, until it is at rest under the new pressures
    (paper 002, section 7.4 and supplement, Fig. S.12).

    >>> steps = Schedule([0.0, 0.5, 0.5], [[20e3], [20e3], [0.0]])
    >>> steps.at(0.4), steps.at(0.5)
    (array([20000.]), array([0.]))
    """

    lengths: Floats
    """Grown length of each row [m], ascending, shape (rows,)."""
    pressures: Floats
    """Pressure of each actuator, numbered from the base [Pa], shape (rows, actuators); 0 is vented."""

    def __init__(self, lengths: ArrayLike, pressures: ArrayLike) -> None:
        """Check the rows.

        Raises:
            InvalidSchedule: Lengths descend, or three are the same, a number is negative or not finite, or shapes do not fit.
        """
        length, pressure = np.array(lengths, float), np.array(pressures, float)
        if length.ndim != 1 or pressure.ndim != 2 or len(length) != len(pressure):
            raise InvalidSchedule(
                f"a schedule of shape {length.shape} and {pressure.shape} must have one length and one row of pressures for each row"
            )
        if not 1 <= len(length) <= MOST_ROWS:
            raise InvalidSchedule(f"a schedule of {len(length)} rows must have from 1 to {MOST_ROWS}")
        for name, values in (("length", length), ("pressure", pressure)):
            wrong = ~(np.isfinite(values) & (values >= 0))
            if wrong.any():
                row = int(np.argwhere(wrong)[0][0])
                raise InvalidSchedule(f"row {row + 1} of the schedule: every {name} must be finite and at least 0")
        falls = np.flatnonzero(np.diff(length) < 0)
        if len(falls):
            row = int(falls[0]) + 1
            raise InvalidSchedule(
                f"row {row + 1} of the schedule, at {1e3 * length[row]:g} mm, must not be before row {row}, at {1e3 * length[row - 1]:g} mm"
            )
        thrice = np.flatnonzero(length[2:] == length[:-2])
        if len(thrice):
            raise InvalidSchedule(
                f"rows {thrice[0] + 1} to {thrice[0] + 3} of the schedule have the same length, {1e3 * length[thrice[0]]:g} mm; a "
                "step has two: before and after it"
            )
        object.__setattr__(self, "lengths", length)
        object.__setattr__(self, "pressures", pressure)

    @property
    def actuators(self) -> int:
        """Number of actuators."""
        return self.pressures.shape[1]

    @property
    def highest(self) -> Floats:
        """Highest pressure of each actuator [Pa], shape (actuators,)."""
        return np.asarray(self.pressures.max(axis=0))

    @property
    def steps(self) -> Floats:
        """Lengths at which the tube is held while a pressure changes [m], shape (steps,)."""
        same = np.diff(self.lengths) == 0
        moved = (np.diff(self.pressures, axis=0) != 0).any(axis=1)
        return np.asarray(self.lengths[1:][same & moved])

    @property
    def changes(self) -> int:
        """Number of changes, each of one actuator between two rows."""
        return int((np.diff(self.pressures, axis=0) != 0).sum())

    def at(self, length: float) -> Floats:
        """Return the pressures at a length [Pa], shape (actuators,); at a step, those after it."""
        after = int(np.searchsorted(self.lengths, length, side="right"))
        if after == 0 or after == len(self.lengths):
            return np.asarray(self.pressures[min(after, len(self.lengths) - 1)])
        low, high = self.lengths[after - 1 : after + 1]
        share = (length - low) / (high - low)
        return np.asarray((1 - share) * self.pressures[after - 1] + share * self.pressures[after])

    def stages(self, length: float, ramp: float) -> list[tuple[float, Floats]]:
        """Return the lengths up to which a tube grows with constant pressures [m], and these pressures [Pa], up to its full
        length.

        Two stages with the same length are a step: in the second one the tube is held. A pressure that changes with the length
        has its value at the end of each stage.

        Args:
            length: Full length of the tube [m].
            ramp: Where a pressure changes, a stage ends at each multiple of this [m].
        """
        found = [(min(float(self.lengths[0]), length), self.pressures[0])]
        for row in range(1, len(self.lengths)):
            low, high = float(self.lengths[row - 1]), float(self.lengths[row])
            before, after = self.pressures[row - 1], self.pressures[row]
            if low >= length and (low > length or high > low):
                break
            if high == low or (before == after).all():
                found.append((min(high, length), after))
                continue
            ends = ramp * np.arange(np.floor(low / ramp + ALONG) + 1, np.ceil(high / ramp - ALONG))
            for until in [*ends[ends < length].tolist(), min(high, length)]:
                found.append((until, self.at(until) if until < high else after))
        if found[-1][0] < length:
            found.append((length, self.pressures[-1]))
        return _merge(found)


def _merge(stages: list[tuple[float, Floats]]) -> list[tuple[float, Floats]]:
    """Remove stages without growth before the first growth, and join stages of equal pressures unless a step lies between."""
    kept: list[tuple[float, Floats]] = []
    for until, pressure in stages:
        steps = len(kept) > 1 and kept[-1][0] == kept[-2][0]
        same = bool(kept) and bool((kept[-1][1] == pressure).all())
        if same and (not steps or until == kept[-1][0]):
            kept[-1] = (until, pressure)
        elif kept or until > 0.0:
            kept.append((until, pressure))
    return kept
