"""Random growth of the nodes of a search: straight, bent, or bent and then straight towards the goal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.vine import Integers
from planner.search.aiming import LONGEST_BEND, aim

if TYPE_CHECKING:
    from planner.search.sst import Search

LONGEST_STRAIGHT = 40
"""Maximum number of segments grown at once without an actuator, but for the first vine."""
LONGEST_AIMED = 160
"""Maximum number of segments grown at once towards the goal: the records of longer ones take much memory."""
STRAIGHT = 0.5
"""Probability of growing a node without an actuator if that has not been done."""
AIMED = 0.25
"""Probability that growth with a new actuator is aimed at the goal."""


class Growths(NamedTuple):
    """Growth of n vines from nodes: with a control, and then straight."""

    nodes: Integers
    controls: NDArray[np.int32]
    """Control of the first segments that grow, see `planner.search.controls.actuation`, shape (n,)."""
    bent: Integers
    """Number of segments with that control, shape (n,); those after them are straight."""
    segments: Integers
    """Number of segments that grow, shape (n,)."""


def sample_growths(search: Search, nodes: Integers) -> Growths:
    """Sample controls and lengths: straight, left or right, with curvatures uniform over the reachable range.

    Growth is deterministic, so a node is grown without an actuator once, and then only with one. The first vine of all is straight,
    and grows as far as it can: often no actuator is needed. Without `Switches.aimed`, it is like the others.

    Args:
        nodes: Nodes to grow, with repetitions.
    """
    tree, rng, batch = search.tree, search.rng, len(nodes)
    room = search.max_segments - tree.segments[nodes]
    if search.switches.aimed and len(tree) == 1 and not tree.straight[nodes].any():
        return Growths(nodes[:1], np.zeros(1, np.int32), room[:1], room[:1])
    side, entry = rng.choice([-1, 1], batch), search.catalogue.draw(rng, batch)
    once = np.zeros(batch, bool)
    once[np.unique(nodes, return_index=True)[1]] = True
    if search.prices.bend is not None:
        entry = search.prices.replace_by_preformed(entry, ~search.affordable_nodes(1, nodes), rng)
    affordable = search.affordable_nodes(search.prices.of_entry[entry + 1], nodes)
    straight = once & ~tree.straight[nodes] & (~affordable | (rng.random(batch) < STRAIGHT))
    controls = np.where(straight, 0, side * (entry + 1)).astype(np.int32)
    segments = np.where(straight, LONGEST_STRAIGHT, rng.integers(1, LONGEST_BEND + 1, batch))
    bent = segments.copy()
    if search.switches.aimed:
        aimed = np.flatnonzero(
            (rng.random(batch) < AIMED) & ~straight & affordable & (entry < search.catalogue.actuators)
        )
        aims = aim(tree.tips[nodes[aimed]], search.environment.goal, search.catalogue, search.params, rng)
        found = aims.controls != 0
        aimed = aimed[found]
        controls[aimed], bent[aimed] = aims.controls[found], aims.bent[found]
        segments[aimed] = np.minimum(aims.segments[found], LONGEST_AIMED)
    segments = np.minimum(segments, room)
    grown = straight | affordable
    return Growths(nodes[grown], controls[grown], np.minimum(bent, segments)[grown], segments[grown])
