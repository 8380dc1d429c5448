"""Removal of obstacles that are too small to matter: specks, letters and dots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from environments.importing.traced import Tracing
from environments.lengths import format_length
from environments.obstacles import Obstacles

_TOUCHING = 1e-6
"""Shapes nearer than this are one obstacle [m]."""


def drop_small(traced: Tracing, least: float) -> Tracing:
    """Leave out obstacles that are less than a length across; shapes that touch each other are one obstacle.

    Args:
        least: Diameter of the smallest circle around an obstacle that is kept [m].
    """
    shapes = np.array([*traced.solid, *Obstacles(circles=traced.circles, walls=traced.walls).shapes()], dtype=object)
    if least <= 0 or not len(shapes):
        return traced
    group = _groups(shapes)
    members = [shapely.geometrycollections(shapes[group == k]) for k in range(group.max() + 1)]
    kept = (2 * shapely.minimum_bounding_radius(members) >= least)[group]
    dropped = len(np.unique(group[~kept]))
    if not dropped:
        return traced
    of_solids, of_circles, of_walls = np.split(kept, np.cumsum([len(traced.solid), len(traced.circles)]))
    counted = "1 obstacle" if dropped == 1 else f"{dropped} obstacles"
    return replace(
        traced,
        solid=tuple(shape for shape, stays in zip(traced.solid, of_solids, strict=True) if stays),
        circles=traced.circles[of_circles],
        walls=traced.walls[of_walls],
        notes=(
            *traced.notes,
            f"{counted} of less than {format_length(1e3 * least, 'mm')} mm across left out, as asked",
        ),
    )


def _groups(shapes: np.ndarray) -> np.ndarray:
    """Return the number of the obstacle to which each shape belongs, shape (n,)."""
    one, other = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=_TOUCHING)
    touching = coo_array((np.ones(len(one), bool), (one, other)), shape=(len(shapes),) * 2)
    return connected_components(touching, directed=False)[1]
