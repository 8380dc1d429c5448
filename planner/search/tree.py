"""The search tree: vines, their controls and their parents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.propagator import Propagator
from dynamics.tube import VineParams
from dynamics.vine import Array, Integers, VineState, centerlines, convert_like, pivots_of, to_host
from planner.search.pages import Pages
from surrogate.kernels.compiled import Floats

Counts = Integers | Floats
"""Numbers of actuators; where vines are steered, with a part of one for each change of pressure."""
KEPT = "segments", "tips", "actuators", "straight", "jumped", "parent", "active"
"""Properties of a node in a checkpoint, in addition to its vine; the others follow from these."""

TOGETHER = 1000
"""Number of nodes whose vines are looked at together: as many rows as wide as the longest of them take memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Vines that are added to a tree, one per row: properties as in `Tree`."""

    angles: Array
    controls: NDArray[np.int32]
    segments: Integers
    tips: Floats
    actuators: Counts
    straight: NDArray[np.bool_]
    jumped: NDArray[np.bool_]
    parents: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Candidates(Nodes):
    """Recorded states that may become nodes, one per row."""

    vine: Integers
    """Row of the rollout that recorded them."""
    record: Integers
    alive: NDArray[np.bool_]
    """Whether each particle survives, shape (rows, P), with P = 0 in a search without particles."""

    @property
    def level(self) -> Integers:
        """Number of particles that survive, shape (rows,)."""
        return self.alive.sum(axis=1)

    def __getitem__(self, rows: Integers | NDArray[np.bool_]) -> Candidates:
        return Candidates(*(getattr(self, one.name)[rows] for one in fields(self)))


@dataclass(frozen=True, slots=True, eq=False)
class StraightVines:
    """Bends of vines before they grow, as a propagator makes them; no function within another, which cannot be pickled."""

    propagator: Propagator

    def __call__(self, count: int, segments: int) -> Array:
        """Make the bends [rad], shape (count, segments)."""
        return self.propagator.start(count, segments).angles


class Tree:
    """Nodes in growing arrays; slots of pruned leaves are reused.

    A node is active while it represents a witness. An inactive node is kept as long as it has children.
    """

    def __init__(self, unbent: Callable[[int, int], Array], pivot: float = 0.0) -> None:
        """Make an empty tree.

        Args:
            unbent: See `Pages`.
            pivot: Distance of a joint's pivot from the centreline under an actuator [m], see `VineState.pivots`.
        """
        self.pivot = pivot
        self._free: list[int] = []
        self._unbent = unbent
        self.pages = Pages(unbent)
        """Bends [rad] and control of each segment, one row per slot."""
        self.segments: Integers = np.zeros(0, np.int64)
        self.tips: Floats = np.zeros((0, 3))
        self.actuators: Counts = np.zeros(0, np.int64)
        """Price of the bends up to the node, in actuators, shape (slots,): the number of actuated sections, unless some are preformed."""
        self.straight: NDArray[np.bool_] = np.zeros(0, bool)
        """Whether the vine has been grown without an actuator; growth is deterministic, so once is enough."""
        self.jumped: NDArray[np.bool_] = np.zeros(0, bool)
        """Whether the vine has jumped on the way (see `dynamics.jumps`), shape (slots,); then so have its descendants."""
        self.to_go: Floats = np.zeros(0)
        """Estimated cost from the tip to the goal; set by the caller."""
        self.parent: Integers = np.zeros(0, np.int64)
        """Parent slot, -1 for the root and for free slots."""
        self.children: Integers = np.zeros(0, np.int64)
        self.active: NDArray[np.bool_] = np.zeros(0, bool)
        self.used: NDArray[np.bool_] = np.zeros(0, bool)

    def __len__(self) -> int:
        return int(self.used.sum())

    def _reserve(self, count: int) -> None:
        missing = count - len(self._free)
        if missing <= 0:
            return
        slots = len(self.used)
        more = max(missing, slots, 256)
        self.pages.reserve(slots + more)
        for name in (*KEPT, "to_go", "children", "used"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros((more, *array.shape[1:]), array.dtype)]))
        self._free += range(slots + more - 1, slots - 1, -1)

    def add(self, nodes: Nodes) -> Integers:
        """Add active nodes; return their slots."""
        count, parents = len(nodes.segments), nodes.parents
        self._reserve(count)
        slots = np.array([self._free.pop() for _ in range(count)], dtype=np.int64)
        self.pages.put(slots, nodes.angles, nodes.controls, nodes.segments)
        for name in ("segments", "tips", "actuators", "straight", "jumped"):
            getattr(self, name)[slots] = getattr(nodes, name)
        self.parent[slots], self.children[slots] = parents, 0
        self.active[slots] = self.used[slots] = True
        np.add.at(self.children, parents[parents >= 0], 1)
        return slots

    def retire(self, slots: Integers) -> None:
        """Deactivate nodes; free those without children, and their inactive ancestors that have no other children."""
        self.active[slots] = False
        for slot in slots.tolist():
            while slot >= 0 and self.used[slot] and not self.active[slot] and self.children[slot] == 0:
                parent = int(self.parent[slot])
                self.used[slot] = False
                self.parent[slot] = -1
                self._free.append(slot)
                self.pages.free(slot)
                if parent >= 0:
                    self.children[parent] -= 1
                slot = parent

    def move(self, slot: int, parent: int) -> None:
        """Make a node the child of another one, of which its vine is a continuation; the node must keep its parent so far."""
        self.children[self.parent[slot]] -= 1
        self.parent[slot] = parent
        self.children[parent] += 1

    def to_arrays(self, root_only: bool = False) -> dict[str, NDArray[Any]]:
        """Return the nodes as a few arrays, for `restore`; with `root_only` those of a tree that has not grown yet.

        Of every vine only the grown part is stored: `angles` and `controls` are concatenated over the vines. `free` are
        the free slots in the order of their reuse, on which the continuation of a search depends. Prices that are no whole numbers
        are rounded down: they follow from the controls.
        """
        slots = np.flatnonzero(self.used)[: 1 if root_only else None]
        total, done = int(self.segments[slots].sum()), 0
        angles, controls = np.empty(total), np.empty(total, np.int32)
        for some in parts_of(slots):
            width = int(self.segments[some].max(initial=0))
            grown = np.arange(width) < self.segments[some, None]
            part = slice(done, done := done + int(grown.sum()))
            angles[part] = to_host(self.pages.bends(some, width))[grown]
            controls[part] = self.pages.controls(some, width)[grown]
        return {
            "slots": slots,
            "free": np.array([] if root_only else self._free, np.int64),
            "angles": angles,
            "controls": controls,
            **{name: getattr(self, name)[slots] for name in KEPT},
            "actuators": self.actuators[slots].astype(np.int64),
        }

    def restore(self, nodes: dict[str, NDArray[Any]]) -> None:
        """Restore the nodes from `to_arrays`, without their cost-to-go, which the caller must set."""
        slots, self._free = nodes["slots"], nodes["free"].tolist()
        count = len(slots) + len(self._free)
        self.pages = Pages(self._unbent)
        self.pages.reserve(count)
        for name in ("to_go", "children", "used", *KEPT):
            array = getattr(self, name)
            setattr(self, name, np.zeros((count, *array.shape[1:]), array.dtype))
        self.parent[:] = -1
        for name in KEPT:
            getattr(self, name)[slots] = nodes[name]
        self.used[slots] = True
        self.children += np.bincount(nodes["parent"][nodes["parent"] >= 0], minlength=count)
        done = 0
        for some in parts_of(slots):
            segments = self.segments[some]
            grown = np.arange(segments.max(initial=0)) < segments[:, None]
            bends, controls = np.zeros(grown.shape), np.zeros(grown.shape, np.int32)
            after = done + int(segments.sum())
            bends[grown], controls[grown] = nodes["angles"][done:after], nodes["controls"][done:after]
            self.pages.put(some, convert_like(self._unbent(0, 1), bends), controls, segments)
            done = after

    def lengths_before(self, slot: int) -> list[int]:
        """Return the numbers of segments of a node and its ancestors, without the root, the longest first."""
        lengths = []
        while slot >= 0 and self.segments[slot] > 0:
            lengths.append(int(self.segments[slot]))
            slot = int(self.parent[slot])
        return lengths

    def descendants(self, slot: int) -> Integers:
        """Return a node and all its descendants."""
        inside = np.zeros(len(self.used), bool)
        inside[slot] = True
        while True:
            more = self.used & ~inside & (self.parent >= 0) & inside[self.parent]
            if not more.any():
                return np.flatnonzero(inside)
            inside |= more

    def state(self, slots: Integers, segment_length: float, width: int | None = None) -> VineState:
        """Return the vines of nodes as a batch; nodes are at the ends of segments.

        Args:
            width: Number of segments for which there is capacity; None for that of the longest of them.
        """
        width = int(self.segments[slots].max(initial=1)) if width is None else width
        lengths = np.where(self.segments[slots] > 0, segment_length, 0.0)
        pivots = pivots_of(self.pages.controls(slots, width), self.pivot)
        return VineState(self.pages.bends(slots, width), np.maximum(self.segments[slots], 1), lengths, pivots)


def parts_of(slots: Integers) -> list[Integers]:
    """Return slots in parts of about `TOGETHER`, at least one, which may be empty."""
    return np.array_split(slots, len(slots) // TOGETHER + 1)


def branches_of(tree: Tree, start: Floats, params: VineParams, slots: Integers | None = None) -> list[Floats]:
    """Return the branches of a search tree: the joints of each node from its parent's tip to its own [m], one (n, 2) per node.

    Args:
        start: Base pose x [m], y [m], heading [rad].
        slots: Nodes with a parent; None takes all of them.
    """
    if slots is None:
        slots = np.flatnonzero(tree.used & (tree.parent >= 0))
    branches: list[Floats] = []
    for some in parts_of(slots):
        segments = tree.segments[some]
        joints = centerlines(tree.state(some, params.segment_length), start, params)
        first = tree.segments[tree.parent[some]]
        branches += [line[a : b + 1].copy() for line, a, b in zip(joints, first, segments, strict=True)]
    return branches
