"""The robot of paper 004: its parameters, and its equations of motion M(q) q'' + C(q, q') q' + G(q) = tau."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynamics.euler_lagrange.kinematics import (
    COIL,
    NEARLY,
    PLANES,
    actuator_jacobian,
    tip_jacobian,
    tip_jacobian_rate,
    tip_pose,
)
from surrogate.actuators import Actuator
from surrogate.kernels.compiled import Floats, compiled
from surrogate.spam import Spam

USUAL_CELL = 42e-3
"""Default cell length of `LinearActuator.like` [m]."""
INPUTS = "core", "sPAM 1", "sPAM 2", "sPAM 3"


@dataclass(frozen=True, slots=True)
class LinearActuator:
    """An actuator whose tension decreases linearly as it shortens (paper 004, Eq. 15).

    Eq. 15 is T = k p (l - l_eq). As the tube grows, the actuator becomes longer and softer, and l_eq increases; so here
    k = area / (s - l_eq) and l_eq = (1 - contraction) s. The paper gives no values for k and l_eq.
    """

    area: float
    """Tension per pressure at full length [m^2]."""
    contraction: float
    """Contraction at which the tension vanishes, as a share of the full length [-]."""

    @staticmethod
    def fit(actuator: Actuator, l_0: float = USUAL_CELL) -> LinearActuator:
        """Fit the line through an actuator's tension at half and at full contraction.

        Both numbers are rounded to 12 digits: the last ones depend on the processor.

        Args:
            l_0: Cell length [m].
        """
        end = float(actuator.full_contraction(l_0))
        area = 2 * float(actuator.force_per_pressure(0.5 * end, l_0))
        return LinearActuator(float(f"{area:.12g}"), float(f"{end:.12g}"))

    def tension(self, pressure: ArrayLike, length: ArrayLike, full: float) -> Floats:
        """Tension [N], not negative: a slack actuator does not push.

        Args:
            pressure: Pressure [Pa], any shape.
            length: Length of the actuator [m], broadcast against the pressure.
            full: Length of the tube [m].
        """
        left = (np.asarray(length, float) / full - 1) / self.contraction + 1
        return np.asarray(pressure, float) * self.area * np.maximum(left, 0.0)


@cache
def _spam() -> LinearActuator:
    return LinearActuator.fit(Spam())


@lru_cache(maxsize=64)
def _jacobian(arm: float, planes: tuple[float, float, float]) -> Floats:
    """Keep the Jacobian of a robot: a motion needs it thousands of times."""
    found = actuator_jacobian(arm, planes)
    found.setflags(write=False)
    return found


class PointMass(NamedTuple):
    """Mass, gravity, springs and dampers, as an argument of compiled kernels."""

    mass: float
    """Mass at the tip [kg]."""
    gravity: Floats
    """Gravitational acceleration in the base's frame [m/s^2], shape (3,)."""
    springs: Floats
    """Diagonal of the stiffness over (s, u, v), shape (3,)."""
    dampers: Floats
    """Diagonal of the damping over their rates, shape (3,)."""


@dataclass(frozen=True, slots=True)
class Robot:
    """A vine with a camera at its tip and three actuators along its whole length, clamped at its base.

    Defaults: paper 004, Table 1.

    Raises:
        ValueError: A value is out of its range.
    """

    mass: float = 0.1
    """Mass carried by the tip [kg]; the tube is massless."""
    stiffness: float = 20.0
    """Moment per bend, independent of the length, K_theta [N m/rad]."""
    axial_damping: float = 1.5
    """Force per growth rate, D_s [N s/m]."""
    bending_damping: float = 1.1
    """Moment per bending rate, D_theta [N m s/rad], in every direction of (u, v), so that phi is damped too."""
    yield_force: float = 4.0
    """Core force below which the tube does not grow, Y_e [N]."""
    diameter: float = 0.05
    """Diameter of the tube, D [m]."""
    levers: float = 0.5
    """Distance of the actuators from the neutral axis [diameters]: one half in Eq. 3."""
    gravity: tuple[float, float, float] = (0.0, 0.0, 9.81)
    """Gravitational acceleration in the base's frame [m/s^2]; along +z the robot hangs down."""
    actuator: LinearActuator = field(default_factory=_spam)
    """Each of the three actuators, of which Eq. 15 gives the tension."""
    planes: tuple[float, float, float] = (float(PLANES[0]), float(PLANES[1]), float(PLANES[2]))
    """Positions of the actuators around the tube, beta_i [rad]; no gap is half a turn or more, or the tube could not bend everywhere."""

    def __post_init__(self) -> None:
        positive = {"mass", "diameter", "levers"}
        for one in fields(self):
            if one.name in ("gravity", "actuator", "planes"):
                continue
            value = getattr(self, one.name)
            if not math.isfinite(value) or value < 0 or (value == 0 and one.name in positive):
                allowed = "greater than 0" if one.name in positive else "at least 0"
                raise ValueError(f"robot.{one.name} = {value:g} must be {allowed} and finite")
        if len(self.gravity) != 3 or not np.isfinite(self.gravity).all():
            raise ValueError(f"robot.gravity = {self.gravity} must be three finite numbers")
        if len(self.planes) != 3 or not (np.isfinite(self.planes).all() and surrounds(self.planes)):
            raise ValueError(
                f"robot.planes = {self.planes} must be three finite numbers, with gaps of less than half a turn"
            )
        for name, value in (("area", self.actuator.area), ("contraction", self.actuator.contraction)):
            if not 0 < value < math.inf:
                raise ValueError(f"robot.actuator.{name} = {value:g} must be greater than 0 and finite")

    @property
    def arm(self) -> float:
        """Distance of the actuators from the neutral axis [m]."""
        return self.levers * self.diameter

    @property
    def core_area(self) -> float:
        """Force per pressure of the core, pi D^2 / 4 [m^2].

        Paper 004, section 3.4.1, has a force P_s "due to the air pressure applied to its core tube" and no formula for it. The tube of
        diameter D gains the volume pi D^2 / 4 ds as it grows by ds, however it is bent, so this is what the work of a pressure is divided
        by; so Blumenschein, Okamura and Hawkes, Modeling of Bioinspired Apical Extension in a Soft Robot (2017), which it cites for
        Y_e. What is lost on the way to the tip is in Y_e and D_s.
        """
        return math.pi * self.diameter**2 / 4

    @property
    def body(self) -> PointMass:
        """Mass, gravity, springs and dampers."""
        springs = np.array([0.0, self.stiffness, self.stiffness])
        dampers = np.array([self.axial_damping, self.bending_damping, self.bending_damping])
        return PointMass(self.mass, np.array(self.gravity), springs, dampers)

    @property
    def jacobian(self) -> Floats:
        """Jacobian of the lengths of the core and the actuators [-, m/rad, m/rad], shape (4, 3), read-only (`actuator_jacobian`)."""
        return _jacobian(self.arm, tuple(self.planes))

    def lengths(self, q: Floats) -> Floats:
        """Lengths of the core and the actuators [m], shape (4,) (Eq. 3)."""
        return self.jacobian @ q

    def tensions(self, pressures: ArrayLike, q: Floats) -> Floats:
        """Tensions of the three actuators [N] at their pressures [Pa], shape (3,) (Eq. 15)."""
        return self.actuator.tension(pressures, self.lengths(q)[1:], float(q[0]))

    def actuation(self, inputs: Floats) -> Floats:
        """Generalised force (s, u, v) due to the core force and the actuators' tensions, shape (4,) [N] (Eq. 14).

        Eq. 14 needs the transpose of J_l, and a tension shortens its actuator: its virtual work is -T dl.
        """
        core, pulls = inputs[0] - self.yield_force, inputs[1:]
        return np.concatenate([[core], -pulls]) @ self.jacobian

    def static_force(self, q: Floats) -> Floats:
        """G(q), the generalised force that balances gravity and springs at q [m, rad], [N, N m], shape (3,) (Eq. 20)."""
        body = self.body
        return body.springs * q - weight(q, body.mass, body.gravity)

    def energy(self, q: Floats, rate: Floats) -> float:
        """Kinetic energy, and potential energy of gravity and springs [J] (Eqs. 9 to 12)."""
        tip = tip_pose(q)[:3, 3]
        kinetic = 0.5 * rate @ mass_matrix(q, self.mass) @ rate
        return float(kinetic + 0.5 * self.stiffness * (q[1:] @ q[1:]) - self.mass * np.dot(self.gravity, tip))


def surrounds(planes: ArrayLike) -> bool:
    """Whether three actuators surround the tube, so that together they bend it in every direction.

    Args:
        planes: Their positions around the tube [rad], shape (3,).
    """
    turns = np.sort(np.asarray(planes, float) % (2 * np.pi))
    return bool(np.diff(turns, append=turns[0] + 2 * np.pi).max() < np.pi - 1e-6)


def check_inputs(inputs: ArrayLike) -> Floats:
    """Check the core force and the actuators' tensions [N], shape (4,).

    Raises:
        ValueError: One of them is negative or not finite.
    """
    values = np.asarray(inputs, float)
    if values.shape != (4,):
        raise ValueError(f"inputs have the shape {values.shape}; they must be one force and three tensions")
    if not np.all((values >= 0) & (values < np.inf)):
        k = int(np.argmin((values >= 0) & (values < np.inf)))
        raise ValueError(f"{INPUTS[k]}: {values[k]:g} N; a core pushes and a sPAM pulls with at least 0 N")
    return values


def check_start(polar: ArrayLike) -> Floats:
    """Check an initial configuration (s, theta, phi), shape (3,).

    Raises:
        ValueError: The length is not greater than 0, or the bend is not from 0 to a full circle.
    """
    values = np.asarray(polar, float)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise ValueError(f"a configuration is three finite numbers s, theta, phi, not {values}")
    if values[0] <= 0:
        raise ValueError(f"s = {values[0]:g} m must be greater than 0: a vine of zero length has no inertia")
    if not 0 <= values[1] < COIL - NEARLY:
        raise ValueError(f"theta = {values[1]:g} rad must be at least 0 and less than 2 pi; phi gives the direction")
    return values


@compiled(counted=True)
def mass_matrix(q: Floats, mass: float) -> Floats:
    """M(q) of a point mass [kg] at the tip, shape (3, 3): singular at zero length and where the tube is a full circle.

    Source: paper 004, Eq. 18, which must be the second derivative of T with respect to two rates: m J_q^T J_q.
    """
    jacobian = tip_jacobian(q)
    return mass * _transposed_times(jacobian, jacobian)


@compiled(counted=True)
def coriolis_matrix(q: Floats, rate: Floats, mass: float) -> Floats:
    """C(q, q') of a point mass [kg] at the tip, shape (3, 3): the Christoffel symbols of Eq. 19 are m J_q^T J_q'."""
    return mass * _transposed_times(tip_jacobian(q), tip_jacobian_rate(q, rate))


@compiled(counted=True)
def weight(q: Floats, mass: float, gravity: Floats) -> Floats:
    """Generalised force of gravity [m/s^2] on the tip, shape (3,)."""
    jacobian, force = tip_jacobian(q), np.zeros(3)
    for i in range(3):
        for k in range(3):
            force[i] += mass * jacobian[k, i] * gravity[k]
    return force


@compiled(counted=True)
def solve(matrix: Floats, right: Floats, locked: bool) -> Floats:
    """Solve matrix x = right, shape (3,), for a positive definite matrix; if `locked`, x_0 is 0 and its row is left out."""
    first = 1 if locked else 0
    rows, x = matrix.copy(), right.copy()
    for i in range(first):
        x[i] = 0.0
    for i in range(first, 3):
        for j in range(i + 1, 3):
            factor = rows[j, i] / rows[i, i]
            x[j] -= factor * x[i]
            for k in range(i, 3):
                rows[j, k] -= factor * rows[i, k]
    for i in range(2, first - 1, -1):
        for k in range(i + 1, 3):
            x[i] -= rows[i, k] * x[k]
        x[i] /= rows[i, i]
    return x


@compiled(counted=True)
def acceleration(q: Floats, rate: Floats, force: Floats, mass: float, gravity: Floats, locked: bool) -> Floats:
    """q'' under a generalised force, shape (3,); gravity is added.

    Args:
        locked: Whether the growth is locked: then its row is left out, because the locking force is unknown.
    Source: paper 004, Eq. 22, with M^-1.
    """
    right = force + weight(q, mass, gravity)
    turning = coriolis_matrix(q, rate, mass)
    for i in range(3):
        for k in range(3):
            right[i] -= turning[i, k] * rate[k]
    return solve(mass_matrix(q, mass), right, locked)


@compiled(counted=True)
def implicit_system(q: Floats, rate: Floats, force: Floats, body: PointMass, seconds: float) -> tuple[Floats, Floats]:
    """Matrix (3, 3) and right-hand side (3,) for the rates after a time step, with implicit springs and dampers.

    Args:
        force: Generalised force at the start of the step, with that of the springs but not of the dampers; gravity is added.
        seconds: Time step [s].
    """
    matrix = mass_matrix(q, body.mass)
    right = force + weight(q, body.mass, body.gravity)
    turning = coriolis_matrix(q, rate, body.mass)
    for i in range(3):
        right[i] *= seconds
        for k in range(3):
            right[i] += (matrix[i, k] - seconds * turning[i, k]) * rate[k]
    for i in range(3):
        matrix[i, i] += seconds * (body.dampers[i] + seconds * body.springs[i])
    return matrix, right


@compiled(counted=True)
def rates_after(matrix: Floats, right: Floats, held: bool) -> Floats:
    """Rates after a semi-implicit time step, shape (3,), from its `implicit_system`; q advances with these rates.

    Args:
        held: Whether to prevent growth. Otherwise growth stops where it would reverse.
    """
    after = solve(matrix, right, held)
    if after[0] < 0.0:
        after = solve(matrix, right, True)
    return after


@compiled(counted=True)
def _transposed_times(left: Floats, right: Floats) -> Floats:
    product = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                product[i, j] += left[k, i] * right[k, j]
    return product
