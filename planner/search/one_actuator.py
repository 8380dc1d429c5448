"""All vines with one actuator: straight up to a start, bent by one entry of the catalogue up to an end, and straight from
there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dynamics.vine import Integers, Rollout, VineState, pivots_of
from planner.design.catalogue import LEAST_CELLS
from planner.search.controls import actuation
from planner.search.goal import goal_radius, in_goal
from planner.search.sst import Search
from planner.search.tree import Candidates
from surrogate.kernels.compiled import Floats

Item = TypeVar("Item")
BATCH = 100
"""Vines grown together."""


class OneBend(NamedTuple):
    """The controls of a vine with at most one actuator, except its length: it grows as far as it can."""

    start: int
    """Segments before the actuator."""
    control: int
    """Control of the segments with the actuator, see `planner.search.controls.actuation`."""
    length: int
    """Segments with the actuator; 0 is the straight vine."""


@dataclass(frozen=True, slots=True, eq=False)
class _Stem:
    """A vine that others branch off: its state at the end of each whole segment."""

    angles: Floats
    """Bends [rad] with one more segment in each row, shape (segments, its most segments)."""
    tips: Floats
    """x, y [m] and heading [rad], shape (segments, 3)."""


class OneActuator:
    """Grows vines with one actuator as the search grows its nodes, and keeps where their tips went.

    Vines with the same start share the straight vine up to there, and those with the same actuator the bent part: what is straight
    behind it branches off the states recorded at the ends of its segments.
    """

    def __init__(self, search: Search) -> None:
        """Grow the straight vine. Of the search only the rules and the model are used."""
        self.search = search
        self.entries = search.catalogue.synthesise_all()
        """Entries of the catalogue that the search draws, sorted by curvature."""
        self.steps = 0
        """Steps of all vines, with those at constant length."""
        self.grown = 0
        """Vines and bent parts grown."""
        self.looking = True
        """Whether states in the goal are kept."""
        self.tips: dict[OneBend, Floats] = {}
        """x, y of the tip at the end of each segment from the base on [m], shape (segments, 2), of each vine grown."""
        self._arrived: list[Candidates] = []
        self._arcs: dict[tuple[int, int], _Stem] = {}
        straight = np.zeros((1, search.max_segments), np.int32)
        rollout = self._grow([np.zeros(0)], np.zeros(1, np.int64), straight)
        self.trunk = _make_stem(rollout, 0, 0, search.params.segment_length)
        none = np.zeros(1, np.int64)
        self._note(rollout, straight, none, none)
        self.straight = self.take_arrived()
        """The states of the straight vine in which its tip is in the goal."""

    @property
    def last_start(self) -> int:
        """The last segment of the straight vine at which an actuator may begin."""
        return min(len(self.trunk.tips), self.search.max_segments - 1)

    def take_arrived(self) -> Candidates | None:
        """Return the states with the tip in the goal, by cost, that were reached since the last call; None if there are
        none."""
        arrived, self._arrived = self._arrived, []
        if not arrived:
            return None
        parts = zip(*(_parts(one) for one in arrived), strict=True)
        together = Candidates(*(np.concatenate(part) for part in parts))
        return together[np.argsort(self.search.cost(together.actuators, together.segments), kind="stable")]

    def longest(self, start: int, control: int) -> int:
        """Return the number of segments after which a vine that is bent to its end stops growing, once `grow_arcs` has grown
        it."""
        return len(self._arcs[start, control].tips)

    def grow_arcs(self, arcs: Collection[tuple[int, int]]) -> None:
        """Grow the vines that are bent from a start to their end, given by start and control, if they are not known."""
        for some in _batches(key for key in dict.fromkeys(arcs) if key not in self._arcs):
            starts, carried = np.array([start for start, _ in some]), self._carried(some)
            bends = [self.trunk.angles[start - 1] if start else np.zeros(0) for start, _ in some]
            rollout = self._grow(bends, starts, carried)
            for row, key in enumerate(some):
                self._arcs[key] = _make_stem(rollout, row, key[0], self.search.params.segment_length)
            # What ends here has the actuator up to its tip.
            self._note(rollout, carried, starts, rollout.segments - starts[:, None])

    def grow(self, vines: Iterable[OneBend]) -> None:
        """Grow vines that are not known. Their bent parts must have been grown, and be as long as that."""
        fresh = []
        for vine in dict.fromkeys(vines):
            if vine in self.tips:
                continue
            if vine.length == 0:
                self.tips[vine] = self.trunk.tips[:, :2]
            elif vine.start + vine.length == self.search.max_segments:
                self.tips[vine] = self._bent(vine)
            else:
                fresh.append(vine)
        for some in _batches(fresh):
            segments = np.array([vine.start + vine.length for vine in some])
            bends = [self._arcs[vine[:2]].angles[vine.length - 1] for vine in some]
            bent = self._carried([vine[:2] for vine in some])
            carried = np.where(np.arange(bent.shape[1]) < segments[:, None], bent, 0).astype(np.int32)
            rollout = self._grow(bends, segments, carried)
            for row, vine in enumerate(some):
                after = rollout.tips[row, : _count_whole_segments(rollout, row, self.search.params.segment_length), :2]
                self.tips[vine] = np.concatenate([self._bent(vine), after])
            starts = np.array([vine.start for vine in some])
            self._note(rollout, carried, starts, np.array([[vine.length] for vine in some]))

    @property
    def share(self) -> float:
        """Share of the vines with an actuator whose tip enters the goal from the actuator on [-], 0 without vines."""
        off, within = list(self._off().values()), goal_radius(self.search.environment, self.search.params)
        return float(np.mean(np.array(off) <= within)) if off else 0.0

    def nearest(self) -> Floats:
        """Return, for every start and control that was grown, over all lengths: see `studies.fewest.exhaustive.Coverage`."""
        least: dict[tuple[int, int], float] = {}
        for vine, off in self._off().items():
            least[vine[:2]] = min(least.get(vine[:2], np.inf), off)
        search, full = self.search, self.search.params.segment_length
        curvature, radius = search.catalogue.curvature, search.environment.goal[2]
        rows = [
            (start * full, np.sign(control) * curvature[abs(control) - 1], off - radius)
            for (start, control), off in sorted(least.items())
        ]
        return np.array(rows, float).reshape(-1, 3)

    def _off(self) -> dict[OneBend, float]:
        """Return the smallest distance of each vine's tip from the centre of the goal, from its actuator on [m]."""
        goal = self.search.environment.goal[:2]
        return {
            vine: float(np.linalg.norm(tips[vine.start :] - goal, axis=1).min())
            for vine, tips in self.tips.items()
            if vine.length
        }

    def _bent(self, vine: OneBend) -> Floats:
        arc = self._arcs[vine[:2]].tips[: vine.length, :2]
        return np.concatenate([self.trunk.tips[: vine.start, :2], arc])

    def _carried(self, arcs: Collection[tuple[int, int]]) -> NDArray[np.int32]:
        """Return the controls of vines that are bent from their start on, shape (len(arcs), max_segments)."""
        starts, controls = (np.array(part, np.int32)[:, None] for part in zip(*arcs, strict=True))
        return np.where(np.arange(self.search.max_segments) >= starts, controls, 0).astype(np.int32)

    def _grow(self, bends: Sequence[Floats], segments: Integers, carried: NDArray[np.int32]) -> Rollout:
        """Grow vines from states at the ends of segments as far as they can."""
        search, full, most = self.search, self.search.params.segment_length, self.search.max_segments
        angles = np.zeros(carried.shape)
        for row, own in enumerate(bends):
            angles[row, : len(own)] = own
        pivots = pivots_of(carried, search.tree.pivot)
        state = VineState(angles, np.maximum(segments, 1), np.where(segments > 0, full, 0.0), pivots)
        rollout = search.propagator.grow(state, actuation(carried, search.catalogue), (most - segments) * full, full)
        self.grown += len(segments)
        self.steps += int(rollout.steps.sum())
        self.steps += int(rollout.relaxations.sum()) if rollout.relaxations is not None else 0
        return rollout

    def _note(self, rollout: Rollout, carried: NDArray[np.int32], starts: Integers, bent: Integers) -> None:
        """Keep the states in which a tip is in the goal, if they end valid sections.

        Args:
            starts: Segments before each actuator, shape (vines,).
            bent: Segments with the actuator at each record, of a shape that broadcasts with (vines, records); 0 for none.
        """
        if not self.looking:
            return
        search = self.search
        recorded = np.arange(rollout.segments.shape[1]) < rollout.records[:, None]
        whole = recorded & np.isclose(rollout.last_length, search.params.segment_length)
        bent = np.broadcast_to(bent, whole.shape)
        control = carried[np.arange(len(carried)), np.minimum(starts, carried.shape[1] - 1)]
        cells = LEAST_CELLS * search.catalogue.l_0[np.abs(control) - 1][:, None]
        valid = (bent == 0) | (bent * search.params.segment_length >= cells)
        vine, record = np.nonzero(whole & valid)
        arrived = in_goal(rollout.tips[vine, record], search.environment, search.params)
        vine, record = vine[arrived], record[arrived]
        if not len(vine):
            return
        no, parents = np.zeros(len(vine), bool), np.full(len(vine), -1)
        states = rollout.angles[vine, record], carried[vine], rollout.segments[vine, record], rollout.tips[vine, record]
        actuators, alive = np.minimum(bent[vine, record], 1), np.zeros((len(vine), 0), bool)
        self._arrived.append(Candidates(*states, actuators, no, no, parents, vine, record, alive))


def _count_whole_segments(rollout: Rollout, row: int, full: float) -> int:
    """Return the number of records of a vine that end a segment: all but perhaps the last."""
    return int(np.isclose(rollout.last_length[row, : rollout.records[row]], full).sum())


def _make_stem(rollout: Rollout, row: int, start: int, full: float) -> _Stem:
    """Make the states of a vine of a rollout, which began with `start` segments."""
    count = _count_whole_segments(rollout, row, full)
    angles = rollout.angles[row, :count, : start + count].copy()
    return _Stem(angles, rollout.tips[row, :count].copy())


def _parts(candidates: Candidates) -> list[NDArray[Any]]:
    return [getattr(candidates, one.name) for one in fields(candidates)]


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    left = iter(items)
    while some := list(islice(left, BATCH)):
        yield some
