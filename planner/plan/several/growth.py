"""Growth of tubes for several environments in the worlds of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynamics.vine import Integers
from planner.design.design import Design
from planner.design.replay import grow_together
from planner.plan.choice.refinement import Candidate
from planner.plan.several.tubes import Mask, Tube, all_masks, in_environment
from planner.search.goal import GOAL_MARGIN
from planner.uncertainty.trials import Worlds, compute_goal_distances
from surrogate.kernels.compiled import Floats

DEEP = 0.5
"""Growth stops at the last record whose tip is at least this share of its greatest depth inside the goal [-], on its way through."""
TOGETHER = 128
"""Number of tubes that are grown as planned in one batch."""
COMPARED = 3
"""Number of masks of a tube, of those that reach the goal as planned, that are compared in worlds with errors."""
PLANNED = np.zeros(1, np.int64)
"""The row of worlds that is as planned."""


@dataclass(frozen=True, slots=True, eq=False)
class Common(Candidate):
    """A tube and how it did in the worlds of each environment; `nearest` and `planned` are those of the worst environment."""

    each: tuple[Candidate, ...]
    """Its design for each environment, and how that did there."""

    @classmethod
    def of(cls, design: Design, each: Sequence[Candidate]) -> Common:
        """Put the results of each environment together.

        Args:
            design: The tube with all actuators under pressure.
        """
        worst = max(each, key=lambda one: one.loss)
        return cls(design, worst.nearest, worst.planned, tuple(each))

    @property
    def rate(self) -> float:
        """The lowest rate of all environments: it needs to work in each."""
        return min(one.rate for one in self.each)

    @property
    def loss(self) -> float:
        """Half the mean and half the worst loss: that of the worst environment decides, but the others are not given up."""
        losses = [one.loss for one in self.each]
        return 0.5 * float(np.mean(losses)) + 0.5 * max(losses)

    @property
    def reached(self) -> bool:
        """Whether it ends in the goal of every environment as planned."""
        return all(one.planned <= -GOAL_MARGIN * self.design.params.scale for one in self.each)

    @property
    def tube(self) -> Tube:
        """The tube, and which actuators are under pressure where."""
        masks = tuple(tuple(section.on for section in one.design.actuated) for one in self.each)
        return Tube(self.design, masks)


def grow_tubes(tubes: Sequence[Tube], worlds: Sequence[Worlds], rows: Integers) -> list[Common]:
    """Grow tubes in some worlds of each environment; tubes that miss its goal as planned are not grown in its other worlds.

    Args:
        worlds: Worlds of each environment; the first is as planned.
        rows: Numbers of worlds, the first 0.
    """
    each = [
        _grown([in_environment(tube.design, tube.masks[k], one.environment) for tube in tubes], one, rows)
        for k, one in enumerate(worlds)
    ]
    return [Common.of(tube.design, found) for tube, found in zip(tubes, zip(*each, strict=True), strict=True)]


def best_masked(design: Design, own: Sequence[Mask], worlds: Sequence[Worlds], rows: Integers) -> Common:
    """A tube with the best mask for each environment, of those of `planner.plan.several.tubes.all_masks`.

    Args:
        own: The mask in each environment so far.
    """
    return Common.of(design, [_best(design, mask, one, rows) for mask, one in zip(own, worlds, strict=True)])


def _best(design: Design, own: Mask, worlds: Worlds, rows: Integers) -> Candidate:
    designs = [in_environment(design, mask, worlds.environment) for mask in all_masks(own)]
    planned = _grown(designs, worlds, PLANNED)
    first = sorted(planned, key=lambda one: one.loss)[:COMPARED]
    if len(rows) == 1:
        return first[0]
    again = [planned[0], *(one for one in first if one is not planned[0])]
    return min(_grown([replace(one.design, stop=None) for one in again], worlds, rows), key=lambda one: one.loss)


def _grown(designs: list[Design], worlds: Worlds, rows: Integers) -> list[Candidate]:
    """Designs for one environment, with the length at which growth stops there."""
    stopped, ends = [], list[float]()
    for first in range(0, len(designs), TOGETHER):
        some = designs[first : first + TOGETHER]
        for design, (stop, end) in zip(some, _stops(some, worlds), strict=True):
            stopped.append(replace(design, stop=stop))
            ends.append(end)
    nearest = np.repeat(np.array(ends)[:, None], len(rows), axis=1)
    inside = -GOAL_MARGIN * worlds.params.scale
    good = [k for k, end in enumerate(ends) if end <= inside]
    if good and len(rows) > 1:
        nearest[good], _ = compute_goal_distances([stopped[k] for k in good], worlds, rows)
    return [Candidate(*one) for one in zip(stopped, nearest, ends, strict=True)]


def _stops(designs: list[Design], worlds: Worlds) -> list[tuple[float | None, float]]:
    """Where growth of each design stops as planned, None at its end, and how far its tip then is from the goal's edge [m]."""
    goal, segment = worlds.environment.goal, worlds.params.segment_length
    rollout = grow_together(designs, worlds.planned)
    found = list[tuple[float | None, float]]()
    for vine, design in enumerate(designs):
        tips = rollout.tips[vine, : rollout.records[vine], :2]
        distance: Floats = np.hypot(*(tips - goal[:2]).T) - goal[2]
        if not len(distance):
            found.append((None, float(np.hypot(*(worlds.environment.start[:2] - goal[:2])) - goal[2])))
            continue
        last = int(distance.argmin())
        if distance[last] < 0:
            # A tip that stays longer than it takes to grow straight through the goal is held there, and the tube buckles behind it.
            inside = int(np.argmax(distance < 0))
            through = distance[: inside + max(round(2 * goal[2] / segment), 1)]
            last = int(np.flatnonzero(through <= DEEP * through.min())[-1])
        stop = None if last >= design.segments - 1 else float((last + 1) * segment)
        found.append((stop, float(distance[last])))
    return found
