"""Shape of a vine for the reference solver: positions of the joints and their derivatives by the bends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST_LINK = 0.25
"""A link never shortens to less than this share of its material."""
ROUNDED, ROUNDED_END = 5e-4, 5e-3
"""Bends [rad] over which the two kinks of the shortening, straight and at the least length, are rounded off."""


def left(vectors: Floats) -> Floats:
    """Vectors turned by a quarter turn to the left, shape (..., 2)."""
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def shortening(bend: Floats, material: Floats, radius: float) -> tuple[Floats, Floats, Floats]:
    """By how much the centreline of a link is shorter than its material [m], and the first two derivatives by the bend.

    It is radius * |bend| up to the least length. Each kink is a parabola instead, off by at most 0.1 mm.
    """
    size, sign = np.abs(bend), np.where(bend < 0, -1.0, 1.0)
    material = np.maximum(material, 1e-9)
    share = material / 25e-3
    at_zero, at_end = ROUNDED * share, ROUNDED_END * share
    limit = (1 - LEAST_LINK) * material / radius
    value, first, second = radius * size, np.full(len(bend), radius), np.zeros(len(bend))
    near = size < at_zero
    value = np.where(near, radius * (size**2 / at_zero + at_zero) / 2, value)
    first, second = np.where(near, radius * size / at_zero, first), np.where(near, radius / at_zero, second)
    past = size - (limit - at_end)
    end = past > 0
    value = np.where(end, value - radius * past**2 / (4 * at_end), value)
    first, second = (
        np.where(end, radius - radius * past / (2 * at_end), first),
        np.where(end, -radius / (2 * at_end), second),
    )
    over = past > 2 * at_end
    value, first = np.where(over, radius * limit, value), np.where(over, 0.0, first)
    return value, sign * first, np.where(over, 0.0, second)


@dataclass(frozen=True, slots=True)
class Shape:
    """A vine of n links in the plane."""

    joints: Floats
    """From the base to the tip [m], shape (n + 1, 2)."""
    along: Floats
    """Unit vector of each link, shape (n, 2)."""
    length: Floats
    """Of each link [m], shape (n,)."""
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
