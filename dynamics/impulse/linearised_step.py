"""The solution of an impulse step differentiated implicitly: its change with the data of the step, at the same active contacts.

A step's velocities v, joint impulses lambda and contact impulses f >= 0 solve (paper 000, Eqs. 9 and 15, with compliant rows)

    M (v - v_0) - A' lambda - L' f = 0,    A v + S lambda - b = 0,    L v + gap / dt + C f / dt^2 = 0,

the last for contacts with f > 0. By the implicit function theorem a change of the data that leaves the residual r at the old solution
changes the solution by minus the inverse of this matrix times r. Contacts whose f is 0 stay out, and those with f > 0 stay in, so that is
the derivative wherever no contact begins or ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynamics.contact_rows import Contacts
from dynamics.cross_section import COMPLIANCE
from dynamics.impulse.bodies import Bodies, JointRows, new_bodies
from dynamics.impulse.impact import Impact, ImpactNumbers, solve
from dynamics.impulse.schur import Factor, new_factor, project
from dynamics.propagator import CannotRun
from dynamics.soft_contacts import shared_compliance
from surrogate.kernels.compiled import Floats

REMEDY = "take slightly different values, or another step: there the motion has no derivative"


@dataclass(frozen=True, slots=True, eq=False)
class ActiveContacts:
    """Active contacts of a step, m of them."""

    keys: tuple[int, ...]
    jacobian: Floats
    """L, over the velocities of the bodies, shape (m, bodies, 3)."""
    gap: Floats
    """[m], shape (m,)."""
    compliance: Floats
    """C / dt^2 [m/N/s2], shape (m, m)."""


@dataclass(frozen=True, slots=True, eq=False)
class SolvedStep:
    """A step's problem without its data, and its solution."""

    count: int
    """Number of bodies."""
    bodies: Bodies
    """Their masses and inertias."""
    rows: JointRows
    factor: Factor
    velocity: Floats
    """v, shape (bodies, 3)."""
    joints: Floats
    """lambda, shape (bodies, 3)."""
    contacts: ActiveContacts
    impulses: Floats
    """f of the active contacts [N s], shape (m,)."""
    responses: Floats
    """Velocities that a unit impulse of each active contact makes, shape (m, bodies, 3)."""

    def change(self, residual: tuple[Floats, Floats, Floats]) -> tuple[Floats, Floats]:
        """Changes of velocities and active impulses for the residuals of the three equations, by the inverse of their matrix."""
        motion, joints, contacts = residual
        velocity = -motion / masses(self.bodies, self.count)
        rows = self.rows._replace(target=-joints)
        project(self.bodies, rows, self.count, self.factor, velocity, 1.0)
        if not len(self.impulses):
            return velocity, self.impulses
        jacobian = self.contacts.jacobian
        matrix = np.tensordot(jacobian, self.responses, ((1, 2), (1, 2))) + self.contacts.compliance
        impulses = np.asarray(np.linalg.solve(matrix, -contacts - np.tensordot(jacobian, velocity, 2)), np.float64)
        return velocity + np.tensordot(impulses, self.responses, 1), impulses


class RecordSteps:
    """Solves steps as usual, and records each one."""

    def __init__(self) -> None:
        """Begin without a step."""
        self.steps: list[SolvedStep] = []

    def solve(
        self, bodies: Bodies, rows: JointRows, contacts: Contacts, impact: Impact, numbers: ImpactNumbers
    ) -> None:
        """Velocities after a step, see `dynamics.impulse.impact.solve`.

        Raises:
            CannotRun: The step is not solved.
        """
        count = numbers.bodies
        factor = new_factor(count)
        if not solve(bodies, rows, contacts, factor, impact, numbers):
            raise CannotRun(f"step {len(self.steps)} of the growth is not solved: take a smaller step")
        joints = factor.impulse.copy()
        active = np.flatnonzero(impact.impulse[: numbers.contacts] > 0.0)
        own = new_bodies(count)
        own.mass[:], own.inertia[:] = bodies.mass[:count], bodies.inertia[:count]
        kept = JointRows(*(part[:count].copy() for part in rows))
        touching = active_contacts(active, contacts, impact, numbers)
        responses = touching.jacobian / masses(own, count)
        for response in responses:
            project(own, kept, count, factor, response, 0.0)
        self.steps.append(
            SolvedStep(
                count, own, kept, factor, impact.velocity[:count].copy(), joints, touching, impact.impulse[active], responses
            )
        )  # fmt: skip


class RepeatSteps:
    """Solves steps whose data are near those of recorded ones, to first order: by their derivatives, at the same active contacts."""

    def __init__(self, steps: list[SolvedStep]) -> None:
        """Begin at the first of the recorded steps."""
        self.steps, self.done = steps, 0

    def solve(
        self, bodies: Bodies, rows: JointRows, contacts: Contacts, impact: Impact, numbers: ImpactNumbers
    ) -> None:
        """Velocities and impulses after a step, into `impact`.

        Raises:
            CannotRun: The step is not that of the recorded growth: another number of bodies, or other contacts.
        """
        if self.done == len(self.steps) or self.steps[self.done].count != numbers.bodies:
            raise CannotRun(f"step {self.done} of the growth is another one beside these values; {REMEDY}")
        step = self.steps[self.done]
        count, velocity, impulses = step.count, step.velocity, step.impulses
        there = {int(key): c for c, key in enumerate(contacts.key[: numbers.contacts])}
        if missing := [key for key in step.contacts.keys if key not in there]:
            raise CannotRun(f"contact {missing[0]} of step {self.done} is gone beside these values; {REMEDY}")
        active = np.array([there[key] for key in step.contacts.keys], int)
        near = active_contacts(active, contacts, impact, numbers)
        pull = rows.near[:count] * step.joints[:, :, None]
        motion = masses(bodies, count) * (velocity - bodies.velocity[:count]) - pull.sum(axis=1)
        motion[:-1] -= (rows.far[1:count] * step.joints[1:, :, None]).sum(axis=1)
        motion -= np.tensordot(impulses, near.jacobian, 1)
        joints = np.einsum("kij,kj->ki", rows.near[:count], velocity) + rows.slack[:count] * step.joints
        joints[1:] += np.einsum("kij,kj->ki", rows.far[1:count], velocity[:-1])
        joints -= rows.target[:count]
        touching = np.tensordot(near.jacobian, velocity, 2) + near.gap / numbers.dt + near.compliance @ impulses
        moved, pressed = step.change((motion, joints, touching))
        impact.velocity[:count] = velocity + moved
        impact.impulse[: numbers.contacts] = 0.0
        impact.impulse[active] = impulses + pressed
        self.done += 1


def masses(bodies: Bodies, count: int) -> Floats:
    """Diagonal of M, shape (count, 3)."""
    return np.stack([bodies.mass, bodies.mass, bodies.inertia], axis=1)[:count]


def active_contacts(active: np.ndarray, contacts: Contacts, impact: Impact, numbers: ImpactNumbers) -> ActiveContacts:
    """Data of contacts, whose rows are in `impact`.

    Args:
        active: Indices of the contacts, shape (m,).
    """
    jacobian, each = np.zeros((len(active), numbers.bodies, 3)), np.arange(len(active))
    jacobian[each, impact.body[active]] = impact.row[active]
    inside = impact.inner[active] >= 0
    np.add.at(jacobian, (each[inside], impact.inner[active][inside]), impact.inner_row[active][inside])
    compliance = np.diag(contacts.pressing[active, COMPLIANCE])
    if numbers.shared_reach > 0.0:
        for i, one in enumerate(active):
            for j, other in enumerate(active[:i]):
                compliance[i, j] = compliance[j, i] = shared_compliance(contacts, one, other, numbers.shared_reach)
    keys = tuple(int(key) for key in contacts.key[active])
    return ActiveContacts(keys, jacobian, contacts.gap[active].copy(), compliance / numbers.dt**2)
