"""Snap-throughs of a growing vine, and the selection of those that depend on unknown damping."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynamics.relaxations import PARTED, Relaxations
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers, Rollout, VineState
from surrogate.kernels.compiled import Floats


@dataclass(frozen=True, slots=True)
class Snaps:
    """Snap-throughs of vines of a rollout, one per row, in order of vine and length."""

    vine: Integers
    """The vine that snaps through, shape (snaps,)."""
    length: Floats
    """Its length [m], shape (snaps,)."""
    tip: Floats
    """Its tip before, x and y [m], shape (snaps, 2)."""
    energy: Floats
    """Bending energy that it releases [J], shape (snaps,)."""
    bends: Floats
    """Its bends just before [rad], shape (snaps, max_segments)."""
    apart: Floats
    """Distance between its equilibria by inertia, by drag and by the viscosity of its joints [m], shape (snaps,); NaN if not examined."""

    @classmethod
    def of(cls, rollout: Rollout, vine: int) -> Snaps:
        """Collect the snap-throughs of one vine of a rollout."""
        if rollout.snaps is None or rollout.snapping is None:
            return cls(np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 2)), np.zeros(0), np.zeros((0, 0)), np.zeros(0))
        known = ~np.isnan(rollout.snaps[vine, :, 0])
        found, bends = rollout.snaps[vine, known], rollout.snapping[vine, known]
        unknown = np.full(len(found), np.nan)
        return cls(np.full(len(found), vine), found[:, 0], found[:, 1:3], found[:, 3], bends, unknown)

    def select(self, k: int) -> Snaps:
        """Select snap-through k."""
        only = slice(k, k + 1)
        return Snaps(
            self.vine[only], self.length[only], self.tip[only], self.energy[only], self.bends[only], self.apart[only]
        )

    def states(self, params: VineParams) -> VineState:
        """Return the states of the vines just before they snap through."""
        segments = np.maximum(np.ceil(self.length / params.segment_length - 1e-9).astype(np.int64), 1)
        return VineState(self.bends, segments, self.length - (segments - 1) * params.segment_length)

    def examine(self, actuation: Actuation, relaxations: Relaxations) -> Snaps:
        """Examine the snap-throughs: add the distance between their equilibria by the three relaxations.

        Args:
            actuation: Actuation of the vine of each snap-through at that moment, shape (snaps, segments).
        """
        if not len(self.vine):
            return self
        return replace(self, apart=relaxations.relax(self.states(relaxations.params), actuation).apart)

    def find_ambiguous(self, params: VineParams) -> Integers:
        """Find the snap-throughs whose outcome depends on the damping."""
        return np.flatnonzero(self.apart > PARTED * params.scale)
