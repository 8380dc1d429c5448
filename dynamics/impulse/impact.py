"""Contact impulses: a small complementarity problem over the few contacts that a step would violate (paper 000, Eq. 5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.contact_rows import NO_KEY, Contacts
from dynamics.cross_section import COMPLIANCE
from dynamics.impulse.bodies import Bodies, JointRows
from dynamics.impulse.schur import Factor, factorise, project
from dynamics.soft_contacts import shared_compliance
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled

MOST_ACTIVE = 96
"""Most contacts that a step can take up."""
ROUNDS = 30
"""Most times that contacts are added to a step."""
TOLERANCE = 1e-8
"""A gap may end this far below zero [m] before its contact is taken up."""
PIVOTS = 500
"""Most exchanges in one complementarity problem."""


class Impact(NamedTuple):
    """Work space of a step's contacts, and its solution."""

    velocity: Floats
    """Velocities after the step, shape (bodies, 3)."""
    row: Floats
    """Each contact's Jacobian over the velocity of its body, shape (contacts, 3)."""
    body: Integers
    """Body that bears each contact, shape (contacts,)."""
    inner_row: Floats
    """Jacobian over the velocity of the body of the inner part, for contacts of the tube with itself, shape (contacts, 3)."""
    inner: Integers
    """Body of the inner part, shape (contacts,); -1 for walls and the base, which do not move."""
    impulse: Floats
    """Impulse of each contact [N s], shape (contacts,)."""
    taken: Integers
    """The contacts taken up, shape (MOST_ACTIVE,)."""
    response: Floats
    """Velocities that a unit impulse of each makes, shape (MOST_ACTIVE, bodies, 3)."""
    matrix: Floats
    """Their complementarity problem, matrix f + gap >= 0, shape (MOST_ACTIVE, MOST_ACTIVE)."""
    gap: Floats
    force: Floats
    active: NDArray[np.bool_]
    keys: Integers
    """Contacts that carried an impulse in the last step, `NO_KEY` beyond them, shape (MOST_ACTIVE,)."""


class ImpactNumbers(NamedTuple):
    """The numbers of one step's problem, whose arrays are `Bodies`, `JointRows`, `Contacts` and `Impact`."""

    bodies: int
    """Number of bodies."""
    contacts: int
    """Number of contacts."""
    dt: float
    """Time of the step [s]."""
    shared_reach: float
    """See `dynamics.soft_contacts.shared_reach` [m]."""


def new_impact(bodies: int, contacts: int) -> Impact:
    """Allocate the work space for a number of bodies and contacts."""
    return Impact(
        np.zeros((bodies, 3)),
        np.zeros((contacts, 3)),
        np.zeros(contacts, np.int64),
        np.zeros((contacts, 3)),
        np.zeros(contacts, np.int64),
        np.zeros(contacts),
        np.zeros(MOST_ACTIVE, np.int64),
        np.zeros((MOST_ACTIVE, bodies, 3)),
        np.zeros((MOST_ACTIVE, MOST_ACTIVE)),
        np.zeros(MOST_ACTIVE),
        np.zeros(MOST_ACTIVE),
        np.zeros(MOST_ACTIVE, np.bool_),
        np.full(MOST_ACTIVE, NO_KEY, np.int64),
    )


@compiled()
def contact_rows(bodies: Bodies, contacts: Contacts, number: int, holder: Integers, impact: Impact) -> None:
    """Compute the row of each contact for the body that bears it; of the tube with itself, for both bodies: equal and opposite on one line.

    Args:
        holder: The body at the distal end of each link of the chain in which the contacts were found.
    """
    for c in range(number):
        body = holder[contacts.segment[c]]
        normal_x, normal_y = contacts.gamma[c], -contacts.beta[c]
        impact.body[c] = body
        impact.row[c, 0], impact.row[c, 1] = normal_x, normal_y
        lever = contacts.alpha[c] - (bodies.pose[body, 0] * normal_y - bodies.pose[body, 1] * normal_x)
        impact.row[c, 2] = lever
        impact.inner[c] = -1
        if contacts.first[c] > 0:
            inner = holder[contacts.first[c] - 1]
            impact.inner[c] = inner
            impact.inner_row[c, 0], impact.inner_row[c, 1] = -normal_x, -normal_y
            lever = contacts.alpha[c] - (bodies.pose[inner, 0] * normal_y - bodies.pose[inner, 1] * normal_x)
            impact.inner_row[c, 2] = -lever


@compiled(forceinline=True)
def _approach(impact: Impact, c: int, velocity: Floats) -> float:
    """Rate at which a contact's gap opens [m/s]."""
    row, body, inner = impact.row[c], impact.body[c], impact.inner[c]
    rate = row[0] * velocity[body, 0] + row[1] * velocity[body, 1] + row[2] * velocity[body, 2]
    if inner >= 0:
        row = impact.inner_row[c]
        rate += row[0] * velocity[inner, 0] + row[1] * velocity[inner, 1] + row[2] * velocity[inner, 2]
    return rate


@compiled()
def solve(
    bodies: Bodies, rows: JointRows, contacts: Contacts, factor: Factor, impact: Impact, numbers: ImpactNumbers
) -> bool:
    """Velocities after a step under joints and contacts, into `impact.velocity`; returns whether it is solved and none is violated.

    `contact_rows` has been filled in for the contacts.
    """
    count, number, dt = numbers.bodies, numbers.contacts, numbers.dt
    factorise(bodies, rows, count, factor)
    velocity = impact.velocity
    _set_out(bodies, count, velocity)
    project(bodies, rows, count, factor, velocity, 1.0)
    for c in range(number):
        impact.impulse[c] = -1.0  # not taken up
    taken = 0
    for i in range(MOST_ACTIVE):
        if impact.keys[i] == NO_KEY:
            break
        for c in range(number):
            if contacts.key[c] == impact.keys[i]:
                taken = _take(bodies, rows, contacts, factor, impact, numbers, taken, c)
                impact.active[taken - 1] = True
    settled = solved = True
    for _ in range(ROUNDS):
        if taken:
            solved = _pivot(impact.matrix, impact.gap, taken, impact.force, impact.active)
        _set_out(bodies, count, velocity)
        for i in range(taken):
            impact.impulse[impact.taken[i]] = impact.force[i]
            if not impact.force[i] <= 0.0:  # NaN too: it must not go unseen
                _push(bodies, impact, impact.taken[i], velocity, impact.force[i])
        project(bodies, rows, count, factor, velocity, 1.0)
        settled = True
        for c in range(number):
            if not impact.impulse[c] < 0.0:
                continue
            gap = contacts.gap[c] + dt * _approach(impact, c, velocity)
            if numbers.shared_reach > 0.0 and gap < -TOLERANCE:
                for i in range(taken):
                    gap += shared_compliance(contacts, c, impact.taken[i], numbers.shared_reach) * impact.force[i] / dt
            if gap < -TOLERANCE:
                settled = False
                if taken < MOST_ACTIVE:
                    taken = _take(bodies, rows, contacts, factor, impact, numbers, taken, c)
        if settled or taken == MOST_ACTIVE:
            break
    known = 0
    for i in range(taken):
        if impact.force[i] > 0.0:
            impact.keys[known] = contacts.key[impact.taken[i]]
            known += 1
    if known < MOST_ACTIVE:
        impact.keys[known] = NO_KEY
    for c in range(number):
        impact.impulse[c] = max(impact.impulse[c], 0.0)
    return settled and solved


@compiled()
def _set_out(bodies: Bodies, count: int, velocity: Floats) -> None:
    """The velocities before the step."""
    for k in range(count):
        for j in range(3):
            velocity[k, j] = bodies.velocity[k, j]


@compiled(forceinline=True)
def _push(bodies: Bodies, impact: Impact, c: int, velocity: Floats, impulse: float) -> None:
    """Change of velocity by an impulse on the contact's bodies alone."""
    row, body, inner = impact.row[c], impact.body[c], impact.inner[c]
    velocity[body, 0] += impulse * row[0] / bodies.mass[body]
    velocity[body, 1] += impulse * row[1] / bodies.mass[body]
    velocity[body, 2] += impulse * row[2] / bodies.inertia[body]
    if inner >= 0:
        row = impact.inner_row[c]
        velocity[inner, 0] += impulse * row[0] / bodies.mass[inner]
        velocity[inner, 1] += impulse * row[1] / bodies.mass[inner]
        velocity[inner, 2] += impulse * row[2] / bodies.inertia[inner]


@compiled()
def _take(
    bodies: Bodies,
    rows: JointRows,
    contacts: Contacts,
    factor: Factor,
    impact: Impact,
    numbers: ImpactNumbers,
    taken: int,
    c: int,
) -> int:
    """Take up contact c: how all bodies respond to it, and its line of the complementarity problem.

    Args:
        c: Index of the contact.
    """
    count = numbers.bodies
    response = impact.response[taken]
    for k in range(count):
        for j in range(3):
            response[k, j] = 0.0
    _push(bodies, impact, c, response, 1.0)
    project(bodies, rows, count, factor, response, 0.0)
    impact.taken[taken], impact.impulse[c] = c, 0.0
    impact.force[taken], impact.active[taken] = 0.0, False
    # The joints alone bring the bodies to the velocities found before any contact was taken up; these are linear in
    # the impulses, so what the gap would be without any is the present one less what the present impulses do.
    free = contacts.gap[c] / numbers.dt + _approach(impact, c, impact.velocity)
    for i in range(taken):
        other = impact.taken[i]
        coupling = _approach(impact, other, response)
        free -= coupling * impact.force[i]
        if numbers.shared_reach > 0.0:
            coupling += shared_compliance(contacts, c, other, numbers.shared_reach) / numbers.dt**2
        impact.matrix[taken, i] = impact.matrix[i, taken] = coupling
    impact.matrix[taken, taken] = _approach(impact, c, response) + contacts.pressing[c, COMPLIANCE] / numbers.dt**2
    impact.gap[taken] = free
    return taken + 1


@compiled(counted=True)
def _pivot(matrix: Floats, gap: Floats, size: int, force: Floats, active: NDArray[np.bool_]) -> bool:
    """Solve force >= 0, matrix force + gap >= 0, one of both zero, by block pivoting; returns whether that is solved.

    Source: Portugal, Judice and Vicente (1994); falls back to Murty's single pivots, which end for every positive
    definite matrix. Starts from `active` and leaves the solution's there.
    """
    fewest, patience = size + 1, 10
    wrong = np.empty(size, np.bool_)
    index, lower = np.empty(size, np.int64), np.empty((size, size))
    for _ in range(PIVOTS):
        chosen = 0
        for i in range(size):
            force[i] = 0.0
            if active[i]:
                index[chosen] = i
                chosen += 1
        _cholesky(matrix, gap, index, chosen, lower, force)
        count = 0
        last = -1
        for i in range(size):
            if active[i]:
                wrong[i] = force[i] < 0.0
            else:
                slack = gap[i]
                for j in range(chosen):
                    slack += matrix[i, index[j]] * force[index[j]]
                wrong[i] = slack < -1e-12
            if wrong[i]:
                count, last = count + 1, i
        if count == 0:
            return True
        if count < fewest:
            fewest, patience = count, 10
        else:
            patience -= 1
        if patience >= 0:
            for i in range(size):
                active[i] ^= wrong[i]
        else:
            active[last] = not active[last]
    for i in range(size):
        force[i] = max(force[i], 0.0)
    return False


@compiled()
def _cholesky(matrix: Floats, gap: Floats, index: Integers, size: int, lower: Floats, force: Floats) -> None:
    """Forces of the chosen rows that close their gaps: matrix force = -gap on them."""
    for i in range(size):
        for j in range(i + 1):
            value = matrix[index[i], index[j]]
            for m in range(j):
                value -= lower[i, m] * lower[j, m]
            lower[i, j] = np.sqrt(value) if i == j else value / lower[j, j]
    for i in range(size):
        value = -gap[index[i]]
        for m in range(i):
            value -= lower[i, m] * force[index[m]]
        force[index[i]] = value / lower[i, i]
    for i in range(size - 1, -1, -1):
        value = force[index[i]]
        for m in range(i + 1, size):
            value -= lower[m, i] * force[index[m]]
        force[index[i]] = value / lower[i, i]
