"""An inflated tube folds where a corner dents it: the dented cross-section resists with a smaller moment than a round one."""

from __future__ import annotations

from typing import NamedTuple

from dynamics.chain import Chain
from dynamics.contact_rows import Contacts
from dynamics.quasistatic.complementarity import ContactNumbers, Dual
from surrogate.compiled import Floats, compiled


class Folding(NamedTuple):
    """Loss of moment where a corner dents a tube, and numbers of edges and corners."""

    share: float
    """Share of its moment that a joint keeps where a corner dents it [-]; 1 if it does not fold."""
    edges: int
    """Number of edges in the environment; they come first in a contact's key."""
    solids: int
    """Number of edges and corners in the environment."""


@compiled()
def mark_folds(
    contacts: Contacts, chain: Chain, dual: Dual, numbers: ContactNumbers, active: int, folding: Folding, kept: Floats
) -> None:
    """Compute the share of its moment that each joint keeps: `share` where a corner presses on it, 1 from its neighbours on.

    Args:
        active: Number of active rows.
        kept: Receives the shares [-], shape (max_segments,).
    """
    segments, share = numbers.segments, folding.share
    kept[:segments] = 1.0
    for i in range(active):
        k = dual.active[i]
        # Keys of what is not a solid are negative.
        if k >= numbers.soft or dual.force[k] <= 0.0 or contacts.key[k] < 0:
            continue
        if contacts.key[k] % folding.solids < folding.edges:
            continue
        # A joint's lever arm about the contact normal is its distance from the contact along the tube.
        a, b, c, joint = contacts.alpha[k], contacts.beta[k], contacts.gamma[k], contacts.segment[k]
        behind = abs(a + b * chain.x[joint] + c * chain.y[joint])
        ahead = abs(a + b * chain.x[joint + 1] + c * chain.y[joint + 1])
        if joint + 1 < segments - 1:  # the growing segment is not a full joint yet
            kept[joint] = min(kept[joint], 1.0 - (1.0 - share) * ahead / (behind + ahead))
            kept[joint + 1] = min(kept[joint + 1], 1.0 - (1.0 - share) * behind / (behind + ahead))
