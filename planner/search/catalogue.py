"""Actuator synthesis: where the tube's moment meets the actuator's force (paper 002, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynamics.moment import free_curvature, joint_moments
from dynamics.tube import VineParams
from dynamics.vine import Integers
from surrogate.actuators import Grid
from surrogate.compiled import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """Every actuator that can be made, with the curvature it gives the tube in free space.

    The tube's moment sets that curvature as much as the actuator's force does, so it is known here and not to the actuator.
    """

    l_0: Floats
    """Cell length [m], shape (entries,)."""
    pressure: Floats
    """Actuator pressure [Pa], shape (entries,)."""
    curvature: Floats
    """Free-space curvature [1/m], shape (entries,)."""

    @classmethod
    def of(cls, params: VineParams, grid: Grid | None = None) -> Catalogue:
        """Evaluate a whole grid, the actuator's own unless another is given (some milliseconds, after the force table)."""
        grid = grid or params.actuator.grid
        pressure, l_0 = (part.ravel() for part in np.meshgrid(grid.pressure, grid.l_0, indexing="ij"))
        return cls(l_0, pressure, free_curvature(joint_moments(params), pressure, l_0))

    @property
    def reachable(self) -> tuple[float, float]:
        """Least and greatest curvature [1/m]."""
        return float(self.curvature.min()), float(self.curvature.max())

    def synthesise(self, curvature: ArrayLike) -> tuple[Integers, Floats]:
        """Actuators for given curvatures: the highest pressure that can reach it, there the cell length that comes nearest.

        High pressures bend more consistently; of two cell lengths equally near, the shorter is taken.

        Args:
            curvature: Wanted curvatures [1/m], positive, any shape.
        Returns:
            Entries of the catalogue, and the error of each, reached minus wanted [1/m]; both of that shape.
        Raises:
            ValueError: A curvature that no pressure reaches.
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
        for pressure in np.unique(self.pressure)[::-1]:
            entries = np.flatnonzero(self.pressure == pressure)
            curvatures = self.curvature[entries]
            inside = (entry < 0) & (flat >= curvatures.min()) & (flat <= curvatures.max())
            miss = curvatures - flat[inside, None]
            nearest = np.argmin(np.abs(miss), axis=1)
            entry[inside], error[inside] = entries[nearest], miss[np.arange(len(miss)), nearest]
        return entry.reshape(wanted.shape), error.reshape(wanted.shape)
