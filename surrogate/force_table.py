"""Force of an actuator as a table, which rollouts use instead of the analytic model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from surrogate.kernels.compiled import Floats, compiled

SHORTEST, LONGEST = 15e-3, 100e-3
"""Range of cell lengths of the default table [m]: the fabricable 20 to 80 mm with a margin for perturbations."""
ROWS, FINE_ROWS, COLUMNS = 170, 3400, 384
NODES = (np.arange(COLUMNS + 1) / COLUMNS) ** 2
"""Share of full contraction at each column [-], dense near zero, where the force is steep."""
TAUT_STRAIN, TAUT_COLUMNS = 0.08, 240
"""Range of the table below zero strain [-], and its number of evenly spaced columns."""


def row_lengths(shortest: float, longest: float) -> tuple[Floats, Floats]:
    """Cell lengths of the rows and of the fine rows of a table over a range of cell lengths [m]."""
    return np.linspace(shortest, longest, ROWS + 1), np.linspace(shortest, longest, FINE_ROWS + 1)


LENGTHS, FINE_LENGTHS = row_lengths(SHORTEST, LONGEST)
"""Cell lengths of the rows and of the fine rows of the default table [m]."""
LINEAR = np.empty((0, 0))
"""Value of `ForceRows.taut` for a force that is extrapolated linearly below zero strain."""


class ForceRows(NamedTuple):
    """The force table of an actuator.

    Both branches are tabulated at `NODES` of their full contraction. The force is the smaller of the two branches, because
    saturation of the tube's radius can only reduce it. For an actuator that does not saturate, longest_contraction = inf,
    and the look-up ignores the saturated branch.
    """

    unsaturated: Floats
    """F_t / P [m^2] of unsaturated cells (as for a tube of unlimited radius), shape (rows + 1, columns + 1), over strain."""
    longest_strain: Floats
    """Strain of fully contracted, unsaturated cells, shape (fine rows + 1,); fine, because the force vanishes there."""
    saturated: Floats
    """F_t / P [m^2] of saturated cells, shape (columns + 1,), over contraction l_0 * strain, on which alone it depends."""
    longest_contraction: float
    """Contraction of fully contracted, saturated cells [m]."""
    shortest: float = SHORTEST
    """Cell length of the first row [m]."""
    longest: float = LONGEST
    """Cell length of the last row [m]."""
    taut: Floats = LINEAR
    """F_t / P [m^2] of cells with taut film, evenly spaced over strains from 0 to -`TAUT_STRAIN`, shape (rows + 1, taut columns + 1),
    extrapolated linearly beyond; or `LINEAR`."""


_SHORTEST, _LONGEST, _CONTRACTION = range(3)
"""Columns of `ForceTables.ends`."""


class ForceTables(NamedTuple):
    """The tables of the actuators of a tube, of number `kind` from 0 on, as an argument of compiled kernels.

    They lie one below the other, so that the row alone says which actuator it is: row // (ROWS + 1).
    """

    unsaturated: Floats
    """See `ForceRows`, as for all others, shape (actuators * (rows + 1), columns + 1)."""
    longest_strain: Floats
    """Shape (actuators, fine rows + 1)."""
    saturated: Floats
    """Shape (actuators, columns + 1)."""
    ends: Floats
    """Cell lengths of the first and last row, and `longest_contraction` [m], shape (actuators, 3). One array instead of three: kernels
    pass tables by value, and every array takes time."""
    taut: Floats
    """Shape (actuators * (rows + 1), taut columns + 1); or `LINEAR`, which is then meant for all of them."""

    @property
    def shortest(self) -> Floats:
        """Cell length of the first row of each actuator [m], shape (actuators,)."""
        return self.ends[:, _SHORTEST]

    @property
    def longest(self) -> Floats:
        """Cell length of the last row of each actuator [m], shape (actuators,)."""
        return self.ends[:, _LONGEST]

    @property
    def longest_contraction(self) -> Floats:
        """Contraction of fully contracted, saturated cells of each actuator [m], shape (actuators,)."""
        return self.ends[:, _CONTRACTION]


def stack(tables: Sequence[ForceRows]) -> ForceTables:
    """Stack the tables of actuators into one argument of kernels."""
    taut = LINEAR
    if any(one.taut.size for one in tables):
        taut = np.concatenate([one.taut if one.taut.size else _extrapolate(one) for one in tables])
    return ForceTables(
        np.concatenate([one.unsaturated for one in tables]),
        np.stack([one.longest_strain for one in tables]),
        np.stack([one.saturated for one in tables]),
        np.array([(one.shortest, one.longest, one.longest_contraction) for one in tables]),
        taut,
    )


def _extrapolate(rows: ForceRows) -> Floats:
    """Extrapolate a table linearly below zero strain, as rows of `ForceRows.taut`."""
    coarse, fine = row_lengths(rows.shortest, rows.longest)
    full = np.interp(coarse, fine, rows.longest_strain)
    slope = (rows.unsaturated[:, 1] - rows.unsaturated[:, 0]) * COLUMNS**2 / full
    return np.asarray(rows.unsaturated[:, :1] - slope[:, None] * np.linspace(0.0, TAUT_STRAIN, TAUT_COLUMNS + 1))


class CellPosition(NamedTuple):
    """Position of a cell length in the tables."""

    row: int
    weight: float
    """Interpolation weight of the next row, in [0, 1]."""
    per_strain: float
    """Share of full contraction per strain, unsaturated [-]."""
    per_strain_saturated: float
    """Share of full contraction per strain of saturated cells [-]; 0 if there are none."""


@compiled()
def cell(tables: ForceTables, kind: int, l_0: float) -> CellPosition:
    """Look up a cell length [m] of an actuator, which must lie within its table."""
    shortest = tables.ends[kind, _SHORTEST]
    position = (l_0 - shortest) / (tables.ends[kind, _LONGEST] - shortest)
    fine = min(int(position * FINE_ROWS), FINE_ROWS - 1)
    part = position * FINE_ROWS - fine
    longest = (1.0 - part) * tables.longest_strain[kind, fine] + part * tables.longest_strain[kind, fine + 1]
    row = min(int(position * ROWS), ROWS - 1)
    contraction = tables.ends[kind, _CONTRACTION]
    return CellPosition(kind * (ROWS + 1) + row, position * ROWS - row, 1.0 / longest, l_0 / contraction)


@compiled(forceinline=True)
def force_and_slope(
    unsaturated: Floats, saturated: Floats, taut: Floats, of: CellPosition, strain: float
) -> tuple[float, float]:
    """F_t / P [m^2] and its derivative with respect to strain, extrapolated beyond the ends of the table.

    Below zero strain the film is taut: the force is that of `ForceRows.taut`. Beyond full contraction the cell is slack
    and the force is zero. The three arrays of `ForceTables` are separate arguments, because unpacking an array from a tuple
    takes as long as the look-up.
    """
    u, v = strain * of.per_strain, strain * of.per_strain_saturated
    if u >= 1.0 or v >= 1.0:
        return 0.0, 0.0
    rest, weight = 1.0 - of.weight, of.weight
    if u < 0.0 and taut.size > 0:
        position = strain * (-TAUT_COLUMNS / TAUT_STRAIN)
        column = int(min(position, TAUT_COLUMNS - 1.0))
        start = rest * taut[of.row, column] + weight * taut[of.row + 1, column]
        rise = rest * taut[of.row, column + 1] + weight * taut[of.row + 1, column + 1] - start
        return start + (position - column) * rise, rise * (-TAUT_COLUMNS / TAUT_STRAIN)
    column = int(math.sqrt(u) * COLUMNS) if u > 0.0 else 0
    start = rest * unsaturated[of.row, column] + weight * unsaturated[of.row + 1, column]
    end = rest * unsaturated[of.row, column + 1] + weight * unsaturated[of.row + 1, column + 1]
    slope = (end - start) * (COLUMNS * COLUMNS) / (2.0 * column + 1.0)
    force = start + slope * (u - column * column * (1.0 / COLUMNS**2))
    slope *= of.per_strain
    if v > 0.0:
        column, kind = int(math.sqrt(v) * COLUMNS), of.row // (ROWS + 1)
        start = saturated[kind, column]
        slope_saturated = (saturated[kind, column + 1] - start) * (COLUMNS * COLUMNS) / (2.0 * column + 1.0)
        force_saturated = start + slope_saturated * (v - column * column * (1.0 / COLUMNS**2))
        if force_saturated < force:
            return force_saturated, slope_saturated * of.per_strain_saturated
    return force, slope


@compiled()
def _evaluate(tables: ForceTables, strain: Floats, l_0: Floats, force: Floats, slope: Floats) -> None:
    for i in range(strain.size):
        of = cell(tables, 0, l_0[i])
        force[i], slope[i] = force_and_slope(tables.unsaturated, tables.saturated, tables.taut, of, strain[i])


@dataclass(frozen=True, slots=True)
class ForceTable:
    """F_t / P over strain and cell length. The force is linear in pressure, so this describes the actuator completely.

    Construct it from an actuator's table: `ForceTable(Spam().tabulate())`.
    """

    rows: ForceRows

    def __call__(self, strain: ArrayLike, l_0: ArrayLike) -> tuple[Floats, Floats]:
        """Force per pressure F_t / P [m^2] and its derivative with respect to strain [m^2], each of the broadcast shape.

        Args:
            strain: Contraction divided by cell length [-]; any value (taut below 0, slack beyond full contraction).
            l_0: Cell length [m], within the table.
        Raises:
            ValueError: A cell length is outside the table.
        """
        strain, l_0 = np.broadcast_arrays(np.asarray(strain, float), np.asarray(l_0, float))
        low, high = self.rows.shortest, self.rows.longest
        if not np.all((l_0 >= low) & (l_0 <= high)):
            raise ValueError(f"l_0 must lie between {low * 1e3:g} and {high * 1e3:g} mm")
        force, slope = np.empty(strain.shape), np.empty(strain.shape)
        _evaluate(stack([self.rows]), strain.ravel(), l_0.ravel(), force.reshape(-1), slope.reshape(-1))
        return force, slope
