"""Actuator synthesis: actuators for given curvatures, from tube moment and actuator force (paper 002, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.preformed import largest_turn
from dynamics.tube import VineParams
from dynamics.vine import Integers
from surrogate.actuators import Grid
from surrogate.compiled import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """All actuators that can be fabricated, with the free-space curvature of the tube; behind them preformed bends, if there are any.

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

    @classmethod
    def of(cls, params: VineParams, grid: Grid | None = None, bends: int = 0) -> Catalogue:
        """Evaluate a grid, by default that of the actuator (takes a few milliseconds, plus the force table).

        Args:
            bends: Number of preformed bends, whose turns per length are evenly spaced up to the largest that can be folded.
        """
        grid = grid or params.actuator.grid
        pressure, l_0 = (part.ravel() for part in np.meshgrid(grid.pressure, grid.l_0, indexing="ij"))
        film = free_curvature(joint_moments(params), pressure, l_0)
        turn, none = largest_turn(params) * np.arange(1, bends + 1) / max(bends, 1), np.zeros(bends)
        film = np.concatenate([film, turn])
        pressure, l_0 = np.concatenate([pressure, none]), np.concatenate([l_0, none])
        return cls(l_0, pressure, centerline_curvature(film, params), turn)

    @property
    def actuators(self) -> int:
        """Number of entries that are actuators."""
        return len(self.curvature) - len(self.turn)

    @property
    def reachable(self) -> tuple[float, float]:
        """Minimum and maximum curvature that actuators reach [1/m]."""
        curvature = self.curvature[: self.actuators]
        return float(curvature.min()), float(curvature.max())

    def synthesise(self, curvature: ArrayLike) -> tuple[Integers, Floats]:
        """Choose actuators for given curvatures: the highest pressure that can reach it, then the closest cell length.

        High pressures bend more consistently. Of two equally close cell lengths, the shorter is taken. Where no pressure's cells lie
        on both sides of a curvature, as with an actuator whose force does not depend on its cells, the closest entry is taken.

        Args:
            curvature: Desired curvatures of the centreline [1/m], positive, any shape.
        Returns:
            Entries of the catalogue, and the error of each, reached minus desired [1/m]; both of that shape.
        Raises:
            ValueError: A curvature cannot be reached at any pressure.
        """
        wanted = np.asarray(curvature, float)
        low, high = self.reachable
        if not np.all((wanted >= low) & (wanted <= high)):
            worst = wanted.ravel()[np.argmax(np.abs(wanted - (low + high) / 2))]
            raise ValueError(
                f"curvature {worst:g} 1/m cannot be reached; actuators on this grid reach {low:.3g} to {high:.3g} 1/m"
            )
        flat = wanted.ravel()
        entry, error = np.full(flat.shape, -1), np.zeros(flat.shape)
        every = self.pressure[: self.actuators]
        for pressure in np.unique(every)[::-1]:
            entries = np.flatnonzero(every == pressure)
            curvatures = self.curvature[entries]
            inside = (entry < 0) & (flat >= curvatures.min()) & (flat <= curvatures.max())
            miss = curvatures - flat[inside, None]
            nearest = np.argmin(np.abs(miss), axis=1)
            entry[inside], error[inside] = entries[nearest], miss[np.arange(len(miss)), nearest]
        between = entry < 0
        entry[between] = np.argmin(np.abs(self.curvature - flat[between, None]), axis=1)
        error[between] = self.curvature[entry[between]] - flat[between]
        return entry.reshape(wanted.shape), error.reshape(wanted.shape)

    def synthesised(self) -> Integers:
        """Every entry that `synthesise` chooses for some curvature, sorted by curvature, shape (chosen,).

        Within one pressure the choice changes halfway between two entries, and each is chosen for its own curvature, unless a
        higher pressure reaches that. So it is enough to ask for the curvatures of all entries and for those just beside.
        """
        low, high = self.reachable
        own = self.curvature[: self.actuators]
        asked = np.concatenate([own, np.nextafter(own, low), np.nextafter(own, high)])
        chosen = np.unique(self.synthesise(asked)[0])
        return np.asarray(chosen[np.argsort(self.curvature[chosen], kind="stable")])
