"""The centreline of a tube from its region in an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from scipy.ndimage import gaussian_filter, map_coordinates
from scipy.signal import savgol_filter
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree
from skimage.morphology import skeletonize

from planner.recordings.tracking.segmentation import Mask
from surrogate.kernels.compiled import Floats

SOFTNESS = 1.5
"""Standard deviation of the blur that smooths a mask's edge, which is then located at 0.5 [pixel]."""
STEP, RAY_STEP = 1.0, 0.25
"""Spacing of the points along the axis during its construction, and of the samples across it [pixel]."""
SMOOTHED_RADII = 1.5
"""Window length of the smoothing along the axis, in tube radii."""
FULL_WIDTH = 0.95
"""Minimum radius of the skeleton's inscribed circle relative to its median; below, the skeleton has left the axis."""
POINTS_PER_RADIUS = 3
CAP_SHARE = 0.7
"""Share of the tip's half width over which a half circle is fitted."""


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """The axis of a tube in one image."""

    points: Floats
    """Equally spaced points from base to tip (x, y; y down) [pixel], shape (n, 2); the round cap extends beyond the last."""
    radius: float
    """Median half width of the region along the axis [pixel]."""

    @property
    def length(self) -> float:
        """Length of the axis [pixel]."""
        return float(_arc(self.points)[-1])


def tube_axis(region: Mask, base: Floats | None) -> Axis | None:
    """Find the axis of a tube that does not touch itself.

    The axis is the longest path through the skeleton, centred between the edges and smoothed. It ends at the centre of the
    half circle at the tube's tip. The radius of that half circle is also measured in the region, so an edge that is
    detected too far out does not move the tip.

    Args:
        base: Base of the tube (x, y) [pixel]; the region behind it is ignored. None if the base is not known: the axis then
            extends to the region's border at both ends, and its direction is arbitrary.
    Returns:
        The axis, or None if the tube is shorter than its radius.
    """
    rows, columns = np.nonzero(region)
    corner = np.array([columns.min(), rows.min()]) - 8.0
    box = np.zeros((np.ptp(rows) + 17, np.ptp(columns) + 17), np.uint8)
    box[rows - rows.min() + 8, columns - columns.min() + 8] = 1
    thinned: Any = skeletonize  # scikit-image is only partly annotated
    path = skeleton_path(thinned(box > 0), None if base is None else base - corner)
    inscribed = cv2.distanceTransform(box, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[path[:, 1], path[:, 0]]
    # At both ends a skeleton may continue towards the edge or a corner.
    inner = np.flatnonzero(inscribed >= FULL_WIDTH * np.median(inscribed))
    points, radius = path[inner[0] : inner[-1] + 1].astype(float), float(np.median(inscribed))
    if len(points) < 8 or _arc(points)[-1] < radius / 2:
        return None
    soft = gaussian_filter(box.astype(float), SOFTNESS)
    points = _smooth(points, radius)
    for _ in range(2):
        points, radius = _recenter(points, soft, radius)
        points = _smooth(points, radius)
    points = _extend_to_base(points, soft, radius, None if base is None else base - corner)
    points = (
        _extend_to_base(points[::-1], soft, radius, None)[::-1]
        if base is None
        else _extend_to_tip(points, soft, radius)
    )
    if len(points) < 2 or _arc(points)[-1] < radius:
        return None
    count = max(2, int(np.ceil(_arc(points)[-1] / radius * POINTS_PER_RADIUS)) + 1)
    return Axis(resample(points, count) + corner, radius)


def skeleton_path(skeleton: Mask, base: Floats | None) -> np.ndarray:
    """Return the longest of all shortest paths along a skeleton from its pixel nearest to the base.

    Args:
        base: (x, y) [pixel], or None to start at one of the two ends that are farthest apart.
    Returns:
        Columns and rows of its pixels, shape (n, 2).
    """
    pixels = np.argwhere(skeleton)[:, ::-1]
    pairs = cKDTree(pixels).query_pairs(1.5, output_type="ndarray")
    lengths = np.hypot(*(pixels[pairs[:, 0]] - pixels[pairs[:, 1]]).T)
    graph = coo_array((lengths, tuple(pairs.T)), shape=(len(pixels), len(pixels))).tocsr()
    first = int(np.hypot(*(pixels - (pixels[0] if base is None else base)).T).argmin())
    if base is None:
        first = _farthest(dijkstra(graph, directed=False, indices=first))
    away, before = dijkstra(graph, directed=False, indices=first, return_predecessors=True)
    path = [_farthest(away)]
    while path[-1] != first:
        path.append(int(before[path[-1]]))
    return pixels[path[::-1]]


def _farthest(distances: Floats) -> int:
    return int(np.where(np.isfinite(distances), distances, -1).argmax())


def _arc(points: Floats) -> Floats:
    """Return the arc length of a polyline at each of its points, shape (n,)."""
    return np.concatenate([[0.0], np.hypot(*np.diff(points, axis=0).T).cumsum()])


def resample(points: Floats, count: int) -> Floats:
    """Return points at equal distances along a polyline, shape (count, 2)."""
    arc = _arc(points)
    at = np.linspace(0, arc[-1], count)
    return np.column_stack([np.interp(at, arc, column) for column in points.T])


def _smooth(points: Floats, radius: float) -> Floats:
    """Resample a polyline at equal steps and smooth it by a Savitzky-Golay filter."""
    even = resample(points, max(4, int(_arc(points)[-1] / STEP)))
    window = min(max(int(SMOOTHED_RADII * radius / STEP), 5), len(even))
    window -= (window + 1) % 2
    return savgol_filter(even, window, min(3, window - 1), axis=0)


def _tangents(points: Floats) -> Floats:
    slope = np.gradient(points, axis=0)
    return slope / np.hypot(*slope.T)[:, None]


def _edge(points: Floats, directions: Floats, soft: Floats, reach: float) -> Floats:
    """Return distances from points inside the region to its edge in given directions [pixel], NaN beyond `reach`; shape
    (n,)."""
    at = np.arange(0, reach, RAY_STEP)
    x, y = (points[:, i, None] + at * directions[:, i, None] for i in (0, 1))
    values = map_coordinates(soft, [y, x], order=1)
    outside = values < 0.5
    last = np.maximum(outside.argmax(axis=1) - 1, 0)
    rows = np.arange(len(points))
    above, below = values[rows, last], values[rows, np.minimum(last + 1, len(at) - 1)]
    share = (above - 0.5) / np.maximum(above - below, 1e-9)
    return np.where(outside.any(axis=1) & ~outside[:, 0], RAY_STEP * (last + share), np.nan)


def _recenter(points: Floats, soft: Floats, radius: float) -> tuple[Floats, float]:
    """Centre points between the edges on both sides; return them and the median half width [pixel]."""
    normals = _tangents(points) @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    one, other = (_edge(points, side * normals, soft, 2 * radius) for side in (1, -1))
    half, aside = (one + other) / 2, (one - other) / 2
    # Where an object covers an edge or lies beside it, interpolate between the neighbours.
    good = np.isfinite(half)
    if good.any():
        good &= np.abs(half / np.median(half[good]) - 1) < 0.25
    if good.sum() < 4:
        return points, radius
    arc = np.arange(len(points))
    moved = points + np.interp(arc, arc[good], aside[good])[:, None] * normals
    return moved, float(np.median(half[good]))


def _end_direction(points: Floats, radius: float) -> Floats:
    """Return the direction of the end of a polyline, over its last half radius."""
    back = points[max(0, len(points) - 1 - max(3, int(radius / 2 / STEP)))]
    return (points[-1] - back) / np.hypot(*(points[-1] - back))


def _extend_to_base(points: Floats, soft: Floats, radius: float, base: Floats | None) -> Floats:
    """Extend the axis backwards to the region's border, and cut it where it passes the base."""
    behind = _end_direction(points[::-1], radius)
    reach = float(_edge(points[:1], behind[None], soft, 6 * radius)[0])
    if np.isfinite(reach):
        steps = np.arange(reach, 0.0, -STEP)[:, None]
        points = np.concatenate([points[0] + steps * behind, points])
    if base is None:
        return points
    fine = resample(points, 8 * len(points))
    return fine[int(np.hypot(*(fine - base).T).argmin()) :]


def _extend_to_tip(points: Floats, soft: Floats, radius: float) -> Floats:
    """Shorten or extend the axis to the centre of the half circle at the tube's tip."""
    ahead = _end_direction(resample(points, max(4, int(_arc(points)[-1] / STEP))), radius)
    side = np.array([-ahead[1], ahead[0]])
    angles = np.radians(np.arange(-60, 61, 4))
    rays = np.cos(angles)[:, None] * ahead + np.sin(angles)[:, None] * side
    cap = _edge(np.repeat(points[-1:], len(rays), axis=0), rays, soft, 4 * radius)[:, None] * rays
    forward, aside = cap @ ahead, cap @ side
    near = np.abs(aside) < CAP_SHARE * radius
    if not near.any():
        return points
    # Each point of the edge gives the position of the centre of a circle of this radius.
    beyond = float(np.median(forward[near] - np.sqrt(radius**2 - aside[near] ** 2)))
    if beyond >= 0:
        return np.concatenate([points, points[-1:] + beyond * ahead])
    arc = _arc(points)
    kept = arc[-1] + beyond
    return resample(points, len(points)) if kept <= 0 else _cut(points, arc, kept)


def _cut(points: Floats, arc: Floats, length: float) -> Floats:
    end = [np.interp(length, arc, column) for column in points.T]
    return np.concatenate([points[arc < length], [end]])
