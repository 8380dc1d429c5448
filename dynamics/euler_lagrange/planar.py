"""A tube bent by one actuator, in a plane: its moment instead of a linear spring, its length the coordinate it is recorded by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.euler_lagrange.kinematics import COIL
from dynamics.euler_lagrange.model import Body, implicit_system, rates_after
from dynamics.growth import COILED, GROWN, NOT_FINITE, STALLED, STILL
from dynamics.moment import JointMoments, total_moment
from surrogate.compiled import Floats, compiled
from surrogate.force_table import cell

LUMPED = 0.2
"""Part of the tube's mass that, at the tip, resists bending as the whole tube does: theta^2 of a slight bend of it has
the kinetic energy of the sideways motion theta x^2 / (2 s) of all points x along the tube. That it grows adds forces as
small as the growth is slow; they are left out."""
SHORTEST = 1e-3
"""A tube shorter than this [m] has negligible inertia: it has the bend of its equilibrium."""
AT_REST = 1e-7
"""A held tube this near to its equilibrium [rad] that would not move further in a second is at rest."""
LONGEST_HOLD = 120.0
"""One that still moves after this time [s] is stalled, and so is a growing one that has hardly grown in this time."""


class PlanarTube(NamedTuple):
    """What moves, besides the moments of its joints."""

    tip_mass: float
    """What the tip carries [kg]."""
    mass_per_length: float
    """Of the tube [kg/m]."""
    growth_force: float
    """With which the tip everts [N]."""
    growth_damping: float
    """Force over rate of growth [N s/m]."""
    bending_damping: float
    """Moment over rate of the bend of one full segment [N m s/rad]."""
    time_step: float
    """[s]"""


@compiled()
def grow_arc(
    tube: PlanarTube, joint: JointMoments, pressure: float, l_0: float, curvature: float, length: float, lengths: Floats,
    bends: Floats,
) -> tuple[int, int, int]:  # fmt: skip
    """Grow an arc that sets out at rest, or hold it, if the only requested length is that which it has.

    The bends of its joints are alike, so the moment of one of them is the generalised force of the whole bend; its
    derivative by the bend is less, the longer the tube. What bending the new tube takes is not taken from the growth.

    Args:
        pressure: Of the actuator all along it [Pa], signed.
        curvature: At rest [1/m].
        length: That it has [m].
        lengths: At which it is recorded [m], rising, shape (records,).
        bends: That it has in the first [rad]; takes those of the records, shape (records,).
    Returns:
        Records, `Status`, and steps.
    """
    held = lengths[-1] <= length
    of = cell(joint.rows, l_0)
    weightless, springs = np.zeros(3), np.zeros(3)
    dampers = np.array([tube.growth_damping, 0.0, 0.0])
    q, rates = np.array([length, bends[0], 0.0]), np.zeros(3)
    force = np.array([0.0 if held else tube.growth_force, 0.0, 0.0])
    record, steps, look, grown_then = 0, 0, LONGEST_HOLD, length
    while record < len(lengths):
        if not np.isfinite(q[0] + q[1]):
            return record, NOT_FINITE, steps
        if q[0] < SHORTEST:
            q[0] = min(SHORTEST, lengths[record])
            q[1] = curvature * q[0]
        if not held and q[0] >= lengths[record]:
            bends[record] = q[1]
            record += 1
            continue
        share = joint.segment_length / q[0]
        moment, slope = total_moment(joint, q[1] * share, pressure, of)
        force[1], springs[1], dampers[1] = -moment, slope * share, tube.bending_damping * share
        if held and abs(rates[1]) < AT_REST and abs(moment) < AT_REST * springs[1]:
            bends[record] = q[1]
            return 1, GROWN, steps
        if held and steps * tube.time_step > LONGEST_HOLD:
            bends[record] = q[1]
            return 1, STALLED, steps
        if steps * tube.time_step > look:
            if q[0] - grown_then <= STILL:
                return record, STALLED, steps
            look, grown_then = look + LONGEST_HOLD, q[0]
        seconds = tube.time_step
        body = Body(tube.tip_mass + LUMPED * tube.mass_per_length * q[0], weightless, springs, dampers)
        matrix, right = implicit_system(q, rates, force, body, seconds)
        after = rates_after(matrix, right, held)
        left = lengths[record] - q[0]
        if not held and after[0] * seconds >= left:
            seconds = left / after[0]
            matrix, right = implicit_system(q, rates, force, body, seconds)
            after = rates_after(matrix, right, held)
            q[0] = lengths[record]
        else:
            q[0] += seconds * after[0]
        q[1] += seconds * after[1]
        rates = after
        steps += 1
        if abs(q[1]) >= COIL:
            return record, COILED, steps
    return record, GROWN, steps
