"""Solutions of a search for steered vines: each replayed from the start by its schedule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dynamics.jumps import largest_jump
from dynamics.propagator import Propagator
from dynamics.relaxations import PARTED
from dynamics.snaps import Snaps
from dynamics.vine import Rollout
from planner.design.design import Design
from planner.design.replay import make_simulation, replay
from planner.search.goal import in_goal
from planner.search.solutions import ReplayResult, Solution, Solutions, segments_to
from planner.search.steered.carried import ActuatorHistory
from planner.search.steered.merging import Merging
from planner.search.steered.search import CHANGE_COST, SteeredSearch
from planner.search.tree import Candidates

TRIES = 24
"""Maximum number of variants of solutions that are grown in each iteration."""
SIMPLER = 0.25
"""Share of them with fewer changes; the others have fewer actuators."""


@dataclass(frozen=True, slots=True, eq=False)
class SteeredSolution(Solution):
    """A solution with the history of its actuators."""

    carried: ActuatorHistory = field(default_factory=ActuatorHistory)


class SteeredSolutions(Solutions):
    """Solutions whose pressures may change while they grow."""

    search: SteeredSearch

    def examine(self, candidates: Candidates) -> list[ReplayResult]:
        """Replay candidates, and variants of known solutions (see `Merging`); see `Solutions`."""
        examined = super().examine(candidates)
        return [*examined, *self._vary()] if self.best else examined

    def _vary(self) -> Iterator[ReplayResult]:
        search = self.search
        merging = Merging(search.levels, search.params.segment_length, search.switches.steer, search.rng)
        bases = [one for one in self.best if one.cost - 1 + CHANGE_COST < self.best[0].cost]
        for _ in range(TRIES):
            base = bases[search.rng.integers(len(bases))]
            assert isinstance(base, SteeredSolution)
            vary = merging.simplify if search.rng.random() < SIMPLER else merging.make_variant
            carried, segments = vary(base.carried), len(base.controls)
            if carried is None or self._cost(carried, segments) >= self.best[0].cost:
                continue
            rollout = replay(search.design(carried, segments), search.propagator)
            search.vine_steps += int(rollout.steps.sum())
            inside = in_goal(rollout.tips[0, : rollout.records[0]], search.environment, search.params)
            if inside.any():
                segments = int(rollout.segments[0, inside.argmax()])
                carried = carried.truncate(segments)
                if merging.can_be_built(carried):
                    yield self._replay(carried, segments, -1, self.replayer)

    def _cost(self, carried: ActuatorHistory, segments: int) -> float:
        effort = len(carried.actuators) + CHANGE_COST * len(carried.changes)
        return float(self.search.cost(np.array(effort), np.array(segments)))

    def _replay_candidates(self, chosen: Candidates, replayer: Propagator) -> list[ReplayResult]:
        """See `Solutions`."""
        return [
            self._replay(self.search.carried(chosen, row), int(segments), int(chosen.parents[row]), replayer)
            for row, segments in enumerate(chosen.segments)
        ]

    def _replay(self, carried: ActuatorHistory, segments: int, parent: int, replayer: Propagator) -> ReplayResult:
        design = self.search.design(carried, segments)
        rollout = replay(design, replayer)
        grown = make_simulation(design, self.search.environment, rollout)
        examines = grown.ends_in_goal and replayer is self.replayer
        doubt = self._first_doubt(carried, design, rollout) if examines else np.inf
        controls, found = carried.controls(segments), None
        if grown.ends_in_goal and doubt == np.inf:
            jump = largest_jump(rollout, 0, self.search.params)
            found = SteeredSolution(grown.design, self._cost(carried, segments), controls, jump, carried)
        return ReplayResult(controls, parent, rollout.tips[0, : rollout.records[0]], found, doubt)

    def _first_doubt(self, carried: ActuatorHistory, design: Design, rollout: Rollout) -> float:
        """Find the length at which a vine first snaps to where only its damping decides [m]; inf if it never does."""
        snaps, params = Snaps.of(rollout, 0), self.search.params
        for k, length in enumerate(snaps.length):
            branch = repr(carried.truncate(segments_to(length, params.segment_length))).encode() + length.tobytes()
            if branch not in self._apart:
                actuation = design.actuation_at(snaps.length[k : k + 1])
                self._apart[branch] = float(snaps.select(k).examine(actuation, self.relaxations).apart[0])
            if self._apart[branch] > PARTED * params.scale:
                return float(length)
        return np.inf

    def _cut_beyond(self, replayed: ReplayResult) -> None:
        """Prune the branch of a candidate from its first node beyond an ambiguous snap on."""
        slot, beyond, tree = replayed.parent, -1, self.search.tree
        while slot >= 0 and tree.segments[slot] * self.search.params.segment_length > replayed.ambiguous:
            beyond, slot = slot, int(tree.parent[slot])
        if beyond >= 0:
            self.search.prune(tree.descendants(beyond))
