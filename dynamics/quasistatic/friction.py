"""Coulomb friction of the tip in contact: it sticks, or slides against a friction force.

The body of a growing vine does not slide, only its tip does. A sticking tip adds two rows, one for each direction along the
touched surface, so that a step remains a complementarity problem. If sticking needs more than the friction coefficient times
the normal force, the tip slides instead. Its friction force is the coefficient times the normal force of the last step, which
is a constant load, so that the step is again a convex problem.
"""

from __future__ import annotations

import numpy as np

from dynamics.chain import Chain
from dynamics.contact_rows import Contacts
from dynamics.quasistatic.complementarity import ContactNumbers, Dual, Step
from surrogate.compiled import compiled

LEAST_ALONG = 1e-9
"""A contact whose normal has a smaller component against the heading is on the tube's side [-]."""


@compiled()
def presses_tip(contacts: Contacts, k: int, chain: Chain, segments: int) -> bool:
    """Whether a contact pushes the tip back, against its heading."""
    last = segments - 1
    along = contacts.gamma[k] * chain.cosine[last] - contacts.beta[k] * chain.sine[last]
    return contacts.segment[k] == last and along < -LEAST_ALONG


@compiled()
def add_stick_rows(contacts: Contacts, count: int, chain: Chain, segments: int) -> int:
    """Append the tip's sliding along the nearest contact, one row per direction; return the new number of rows.

    On the tube's own body it slides relative to that.
    """
    nearest = -1
    for k in range(count):
        if presses_tip(contacts, k, chain, segments) and (nearest < 0 or contacts.gap[k] < contacts.gap[nearest]):
            nearest = k
    if nearest < 0:
        return count
    x, y, last = chain.x[segments], chain.y[segments], segments - 1
    for way in range(2):
        k, sign = count + way, 1.0 - 2.0 * way
        # The tangent is the normal (gamma, -beta), turned to the left.
        tx, ty = sign * contacts.beta[nearest], sign * contacts.gamma[nearest]
        contacts.first[k], contacts.segment[k] = contacts.first[nearest], last
        contacts.key[k] = -3 - way
        contacts.gap[k] = 0.0
        contacts.alpha[k] = x * ty - y * tx
        contacts.beta[k] = -ty
        contacts.gamma[k] = tx
        contacts.growth[k] = tx * chain.cosine[last] + ty * chain.sine[last]
    return count + 2


@compiled()
def normal_force(contacts: Contacts, chain: Chain, dual: Dual, numbers: ContactNumbers, active: int) -> float:
    """Sum of the forces that push the tip back [N]."""
    total = 0.0
    for i in range(active):
        k = dual.active[i]
        if k < numbers.soft and presses_tip(contacts, k, chain, numbers.segments):
            total += dual.force[k]
    return total


@compiled()
def let_slide(
    contacts: Contacts,
    chain: Chain,
    step: Step,
    dual: Dual,
    numbers: ContactNumbers,
    held: int,
    active: int,
    most: float,
) -> tuple[float, int]:
    """Replace the rows from `numbers.soft` to `held`, which hold a tip, by a load of `most` [N].

    Returns:
        The load's contribution to the growth force [N], and the number of active rows left.
    """
    count = numbers.soft
    pull = most if dual.force[count] > dual.force[count + 1] else -most
    for j in range(contacts.first[count], numbers.segments):
        lever = (
            contacts.alpha[count] + contacts.beta[count] * chain.pivot_x[j] + contacts.gamma[count] * chain.pivot_y[j]
        )
        step.free[j] += step.inverse[j] * pull * lever
    left = 0
    for i in range(active):
        if not count <= dual.active[i] < held:
            dual.active[left] = dual.active[i]
            left += 1
    contacts.gap[count:held] = np.inf  # never closed
    return pull * contacts.growth[count], left
