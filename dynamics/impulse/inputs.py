"""Inputs of a growing tube over time: its growth rate and the pressure in its body (the control input u of paper 000, Eq. 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surrogate.kernels.compiled import Floats

MOST_ROWS = 10_000
"""Maximum number of rows."""


class InvalidInputs(ValueError):
    """Inputs that cannot be followed; the message names the row."""

    exit_code = 2


@dataclass(frozen=True, slots=True, eq=False, init=False)
class GrowthInputs:
    """Growth rate and body pressure over time: piecewise linear, constant before the first and after the last row.

    Two rows at the same time are a step. The growth rate is that without resistance; a tube that is held back grows more slowly. The
    body pressure is the tube's growth pressure meanwhile: moments (paper 002, Eq. 2), growth force and dents follow it.

    >>> inputs = GrowthInputs([0.0, 2.0], growth_rates=[0.0, 0.1])
    >>> inputs.grown(1.0), inputs.grown(3.0)
    (0.025, 0.2)
    """

    times: Floats
    """Time of each row since growth began [s], ascending, shape (rows,)."""
    growth_rates: Floats | None
    """Growth rate without resistance [m/s], shape (rows,); None for the tube's own, `Inertia.growth_rate`."""
    pressures: Floats | None
    """Gauge pressure in the body [Pa], shape (rows,); None for the tube's own, `VineParams.growth_pressure`."""

    def __init__(
        self, times: ArrayLike, growth_rates: ArrayLike | None = None, pressures: ArrayLike | None = None
    ) -> None:
        """Check the rows, and leave out those that change nothing.

        Raises:
            InvalidInputs: Times descend, or three are the same, a number is not finite or out of range, or shapes differ.
        """
        columns = {"time": times, "growth rate": growth_rates, "body pressure": pressures}
        given = {name: np.array(values, float) for name, values in columns.items() if values is not None}
        shapes = {values.shape for values in given.values()}
        if len(given) < 2 or len(shapes) > 1 or len(next(iter(shapes))) != 1:
            raise InvalidInputs("inputs must have a time and a growth rate or a body pressure, or both, in each row")
        time = given["time"]
        if not 1 <= len(time) <= MOST_ROWS:
            raise InvalidInputs(f"inputs of {len(time)} rows must have from 1 to {MOST_ROWS}")
        for name, values in given.items():
            allowed = np.isfinite(values) & ((values > 0) if name == "body pressure" else (values >= 0))
            if not allowed.all():
                least = "greater than" if name == "body pressure" else "at least"
                raise InvalidInputs(f"row {int(np.argmin(allowed)) + 1}: the {name} must be finite and {least} 0")
        if growth_rates is not None and not given["growth rate"].any():
            raise InvalidInputs("the growth rate is 0 in every row: a tube must grow")
        if len(falls := np.flatnonzero(np.diff(time) < 0)):
            row = int(falls[0]) + 2
            raise InvalidInputs(f"row {row}, at {time[row - 1]:g} s, must not be before row {row - 1}")
        if len(thrice := np.flatnonzero(time[2:] == time[:-2])):
            raise InvalidInputs(f"rows {thrice[0] + 1} to {thrice[0] + 3} have the same time; a step has two")
        kept = _changing(np.array([values for name, values in given.items() if name != "time"]))
        object.__setattr__(self, "times", time[kept])
        for field, name in (("growth_rates", "growth rate"), ("pressures", "body pressure")):
            object.__setattr__(self, field, given[name][kept] if name in given else None)

    def grown(self, time: float) -> float:
        """Length that a tube without resistance grows in a time, the integral of the growth rate [m].

        Raises:
            InvalidInputs: There is no growth rate.
        """
        if self.growth_rates is None:
            raise InvalidInputs("these inputs have no growth rate")
        within = self.times[(self.times > 0.0) & (self.times < time)]
        ends = np.concatenate([[0.0], within, [time]])
        # Rows may be steps: every span between two times is taken from its middle, where the rate is its mean.
        middles = (ends[1:] + ends[:-1]) / 2
        return float(np.diff(ends) @ np.interp(middles, self.times, self.growth_rates))


def _changing(values: Floats) -> NDArray[np.bool_]:
    """Whether each row differs from a neighbour; of constant inputs, only the first.

    Args:
        values: Shape (columns, rows).
    """
    moved = (np.diff(values, axis=1) != 0).any(axis=0)
    kept = np.append(moved, False) | np.insert(moved, 0, False)
    kept[0] |= not kept.any()
    return np.asarray(kept)
