"""Exhaustive search for designs without an actuator and with one, on a grid that is refined where it leaves doubt.

A box of the grid has eight corners: two starts of the actuator, two entries of the catalogue and two lengths. Its *doubt* compares
how far the tips of the corners part with the way that they have left to the goal (`box_doubt`). Where it is below 1, a vine between them
reaches the goal only if it strays from them by more than they part. Boxes are halved in all three directions, the most doubtful
first, down to the grid of the search itself. What is left is no theorem: between two vines, a third may snap to another place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from planner.search.distance_field import DistanceField
from planner.search.goal import goal_radius
from planner.search.one_actuator import OneActuator, OneBend
from planner.search.solutions import REPLAYS, Solution, Solutions
from planner.search.sst import Search
from planner.search.tree import Candidates
from surrogate.kernels.compiled import Floats

COARSEST = 16
"""Size of the first boxes, in segments and in entries of the catalogue."""
TOGETHER = 32
"""Boxes that are halved together."""
SHARE = 8
"""All boxes are halved while this many times the steps so far are allowed: halving them takes about as many."""
ENOUGH = 1_000_000
"""Steps that are allowed once a design is known: the rest of the grid only shows how many others there are."""


class Box(NamedTuple):
    """A box of the grid, by its lowest corner."""

    start: int
    """Segments before the actuator."""
    entry: int
    """Index of the entry, by curvature."""
    length: int
    """Segments with the actuator."""
    side: int
    """1 to the left, -1 to the right."""
    size: int
    """Edge, in segments and entries."""


class BestFound(NamedTuple):
    """Outcome of the states in which a tip is in the goal."""

    best: Solution | None
    """The first design that its replay confirmed; then no others are replayed."""
    rejected: int
    """States whose replay misses the goal, or needs an ambiguous snap-through."""
    ambiguous: int
    """States whose replay needs an ambiguous snap-through."""

    @property
    def words(self) -> str:
        """For people."""
        if self.best:
            return "yes"
        if not self.rejected:
            return "no"
        return "only over ambiguous snaps" if self.ambiguous == self.rejected else "only until replayed"


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Vines that an exhaustive search has grown, and designs that it found."""

    straight: BestFound
    """The straight vine."""
    one: BestFound
    """The vines with one actuator."""
    vines: int
    """Vines grown, where parts that several share count as one more."""
    steps: int
    """Steps of all vines, with those at constant length."""
    spacing: int
    """Size of the largest boxes, in segments and entries of the catalogue; 1 if every vine of the search's grid was grown."""
    curvature_step: float
    """Largest difference between the curvatures of neighbouring corners of these boxes [1/m]."""
    doubt: float
    """Largest doubt of a box that could be halved [-], 0 if there is none."""
    doubtful: int
    """Number of such boxes with a doubt of at least 1."""
    share: float
    """Share of the vines with one actuator whose tip enters the goal on the way [-]."""
    nearest: Floats
    """Start [m], curvature [1/m], positive to the left, and the smallest distance of a tip from the goal's edge [m], negative within
    it, over all lengths of the actuator: of every start and curvature that was grown, shape (pairs, 3)."""

    @property
    def best(self) -> Solution | None:
        """The design with the fewest actuators that was found."""
        return self.straight.best or self.one.best

    @property
    def settled(self) -> bool:
        """Whether a design was found, or no doubtful box is left."""
        return self.best is not None or not self.doubtful


class BoxGrid:
    """The boxes that have been looked at and not been halved, each with its doubt."""

    def __init__(self, family: OneActuator) -> None:
        """Grow the corners of the first boxes."""
        self.family = family
        search = family.search
        self._field = DistanceField(
            search.environment, search.params.clearance, goal_radius(search.environment, search.params)
        )
        self.boxes: dict[Box, float] = {}
        """Boxes that may be halved, and the doubt of each."""
        self._starts, self._entries = max(family.last_start, 1), max(len(family.entries) - 1, 1)
        sides = product(range(0, self._starts, COARSEST), range(0, self._entries, COARSEST), (1, -1))
        bases = [Box(start, entry, 0, side, COARSEST) for start, entry, side in sides]
        self._grow_arcs(bases)
        self._add([base._replace(length=at) for base in bases for at in range(0, self._longest(base), COARSEST)])

    def halve(self, boxes: Sequence[Box]) -> None:
        """Replace boxes by those of half their size.

        Where the corners of a box stop growing, vines between them may grow farther: there boxes are added.
        """
        halves = []
        for box in boxes:
            del self.boxes[box]
            half = box.size // 2
            for i, j in product((0, half), repeat=2):
                if box.start + i < self._starts and box.entry + j < self._entries:
                    halves.append((Box(box.start + i, box.entry + j, box.length, box.side, half), self._ends(box)))
        self._grow_arcs([box for box, _ in halves])
        self._add(
            [
                box._replace(length=length)
                for box, last in halves
                for length in range(box.length, self._longest(box), box.size)
                if last or length < box.length + 2 * box.size
            ]
        )

    def most_doubtful(self, count: int) -> list[Box]:
        """Return the boxes to halve next."""
        return sorted(self.boxes, key=lambda box: (-self.boxes[box], box))[:count]

    def corners(self, box: Box) -> list[OneBend]:
        """Return the different vines at the corners of a box, as far as the grid goes."""
        arcs, ends = self._arcs(box), (box.length, box.length + box.size)
        vines = (OneBend(*arc, min(end, self.family.longest(*arc))) for arc in arcs for end in ends)
        return list(dict.fromkeys(vines))

    def _add(self, boxes: Sequence[Box]) -> None:
        self.family.grow(vine for box in boxes for vine in self.corners(box))
        for box in boxes:
            if box.size > 1:
                self.boxes[box] = self._doubt(box)

    def _arcs(self, box: Box) -> list[tuple[int, int]]:
        """Start and control of the corners of a box."""
        family = self.family
        starts = dict.fromkeys(min(box.start + off, family.last_start) for off in (0, box.size))
        entries = dict.fromkeys(min(box.entry + off, len(family.entries) - 1) for off in (0, box.size))
        return [(start, box.side * (int(family.entries[entry]) + 1)) for start in starts for entry in entries]

    def _grow_arcs(self, boxes: Sequence[Box]) -> None:
        self.family.grow_arcs([arc for box in boxes for arc in self._arcs(box)])

    def _ends(self, box: Box) -> bool:
        """Return whether all corners have stopped growing at the end of a box."""
        return box.length + box.size >= self._longest(box)

    def _longest(self, box: Box) -> int:
        """Length of the actuator at which all corners of a box have stopped growing."""
        return max(self.family.longest(*arc) for arc in self._arcs(box))

    def _doubt(self, box: Box) -> float:
        lines = [self.family.tips[vine][box.start :] for vine in self.corners(box)]
        return box_doubt(lines, [self._field.remaining(line) for line in lines])


def box_doubt(lines: Sequence[Floats], left: Sequence[Floats]) -> float:
    """Distance between the tips of vines over their distance to the goal, at the length at which the ratio is largest [-].

    A tip that goes no farther stays where it is. The distance between tips is that across the smallest upright rectangle around
    them; what they have left is that of the nearest one. The doubt is infinite if a tip is in the goal.

    Args:
        lines: x, y of each tip at equal lengths [m], shape (lengths, 2) each.
        left: What each has left to the goal there [m], shape (lengths,) each; at most 0 in the goal.
    """
    most = max(map(len, lines), default=0)
    index = [np.minimum(np.arange(most), len(line) - 1) for line in lines if len(line)]
    if not index:
        return 0.0
    lines, left = [line for line in lines if len(line)], [one for one in left if len(one)]
    tips = np.stack([line[at] for line, at in zip(lines, index, strict=True)])
    least = np.stack([one[at] for one, at in zip(left, index, strict=True)]).min(axis=0)
    apart = np.linalg.norm(np.ptp(tips, axis=0), axis=-1)
    return float((apart / least).max()) if least.min() > 0.0 else math.inf


def search_exhaustively(
    search: Search, most_steps: int, enough: int = ENOUGH, share: int = SHARE, together: int = TOGETHER
) -> Coverage:
    """Look for designs without an actuator and with one.

    All boxes of the grid are halved as often as the steps allow, or `enough` once a design is known. If there is none by then, the
    most doubtful ones are halved until the steps are spent or every vine of the search's grid has been grown.

    Args:
        search: Gives environment, tube, model and rules. Its tree is not used; its bound may be tightened.
        most_steps: Number of steps after which no further box is halved.
        enough: Number of steps that are allowed once a design is known.
        share: All boxes are halved while this many times the steps so far are allowed.
        together: Number of doubtful boxes that are halved together.
    """
    family = OneActuator(search)
    straight, one = _Replays(search), _Replays(search)
    straight.offer(family.straight)
    grid, size = BoxGrid(family), COARSEST
    one.offer(family.take_arrived())

    def found() -> bool:
        return straight.best is not None or one.best is not None

    while size > 1 and share * family.steps < (min(most_steps, enough) if found() else most_steps):
        family.looking = one.best is None
        grid.halve(list(grid.boxes))
        size //= 2
        one.offer(family.take_arrived())
    while not found() and grid.boxes and family.steps < most_steps:
        grid.halve(grid.most_doubtful(together))
        one.offer(family.take_arrived())
    doubts, curvature = list(grid.boxes.values()), search.catalogue.curvature[family.entries]
    spacing = max((box.size for box in grid.boxes), default=1)
    return Coverage(
        straight.tried,
        one.tried,
        vines=family.grown,
        steps=family.steps,
        spacing=spacing,
        curvature_step=float(np.diff([*curvature[:-1:spacing], curvature[-1]]).max(initial=0.0)),
        doubt=max(doubts, default=0.0),
        doubtful=sum(one >= 1.0 for one in doubts),
        share=family.share,
        nearest=family.nearest(),
    )


class _Replays:
    """Replays of states in the goal, until one of them is confirmed."""

    def __init__(self, search: Search) -> None:
        self.solutions = Solutions(search, keep=1)

    def offer(self, candidates: Candidates | None) -> None:
        """Replay states, as many at a time as the search does."""
        count = len(candidates.segments) if candidates else 0
        for first in range(0, count, REPLAYS):
            if candidates and self.best is None:
                self.solutions.offer(candidates[np.arange(first, min(first + REPLAYS, count))])

    @property
    def best(self) -> Solution | None:
        return self.solutions.best[0] if self.solutions.best else None

    @property
    def tried(self) -> BestFound:
        return BestFound(self.best, self.solutions.rejected, self.solutions.ambiguous)
