"""How far inflated actuators stand out from the side of a tube.

The thickness of an actuated segment is that of its cells at the strain of its bend in free space, however it is bent in contact. An
actuator without pressure is only film: it has none. The published physics (paper 002) has none either.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from dynamics.moment import PER_BEND, JointMoments, Vine, joint_moments, rest_bend
from dynamics.tube import VineParams
from dynamics.vine import Integers
from surrogate.force_table import ROWS, CellPosition, cell
from surrogate.kernels.compiled import Floats, compiled
from surrogate.thickness_table import look_up_thickness


@compiled()
def _signed_thickness(joint: JointMoments, pressure: float, of: CellPosition) -> float:
    """Thickness of the actuator of a joint [m], with the sign of its pressure."""
    if pressure == 0.0:
        return 0.0
    per_bend = joint.arms[of.row // (ROWS + 1), PER_BEND]
    found = look_up_thickness(joint.thickness, of, per_bend * abs(rest_bend(joint, pressure, of)))
    return found if pressure > 0.0 else -found


@compiled()
def thicken(joint: JointMoments, vine: Vine, thickness: Floats, stiffness: Floats) -> None:
    """Fill in the thickness [m] and the stiffness [N/m2] of the actuators of a vine's segments, shape (max_segments,).

    An actuator is a tube, too, squeezed between a wall and the tube that carries it: a load of pi P / 2 per lost height and length, for
    every height, see `dynamics.cross_section`.
    """
    for j in range(len(vine.pressure)):
        pressure, row, weight = vine.pressure[j], vine.row[j], vine.weight[j]
        stiffness[j] = 0.5 * math.pi * abs(pressure)
        if j > 0 and pressure == vine.pressure[j - 1] and row == vine.row[j - 1] and weight == vine.weight[j - 1]:
            thickness[j] = thickness[j - 1]
        else:
            of = CellPosition(row, weight, vine.per_strain[j], vine.per_strain_saturated[j])
            thickness[j] = _signed_thickness(joint, pressure, of)


@compiled()
def _thicknesses(joint: JointMoments, kind: Integers, pressure: Floats, l_0: Floats, found: Floats) -> None:
    for i in range(pressure.size):
        if pressure[i] != 0.0:
            found[i] = _signed_thickness(joint, pressure[i], cell(joint.tables, kind[i], l_0[i]))


def signed_thickness(params: VineParams, pressure: ArrayLike, l_0: ArrayLike, kind: ArrayLike | None = None) -> Floats:
    """How far actuators stand out from the side of a tube that is bent as in free space [m], signed by side as the pressure is.

    All of it, whatever share of it walls meet; 0 with the published physics.

    Args:
        pressure: Actuator pressure [Pa], positive where it bends the tube to the left, 0 for none, any shape.
        l_0: Cell length [m], broadcast against it; ignored where the pressure is 0.
        kind: Number of the actuator in `VineParams.actuators` [-], broadcast against it; None for the first.
    """
    number = np.asarray(0 if kind is None else kind, np.int64)
    pressure, l_0, number = np.broadcast_arrays(np.asarray(pressure, float), np.asarray(l_0, float), number)
    found = np.zeros(pressure.shape)
    _thicknesses(
        joint_moments(replace(params, thickness_share=1.0)),
        number.ravel(),
        pressure.ravel(),
        l_0.ravel(),
        found.reshape(-1),
    )
    return found


def largest_thickness(params: VineParams) -> float:
    """Largest thickness of the actuators of a tube that walls meet, of any cell at any pressure [m]; 0 with the published physics."""
    return float(joint_moments(params).thickness.max())
