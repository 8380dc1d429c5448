"""Actuator synthesis: where the tube's moment meets the actuator's force (paper 002, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynamics.moment import free_curvature, holding_pressure, joint_moments
from dynamics.vine import Actuation, Integers, VineParams
from surrogate.actuators import Grid
from surrogate.compiled import Floats
from surrogate.force_table import SHORTEST

TOGETHER = 5_000_000
"""Pairs of an actuator and a segment that are looked at at once, to save memory."""
ROUNDING = 1e-9
"""A segment covered or bare but for this part is wholly so."""


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


def actuation_along(
    start: ArrayLike,
    end: ArrayLike,
    pressure: ArrayLike,
    l_0: ArrayLike,
    length: float,
    params: VineParams,
    max_segments: int,
) -> Actuation:
    """What the segments of vines carry whose actuators begin and end anywhere.

    A segment that an actuator covers in part bends in free space by that part, so that a millimetre more or less of
    actuator counts; where two cover parts of one segment, it bends by the sum, and by no more than the stronger one does.

    Args:
        start: Distance of each actuator's beginning from the base [m], shape (batch, actuators).
        end: Of its end [m], same shape.
        pressure: Positive bends left, negative right, 0 has no actuator [Pa], same shape.
        l_0: Cell length [m], same shape; ignored without pressure.
        length: Of the tubes [m]; what lies beyond is bare.
    """
    start, end, pressure, l_0 = (np.asarray(part, float)[..., None] for part in (start, end, pressure, l_0))
    if not start.shape[1]:
        return Actuation(*np.zeros((2, len(start), max_segments)))
    if (rows := max(TOGETHER // (start.shape[1] * max_segments), 1)) < len(start):
        parts = np.stack([part[..., 0] for part in (start, end, pressure, l_0)])
        split = np.array_split(parts, -(-len(start) // rows), axis=1)
        some = [actuation_along(a, b, p, c, length, params, max_segments) for a, b, p, c in split]
        return Actuation(np.concatenate([one.pressure for one in some]), np.concatenate([one.l_0 for one in some]))
    joint, segment = joint_moments(params), params.segment_length
    first = segment * np.arange(max_segments)
    # The last segment may be shorter: what counts is how much of it is covered.
    extent = np.clip(length - first, 0.0, segment)
    covered = np.minimum(end, first + extent) - np.maximum(start, first)
    share = np.clip(covered / np.where(extent, extent, segment), 0.0, 1.0)
    share = np.where(np.abs(share - np.round(share)) < ROUNDING, np.round(share), share)
    turn = share * free_curvature(joint, pressure, np.where(pressure, l_0, SHORTEST))
    # What a segment carries is the actuator that bends it most, at the pressure that gives the sum of all turns.
    main = np.abs(turn).argmax(axis=1, keepdims=True)

    def of_main(part: Floats) -> Floats:
        return np.take_along_axis(np.broadcast_to(part, share.shape), main, axis=1)[:, 0]

    most = np.abs(of_main(turn / np.where(share, share, 1.0)))
    wanted, carried = np.clip(turn.sum(axis=1), -most, most), of_main(np.where(share, l_0, 0.0))
    whole = (of_main(share) == 1.0) & (wanted == of_main(turn))
    held = holding_pressure(joint, np.where(whole, 0.0, wanted), np.where(carried, carried, SHORTEST))
    return Actuation(np.where(whole, of_main(pressure), held), carried)
