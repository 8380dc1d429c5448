"""Thickness of inflated actuators as a table, which rollouts use instead of the analytic model."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from surrogate.actuators import Actuator
from surrogate.force_table import LINEAR, ROWS, CellPosition, ForceRows
from surrogate.kernels.compiled import Floats, compiled

STEP = 5
"""A row of this table is at every so many rows of the force table [-]."""
SHARES = 64
"""Intervals over the share of full contraction, evenly spaced in its root: a lens is as high as the root of its strain, at first."""
WITHIN = 1.0 - 1e-9
"""Largest share of full contraction that is evaluated [-]: rounded, the whole could lie beyond the range of a model."""


def tabulate_thickness(actuator: Actuator, rows: ForceRows) -> Floats:
    """Tabulate `Actuator.thickness` [m] over the cell lengths of a force table and the share of full contraction.

    Returns:
        Shape (ROWS / STEP + 1, SHARES + 1).
    """
    lengths = np.linspace(rows.shortest, rows.longest, ROWS // STEP + 1)[:, None]
    shares = WITHIN * (np.arange(SHARES + 1) / SHARES) ** 2
    return np.asarray(actuator.thickness(shares * actuator.full_contraction(lengths), lengths), float)


@cache
def tabulate_actuator(actuator: Actuator, published: bool) -> tuple[ForceRows, Floats]:
    """Tabulate the force and the thickness of an actuator, as for `VineParams.physics`.

    Args:
        published: Whether its taut film stretches linearly and it does not stand out from the tube.
    """
    rows = actuator.tabulate()
    thickness = tabulate_thickness(actuator, rows)
    return (rows._replace(taut=LINEAR), 0 * thickness) if published else (rows, thickness)


@compiled(forceinline=True)
def look_up_thickness(table: Floats, of: CellPosition, strain: float) -> float:
    """Thickness of a cell at a strain from 0 to full contraction [m].

    Args:
        table: Those of `tabulate_thickness` of all actuators, shape (actuators, ROWS / STEP + 1, SHARES + 1) [m].
        of: Position of its length in the force tables.
    """
    share = min(max(strain * max(of.per_strain, of.per_strain_saturated), 0.0), 1.0)
    kind, along = of.row // (ROWS + 1), (of.row % (ROWS + 1) + of.weight) / STEP
    row, position = min(int(along), ROWS // STEP - 1), math.sqrt(share) * SHARES
    column = min(int(position), SHARES - 1)
    weight, part = along - row, position - column
    low = table[kind, row, column] + part * (table[kind, row, column + 1] - table[kind, row, column])
    high = table[kind, row + 1, column] + part * (table[kind, row + 1, column + 1] - table[kind, row + 1, column])
    return low + weight * (high - low)
