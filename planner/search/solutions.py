"""Solutions: vines that reached the goal, each confirmed by a replay from the start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.vine import Integers, Status, VineState, centerlines
from planner.design import Design
from planner.replay import grow
from planner.search.controls import actuation, sections_of
from planner.search.sst import Candidates, Search
from surrogate.compiled import Floats

REPLAYS = 8
"""Maximum number of candidates replayed in one iteration."""
PARTED = 10e-3
"""Distance between the tips of a replay and a node above which the replay has diverged from the branch, for the prototype [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A design that reached the goal again when replayed from the start at half the growth step."""

    design: Design
    cost: float
    controls: NDArray[np.int32]
    """Control of each segment, shape (segments,), from which its sections follow."""


class Solutions:
    """The lowest-cost solutions with different shapes."""

    def __init__(self, search: Search, keep: int) -> None:
        self.search, self.keep = search, keep
        self.replayer = search.propagator.refined()
        self.best: list[Solution] = []
        """Sorted by cost."""
        self.replayed = 0
        """Number of candidates replayed."""
        self.rejected = 0
        """Number of candidates whose replay missed the goal."""

    def offer(self, candidates: Candidates) -> bool:
        """Replay the promising candidates in order of cost; returns whether the best solution improved."""
        chosen = candidates[self._promising(candidates)]
        if not len(chosen.segments):
            return False
        search, params = self.search, self.search.params
        carried = actuation(chosen.controls, search.catalogue)
        rollout = grow(self.replayer, carried, chosen.segments * params.segment_length, params.segment_length)
        before = self.best[0].cost if self.best else np.inf
        goal = search.environment.goal
        for i, segments in enumerate(chosen.segments):
            tip = rollout.tips[i, segments - 1]
            self.replayed += 1
            if rollout.status[i] == Status.GROWN and np.hypot(*(tip[:2] - goal[:2])) <= goal[2]:
                state = rollout.state(np.array([i]), np.array([segments - 1]))
                self._keep(self.solution(chosen.controls[i, :segments].copy(), tip.copy(), self._joints(state)))
            else:
                self.rejected += 1
                self._cut(int(chosen.parents[i]), rollout.tips[i, : rollout.records[i]])
        if self.best and self.best[0].cost < before:
            search.tighten(self.best[0].cost)
            return True
        return False

    def _promising(self, candidates: Candidates) -> Integers:
        """The lowest-cost candidates that would add a shape or reduce the cost of a known one."""
        chosen: list[int] = []
        costs = self.search.cost(candidates.actuators, candidates.segments)
        for i in range(min(len(costs), 8 * REPLAYS)):
            if len(self.best) == self.keep and costs[i] >= self.best[-1].cost:
                break
            state = VineState(
                candidates.angles[i : i + 1],
                candidates.segments[i : i + 1],
                np.array([self.search.params.segment_length]),
            )
            known = self._alike(self._joints(state))
            if all(costs[i] < self.best[k].cost for k in known):
                chosen.append(i)
            if len(chosen) == REPLAYS:
                break
        return np.array(chosen, dtype=np.int64)

    def _keep(self, found: Solution) -> None:
        known = self._alike(found.design.centerline)
        if any(self.best[k].cost <= found.cost for k in known):
            return
        rest = [solution for k, solution in enumerate(self.best) if k not in known]
        self.best = sorted([*rest, found], key=lambda solution: solution.cost)[: self.keep]

    def solution(self, controls: NDArray[np.int32], tip: Floats, joints: Floats) -> Solution:
        """Make a solution from the controls of its segments.

        Args:
            tip: Pose of the tip: x [m], y [m], heading [rad].
            joints: Joints from base to tip [m], shape (segments + 1, 2).
        """
        search = self.search
        sections = sections_of(controls, search.params.segment_length, search.catalogue)
        design = Design(search.environment.name, search.environment.sha256, search.params, sections, tip, joints)
        cost = search.cost(np.array(design.actuators), np.array(len(controls)))
        return Solution(design, float(cost), controls)

    def _joints(self, state: VineState) -> Floats:
        joints = centerlines(state, self.search.environment.start, self.search.params)[0]
        return joints[~np.isnan(joints[:, 0])]

    def _alike(self, joints: Floats) -> list[int]:
        """Known solutions of the same shape: the shorter one stays within one tube diameter of the longer one."""
        alike = []
        for k, known in enumerate(self.best):
            short, long = sorted([joints, known.design.centerline], key=len)
            distance = shapely.distance(shapely.points(short), shapely.LineString(long))
            if distance.max() < 2 * self.search.params.radius:
                alike.append(k)
        return alike

    def _cut(self, slot: int, tips: Floats) -> None:
        """Prune the branch where the replay left it, because its descendants would fail too."""
        tree, parted, parting = self.search.tree, -1, PARTED * self.search.size
        while slot >= 0 and tree.segments[slot] > 0:
            reached = tree.segments[slot] <= len(tips)
            if not reached or np.hypot(*(tips[tree.segments[slot] - 1, :2] - tree.tips[slot, :2])) > parting:
                parted = slot
            slot = int(tree.parent[slot])
        if parted >= 0:
            self.search.prune(tree.descendants(parted))
