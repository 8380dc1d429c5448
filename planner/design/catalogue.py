"""Actuator synthesis: actuators for given curvatures, from tube moment and actuator force (paper 002, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.preformed import largest_turn
from dynamics.tube import VineParams
from dynamics.vine import Integers
from planner.design.head_room import actuators_with_head_room
from surrogate.kernels.compiled import Floats

LEAST_CELLS = 2
"""Minimum number of cells of a section."""


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """All actuators that can be fabricated and have head room, with the free-space curvature of the tube; behind them preformed bends, if
    there are any.

    The curvature depends on the tube's moment as well as on the actuator's force, so it is not a property of the actuator.
    """

    l_0: Floats
    """Cell length [m], shape (entries,); 0 for a preformed bend."""
    pressure: Floats
    """Actuator pressure [Pa], shape (entries,); 0 for a preformed bend."""
    curvature: Floats
    """Free-space curvature of the centreline [1/m], shape (entries,): 1 / curvature is the radius of the arc in space."""
    turn: Floats
    """Angle per length of film of the preformed bends [1/m], which are the last entries, shape (bends,)."""
    kind: Integers
    """Number of the actuator in `VineParams.actuators`, shape (entries,); 0 for a preformed bend."""

    @classmethod
    def of(cls, params: VineParams, bends: int = 0) -> Catalogue:
        """Evaluate the grids of a tube's actuators (takes a few milliseconds, plus the force tables).

        Args:
            bends: Number of preformed bends, whose turns per length are evenly spaced up to the largest that can be folded.
        Raises:
            InvalidTube: One of the actuators has no pressure with head room, see `actuators_with_head_room`.
        """
        every = []
        for number, actuator in enumerate(params.actuators):
            pressure, l_0 = np.meshgrid(actuator.grid.pressure, actuator.grid.l_0, indexing="ij")
            every.append((pressure.ravel(), l_0.ravel(), np.full(pressure.size, number)))
        pressure, l_0, kind = (np.concatenate(parts) for parts in zip(*every, strict=True))
        film = free_curvature(joint_moments(params), pressure, l_0, kind)
        kept = actuators_with_head_room(params, pressure, l_0, kind, film)
        turn, none = largest_turn(params) * np.arange(1, bends + 1) / max(bends, 1), np.zeros(bends)
        return cls(
            np.concatenate([l_0[kept], none]),
            np.concatenate([pressure[kept], none]),
            centerline_curvature(np.concatenate([film[kept], turn]), params),
            turn,
            np.concatenate([kind[kept], none.astype(np.int64)]),
        )

    @property
    def actuators(self) -> int:
        """Number of entries that are actuators."""
        return len(self.curvature) - len(self.turn)

    @property
    def reachable(self) -> tuple[float, float]:
        """Minimum and maximum curvature that actuators reach [1/m]."""
        ranges = self.ranges
        return float(ranges[:, 0].min()), float(ranges[:, 1].max())

    @property
    def ranges(self) -> Floats:
        """Minimum and maximum curvature that each actuator reaches [1/m], shape (actuators of the tube, 2)."""
        each = [self.curvature[self._entries_of(number)] for number in range(self.kind.max() + 1)]
        return np.array([(curvature.min(), curvature.max()) for curvature in each])

    def draw(self, rng: np.random.Generator, count: int) -> Integers:
        """Draw entries for random curvatures, uniform over the range of each actuator, all actuators equally likely, shape
        (count,)."""
        ranges = self.ranges
        kind = rng.integers(len(ranges), size=count) if len(ranges) > 1 else np.zeros(count, np.int64)
        return self.synthesise(rng.uniform(*ranges[kind].T), kind)[0]

    def synthesise(self, curvature: ArrayLike, kind: ArrayLike = 0) -> tuple[Integers, Floats]:
        """Choose actuators for given curvatures: the highest pressure that can reach it, then the closest cell length.

        High pressures bend more consistently. Of two equally close cell lengths, the shorter is taken. Where no pressure's cells lie
        on both sides of a curvature, as with an actuator whose force does not depend on its cells, the closest entry is taken.

        Args:
            curvature: Desired curvatures of the centreline [1/m], positive, any shape.
            kind: Number of the actuator in `VineParams.actuators`, broadcast against it.
        Returns:
            Entries of the catalogue, and the error of each, reached minus desired [1/m]; both of that shape.
        Raises:
            ValueError: A curvature cannot be reached at any pressure.
        """
        wanted, number = np.broadcast_arrays(np.asarray(curvature, float), np.asarray(kind, np.int64))
        entry = np.full(wanted.shape, -1)
        for one in np.unique(number):
            entry[number == one] = self._nearest(wanted[number == one], int(one))
        return entry, self.curvature[entry] - wanted

    def _nearest(self, wanted: Floats, kind: int) -> Integers:
        """Choose entries of one actuator as in `synthesise`, shape (n,)."""
        low, high = self.ranges[kind]
        if not np.all((wanted >= low) & (wanted <= high)):
            worst = wanted[np.argmax(np.abs(wanted - (low + high) / 2))]
            raise ValueError(
                f"curvature {worst:g} 1/m cannot be reached; actuators on this grid reach {low:.3g} to {high:.3g} 1/m"
            )
        own, entry = self._entries_of(kind), np.full(wanted.shape, -1)
        for pressure in np.unique(self.pressure[own])[::-1]:
            entries = own[self.pressure[own] == pressure]
            curvatures = self.curvature[entries]
            inside = (entry < 0) & (wanted >= curvatures.min()) & (wanted <= curvatures.max())
            entry[inside] = entries[np.argmin(np.abs(curvatures - wanted[inside, None]), axis=1)]
        between = entry < 0
        entry[between] = own[np.argmin(np.abs(self.curvature[own] - wanted[between, None]), axis=1)]
        return entry

    def _entries_of(self, kind: int) -> Integers:
        """Return the entries of an actuator."""
        return np.flatnonzero(self.kind[: self.actuators] == kind)

    def synthesise_all(self) -> Integers:
        """Return every entry that `synthesise` chooses for any curvature, sorted by curvature, shape (chosen,).

        Within one pressure the choice changes halfway between two entries, and each is chosen for its own curvature, unless a
        higher pressure reaches that. So it is enough to ask for the curvatures of all entries and for those just beside.
        """
        found = []
        for kind, (low, high) in enumerate(self.ranges):
            own = self.curvature[self._entries_of(kind)]
            asked = np.concatenate([own, np.nextafter(own, low), np.nextafter(own, high)])
            found.append(np.unique(self._nearest(asked, kind)))
        chosen = np.concatenate(found)
        return np.asarray(chosen[np.argsort(self.curvature[chosen], kind="stable")])
