"""Where a corner presses an inflated tube in, it folds: the dented cross-section bears less of a moment than a round one."""

from __future__ import annotations

from dynamics.chain import Chain
from dynamics.contacts import Contacts
from dynamics.quasistatic.complementarity import Dual
from surrogate.compiled import Floats, compiled


@compiled()
def mark_folds(
    contacts: Contacts,
    count: int,
    active: int,
    chain: Chain,
    segments: int,
    edges: int,
    solids: int,
    dual: Dual,
    share: float,
    kept: Floats,
) -> None:
    """Note the part of its moment that each joint keeps: `share` where a corner presses on it, 1 from its neighbours on.

    Args:
        edges, solids: How many edges the place has, and how many edges and corners.
        kept: Written to, shape (max_segments,).
    """
    kept[:segments] = 1.0
    for i in range(active):
        k = dual.active[i]
        if k >= count or dual.force[k] <= 0.0 or contacts.key[k] % solids < edges:
            continue
        # A joint's lever about the normal is its distance from it, along the tube.
        a, b, c, joint = contacts.alpha[k], contacts.beta[k], contacts.gamma[k], contacts.segment[k]
        behind = abs(a + b * chain.x[joint] + c * chain.y[joint])
        ahead = abs(a + b * chain.x[joint + 1] + c * chain.y[joint + 1])
        if joint + 1 < segments - 1:  # the growing segment is a part of a joint still
            kept[joint] = min(kept[joint], 1.0 - (1.0 - share) * ahead / (behind + ahead))
            kept[joint + 1] = min(kept[joint + 1], 1.0 - (1.0 - share) * behind / (behind + ahead))
