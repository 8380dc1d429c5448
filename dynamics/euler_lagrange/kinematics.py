"""Constant-curvature kinematics in 3D: tip pose, its Jacobian, and lengths of the actuators (paper 004, Eqs. 1 to 7).

A configuration is q = (s, u, v): length [m], and the bend theta [rad] in the plane phi [rad] as u = theta cos phi and
v = theta sin phi. All expressions are smooth in q at theta = 0, and the actuators' lengths are linear. The base's z axis is
the direction of growth; the tip bends towards -(cos phi, sin phi), as in Eq. 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from surrogate.kernels.compiled import Floats, compiled

PLANES = 2 * np.pi / 3 * np.array([0.0, 1.0, -1.0])
"""Usual positions of the actuators around the tube, beta_i [rad]: actuator i alone bends it in the plane phi = beta_i."""
COIL = 2 * np.pi
"""Bend at which the tip is back at the base [rad]: there neither growing nor turning moves it, and the model is singular."""
NEARLY = 1e-4
"""A motion ends at this distance from a full circle [rad]."""
SMALL = 1.0
"""Squared bends below this [rad^2] are evaluated by series, whose truncation error is below the rounding error."""
TERMS = 11
SINE_TERMS = np.array([(-1.0) ** k / math.factorial(2 * k + 1) for k in range(TERMS)])
COSINE_TERMS = np.array([(-1.0) ** (k + 1) / math.factorial(2 * k + 2) for k in range(TERMS)])


class Arc(NamedTuple):
    """Position of the tip of an arc of unit length as functions of w = theta^2, and their first and second derivatives."""

    side: float
    """(cos theta - 1) / theta^2"""
    ahead: float
    """sin theta / theta"""
    side_1: float
    ahead_1: float
    side_2: float
    ahead_2: float


@compiled()
def _series(terms: Floats, w: float) -> tuple[float, float, float]:
    """A polynomial and its first and second derivatives."""
    value = first = second = 0.0
    for k in range(len(terms) - 1, -1, -1):
        second = second * w + first
        first = first * w + value
        value = value * w + terms[k]
    return value, first, 2 * second


@compiled()
def arc(w: float) -> Arc:
    """The arc with a squared bend [rad^2]."""
    if w < SMALL:
        side, side_1, side_2 = _series(COSINE_TERMS, w)
        ahead, ahead_1, ahead_2 = _series(SINE_TERMS, w)
    else:
        theta = np.sqrt(w)
        side, ahead = -0.5 * (np.sin(0.5 * theta) / (0.5 * theta)) ** 2, np.sin(theta) / theta
        side_1, ahead_1 = -(side + 0.5 * ahead) / w, (1 + w * side - ahead) / (2 * w)
        side_2, ahead_2 = -(2 * side_1 + 0.5 * ahead_1) / w, -(1.5 * ahead_1 + 0.25 * ahead) / w
    return Arc(side, ahead, side_1, ahead_1, side_2, ahead_2)


@compiled(counted=True)
def tip_pose(q: Floats) -> Floats:
    """Pose of the tip relative to the base as a homogeneous matrix, shape (4, 4); its last column is in metres.

    Source: paper 004, Eq. 1.
    """
    s, u, v = q
    w = u * u + v * v
    bent = arc(w)
    side, ahead = bent.side, bent.ahead
    pose = np.eye(4)
    pose[0, 0], pose[0, 1], pose[0, 2], pose[0, 3] = 1 + u * u * side, u * v * side, -u * ahead, s * u * side
    pose[1, 0], pose[1, 1], pose[1, 2], pose[1, 3] = u * v * side, 1 + v * v * side, -v * ahead, s * v * side
    pose[2, 0], pose[2, 1], pose[2, 2], pose[2, 3] = u * ahead, v * ahead, 1 + w * side, s * ahead
    return pose


@compiled(counted=True)
def tip_jacobian(q: Floats) -> Floats:
    """Jacobian of the tip's position with respect to q: [m] per [m] and [rad], shape (3, 3), J_q of paper 004, Eq. 5."""
    s, u, v = q
    bent = arc(u * u + v * v)
    jacobian = np.empty((3, 3))
    jacobian[0, 0], jacobian[1, 0], jacobian[2, 0] = bent.side * u, bent.side * v, bent.ahead
    jacobian[0, 1], jacobian[0, 2] = s * (bent.side + 2 * u * u * bent.side_1), 2 * s * u * v * bent.side_1
    jacobian[1, 1], jacobian[1, 2] = jacobian[0, 2], s * (bent.side + 2 * v * v * bent.side_1)
    jacobian[2, 1], jacobian[2, 2] = 2 * s * u * bent.ahead_1, 2 * s * v * bent.ahead_1
    return jacobian


@compiled(counted=True)
def tip_jacobian_rate(q: Floats, rate: Floats) -> Floats:
    """Rate of `tip_jacobian` while q changes at `rate` [m/s, rad/s, rad/s], shape (3, 3)."""
    s, u, v = q
    growth, du, dv = rate
    bent = arc(u * u + v * v)
    dw = 2 * (u * du + v * dv)
    side, side_1, ahead_1 = bent.side_1 * dw, bent.side_2 * dw, bent.ahead_2 * dw  # rates of the fields of `bent`
    change = np.empty((3, 3))
    change[0, 0], change[1, 0] = side * u + bent.side * du, side * v + bent.side * dv
    change[2, 0] = bent.ahead_1 * dw
    change[0, 1] = growth * (bent.side + 2 * u * u * bent.side_1) + s * (
        side + 4 * u * du * bent.side_1 + 2 * u * u * side_1
    )
    change[0, 2] = 2 * (growth * u * v + s * (du * v + u * dv)) * bent.side_1 + 2 * s * u * v * side_1
    change[1, 1] = change[0, 2]
    change[1, 2] = growth * (bent.side + 2 * v * v * bent.side_1) + s * (
        side + 4 * v * dv * bent.side_1 + 2 * v * v * side_1
    )
    change[2, 1] = 2 * (growth * u + s * du) * bent.ahead_1 + 2 * s * u * ahead_1
    change[2, 2] = 2 * (growth * v + s * dv) * bent.ahead_1 + 2 * s * v * ahead_1
    return change


def actuator_jacobian(arm: float, planes: ArrayLike = PLANES) -> Floats:
    """Jacobian of the lengths of the core and the three actuators, shape (4, 3): lengths = J_l q.

    Args:
        arm: Distance of the actuators from the neutral axis [m]; half the diameter in Eq. 3.
        planes: Positions of the actuators around the tube [rad], shape (3,).
    Source: paper 004, Eqs. 3 and 7, with the cosine corrected to that of phi - beta_i.
    """
    planes, lengths = np.asarray(planes, float), np.ones((4, 3))
    lengths[0, 1:] = 0.0
    lengths[1:, 1], lengths[1:, 2] = -arm * np.cos(planes), -arm * np.sin(planes)
    return lengths


def to_regular(polar: Floats) -> Floats:
    """Convert (s, theta, phi) to (s, u, v), shape (..., 3)."""
    s, theta, phi = np.moveaxis(np.asarray(polar, float), -1, 0)
    return np.stack([s, theta * np.cos(phi), theta * np.sin(phi)], axis=-1)


def to_polar(q: Floats) -> Floats:
    """Convert (s, u, v) to (s, theta, phi), shape (..., 3): theta >= 0, and phi is in (-pi, pi], and 0 where theta is 0."""
    s, u, v = np.moveaxis(np.asarray(q, float), -1, 0)
    return np.stack([s, np.hypot(u, v), np.arctan2(v + 0.0, u + 0.0)], axis=-1)


def tip_positions(q: Floats) -> Floats:
    """Positions of the tip [m], shape (n, 3), of configurations (s, u, v), shape (n, 3)."""
    return np.array([tip_pose(one)[:3, 3] for one in q]).reshape(-1, 3)


def polar_of_tip(tip: Floats) -> Floats:
    """Find (s, theta, phi) of the arcs that end at given points [m], shape (..., 3): the inverse of Eq. 1.

    The angle between the axis of the base and the chord is half the bend. At the base itself s is NaN; straight behind it the
    bend is a full circle, and s is huge.
    """
    x, y, z = np.moveaxis(np.asarray(tip, float), -1, 0)
    across = np.hypot(x, y)
    chord, half = np.hypot(across, z), np.arctan2(across, z)
    length = np.where(chord > 0, chord, np.nan) / np.sinc(half / np.pi)
    return np.stack([length, 2 * half, np.where(across > 0, np.arctan2(-y + 0.0, -x + 0.0), 0.0)], axis=-1)


def centerline(q: Floats, points: int) -> Floats:
    """Equally spaced points along the tube, from base to tip [m], shape (points, 3)."""
    s, u, v = q
    parts = np.linspace(0, 1, points)
    return np.array([tip_pose(np.array([s * part, u * part, v * part]))[:3, 3] for part in parts])
