"""Obstacles in figures: those that touch are one solid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from environments.environment import Environment
from planner.drawing.style import FAINT, OBSTACLE
from surrogate.kernels.compiled import Floats

_SEAM = 0.1
"""Half the width of the seams that are closed between obstacles that touch except for rounding [mm]."""


def draw_solids(axes: Axes, environment: Environment, view: Floats) -> None:
    """Draw obstacles, bare walls, and the open parts of the bounds, in a view min_x, min_y, max_x, max_y [mm]."""
    seen = _look_at(environment, tuple(np.asarray(view).tolist()))
    if np.size(seen.solids.vertices):
        # `add_patch` would search all corners for limits that are known.
        axes.add_artist(PathPatch(seen.solids, zorder=2, gid="obstacles", **OBSTACLE))
    walls = seen.walls, {"linewidths": 1.8}
    bounds = seen.open_edge, {"linewidths": 0.7, "linestyles": [(0, (5, 4))]}
    for shapes, style in (walls, bounds):
        lines = LineCollection([np.array(shape.coords) for shape in shapes], colors=FAINT, zorder=2, **style)
        axes.add_collection(lines, autolim=False)


@dataclass(frozen=True, slots=True)
class _Seen:
    """Visible parts of obstacles and bounds [mm]."""

    solids: Path
    """Outlines of the solids; a path without vertices if there are none."""
    walls: Sequence[shapely.LineString]
    """Bare walls."""
    open_edge: Sequence[shapely.LineString]
    """The parts of the bounds that no solid lies at."""


@lru_cache(maxsize=2)  # a run has several pictures of its environment, or of a part of it with a map of the whole
def _look_at(environment: Environment, view: tuple[float, ...]) -> _Seen:
    shapes = shapely.transform(np.array(environment.obstacles.shapes(), dtype=object), lambda corners: 1e3 * corners)
    thick = shapely.area(shapes) > 0
    rounded = np.arange(len(shapes)) >= len(environment.obstacles.polygons)
    solids = _join(shapes[thick], rounded[thick], shapely.box(*view))
    edge = shapely.box(*1e3 * environment.bounds).boundary
    shapely.prepare(edge)
    beside = solids[shapely.dwithin(solids, edge, 1e-6)]
    open_edge = edge.difference(shapely.union_all(shapely.buffer(beside, 1e-6)))
    return _Seen(_trace(solids), [*shapes[~thick]], [*shapely.get_parts(open_edge)])


def _trace(polygons: NDArray[np.object_]) -> Path:
    """Make a path along the rings of polygons, anticlockwise around the outside and clockwise around holes."""
    rings, polygon = shapely.get_rings(polygons, return_index=True)
    wrong = shapely.is_ccw(rings) != (np.diff(polygon, prepend=-1) > 0)
    rings[wrong] = shapely.reverse(rings[wrong])
    corners, ring = shapely.get_coordinates(rings, return_index=True)
    first = np.diff(ring, prepend=-1) > 0
    codes = np.where(first, Path.MOVETO, Path.LINETO).astype(Path.code_type)
    codes[np.roll(first, -1)] = Path.CLOSEPOLY  # or the outline has a gap at its first corner
    return Path(corners, codes)


def _join(shapes: NDArray[np.object_], rounded: NDArray[np.bool_], view: shapely.Polygon) -> NDArray[np.object_]:
    """Join obstacles that touch, and close the seams between them.

    Args:
        shapes: Obstacles that have an area [mm], shape (n,).
        rounded: Which of them are circles or walls, shape (n,).
        view: The part of them that is kept [mm].
    Returns:
        Polygons that touch neither one another nor themselves [mm], shape (m,).
    """
    if not len(shapes):
        return shapes
    one, other = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=2 * _SEAM)
    graph = coo_array((np.ones(len(one)), (one, other)), shape=(len(shapes), len(shapes)))
    count, labels = connected_components(graph, directed=False)
    groups = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels, minlength=count))[:-1])
    merged = np.array([shapely.union_all(shapes[group]) if len(group) > 1 else shapes[group[0]] for group in groups])
    # Buffering outwards and back closes seams. It takes long where there are many corners, and a circle that stands alone has none.
    alone = np.array([len(group) == 1 and rounded[group[0]] for group in groups], bool)
    merged[~alone] = shapely.buffer(merged[~alone], _SEAM, join_style="mitre")
    shapely.prepare(view)
    found = shapely.intersection(merged, view)
    found[~alone] = shapely.buffer(found[~alone], -_SEAM, join_style="mitre")
    parts = shapely.get_parts(found)
    return np.asarray(parts[shapely.area(parts) > 0])
