"""Solutions: vines that reached the goal, each confirmed by a replay from the start."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.jumps import Jump, largest_jump
from dynamics.propagator import OnHost, Propagator
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.relaxations import PARTED as PARTED_RESTS
from dynamics.relaxations import Relaxations
from dynamics.snaps import Snaps
from dynamics.vine import Actuation, Integers, Rollout, Status, VineState, centerlines, pivots_of
from environments.homotopy import Islands, Word
from planner.design.design import Design
from planner.design.replay import grow
from planner.search.beginnings import Beginnings
from planner.search.controls import actuation, sections_of
from planner.search.sst import Search
from planner.search.tree import Candidates
from surrogate.kernels.compiled import Floats

REPLAYS = 8
"""Maximum number of candidates replayed in one iteration."""
FIRST_REPLAYS = 2
"""Candidates replayed at a time until there is a solution: the first one should not wait for others."""
REFINED = 8
"""A replay divides the growth step by this: at half the step some vines still take the wrong way after a snap."""
DEFAULT_SLACK = 5e-3
"""Default maximum cost of further solutions above the best one: half a metre of tube, no further actuator."""
SPREAD = 2.05
"""Default maximum while fewer solutions are known than are kept: two actuators, and 5 m of tube."""
EXAMINED = 0.15
"""Share of the steps of a search that go into replays of candidates which cannot have fewer actuators [-], where it keeps solutions for
each number of actuators; others wait until the search has grown more."""
FEWER = 0.05
"""Least reduction of the cost that is worth a replay at once there, in actuators: a shorter tube alone is not."""
PARTED = 10e-3
"""Distance between the tips of a replay and a node above which the replay has diverged from the branch, for the prototype [m]."""


def segments_to(length: float, segment_length: float) -> int:
    """Return the number of segments of a vine of a length, the last one perhaps in part; both lengths in metres."""
    return int(np.ceil(length / segment_length - 1e-9))


def sides_of(controls: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the side of each actuator of a vine, 1 or -1 as in its controls, from the base; shape (actuators,)."""
    begun = controls[np.diff(controls, prepend=0) != 0]
    return np.sign(begun[begun != 0])


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A design that reached the goal again when replayed from the start at a smaller growth step."""

    design: Design
    cost: float
    controls: NDArray[np.int32]
    """Control of each segment, shape (segments,), from which its sections follow."""
    jump: Jump | None = None
    """The largest jump in its replay; None if it has none."""


@dataclass(frozen=True, slots=True, eq=False)
class ReplayResult:
    """Result of the replay of a candidate."""

    controls: NDArray[np.int32]
    """Control of each of its segments, shape (segments,)."""
    parent: int
    """Node from which it grew."""
    tips: Floats
    """Poses of the tip in its replay, see `Rollout.tips`."""
    solution: Solution | None
    """Itself, if it reached the goal again without an ambiguous snap."""
    ambiguous: float
    """Length at its first ambiguous snap [m]; inf if it has none."""
    steps: int = 0
    """Number of steps of its replay, at constant length too, if it could have waited."""


class Solutions:
    """The lowest-cost solutions with different shapes."""

    def __init__(
        self,
        search: Search,
        keep: int,
        each_count: bool = False,
        slack: float = DEFAULT_SLACK,
        spread: float = SPREAD,
    ) -> None:
        """Prepare an empty set of at most `keep` solutions.

        Args:
            each_count: Whether a shape is kept once for each number of actuators; otherwise once for each sequence of their sides.
            slack: Maximum cost above that of the best solution, in actuators, once `keep` solutions are known.
            spread: The same while fewer are known; at least `slack`.
        """
        self.search, self.keep, self.each_count = search, keep, each_count
        self.slack, self.spread = slack, max(slack, spread)
        self.replayer = search.propagator.refined(REFINED)
        self.quick = search.propagator.refined() if each_count else self.replayer
        """Replays candidates that are not of lower cost than the best: what is made of them is replayed later."""
        self.best: list[Solution] = []
        """Sorted by cost."""
        self.replayed = 0
        """Number of candidates replayed."""
        self.rejected = 0
        """Number of candidates whose replay missed the goal, or needs an ambiguous snap."""
        self.ambiguous = 0
        """Number of candidates rejected because of an ambiguous snap."""
        self.waited = 0
        """Number of steps of the replays that have had to wait, see `EXAMINED`."""
        self.preparing = 0.0
        """Time that the preparation for the first snap took, with compilation [s]: no time of the search."""
        self._growers: dict[Propagator, Beginnings] = {}
        self._apart: dict[bytes, float] = {}
        """Distance between the ends of the relaxations of each known snap [m]; vines that share a branch share its snaps."""

    @cached_property
    def relaxations(self) -> Relaxations:
        """Examiner of snaps; made for the first snap only, because that compiles the kernels of a second model."""
        began, propagator, params = time.perf_counter(), self.search.propagator, self.search.params
        threads = propagator.threads if isinstance(propagator, OnHost) else None
        device = propagator.device if isinstance(propagator, QuasiStatic) else None
        relaxations = Relaxations(self.search.environment, params, threads, device)
        straight = VineState(np.zeros((1, 2)), np.ones(1, np.int64), np.full(1, params.segment_length))
        relaxations.relax(straight, Actuation(np.zeros((1, 2)), np.zeros((1, 2))))
        self.preparing = time.perf_counter() - began
        return relaxations

    def _grower(self, replayer: Propagator) -> Beginnings:
        """Return what grows candidates with one of the two replayers."""
        if replayer not in self._growers:
            self._growers[replayer] = Beginnings(replayer, self.search.catalogue)
        return self._growers[replayer]

    def offer(self, candidates: Candidates) -> bool:
        """Replay the promising candidates in order of cost; return whether the best solution improved."""
        return self.take(self.examine(candidates))

    def examine(self, candidates: Candidates) -> list[ReplayResult]:
        """Replay the promising candidates in order of cost. This takes long, and changes nothing yet."""
        examined: list[ReplayResult] = []
        waiting, left = self._select_promising(candidates), REPLAYS
        size = REPLAYS if self.best else FIRST_REPLAYS
        while left > 0 and len(waiting):
            chosen, waiting, left = waiting[:size], waiting[size:], left - size
            some = candidates[chosen]
            better = self._cheaper(some)
            if not better and self.each_count and self.waited > EXAMINED * self.search.vine_steps:
                break
            replayed = self._replay_candidates(some, self.replayer if better else self.quick)
            for one in replayed:
                # The others of that branch snap there too: a replay of each would only find the same.
                if one.ambiguous < np.inf:
                    waiting = waiting[~self._follow(one, candidates.controls[waiting], candidates.segments[waiting])]
            examined += replayed
            if self.best or any(one.solution for one in replayed):
                break
        return examined

    def _cheaper(self, candidates: Candidates) -> bool:
        """Whether candidates would be the best solution."""
        if not self.best:
            return True
        least = self.search.cost(candidates.actuators, candidates.segments).min()
        return bool(least < self.best[0].cost - (FEWER if self.each_count else 0.0))

    def take(self, examined: list[ReplayResult]) -> bool:
        """Keep the candidates that reached the goal again, and prune the branches of the others.

        Returns:
            Whether the best solution improved.
        """
        before = self.best[0].cost if self.best else np.inf
        for one in examined:
            self.replayed += 1
            self.waited += one.steps
            if one.solution:
                self._keep(one.solution)
                continue
            self.rejected += 1
            if one.ambiguous < np.inf:
                self.ambiguous += 1
                self._cut_beyond(one)
            else:
                self._cut(one)
        if (bound := self.bound) != self.search.bound:
            self.search.tighten(bound)
        return bool(self.best) and self.best[0].cost < before

    @property
    def bound(self) -> float:
        """Upper limit of the cost of further solutions: while fewer are known than are kept, costlier ones are welcome."""
        if not self.best:
            return np.inf
        return self.best[0].cost + (self.slack if len(self.best) == self.keep else self.spread)

    def _replay_candidates(self, chosen: Candidates, replayer: Propagator) -> list[ReplayResult]:
        """Replay candidates."""
        search, params = self.search, self.search.params
        carried = actuation(chosen.controls, search.catalogue)
        marks = [search.tree.lengths_before(int(parent)) for parent in chosen.parents]
        rollout = self._grower(replayer).grow(chosen.controls, chosen.segments, marks)
        goal, replayed = search.environment.goal, list[ReplayResult]()
        steps = rollout.steps if rollout.relaxations is None else rollout.steps + rollout.relaxations
        for i, segments in enumerate(chosen.segments):
            tip = rollout.tips[i, segments - 1]
            reached = rollout.status[i] == Status.GROWN and np.hypot(*(tip[:2] - goal[:2])) <= goal[2]
            # What is only replayed quickly is refined, and its snaps are examined then.
            snaps = reached and replayer is self.replayer
            doubt = self._first_ambiguous(rollout, carried, chosen.controls[i], i) if snaps else np.inf
            found, controls = None, chosen.controls[i, :segments].copy()
            if reached and doubt == np.inf:
                state = rollout.state(np.array([i]), np.array([segments - 1]))
                found = self.solution(controls, tip.copy(), self._joints(state), largest_jump(rollout, i, params))
            tips = rollout.tips[i, : rollout.records[i]]
            waited = 0 if replayer is self.replayer else int(steps[i])
            replayed.append(ReplayResult(controls, int(chosen.parents[i]), tips, found, doubt, waited))
        return replayed

    def _select_promising(self, candidates: Candidates) -> Integers:
        """Select the lowest-cost candidates that would add a shape or reduce the cost of a known one.

        Until there is a solution more than are replayed, because some may share an ambiguous snap with others.
        """
        chosen: list[int] = []
        costs = self.search.cost(candidates.actuators, candidates.segments)
        for i in range(min(len(costs), 8 * REPLAYS)):
            if len(self.best) == self.keep and costs[i] >= self.best[-1].cost:
                break
            state = VineState(
                candidates.angles[i : i + 1],
                candidates.segments[i : i + 1],
                np.array([self.search.params.segment_length]),
                pivots_of(candidates.controls[i : i + 1], self.search.tree.pivot),
            )
            known = self._similar_solutions(self._joints(state), candidates.controls[i, : candidates.segments[i]])
            if all(costs[i] < self.best[k].cost for k in known):
                chosen.append(i)
            if len(self.best) and len(chosen) == REPLAYS:
                break
        return np.array(chosen, dtype=np.int64)

    def _keep(self, found: Solution) -> None:
        known = self._similar_solutions(found.design.centerline, found.controls)
        if any(self.best[k].cost <= found.cost for k in known):
            return
        rest = [solution for k, solution in enumerate(self.best) if k not in known]
        self.best = sorted([*rest, found], key=lambda solution: solution.cost)
        if len(self.best) > self.keep:
            self.best.pop(self._costliest_of_a_shared_class())

    def _costliest_of_a_shared_class(self) -> int:
        """Return which solution to give up: the costliest whose homotopy class another one has, or else the costliest."""
        words = [self.word(solution.design) for solution in self.best]
        shared = [k for k, word in enumerate(words) if words.count(word) > 1]
        return max(shared, default=len(words) - 1)

    @cached_property
    def islands(self) -> Islands:
        """The islands among which solutions go."""
        return Islands.of(self.search.environment, self.search.params.clearance)

    def word(self, design: Design) -> Word:
        """Return the homotopy class of a design; all of them end at the centre of the goal."""
        return self.islands.word(np.vstack([design.centerline, self.search.environment.goal[:2]]))

    def solution(self, controls: NDArray[np.int32], tip: Floats, joints: Floats, jump: Jump | None = None) -> Solution:
        """Make a solution from the controls of its segments.

        Args:
            tip: Pose of the tip: x [m], y [m], heading [rad].
            joints: Joints from base to tip [m], shape (segments + 1, 2).
            jump: The largest jump in its replay; None if it has none.
        """
        search = self.search
        sections = sections_of(controls, search.params.segment_length, search.catalogue)
        design = Design(search.environment.name, search.environment.sha256, search.params, sections, tip, joints)
        cost = search.cost(np.array(search.prices.of_design(design)), np.array(len(controls)))
        return Solution(design, float(cost), controls, jump)

    def jump_of(self, controls: NDArray[np.int32]) -> Jump | None:
        """Return the largest jump of a vine with these controls, shape (segments,), replayed; None if it has none."""
        full = self.search.params.segment_length
        carried = actuation(controls[None], self.search.catalogue)
        return largest_jump(grow(self.replayer, carried, full * len(controls), full), 0, self.search.params)

    def _joints(self, state: VineState) -> Floats:
        joints = centerlines(state, self.search.environment.start, self.search.params)[0]
        return joints[~np.isnan(joints[:, 0])]

    def _similar_solutions(self, joints: Floats, controls: NDArray[np.int32]) -> list[int]:
        """List known solutions of the same kind and shape: the shorter one stays within one tube diameter of the longer one."""
        alike, sides = [], sides_of(controls)
        for k, known in enumerate(self.best):
            other = sides_of(known.controls)
            if len(sides) != len(other) or not (self.each_count or np.array_equal(sides, other)):
                continue
            short, long = sorted([joints, known.design.centerline], key=len)
            distance = shapely.distance(shapely.points(short), shapely.LineString(long))
            if distance.max() < 2 * self.search.params.radius:
                alike.append(k)
        return alike

    def _first_ambiguous(self, rollout: Rollout, carried: Actuation, controls: NDArray[np.int32], vine: int) -> float:
        """Find the length at which a vine first snaps to where only its damping decides [m]; inf if it never does."""
        params, snaps = self.search.params, Snaps.of(rollout, vine)
        for k, length in enumerate(snaps.length):
            branch = controls[: segments_to(length, params.segment_length)].tobytes() + length.tobytes()
            if branch not in self._apart:
                self._apart[branch] = float(
                    snaps.select(k).examine(carried.of(snaps.vine[[k]]), self.relaxations).apart[0]
                )
            if self._apart[branch] > PARTED_RESTS * params.scale:
                return float(length)
        return np.inf

    def _cut_beyond(self, replayed: ReplayResult) -> None:
        """Prune all nodes that snap as this candidate does: also those that grew beside it."""
        tree = self.search.tree
        slots = np.flatnonzero(tree.active)
        controls = tree.pages.controls(slots, len(replayed.controls))
        self.search.prune(slots[self._follow(replayed, controls, tree.segments[slots])])

    def _follow(self, replayed: ReplayResult, controls: NDArray[np.int32], segments: Integers) -> NDArray[np.bool_]:
        """Return whether vines are longer than where a candidate snaps, with its controls up to there, shape (n,)."""
        length, full = replayed.ambiguous, self.search.params.segment_length
        snapping = replayed.controls[: segments_to(length, full)]
        return (segments * full > length) & (controls[:, : len(snapping)] == snapping).all(axis=1)

    def _cut(self, replayed: ReplayResult) -> None:
        """Prune the branch where the replay left it, because its descendants would fail too."""
        tree, parted, parting = self.search.tree, -1, PARTED * self.search.size
        slot, tips = replayed.parent, replayed.tips
        while slot >= 0 and tree.segments[slot] > 0:
            reached = tree.segments[slot] <= len(tips)
            if not reached or np.hypot(*(tips[tree.segments[slot] - 1, :2] - tree.tips[slot, :2])) > parting:
                parted = slot
            slot = int(tree.parent[slot])
        if parted >= 0:
            self.search.prune(tree.descendants(parted))
