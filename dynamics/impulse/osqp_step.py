"""Impulse step as a quadratic programme for OSQP, as papers 000/001 solve it (Eq. 15)."""

from __future__ import annotations

import numpy as np
import osqp
import scipy.sparse as sparse

from dynamics.contact_rows import Contacts
from dynamics.cross_section import COMPLIANCE
from dynamics.impulse.bodies import Bodies, JointRows
from dynamics.impulse.impact import Impact, ImpactNumbers
from dynamics.propagator import CannotRun

LARGEST = 1e30
"""Number that OSQP takes for infinite."""


class OsqpStep:
    """Solves steps by OSQP; set up again for each, as its contacts change. Every status is checked."""

    def __init__(self, accuracy: float = 1e-7, most_iterations: int = 200_000, polishing: bool = True) -> None:
        """Choose the accuracy, absolute and relative, and whether a solution is polished."""
        self.accuracy, self.most_iterations, self.polishing = accuracy, most_iterations, polishing

    def solve(
        self, bodies: Bodies, rows: JointRows, contacts: Contacts, impact: Impact, numbers: ImpactNumbers
    ) -> None:
        """Velocities after a step, into `impact.velocity`, and impulses of the contacts; see `impact.solve`.

        A compliant row, A v + slack impulse = target, is the unknown `impulse` with the cost slack / 2 impulse^2. Of the
        unknowns, velocities are scaled by sqrt(M).

        Raises:
            CannotRun: OSQP did not solve the step.
        """
        count, number = numbers.bodies, numbers.contacts
        root = np.sqrt(np.stack([bodies.mass, bodies.mass, bodies.inertia], axis=1)[:count]).ravel()
        joints = _matrix(rows, count) @ sparse.diags(1 / root)
        touching = _contact_matrix(impact, number, count) @ sparse.diags(1 / root)
        targets, slack = rows.target[:count].ravel(), np.sqrt(rows.slack[:count].ravel())
        soft = np.sqrt(contacts.pressing[:number, COMPLIANCE]) / numbers.dt
        # slack impulse = sqrt(slack) z with the cost z^2 / 2: what is rigid has no z in its row.
        matrix = sparse.bmat([[joints, sparse.diags(slack), None], [touching, None, sparse.diags(soft)]], format="csc")
        size = 3 * count
        entries = np.concatenate([matrix.data, targets, contacts.gap[:number], bodies.velocity[:count].ravel()])
        if not (np.abs(entries) < LARGEST).all():
            impact.velocity[:count] = np.nan  # the vine ends as not finite
            return
        linear = np.concatenate([-root * bodies.velocity[:count].ravel(), np.zeros(size + number)])
        solver = osqp.OSQP()
        solver.setup(
            P=sparse.identity(2 * size + number, format="csc"),
            q=linear,
            A=matrix,
            l=np.concatenate([targets, -contacts.gap[:number] / numbers.dt]),
            u=np.concatenate([targets, np.full(number, np.inf)]),
            eps_abs=self.accuracy,
            eps_rel=self.accuracy,
            max_iter=self.most_iterations,
            polishing=self.polishing,
            verbose=False,
        )
        found = solver.solve(raise_error=False)
        if found.info.status != "solved":
            raise CannotRun(
                f"OSQP ended a step with the status {found.info.status!r} after {found.info.iter} iterations; "
                "leave out --qp osqp, or take a smaller step"
            )
        impact.velocity[:count] = (found.x[:size] / root).reshape(count, 3)
        impact.impulse[:number] = np.maximum(-found.y[size:], 0.0)


def _matrix(rows: JointRows, count: int) -> sparse.csr_matrix:
    """Jacobian of all joints, shape (3 count, 3 count)."""
    near = sparse.block_diag(rows.near[:count], format="csr")
    far = sparse.block_diag(rows.far[1:count], format="csr") if count > 1 else sparse.csr_matrix((0, 0))
    shifted = sparse.lil_matrix((3 * count, 3 * count))
    shifted[3:, : 3 * (count - 1)] = far
    return sparse.csr_matrix(near + shifted)


def _contact_matrix(impact: Impact, number: int, count: int) -> sparse.csr_matrix:
    """Jacobian of all contacts, shape (number, 3 count)."""
    inside = np.flatnonzero(impact.inner[:number] >= 0)
    row = np.repeat(np.concatenate([np.arange(number), inside]), 3)
    body = np.concatenate([impact.body[:number], impact.inner[inside]])
    column = (3 * body[:, None] + np.arange(3)).ravel()
    entries = np.concatenate([impact.row[:number], impact.inner_row[inside]]).ravel()
    return sparse.csr_matrix((entries, (row, column)), shape=(number, 3 * count))
