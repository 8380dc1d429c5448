"""A search in one environment for a tube that others use already: its actuators are given, each on or off, and cost nothing.

New actuators fit only where the tube is bare so far. In the other environments they are off, so that a solution here is one there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from dynamics.vine import Integers, Rollout
from planner.design.design import Design
from planner.plan.several.tubes import Mask, Tube
from planner.search.controls import sections_of
from planner.search.run import Run
from planner.search.sampling import Growths
from planner.search.solutions import Solution, Solutions
from planner.search.sst import Search
from planner.search.tree import Candidates

Controls = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class FixedActuators:
    """A tube by its controls, and how some environments use it."""

    controls: Controls
    """Control of each segment, shape (segments,), see `planner.search.controls.actuation`."""
    masks: tuple[Mask, ...]
    """One for each of these environments."""

    @classmethod
    def of(cls, solution: Solution) -> FixedActuators:
        """The tube of a solution of one environment."""
        count = len(runs_of(solution.controls))
        return cls(solution.controls, ((True,) * count,))

    def with_solution(self, solution: Solution) -> FixedActuators:
        """The tube with the new actuators of a solution for one more environment."""
        own = solution.controls
        longest = max(len(own), len(self.controls))
        before, found = (np.pad(part, (0, longest - len(part))) for part in (self.controls, own))
        controls = np.where(before != 0, before, found)
        starts, old = [first for first, _ in runs_of(controls)], {first for first, _ in runs_of(self.controls)}
        masks = []
        for mask in self.masks:
            marks = iter(mask)
            masks.append(tuple(first in old and next(marks) for first in starts))
        masks.append(tuple(bool(found[first]) for first in starts))
        return FixedActuators(controls, tuple(masks))

    def tube(self, run: Run, order: list[int]) -> Tube:
        """Fix the actuators of a tube.

        Args:
            run: A search whose catalogue the controls belong to.
            order: Number of the environment of each mask.
        """
        sections = sections_of(self.controls, run.params.segment_length, run.search.catalogue)
        base, line = run.environment, run.environment.start[None, :2]
        design = Design(base.name, base.sha256, run.params, sections, base.start, line)
        return Tube(design, tuple(self.masks[order.index(k)] for k in range(len(order))))


def runs_of(controls: Controls) -> list[tuple[int, int]]:
    """First segment of each actuator, and that after its last."""
    found, first = [], 0
    for control, same in groupby(controls.tolist()):
        after = first + len(list(same))
        if control:
            found.append((first, after))
        first = after
    return found


class GivenSearch(Search):
    """A search for vines that are bent by given actuators, each of which is on or off, and by new ones where there are none."""

    def __init__(self, like: Search, given: Controls, rng: np.random.Generator) -> None:
        """Begin it.

        Args:
            like: A search in the same environment, with the same settings.
            given: Controls of the tube so far, shape (segments,).
            rng: Its random numbers.
        """
        super().__init__(like.environment, like.propagator, like.params, rng, like.batch)
        self.given = np.zeros(self.max_segments + 1, np.int32)
        self.given[: min(len(given), self.max_segments)] = given[: self.max_segments]
        changes = np.flatnonzero(np.diff(self.given)) + 1
        spans = [0, *changes.tolist(), self.max_segments + 1]
        self.begin, self.end = np.zeros((2, self.max_segments + 1), np.int64)
        for first, after in pairwise(spans):
            self.begin[first:after], self.end[first:after] = first, min(after, self.max_segments)

    def _sample(self, nodes: Integers) -> Growths:
        """See `Search`, but only up to the next end of a given actuator or its beginning; a given one is on or off."""
        at = self.tree.segments[nodes]
        inside = self.given[at] != 0
        held, at = nodes[inside], at[inside]
        parts = [super()._sample(nodes[~inside])] if not inside.all() else []
        on = self.tree.straight[held] | (self.rng.random(len(held)) < 0.5)
        chosen = np.where(on, self.given[at], 0)
        before = self.tree.pages.control(held, np.maximum(at - 1, 0))
        controls = np.where(self.begin[at] == at, chosen, before).astype(np.int32)
        parts.append(Growths(held, controls, self.end[at] - at, self.end[at] - at))
        nodes, controls, bent, segments = (np.concatenate(part) for part in zip(*parts, strict=True))
        left = self.end[self.tree.segments[nodes]] - self.tree.segments[nodes]
        return Growths(nodes, controls.astype(np.int32), np.minimum(bent, left), np.minimum(segments, left))

    def _candidates(self, rollout: Rollout, nodes: Integers, controls: Controls, carried: Controls) -> Candidates:
        """See `Search`; given actuators are not counted, and no node is within one, unless it is in the goal."""
        old = self.tree.segments[nodes]
        previous = self.tree.pages.control(nodes, np.maximum(old - 1, 0))
        counted = (self.given[old] != 0) & (controls != 0) & ((old == 0) | (controls != previous))
        found = super()._candidates(rollout, nodes, controls, carried)
        found = replace(found, actuators=found.actuators - counted[found.vine])
        goal, last = self.environment.goal, found.segments - 1
        arrived = np.hypot(*(found.tips[:, :2] - goal[:2]).T) <= goal[2]
        return found[(self.given[last] == 0) | (self.end[last] == found.segments) | arrived]


def prepare_run(run: Run, given: Controls, seed: int, keep: int) -> Run:
    """A search in the environment of a run for a tube that is given in part; it keeps up to `keep` solutions."""

    def begin(rng: np.random.Generator) -> tuple[Search, Solutions]:
        search = GivenSearch(run.search, given, rng)
        return search, Solutions(search, keep, True, run.solutions.slack)

    return Run.of(run.environment, run.params, run.propagator, begin, seed)
