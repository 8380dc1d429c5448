"""Coulomb friction where the tip touches something: it sticks, or slides and is held back.

The body of a growing vine does not slide, its tip does. A tip that sticks has two rows more, one for each way along what it
touches, and a step is the complementarity problem it was. If that asks for more than the coefficient times the normal force,
the tip slides instead, held back by the coefficient times the normal force of the last step: a load, so that the step is
again a convex problem.
"""

from __future__ import annotations

import numpy as np

from dynamics.chain import Chain
from dynamics.contacts import Contacts
from dynamics.quasistatic.complementarity import ContactNumbers, Dual, Step
from surrogate.compiled import compiled

LEAST_ALONG = 1e-9
"""A normal that is less against the heading stands on the tube's side [-]."""


@compiled()
def presses_tip(contacts: Contacts, k: int, chain: Chain, segments: int) -> bool:
    """Whether a contact pushes the tip back, against its heading."""
    last = segments - 1
    along = contacts.gamma[k] * chain.cosine[last] - contacts.beta[k] * chain.sine[last]
    return contacts.segment[k] == last and along < -LEAST_ALONG


@compiled()
def add_stick_rows(contacts: Contacts, count: int, chain: Chain, segments: int) -> int:
    """Append the tip's slide along what is nearest to it, one row each way; returns how many rows there are."""
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
        contacts.segment[k] = last
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
    """Turn the rows from `numbers.soft` up to `held`, which hold a tip, into a load of `most` [N].

    Returns:
        What it adds to the drive to grow [N], and how many of the active rows are left.
    """
    count = numbers.soft
    pull = most if dual.force[count] > dual.force[count + 1] else -most
    for j in range(numbers.segments):
        lever = contacts.alpha[count] + contacts.beta[count] * chain.x[j] + contacts.gamma[count] * chain.y[j]
        step.free[j] += step.inverse[j] * pull * lever
    left = 0
    for i in range(active):
        if not count <= dual.active[i] < held:
            dual.active[left] = dual.active[i]
            left += 1
    contacts.gap[count:held] = np.inf  # never closed
    return pull * contacts.growth[count], left
