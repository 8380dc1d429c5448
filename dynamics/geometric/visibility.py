"""Visibility graph of an environment: the possible links of a tube that is held by corners (paper 003, section 3.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import shapely

from dynamics.geometric.walls import inflate_obstacles
from surrogate.kernels.compiled import Floats

if TYPE_CHECKING:
    import networkx

TOUCH = 1e-7
"""Lines may penetrate an obstacle by this [m], so that they may touch it and run along its sides."""


def visibility_graph(
    shapes: Sequence[shapely.Geometry], bounds: Floats, radius: float, points: Floats
) -> networkx.Graph[int]:
    """Lines of sight between the corners of inflated obstacles, and other points such as a base and a turn.

    The simulator does not use it, but its paths must lie on the graph.

    Args:
        shapes: Obstacles, not inflated.
        bounds: min x, min y, max x, max y [m].
        radius: Radius of the tube [m].
        points: Points in addition to the corners [m], shape (n, 2); they come first.
    Returns:
        A graph of indices, with a `position` [m] at each node and a `length` [m] at each edge.
    """
    import networkx

    solids = inflate_obstacles(shapes, bounds, radius)
    rings = [np.asarray(ring.coords)[:-1] for part in solids for ring in (part.exterior, *part.interiors)]
    nodes = np.concatenate([np.reshape(points, (-1, 2)), *rings])
    one, other = np.triu_indices(len(nodes), 1)
    lines = shapely.linestrings(np.stack([nodes[one], nodes[other]], axis=1))
    blocked, _ = shapely.STRtree(shapely.buffer(solids, -TOUCH)).query(lines, predicate="intersects")
    seen = np.setdiff1d(np.arange(len(lines)), blocked)
    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from((int(i), {"position": position}) for i, position in enumerate(nodes))
    ends = one[seen].tolist(), other[seen].tolist(), shapely.length(lines[seen]).tolist()
    graph.add_weighted_edges_from(zip(*ends, strict=True), "length")
    return graph
