"""A race track: one closed, winding lane of changing width around an island."""

from __future__ import annotations

import numpy as np
import shapely

WAVES = 7
"""Number of waves in the distance of the lane from the middle."""


def make_tracks(rng: np.random.Generator, width: float, height: float) -> shapely.Geometry:
    """Return the free space of a track [m]."""
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    wave = np.arange(2, 2 + WAVES)
    strength, phase = rng.uniform(0.3, 1.0, WAVES) / wave, rng.uniform(0, 2 * np.pi, WAVES)
    shape = (strength[:, None] * np.cos(wave[:, None] * angle + phase[:, None])).sum(axis=0)
    # From 45 to 100 % of the way to the sides.
    out = 1.0 - 0.55 * (shape.max() - shape) / np.ptp(shape)
    lane = rng.uniform(0.6, 1.0)
    half = np.array([width, height]) / 2 - 1.3 * lane - 0.3
    points = np.array([width, height]) / 2 + (out[:, None] * half) * np.column_stack([np.cos(angle), np.sin(angle)])
    radius = lane * (1 + 0.25 * np.cos(angle * int(rng.integers(2, 6)) + rng.uniform(0, 2 * np.pi)))
    following = np.roll(points, -1, axis=0)
    pieces = [
        shapely.LineString([one, other]).buffer(float(wide), quad_segs=8)
        for one, other, wide in zip(points, following, radius, strict=True)
    ]
    return shapely.union_all(pieces)
