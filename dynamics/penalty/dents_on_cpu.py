"""Dents of one vine on a CPU, by the laws of `dynamics.penalty.section`."""

from __future__ import annotations

import math

from dynamics.contact_rows import NO_KEY, Contacts, is_of_actuator
from dynamics.cross_section import AT, FOLLOWS, LENGTH, NEAREST, RIGID, TIP, CrossSection
from dynamics.penalty.kernel_model import KernelWork
from dynamics.penalty.section import SHORTEST, SPARE
from dynamics.soft_contacts import carried_by
from surrogate.kernels.compiled import Floats, compiled


@compiled()
def count_dents(contacts: Contacts, count: int) -> int:
    """Number of contacts to which the tube gives way: the first ones."""
    dents = 0
    while dents < count and contacts.pressing[dents, RIGID] == 0.0:
        dents += 1
    return dents


@compiled()
def _compliance(section: CrossSection, contacts: Contacts, one: int, other: int) -> float:
    """Dent of a contact by a unit force of another one [m/N], see `dynamics.penalty.section.give`."""
    pressing = contacts.pressing
    k, m = int(pressing[one, NEAREST]), int(pressing[other, NEAREST])
    cosine = contacts.beta[k] * contacts.beta[m] + contacts.gamma[k] * contacts.gamma[m]
    length, long, tip, cap = pressing[k, LENGTH], pressing[m, LENGTH], pressing[k, TIP], pressing[m, TIP]
    common = max(min(0.5 * (length + long) - abs(pressing[k, AT] - pressing[m, AT]), length, long), 0.0)
    along = 0.5 * (1.0 + FOLLOWS) * cosine * cosine + 0.5 * (1.0 - FOLLOWS) * cosine
    capped = min(tip, cap) * 0.5 * (cosine * cosine + cosine)
    least, stiffness = SHORTEST * section.radius, section.pressure * 4.0 / 3.0 * math.pi
    return (common * along + capped) / (stiffness * max(length + tip, least) * max(long + cap, least))


@compiled()
def give(section: CrossSection, contacts: Contacts, dents: int, factor: Floats) -> None:
    """Compute G of `dynamics.penalty.section.give` in the lower triangle of `factor`."""
    for k in range(dents):
        for m in range(k + 1):
            total = _compliance(section, contacts, k, m)
            if m == k:
                total += SPARE * section.compliance
            for i in range(m):
                total -= factor[k, i] * factor[m, i]
            if m == k:
                factor[k, k] = math.sqrt(max(total, 0.0))
            else:
                factor[k, m] = total / factor[m, m] if factor[m, m] > 0.0 else 0.0


@compiled()
def hold_dents(work: KernelWork, dents: int, born: int, solids: int) -> None:
    """Compute the dents that the forces of the last step hold.

    Args:
        born: Segment that has just begun, whose contacts are those of the one before; -1 if none has.
        solids: Number of edges and corners.
    """
    contacts, held = work.contacts, work.held
    held[:dents] = 0.0
    for k in range(dents):
        force = carried_by(contacts.key[k], work.keys, work.carried)
        if force == 0.0 and contacts.segment[k] == born:
            force = carried_by(contacts.key[k] - solids, work.keys, work.carried)
        for z in range(k + 1):
            held[z] += force * work.dents[k, z]


@compiled()
def deepest(work: KernelWork, count: int, dents: int) -> float:
    """Smallest gap that the dents leave [m], without the actuators, which give way to any depth; `inf` without contacts."""
    least = math.inf
    for k in range(count):
        if is_of_actuator(work.contacts, k):
            continue
        gap = work.contacts.gap[k]
        if k < dents:
            for z in range(k + 1):
                gap += work.dents[k, z] * work.held[z]
        least = min(least, gap)
    return least


@compiled()
def carry(work: KernelWork, dents: int) -> None:
    """Keep which contacts there were; their forces are in `work.carried` already."""
    for k in range(dents):
        work.keys[k] = work.contacts.key[k]
    work.keys[dents] = NO_KEY
