"""Depth of the dents that walls press into vines."""

from __future__ import annotations

import numpy as np
import shapely

from environments.environment import Environment
from surrogate.kernels.compiled import Floats


def dent_depths(joints: Floats, environment: Environment, radius: float) -> Floats:
    """Depth to which the environment presses into each segment [m], shape (batch, max_segments): 0 where it does not touch it.

    The radius of the tube less the distance of the segment's axis from everything solid. The mount does not press on the first
    diameter of the tube that it spares.

    Args:
        joints: See `dynamics.vine.centerlines` [m], shape (batch, max_segments + 1, 2).
        radius: Radius of the tube [m].
    """
    ends = np.stack([joints[:, :-1], joints[:, 1:]], axis=2)
    exists = np.isfinite(ends).all(axis=(2, 3))
    lines = shapely.linestrings(ends[exists])
    solids, mounted = environment.solids, environment.mounted
    found = np.zeros(exists.shape)
    found[exists] = _depth(lines, solids.part(~mounted).shapes(), radius)
    if mounted.any():
        length = np.nan_to_num(np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=-1))
        beyond = exists & (np.cumsum(length, axis=1) - length >= 2 * radius)
        depth = _depth(shapely.linestrings(ends[beyond]), solids.part(mounted).shapes(), radius)
        found[beyond] = np.maximum(found[beyond], depth)
    return found


def _depth(lines: np.ndarray, shapes: list[shapely.Geometry], radius: float) -> Floats:
    """Radius less the distance of each line from the nearest shape [m], at least 0."""
    depth = np.zeros(len(lines))
    if len(shapes) and len(lines):
        which, distance = shapely.STRtree(shapes).query_nearest(
            lines, max_distance=radius, return_distance=True, all_matches=False
        )
        depth[which[0]] = radius - distance
    return depth
