"""Biarcs: two circular arcs with a common tangent that join two poses (Sicheng Wang & Blumenschein, 2022)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surrogate.compiled import Floats, compiled

SAME = 1e-12
"""Poses nearer than this are the same [m or rad]."""
UNLIKE = 1e4
"""Arcs so many times longer or shorter than the way from pose to pose are none: rounding would bend them elsewhere."""


class Biarc(NamedTuple):
    """Two arcs, the second going on where the first ends; floats, or arrays of one shape."""

    curvature: tuple[Floats, Floats]
    """Curvature of each arc [1/m], positive to the left; infinite where a pose is reached by turning on the spot."""
    length: tuple[Floats, Floats]
    """Length of each arc [m]; infinite where there is no biarc."""

    @property
    def sweep(self) -> tuple[Floats, Floats]:
        """Turn along each arc [rad], within half a turn either way."""
        first, second = (np.multiply(k, s) for k, s in zip(self.curvature, self.length, strict=True))
        return first, second


def biarcs(start: Floats, end: Floats) -> Biarc:
    """The biarcs that join poses, their joint as far from both along the tangents (see `biarc`).

    Args:
        start: Poses x [m], y [m], heading [rad], shape (..., 3).
        end: Poses to reach, of the same shape or one that broadcasts with it.
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
    """Where an arc from a pose leads, shape (..., 3); arguments as in `biarcs`, shape (...) for the last two."""
    pose = np.asarray(pose, float)
    turn = np.multiply(curvature, length)
    chord = length * np.sinc(turn / (2 * np.pi))  # sin(turn / 2) / (turn / 2), also for no turn at all
    along = pose[..., 2] + turn / 2
    return np.stack(
        [pose[..., 0] + chord * np.cos(along), pose[..., 1] + chord * np.sin(along), pose[..., 2] + turn], axis=-1
    )


@compiled()
def biarc(
    x0: float, y0: float, heading0: float, x1: float, y1: float, heading1: float
) -> tuple[float, float, float, float]:
    """Curvature [1/m] and length [m] of the first arc, then of the second.

    The joint lies in the middle between the two points at a distance d along the tangents, with v from start to end
    2 d^2 (1 - t0 . t1) + 2 d v . (t0 + t1) = v . v, d > 0: of all joints the one for which both arcs are less than half
    a turn. The same pose is reached by two points. All four are infinite where there is no such biarc, as where it takes a
    turn on the spot: the same place with another heading, an end straight behind, or one straight ahead but facing back.
    """
    vx, vy = x1 - x0, y1 - y0
    span = np.hypot(vx, vy)
    mean, half = (heading0 + heading1) / 2.0, np.sin((heading1 - heading0) / 2.0)
    # (t0 + t1) / 2 and (t0 - t1) / 2 are along and across the mean heading: neither loses digits where headings agree.
    ahead = (vx * np.cos(mean) + vy * np.sin(mean)) * np.cos((heading1 - heading0) / 2.0)
    root = np.hypot(ahead, half * span)
    if span < SAME:
        none = np.inf if abs(half) > SAME else 0.0
        return none, none, none, none
    # d sin(half the turn), by whichever form of the positive root does not cancel
    if ahead > 0.0:
        aside = half * span * span / (2.0 * (ahead + root))
    elif half != 0.0:
        aside = (root - ahead) / (2.0 * half)
    elif ahead < 0.0:
        return np.inf, np.inf, np.inf, np.inf
    else:
        aside = 0.0  # side by side: two half turns, alike
    jx, jy = vx / 2.0 + aside * np.sin(mean), vy / 2.0 - aside * np.cos(mean)
    k0, s0 = _arc(jx, jy, np.cos(heading0), np.sin(heading0), span)
    # The second arc is walked from its end.
    k1, s1 = _arc(jx - vx, jy - vy, -np.cos(heading1), -np.sin(heading1), span)
    if not (s0 < np.inf and s1 < np.inf):
        return np.inf, np.inf, np.inf, np.inf
    return k0, s0, -k1, s1


@compiled(inline="always")
def arc_point(x: float, y: float, heading: float, curvature: float, length: float) -> tuple[float, float]:
    """Where an arc from a pose leads [m]; `pose_on` for kernels."""
    half = curvature * length / 2.0
    chord = length * (np.sin(half) / half if half != 0.0 else 1.0)
    return x + chord * np.cos(heading + half), y + chord * np.sin(heading + half)


@compiled(inline="always")
def _arc(x: float, y: float, cosine: float, sine: float, span: float) -> tuple[float, float]:
    """Curvature and length of the arc that leaves the origin in a direction and ends at (x, y)."""
    chord = np.hypot(x, y)
    if chord < span / UNLIKE or chord > span * UNLIKE:
        return np.inf, np.inf
    across, along = cosine * y - sine * x, cosine * x + sine * y
    half = np.arctan2(across, along)
    stretch = half / np.sin(half) if half != 0.0 else 1.0
    return 2.0 * np.sin(half) / chord, chord * stretch


@compiled()
def _biarcs(start: Floats, end: Floats, found: Floats) -> None:
    for i in range(len(start)):
        found[i] = biarc(start[i, 0], start[i, 1], start[i, 2], end[i, 0], end[i, 1], end[i, 2])
