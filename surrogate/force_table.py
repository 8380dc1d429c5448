"""Force of an actuator as a table: what the rollouts use instead of its analytic model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from surrogate.compiled import Floats, compiled

SHORTEST, LONGEST = 15e-3, 100e-3
"""Cell lengths of the usual table [m]: the fabricable 20 to 80 mm and room to perturb them."""
ROWS, FINE_ROWS, COLUMNS = 170, 3400, 384
NODES = (np.arange(COLUMNS + 1) / COLUMNS) ** 2
"""Share of full contraction at each column [-]: dense at its start, where the force is steep."""


def row_lengths(shortest: float, longest: float) -> tuple[Floats, Floats]:
    """Cell length of each row, and of each fine row, of a table over a range of cell lengths [m]."""
    return np.linspace(shortest, longest, ROWS + 1), np.linspace(shortest, longest, FINE_ROWS + 1)


LENGTHS, FINE_LENGTHS = row_lengths(SHORTEST, LONGEST)
"""Those of the usual table."""


class ForceRows(NamedTuple):
    """The table as compiled kernels take it; every actuator fills one in.

    Both branches are tabulated at `NODES` of their full contraction. The branch that pulls less holds: a tube that
    reaches its radius can only lose force by it. An actuator that does not saturate has a saturated branch that
    never ends, longest_contraction = inf: the look-up then leaves it out.
    """

    unsaturated: Floats
    """F_t / P [m^2] of cells as if the tube were wide, shape (rows + 1, columns + 1), over strain."""
    longest_strain: Floats
    """Strain of fully contracted, unsaturated cells, shape (fine rows + 1,): fine, because the force ends there."""
    saturated: Floats
    """F_t / P [m^2] of saturated cells, shape (columns + 1,), over contraction l_0 * strain: there l_0 drops out."""
    longest_contraction: float
    """Contraction of fully contracted, saturated cells [m]."""
    shortest: float = SHORTEST
    """Cell length of the first row [m]."""
    longest: float = LONGEST
    """Cell length of the last row [m]."""


class Cell(NamedTuple):
    """A cell length, looked up once."""

    row: int
    weight: float
    """How far towards the next row the length lies, in [0, 1]."""
    per_strain: float
    """Share of full contraction that a strain is, unsaturated [-]."""
    per_strain_saturated: float
    """The same of saturated cells [-], 0 where there are none."""


@compiled()
def cell(rows: ForceRows, l_0: float) -> Cell:
    """Look up a cell length [m], which must lie within the table."""
    position = (l_0 - rows.shortest) / (rows.longest - rows.shortest)
    fine = min(int(position * FINE_ROWS), FINE_ROWS - 1)
    part = position * FINE_ROWS - fine
    longest = (1.0 - part) * rows.longest_strain[fine] + part * rows.longest_strain[fine + 1]
    row = min(int(position * ROWS), ROWS - 1)
    return Cell(row, position * ROWS - row, 1.0 / longest, l_0 / rows.longest_contraction)


@compiled(inline="always")
def force_and_slope(unsaturated: Floats, saturated: Floats, of: Cell, strain: float) -> tuple[float, float]:
    """F_t / P [m^2] and its slope over strain, both continued past the ends of the table.

    Below zero strain the film is taut: the force goes on along the slope it has at zero. Beyond full contraction the
    cell is slack and the force is zero. Takes the two arrays of `ForceRows` by themselves: taking an array out of a
    tuple costs as much as the look-up.
    """
    u, v = strain * of.per_strain, strain * of.per_strain_saturated
    if u >= 1.0 or v >= 1.0:
        return 0.0, 0.0
    column = int(np.sqrt(u) * COLUMNS) if u > 0.0 else 0
    rest, weight = 1.0 - of.weight, of.weight
    start = rest * unsaturated[of.row, column] + weight * unsaturated[of.row + 1, column]
    end = rest * unsaturated[of.row, column + 1] + weight * unsaturated[of.row + 1, column + 1]
    slope = (end - start) * (COLUMNS * COLUMNS) / (2.0 * column + 1.0)
    force = start + slope * (u - column * column * (1.0 / COLUMNS**2))
    slope *= of.per_strain
    if v > 0.0:
        column = int(np.sqrt(v) * COLUMNS)
        slope_saturated = (saturated[column + 1] - saturated[column]) * (COLUMNS * COLUMNS) / (2.0 * column + 1.0)
        force_saturated = saturated[column] + slope_saturated * (v - column * column * (1.0 / COLUMNS**2))
        if force_saturated < force:
            return force_saturated, slope_saturated * of.per_strain_saturated
    return force, slope


@compiled()
def _evaluate(rows: ForceRows, strain: Floats, l_0: Floats, force: Floats, slope: Floats) -> None:
    for i in range(strain.size):
        force[i], slope[i] = force_and_slope(rows.unsaturated, rows.saturated, cell(rows, l_0[i]), strain[i])


@dataclass(frozen=True, slots=True)
class ForceTable:
    """F_t / P over strain and cell length. The force is linear in pressure, so this is the whole actuator.

    Made from what an actuator tabulates: `ForceTable(Spam().tabulate())`.
    """

    rows: ForceRows

    def __call__(self, strain: ArrayLike, l_0: ArrayLike) -> tuple[Floats, Floats]:
        """Force per pressure F_t / P [m^2] and its slope over strain [m^2], each of the broadcast shape.

        Args:
            strain: Contraction over cell length [-]; any value (taut below 0, slack beyond full contraction).
            l_0: Cell length [m], within the table.
        Raises:
            ValueError: A cell length outside the table.
        """
        strain, l_0 = np.broadcast_arrays(np.asarray(strain, float), np.asarray(l_0, float))
        low, high = self.rows.shortest, self.rows.longest
        if not np.all((l_0 >= low) & (l_0 <= high)):
            raise ValueError(f"l_0 must lie between {low * 1e3:g} and {high * 1e3:g} mm")
        force, slope = np.empty(strain.shape), np.empty(strain.shape)
        _evaluate(self.rows, strain.ravel(), l_0.ravel(), force.reshape(-1), slope.reshape(-1))
        return force, slope
