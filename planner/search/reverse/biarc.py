"""Biarcs: two circular arcs with a common tangent that connect two poses (Sicheng Wang & Blumenschein, 2022)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surrogate.kernels.compiled import Floats, compiled

COINCIDENT = 1e-12
"""Tolerance within which poses are equal [m or rad]."""
MAX_LENGTH_RATIO = 1e4
"""Maximum ratio of an arc's chord to the distance between the poses, and of its inverse; beyond it, rounding errors dominate."""


class Biarc(NamedTuple):
    """Two consecutive arcs; floats, or arrays of one shape."""

    curvature: tuple[Floats, Floats]
    """Curvature of each arc [1/m], positive to the left; infinite where a turn on the spot would be needed."""
    length: tuple[Floats, Floats]
    """Length of each arc [m]; infinite where there is no biarc."""

    @property
    def sweep(self) -> tuple[Floats, Floats]:
        """Angle of each arc [rad], within half a turn in either direction."""
        first, second = (np.multiply(k, s) for k, s in zip(self.curvature, self.length, strict=True))
        return first, second


def biarcs(start: Floats, end: Floats) -> Biarc:
    """The biarcs that connect poses, with the joint at equal distance along both tangents (see `biarc`).

    Args:
        start: Start poses x [m], y [m], heading [rad], shape (..., 3).
        end: End poses, of a shape that broadcasts with that of `start`.
    Returns:
        Curvatures and lengths, each of shape (...).
    """
    shape = np.broadcast_shapes(np.shape(start), np.shape(end))
    start, end = (np.broadcast_to(np.asarray(pose, float), shape).copy() for pose in (start, end))
    found = np.empty((*start.shape[:-1], 4))
    _biarcs(start.reshape(-1, 3), end.reshape(-1, 3), found.reshape(-1, 4))
    first_curvature, first_length, second_curvature, second_length = np.moveaxis(found, -1, 0)
    return Biarc((first_curvature, second_curvature), (first_length, second_length))


def pose_on(pose: Floats, curvature: Floats, length: Floats) -> Floats:
    """End pose of an arc, shape (..., 3); arguments as in `biarcs`, shape (...) for the last two."""
    pose = np.asarray(pose, float)
    turn = np.multiply(curvature, length)
    chord = length * np.sinc(turn / (2 * np.pi))  # sin(turn / 2) / (turn / 2), also for turn = 0
    along = pose[..., 2] + turn / 2
    return np.stack(
        [pose[..., 0] + chord * np.cos(along), pose[..., 1] + chord * np.sin(along), pose[..., 2] + turn], axis=-1
    )


@compiled()
def biarc(
    x0: float, y0: float, heading0: float, x1: float, y1: float, heading1: float
) -> tuple[float, float, float, float]:
    """Curvature [1/m] and length [m] of the first arc, then of the second.

    The joint is the midpoint of the two points at a distance d along the tangents, where with v from start to end
    2 d^2 (1 - t0 . t1) + 2 d v . (t0 + t1) = v . v, d > 0. This is the only joint for which both arcs are less than half a
    turn. Equal poses give arcs of length 0. All four values are infinite if no such biarc exists, i.e. if a turn on the
    spot would be needed: same position with another heading, end directly behind, or directly ahead but facing back.
    """
    vx, vy = x1 - x0, y1 - y0
    span = np.hypot(vx, vy)
    mean, half = (heading0 + heading1) / 2.0, np.sin((heading1 - heading0) / 2.0)
    # (t0 + t1) / 2 and (t0 - t1) / 2 are along and across the mean heading: no cancellation for nearly equal headings.
    ahead = (vx * np.cos(mean) + vy * np.sin(mean)) * np.cos((heading1 - heading0) / 2.0)
    root = np.hypot(ahead, half * span)
    if span < COINCIDENT:
        none = np.inf if abs(half) > COINCIDENT else 0.0
        return none, none, none, none
    # d sin(half the turn), by the form of the positive root without cancellation
    if ahead > 0.0:
        aside = half * span * span / (2.0 * (ahead + root))
    elif half != 0.0:
        aside = (root - ahead) / (2.0 * half)
    elif ahead < 0.0:
        return np.inf, np.inf, np.inf, np.inf
    else:
        aside = 0.0  # side by side: two equal half turns
    jx, jy = vx / 2.0 + aside * np.sin(mean), vy / 2.0 - aside * np.cos(mean)
    k0, s0 = _arc(jx, jy, np.cos(heading0), np.sin(heading0), span)
    # The second arc is computed from its end.
    k1, s1 = _arc(jx - vx, jy - vy, -np.cos(heading1), -np.sin(heading1), span)
    if not (s0 < np.inf and s1 < np.inf):
        return np.inf, np.inf, np.inf, np.inf
    return k0, s0, -k1, s1


@compiled(forceinline=True)
def arc_point(x: float, y: float, heading: float, curvature: float, length: float) -> tuple[float, float]:
    """End point of an arc [m]; `pose_on` for kernels."""
    half = curvature * length / 2.0
    chord = length * (np.sin(half) / half if half != 0.0 else 1.0)
    return x + chord * np.cos(heading + half), y + chord * np.sin(heading + half)


@compiled(forceinline=True)
def _arc(x: float, y: float, cosine: float, sine: float, span: float) -> tuple[float, float]:
    """Curvature and length of the arc that leaves the origin in a direction and ends at (x, y)."""
    chord = np.hypot(x, y)
    if chord < span / MAX_LENGTH_RATIO or chord > span * MAX_LENGTH_RATIO:
        return np.inf, np.inf
    across, along = cosine * y - sine * x, cosine * x + sine * y
    half = np.arctan2(across, along)
    stretch = half / np.sin(half) if half != 0.0 else 1.0
    return 2.0 * np.sin(half) / chord, chord * stretch


@compiled()
def _biarcs(start: Floats, end: Floats, found: Floats) -> None:
    for i in range(len(start)):
        found[i] = biarc(start[i, 0], start[i, 1], start[i, 2], end[i, 0], end[i, 1], end[i, 2])
