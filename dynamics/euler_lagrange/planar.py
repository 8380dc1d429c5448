"""A planar tube bent by one actuator: the tube's moment replaces the linear spring, and records are taken over length."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.euler_lagrange.kinematics import COIL
from dynamics.euler_lagrange.model import PointMass, implicit_system, rates_after
from dynamics.growth import COILED, GROWN, NOT_FINITE, STALLED, STILL
from dynamics.moment import JointMoments, total_moment
from surrogate.force_table import CellPosition
from surrogate.kernels.compiled import Floats, compiled

LUMPED = 0.2
"""Share of the tube's mass that, lumped at the tip, has the inertia of the whole tube in bending: for a slight bend theta,
its kinetic energy equals that of the sideways motion theta x^2 / (2 s) of all points x along the tube. Growth adds forces
that are small because it is slow; they are neglected."""
SHORTEST = 1e-3
"""A tube shorter than this [m] has negligible inertia: it takes its equilibrium bend."""
AT_REST = 1e-7
"""A held tube is at rest if it is closer to its equilibrium than this [rad] and moves by less than this in a second."""
LONGEST_HOLD = 120.0
"""A held tube that still moves after this time [s] is stalled, as is a growing tube that has hardly grown in this time."""


class PlanarTube(NamedTuple):
    """Masses, growth force, damping and time step of a planar tube."""

    tip_mass: float
    """Mass carried by the tip [kg]."""
    mass_per_length: float
    """Mass per length of the tube [kg/m]."""
    growth_force: float
    """Force with which the tip everts [N]."""
    growth_damping: float
    """Force per growth rate [N s/m]."""
    bending_damping: float
    """Moment per bending rate of `JointMoments.length` of tube [N m s/rad]."""
    time_step: float
    """Time step [s]."""


@compiled(counted=True)
def grow_arc(
    tube: PlanarTube, joint: JointMoments, pressure: float, of: CellPosition, curvature: float, length: float, lengths: Floats,
    bends: Floats,
) -> tuple[int, int, int]:  # fmt: skip
    """Grow an arc from rest, or hold it if the only requested length is its present length.

    All its joints have the same bend, so the moment of one joint is the generalised force of the whole bend; the derivative
    with respect to the bend decreases with length. The work to bend newly grown tube does not reduce the growth force.

    Args:
        pressure: Pressure of the actuator along the whole tube [Pa], signed.
        of: Its cells.
        curvature: Equilibrium curvature [1/m].
        length: Initial length [m].
        lengths: Lengths to record [m], ascending, shape (records,).
        bends: The first element is the initial bend [rad]; receives the recorded bends, shape (records,).
    Returns:
        Number of records, `Status`, and number of steps.
    """
    held = lengths[-1] <= length
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
        share = joint.length / q[0]
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
        body = PointMass(tube.tip_mass + LUMPED * tube.mass_per_length * q[0], weightless, springs, dampers)
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
