"""The vine as a chain of links of two rigid bodies, in maximal coordinates, with the midpoint rule (paper 000, section II).

A configuration holds x, y [m] and theta [rad] of every body from the base to the tip. Every link has a pin at its base and a
sliding joint between its two bodies; all links are equally long, and grow at the same rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi
import numpy as np

from planner.recordings.identification.matrices import Joints, multiply, parameter_count
from surrogate.kernels.compiled import Floats

STIFFNESS, DAMPING, LENGTH, GROWTH = range(4)
"""Order of the parameters: logarithms of K [N m/rad] and C [N m s/rad], first length [m], growth rate [m/s];
those of joints that are not equal follow, see `matrices`."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkModel:
    """The known properties of a vine."""

    links: int
    radius: float
    """Radius of the tube [m]."""
    mass_per_length: float
    """Mass per length [kg/m]."""
    base: Floats
    """x, y [m] and heading [rad] of the clamped base, shape (3,)."""
    duration: float
    """Time from the first to the last node [s]."""
    form: Joints = "equal"
    """Form of the stiffness and damping matrices."""

    @property
    def parameter_count(self) -> int:
        """Number of parameters."""
        return parameter_count(self.form, self.links)

    def configuration(self, headings: Floats, length: Floats, first_length: float) -> Floats:
        """The bodies' coordinates for given headings of the links, with all joints closed.

        Args:
            headings: Heading of each link [rad], shape (nodes, links).
            length: Length of the tube [m], shape (nodes,).
            first_length: Length at the first node, which determines the length of the bodies [m].
        Returns:
            Coordinates [m, m, rad], shape (nodes, 6 links).
        """
        link, half = length[:, None] / self.links, first_length / (4 * self.links)
        ahead = np.stack([np.cos(headings), np.sin(headings)], axis=-1)
        ends = self.base[:2] + np.cumsum(link[..., None] * ahead, axis=1)
        first, second = ends - (link - half)[..., None] * ahead, ends - half * ahead
        turns = headings[..., None]
        bodies = np.concatenate([first, turns, second, turns], axis=-1)
        return bodies.reshape(len(headings), -1)

    def joints(self, q: Any, parameters: Any) -> Any:
        """Base, joints and tip of a configuration [m], shape (links + 1, 2), as CasADi expressions."""
        half, body = parameters[LENGTH] / (4 * self.links), casadi.reshape(q, 3, -1)
        ahead = casadi.vertcat(casadi.cos(body[2, 1::2]), casadi.sin(body[2, 1::2]))
        ends = body[:2, 1::2] + half * ahead
        return casadi.horzcat(casadi.DM(self.base[:2]), ends).T

    def joint_errors(self, q: Any, parameters: Any, time: Any) -> Any:
        """Constraint violation of the joints, 5 rows per link [m, m, m, m, rad].

        Pins follow paper 000, Eq. 2 (with the sine that is missing in its second row). The sliding joint (Eq. 3) and the
        growth (Eq. 6) are written in another form that is regular also if the bodies' centres coincide: the second centre is
        ahead of the first along its heading, at the distance given by the link's length, and both headings are equal.
        """
        body, rows = casadi.reshape(q, 3, -1), []
        half = parameters[LENGTH] / (4 * self.links)
        apart = (parameters[LENGTH] + parameters[GROWTH] * time) / self.links - 2 * half
        end = casadi.DM(self.base[:2])
        for first in range(0, 2 * self.links, 2):
            centre, turn, following = body[:2, first], body[2, first], body[:, first + 1]
            ahead = casadi.vertcat(casadi.cos(turn), casadi.sin(turn))
            rows += [centre - half * ahead - end, following[:2] - centre - apart * ahead, following[2] - turn]
            end = following[:2] + half * ahead
        return casadi.vertcat(*rows)

    def bends(self, q: Any) -> Any:
        """Angles of the pins, starting at the base [rad], shape (links,)."""
        turns = casadi.reshape(q, 3, -1)[2, ::2].T
        return turns - casadi.vertcat(self.base[2], turns[:-1])

    def mass(self, parameters: Any) -> Any:
        """Mass of one body [kg], for the mean length, because the model's masses are constant (paper 000, section V)."""
        return self.mass_per_length * (parameters[LENGTH] + parameters[GROWTH] * self.duration / 2) / (2 * self.links)

    def imbalance(self, contacts: int) -> Any:
        """Residual of the equations of motion for three successive configurations, as a CasADi function.

        Both steps use the midpoint rule (as a variational integrator): spring and damper depend on the mean bend and the
        change of bend of each step, so the rule adds no damping and is second-order accurate. In terms of paper 000, Eq. 9,
        for the node between steps of h and h',

            a = sqrt(M / m) M^-1 [M (v' - v) - R (h tau + h' tau') / 2 - J^T lambda - L^T n] / ((h + h') / 2),

        with v and v' the mean velocities of the steps, tau = -K bend - C bend rate (Eq. 7) and m the mass of a body. The factor
        makes every row an acceleration [m/s2]; a body's rotation counts by its radius of gyration. Impulses are taken per mass
        and time, lambda / (m (h + h') / 2) [m/s2], so that they are of the same size.

        Inputs: coordinates before, at and after the node (6 links); joint impulses (5 links); contact impulses (contacts);
        weights of the joints in each touching point (contacts, links + 1); outward normals (contacts, 2); both steps and the
        node's time [s]; parameters (`parameter_count`). Output: a, shape (6 links,).
        """
        bodies = 2 * self.links
        before, q, after = (casadi.SX.sym(name, 3 * bodies) for name in ("before", "q", "after"))
        joint, push = casadi.SX.sym("joint", 5 * self.links), casadi.SX.sym("push", contacts)
        weights, normals = casadi.SX.sym("weights", contacts, self.links + 1), casadi.SX.sym("normals", contacts, 2)
        clock, parameters = casadi.SX.sym("clock", 3), casadi.SX.sym("parameters", self.parameter_count)
        back, on = clock[0], clock[1]
        step = (back + on) / 2
        mass, body = self.mass(parameters), parameters[LENGTH] / bodies
        gyration = self.radius**2 / 2 + body**2 / 12  # thin hollow cylinder about a transverse axis: J / m
        torques = -sum(
            multiply(parameters, STIFFNESS, self.bends((one + other) / 2), self.form, h)
            + multiply(parameters, DAMPING, self.bends(other) - self.bends(one), self.form)
            for one, other, h in ((before, q, back), (q, after, on))
        ) / (2 * step)
        work = casadi.dot(joint, self.joint_errors(q, parameters, clock[2]))
        work += casadi.dot(push, casadi.sum2((weights @ self.joints(q, parameters)) * normals))
        # R of Eq. 8 is the transpose of the Jacobian of the bends with respect to the coordinates.
        turning = casadi.jtimes(self.bends(q), q, torques, True) / (mass * gyration)
        acceleration = ((after - q) / on - (q - before) / back) / step
        inverse = casadi.DM(np.tile([1.0, 1.0, 0.0], bodies)) + casadi.DM(np.tile([0.0, 0.0, 1.0], bodies)) / gyration
        scale = casadi.DM(np.tile([1.0, 1.0, 0.0], bodies)) + casadi.DM(np.tile([0.0, 0.0, 1.0], bodies)) * casadi.sqrt(
            gyration
        )
        a = scale * (acceleration - turning - inverse * casadi.gradient(work, q))
        return casadi.Function("imbalance", [before, q, after, joint, push, weights, normals, clock, parameters], [a])
