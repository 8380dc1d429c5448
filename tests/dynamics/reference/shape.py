"""Shape of a vine for the reference solver: positions of the joints and their derivatives by the bends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

WALKED = 0.02
"""Strain of the centreline up to which the axis of the bend walks from the centreline to the far wall [-]."""
FOLDED, LEFT = 0.5, 0.25
"""Beyond a strain of the centreline of `FOLDED` [-] a link folds: it never shortens to less than a share `LEFT` of its material."""


def left(vectors: Floats) -> Floats:
    """Vectors turned by a quarter turn to the left, shape (..., 2)."""
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def shortening(bend: Floats, material: Floats, radius: float) -> tuple[Floats, Floats, Floats]:
    """By how much the centreline of a link is shorter than its material [m], and the first two derivatives by the bend.

    It is radius * |bend| about the far wall. Near straight both walls are taut: a cubic that starts flat and joins that line without
    a kink. Where the link folds, what is left of it decays exponentially towards its limit.
    """
    material = np.maximum(material, 1e-9)
    by_bend = np.where(bend < 0, -radius, radius) / material
    strain = by_bend * bend
    left_over = (1 - FOLDED - LEFT) * np.exp(-(np.maximum(strain, FOLDED) - FOLDED) / (1 - FOLDED - LEFT))
    cases = [strain < WALKED, strain <= FOLDED]
    value = np.select(cases, [2 * strain**2 / WALKED - strain**3 / WALKED**2, strain], 1 - LEFT - left_over)
    first = np.select(cases, [4 * strain / WALKED - 3 * strain**2 / WALKED**2, 1.0], left_over / (1 - FOLDED - LEFT))
    second = np.select(cases, [4 / WALKED - 6 * strain / WALKED**2, 0.0], -left_over / (1 - FOLDED - LEFT) ** 2)
    return material * value, material * first * by_bend, material * second * by_bend**2


@dataclass(frozen=True, slots=True)
class Shape:
    """A vine of n links in the plane."""

    joints: Floats
    """From the base to the tip [m], shape (n + 1, 2)."""
    along: Floats
    """Unit vector of each link, shape (n, 2)."""
    length: Floats
    """Length of each link [m], shape (n,)."""
    stretch: Floats
    """Derivative of each link's length by its bend [m/rad], shape (n,)."""
    stretch_slope: Floats
    """Second derivative [m/rad^2], shape (n,)."""

    def moves(self, point: Floats, link: int) -> Floats:
        """Derivative of a point on a link [m], whose distance to the link's far end is fixed, by bends 0 ... link, shape (link + 1, 2)."""
        some = slice(0, link + 1)
        return left(point - self.joints[:-1][some]) + self.stretch[some, None] * self.along[some]


def shape_of(base: Floats, bends: Floats, material: Floats, shortens: NDArray[np.bool_], radius: float) -> Shape:
    """The vine that leaves a base x [m], y [m], heading [rad] with the given bends [rad] and lengths of material [m], shape (n,)."""
    heading = base[2] + np.cumsum(bends)
    along = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    less, first, second = (np.where(shortens, part, 0.0) for part in shortening(bends, material, radius))
    length = material - less
    joints = np.vstack([base[:2], base[:2] + np.cumsum(length[:, None] * along, axis=0)])
    return Shape(joints, along, length, -first, -second)


def material_of(segments: int, last_length: float, segment_length: float) -> Floats:
    """Length of the material of each segment [m]."""
    return np.append(np.full(segments - 1, segment_length), last_length)
