"""Solutions of a search for steered vines: each replayed from the start by its schedule."""

from __future__ import annotations

import numpy as np

from dynamics.jumps import largest_jump
from dynamics.propagator import Propagator
from dynamics.relaxations import PARTED
from dynamics.snaps import Snaps
from dynamics.vine import Rollout
from planner.design import Design
from planner.replay import replay, simulated
from planner.search.carried import Carried
from planner.search.solutions import Replayed, Solution, Solutions, segments_to
from planner.search.steered import CHANGE_COST, SteeredSearch
from planner.search.tree import Candidates


class SteeredSolutions(Solutions):
    """Solutions whose pressures may change while they grow."""

    search: SteeredSearch

    def _replayed(self, chosen: Candidates, replayer: Propagator) -> list[Replayed]:
        """See `Solutions`."""
        return [self._replayed_one(chosen, row, replayer) for row in range(len(chosen.segments))]

    def _replayed_one(self, chosen: Candidates, row: int, replayer: Propagator) -> Replayed:
        segments = int(chosen.segments[row])
        carried = self.search.carried(chosen, row)
        design = self.search.design(carried, segments)
        rollout = replay(design, replayer)
        grown = simulated(design, self.search.environment, rollout)
        examines = grown.ends_in_goal and replayer is self.replayer
        doubt = self._first_doubt(carried, design, rollout) if examines else np.inf
        controls, found = chosen.controls[row, :segments].copy(), None
        if grown.ends_in_goal and doubt == np.inf:
            length = np.array(segments)
            cost = float(self.search.cost(np.array(design.actuators + CHANGE_COST * len(carried.changes)), length))
            found = Solution(grown.design, cost, controls, largest_jump(rollout, 0, self.search.params))
        return Replayed(controls, int(chosen.parents[row]), rollout.tips[0, : rollout.records[0]], found, doubt)

    def _first_doubt(self, carried: Carried, design: Design, rollout: Rollout) -> float:
        """Length at which a vine first snaps to where only its damping decides [m]; inf if it never does."""
        snaps, params = Snaps.of(rollout, 0), self.search.params
        for k, length in enumerate(snaps.length):
            branch = repr(carried.until(segments_to(length, params.segment_length))).encode() + length.tobytes()
            if branch not in self._apart:
                actuation = design.actuation_at(snaps.length[k : k + 1])
                self._apart[branch] = float(snaps.one(k).examined(actuation, self._relaxations).apart[0])
            if self._apart[branch] > PARTED * params.scale:
                return float(length)
        return np.inf

    def _cut_beyond(self, replayed: Replayed) -> None:
        """Prune the branch of a candidate from its first node beyond an ambiguous snap on."""
        slot, beyond, tree = replayed.parent, -1, self.search.tree
        while slot >= 0 and tree.segments[slot] * self.search.params.segment_length > replayed.ambiguous:
            beyond, slot = slot, int(tree.parent[slot])
        if beyond >= 0:
            self.search.prune(tree.descendants(beyond))
