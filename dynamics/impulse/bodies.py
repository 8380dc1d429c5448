"""A vine as rigid bodies in maximal coordinates, and the rows that hold them together (papers 000/001, Eqs. 2-8, 14).

Every body hangs on the one before it, the first one on the base: by a pin with a bending spring and damper, or by a
prismatic joint that grows. Either joint has three rows, so that all of them form one block-tridiagonal system.

Spring, damper and growth are rows too, compliant ones: near v + far v_before + slack * impulse = target. The spring is
thereby taken at the end of the step, where it cannot blow up, and a growth that is held back yields.

A body that an actuator bends at its pin slides back along its heading, as `dynamics.chain.link` shortens its link, and turns
about the wall of the tube. It keeps its length and its mass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.links import link
from surrogate.kernels.compiled import Floats, compiled


class Bodies(NamedTuple):
    """Rigid bodies from base to tip, one per row."""

    pose: Floats
    """Centre of mass x, y [m] and heading [rad], shape (bodies, 3)."""
    velocity: Floats
    """Rate of the pose [m/s, m/s, rad/s], shape (bodies, 3)."""
    mass: Floats
    """Mass [kg], shape (bodies,)."""
    inertia: Floats
    """Moment of inertia about the centre of mass [kg m2]."""
    back: Floats
    """Distance from the centre of mass back to the pin with the body before [m], while the pin is straight."""
    front: Floats
    """Distance from the centre of mass on to the pin with the next body [m]."""
    slides: NDArray[np.bool_]
    """Whether the joint with the body before is prismatic instead of a pin."""
    reach: Floats
    """Distance from the centre of the body before to the centre of this body, for prismatic joints [m]."""
    pivot: Floats
    """Distance from the centreline of the point about which the body turns, for pins [m], see `dynamics.chain.link`."""


class JointDrive(NamedTuple):
    """Moments and growth in the joint before each body, shape (bodies,) each. Pins have a spring and damper, slides grow."""

    moment: Floats
    """Restoring moment at the present bend [N m]."""
    stiffness: Floats
    """Slope of the moment [N m / rad], not negative."""
    damping: Floats
    """Moment over rate of bend [N m s / rad]."""
    drift: Floats
    """Rate of bend that neither stretches the spring nor moves the damper [rad/s]: a growing segment keeps its curvature."""
    rate: Floats
    """Rate of growth without resistance [m/s]."""
    yielding: Floats
    """Decrease of the rate of growth per newton of resistance [m/s / N]; 0 grows at `rate` against any force."""


class JointRows(NamedTuple):
    """Three rows of each joint, near v + far v_before + slack * impulse = target."""

    near: Floats
    """Jacobian over the velocity of the body, shape (bodies, 3, 3)."""
    far: Floats
    """Jacobian over the velocity of the body before, shape (bodies, 3, 3); the first has none."""
    target: Floats
    """Shape (bodies, 3) [m/s, rad/s]."""
    slack: Floats
    """Compliance, 0 of what is rigid, shape (bodies, 3)."""


def new_bodies(capacity: int) -> Bodies:
    """Allocate bodies."""
    return Bodies(
        np.zeros((capacity, 3)),
        np.zeros((capacity, 3)),
        np.ones(capacity),
        np.ones(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity, np.bool_),
        np.zeros(capacity),
        np.zeros(capacity),
    )


def new_drive(capacity: int) -> JointDrive:
    """Allocate the moments and growth in the joints."""
    return JointDrive(
        np.zeros(capacity),
        np.zeros(capacity),
        np.ones(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
    )


def new_rows(capacity: int) -> JointRows:
    """Allocate the rows of joints."""
    return JointRows(
        np.zeros((capacity, 3, 3)), np.zeros((capacity, 3, 3)), np.zeros((capacity, 3)), np.zeros((capacity, 3))
    )


@compiled(forceinline=True)
def _slide(bodies: Bodies, k: int, count: int, heading_before: float) -> tuple[float, float]:
    """Distance by which the bend of its pin moves body k along its heading [m], not positive, and its change per bend [m/rad].

    Args:
        heading_before: Of the body before or the base [rad].
    """
    film = bodies.back[k] + bodies.front[k]
    if k + 1 < count and bodies.slides[k + 1]:
        film += bodies.reach[k + 1]
    length, change, _ = link(film, bodies.pose[k, 2] - heading_before, bodies.pivot[k])
    return length - film, change


@compiled()
def lay(bodies: Bodies, count: int, base: Floats) -> None:
    """Put the centres of mass where headings and lengths have them, so that no joint is ever apart.

    Args:
        base: x [m], y [m] and heading [rad].
    """
    pose, slides = bodies.pose, bodies.slides
    x, y, before = base[0], base[1], base[2]  # the front of the body before, and its heading
    for k in range(count):
        if slides[k]:
            pose[k, 2] = pose[k - 1, 2]
            cosine, sine, reach = np.cos(pose[k, 2]), np.sin(pose[k, 2]), bodies.reach[k]
            pose[k, 0], pose[k, 1] = pose[k - 1, 0] + reach * cosine, pose[k - 1, 1] + reach * sine
        else:
            cosine, sine, back = np.cos(pose[k, 2]), np.sin(pose[k, 2]), bodies.back[k]
            back += _slide(bodies, k, count, before)[0]
            pose[k, 0], pose[k, 1] = x + back * cosine, y + back * sine
        front = bodies.front[k]
        x, y, before = pose[k, 0] + front * cosine, pose[k, 1] + front * sine, pose[k, 2]


@compiled()
def assemble(bodies: Bodies, drive: JointDrive, count: int, step: float, base: Floats, rows: JointRows) -> None:
    """Fill in the rows of all joints for a step of so many seconds. The base does not move.

    Both bodies of a pin have the same velocity at its pivot, across the tube from the front of the body before.

    Args:
        base: x [m], y [m] and heading [rad].
    """
    pose, near, far, target, slack = bodies.pose, rows.near, rows.far, rows.target, rows.slack
    for k in range(count):
        cosine, sine = np.cos(pose[k, 2]), np.sin(pose[k, 2])
        before = max(k - 1, 0)
        for i in range(3):
            target[k, i] = slack[k, i] = 0.0
            for j in range(3):
                near[k, i, j] = far[k, i, j] = 0.0
        if bodies.slides[k]:
            # Eq. 3 asks that both bodies be in line with what joins their centres. As those centres may coincide, the
            # second row is an equal heading instead.
            reach = bodies.reach[k]
            near[k, 0, 0], near[k, 0, 1] = -sine, cosine
            far[k, 0, 0], far[k, 0, 1], far[k, 0, 2] = sine, -cosine, -reach
            near[k, 1, 2], far[k, 1, 2] = 1.0, -1.0
            near[k, 2, 0], near[k, 2, 1] = cosine, sine
            far[k, 2, 0], far[k, 2, 1] = -cosine, -sine
            target[k, 2], slack[k, 2] = drive.rate[k], drive.yielding[k] / step
            continue
        front, heading = (bodies.front[before], pose[before, 2]) if k else (0.0, base[2])
        moved, across = _slide(bodies, k, count, heading)
        back = bodies.back[k] + moved
        near[k, 0, 0], near[k, 1, 1] = 1.0, 1.0
        near[k, 0, 2], near[k, 1, 2] = back * sine - across * cosine, -back * cosine - across * sine
        far[k, 0, 0], far[k, 1, 1] = -1.0, -1.0
        far[k, 0, 2] = front * np.sin(heading) + across * cosine
        far[k, 1, 2] = -front * np.cos(heading) + across * sine
        near[k, 2, 2], far[k, 2, 2] = 1.0, -1.0
        resistance = drive.damping[k] + step * drive.stiffness[k]
        target[k, 2] = drive.drift[k] - drive.moment[k] / resistance
        slack[k, 2] = 1.0 / (step * resistance)


@compiled()
def advance(bodies: Bodies, velocity: Floats, count: int, step: float, base: Floats) -> None:
    """Move the bodies for a step at the velocities that were found (semi-implicit Euler, Eq. 10).

    Headings and reaches are stepped and the centres laid anew: the rest of Eq. 10 follows from the joints.
    """
    pose = bodies.pose
    for k in range(count):
        if bodies.slides[k]:
            cosine, sine = np.cos(pose[k, 2]), np.sin(pose[k, 2])
            apart_x, apart_y = velocity[k, 0] - velocity[k - 1, 0], velocity[k, 1] - velocity[k - 1, 1]
            bodies.reach[k] += step * (cosine * apart_x + sine * apart_y)
    for k in range(count):
        pose[k, 2] += step * velocity[k, 2]
        for i in range(3):
            bodies.velocity[k, i] = velocity[k, i]
    lay(bodies, count, base)


@compiled()
def kinetic_energy(bodies: Bodies, count: int) -> float:
    """Kinetic energy [J]."""
    energy = 0.0
    for k in range(count):
        vx, vy, turn = bodies.velocity[k]
        energy += 0.5 * bodies.mass[k] * (vx * vx + vy * vy) + 0.5 * bodies.inertia[k] * turn * turn
    return energy
