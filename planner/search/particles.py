"""Particles: the vines of a search tree, grown with the same controls in further worlds that are not quite as planned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.propagator import CannotRun
from dynamics.vine import Integers, Rollout, VineState, pivots_of, to_host
from planner.design.catalogue import Catalogue
from planner.search.controls import sections_of
from planner.search.tree import Tree
from planner.uncertainty.deviations import Actuators, SectionErrors, actuation_with
from planner.uncertainty.trials import Worlds
from surrogate.kernels.compiled import Floats

NEAR = 3.0
"""A particle survives while its tip is within this many radii of the tip of the vine as planned [-]: farther away, it is in another
passage or farther off than most goals are wide."""
SECTIONS = 12
"""Maximum number of actuators of a vine."""
MOST_BYTES = 4_000_000_000
"""Maximum memory for the particles of a tree [bytes]."""


@dataclass(frozen=True, slots=True, eq=False)
class GrownParticles:
    """The particles of V vines, while the vines grow. P particles each."""

    rollout: Rollout | None
    """None if no particle was alive."""
    row: Integers
    """Row of the rollout of each particle, -1 if it was not alive, shape (V, P)."""

    def survive(self, vine: Integers, record: Integers, tips: Floats, near: float) -> NDArray[np.bool_]:
        """Return whether each particle is alive where its vine has a record, shape (n, P).

        Args:
            tips: x, y of the vines there [m], shape (n, 2).
            near: Distance from there within which a particle survives [m].
        """
        row, at = self.row[vine], np.broadcast_to(record[:, None], self.row[vine].shape)
        alive = row >= 0
        if self.rollout is not None:
            rows = self.rollout.records[row], self.rollout.broken[row]
            alive &= (at < rows[0]) & (rows[1] < 0)
            found = self.rollout.tips[row, np.where(alive, at, 0), :2]
            alive &= np.hypot(*np.moveaxis(found - tips[:, None], -1, 0)) <= near
        return alive

    def angles(self, vine: Integers, record: Integers, alive: NDArray[np.bool_]) -> Floats:
        """Return the bends of the particles there [rad], 0 for those that are not alive, shape (n, P, max_segments)."""
        if self.rollout is None:
            raise ValueError("no particle has grown")
        angles: Floats = np.zeros((*alive.shape, self.rollout.angles.shape[2]))
        n, p = np.nonzero(alive)
        angles[n, p] = to_host(self.rollout.angles[self.row[vine[n], p], record[n]])
        return angles


class Particles:
    """The particles of the nodes of a tree."""

    def __init__(self, worlds: Worlds, catalogue: Catalogue, max_segments: int) -> None:
        """Prepare the particles of an empty tree, one per world and node."""
        self.worlds, self.catalogue, self.params, self.max_segments = worlds, catalogue, worlds.params, max_segments
        assert worlds.uncertainty is not None
        self.errors = SectionErrors.draw(SECTIONS, worlds.uncertainty, worlds.trials, worlds.seed)
        self.angles: Floats = np.zeros((0, len(worlds), max_segments))
        """Bends of the particles of each node [rad], shape (slots, P, max_segments)."""
        self.alive: NDArray[np.bool_] = np.zeros((0, len(worlds)), bool)
        """Whether each particle is alive, shape (slots, P)."""

    def put(self, slots: Integers, room: int, alive: NDArray[np.bool_]) -> None:
        """Set which particles of nodes are alive, after making room for all slots of the tree.

        Args:
            slots: The nodes, shape (n,).
            room: Number of slots of the tree.
            alive: Shape (n, P).
        """
        self.reserve(room)
        self.alive[slots] = alive

    def reserve(self, slots: int) -> None:
        """Make room for the nodes of a tree.

        Raises:
            CannotRun: It would take too much memory.
        """
        missing = slots - len(self.alive)
        if missing <= 0:
            return
        if (needed := 8 * slots * len(self.worlds) * self.max_segments) > MOST_BYTES:
            raise CannotRun(
                f"the particles of {slots} nodes take {needed / 1e9:.1f} GB; at most {MOST_BYTES / 1e9:g} GB are allowed: plan with "
                "fewer particles or a smaller time budget"
            )
        self.angles = np.concatenate([self.angles, np.zeros((missing, *self.angles.shape[1:]))])
        self.alive = np.concatenate([self.alive, np.zeros((missing, self.alive.shape[1]), bool)])

    def to_arrays(self, tree: Tree) -> dict[str, NDArray[Any]]:
        """Return the particles of the nodes of a tree as a few arrays, for `restore`; of each only the grown part."""
        slots = np.flatnonzero(tree.used)
        grown = np.arange(self.max_segments) < tree.segments[slots, None, None]
        return {
            "particle_alive": self.alive[slots].ravel(),
            "particle_angles": self.angles[slots][self.alive[slots][..., None] & grown],
        }

    def restore(self, tree: Tree, alive: NDArray[np.bool_], angles: Floats) -> None:
        """Restore the particles of a restored tree from `to_arrays`."""
        slots = np.flatnonzero(tree.used)
        self.reserve(len(tree.used))
        self.alive[slots] = alive.reshape(len(slots), -1)
        bends = np.zeros((len(slots), *self.angles.shape[1:]))
        grown = np.arange(self.max_segments) < tree.segments[slots, None, None]
        bends[self.alive[slots][..., None] & grown] = angles
        self.angles[slots] = bends

    def grow(self, nodes: Integers, segments: Integers, carried: NDArray[np.int32], until: Integers) -> GrownParticles:
        """Grow the particles of vines that are alive.

        Args:
            nodes: Node from which each vine grows, shape (V,).
            segments: Number of its segments, shape (V,).
            carried: Control of each segment, shape (V, max_segments).
            until: Number of segments to which it grows, shape (V,).
        """
        alive = self.alive[nodes] & (until > segments)[:, None]
        vine, particle = np.nonzero(alive)
        row = np.full(alive.shape, -1)
        row[vine, particle] = np.arange(len(vine))
        if not len(vine):
            return GrownParticles(None, row)
        full, length = self.params.segment_length, self.params.segment_length * self.max_segments
        planned = self._actuators(carried)
        errors = SectionErrors(*(getattr(self.errors, name)[particle] for name in SectionErrors.__slots__))
        rows = Actuators._make(part[vine] for part in planned)
        actuation = actuation_with(
            rows, errors, self.worlds.errors.cell[particle], self.params, (length, self.max_segments)
        )
        state = VineState(
            self.angles[nodes[vine], particle],
            np.maximum(segments[vine], 1),
            np.where(segments[vine] > 0, full, 0.0),
            pivots_of(actuation.sides, self.params.pivot),
        )
        worlds, lengths = self.worlds, full * (until - segments)[vine]
        models = worlds.models(full * int(until[vine].max()))
        rollout = worlds.planned.grow_in(models, particle, state, actuation, lengths, full)
        return GrownParticles(rollout, row)

    def _actuators(self, carried: NDArray[np.int32]) -> Actuators:
        """Return the actuators of vines with these controls, shape (V, SECTIONS) each; without a side beyond the last."""
        found = np.zeros((6, len(carried), SECTIONS))
        for vine, controls in enumerate(carried):
            sections = sections_of(controls, self.params.segment_length, self.catalogue)
            actuated = [section for section in sections if section.actuated][:SECTIONS]
            for k, one in enumerate(actuated):
                found[:, vine, k] = one.start, one.end, one.sense, one.l_0, one.pressure, one.kind
        return Actuators._make([*found[:5], found[5].astype(np.int64)])
