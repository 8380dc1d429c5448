"""Places as they may be, drawn from a belief."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from scipy import ndimage

from dynamics.geometric.walls import MITRE_LIMIT
from planner.mapping.belief import Belief
from planner.mapping.grid import Cells, Grid, covered, squares
from surrogate.compiled import Floats

GROUPS = 6, 8
"""Fewest and most groups of cells that become obstacles, were no more of them hit (paper 003, section 4.1.5)."""
DISC = 1.02 * MITRE_LIMIT
"""What is kept free about a launch point, in tube radii: so far out inflated corners may reach, and shapely's discs are
polygons within the circle."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A place as it may be."""

    shapes: list[shapely.Geometry]
    """One for each group of cells [m]."""
    rubric: Cells


def kept_free(points: Floats, radius: float) -> shapely.Geometry:
    """Where no obstacle can be as tubes are launched there: discs about points [m] of shape (p, 2)."""
    return shapely.union_all(shapely.buffer(shapely.points(points), DISC * radius, quad_segs=16))


def sampled(belief: Belief, grid: Grid, free: shapely.Geometry, rng: np.random.Generator) -> Sample:
    """Draw a place: cells by their belief, the largest groups of neighbours, and their convex hulls.

    All cells known to be covered are in obstacles, but for what is kept free.

    Args:
        free: What no obstacle may cover, [m]. A group of which that is in the way is left out; if a cell of it is known
            to be covered, its cells stand for its hull instead.
    Source: paper 003, section 4.1.5.
    """
    groups, count = ndimage.label(rng.random(belief.hits.shape) < belief.occupancy, np.ones((3, 3)))
    most = rng.integers(GROUPS[0], GROUPS[1] + 1)
    hit = np.isin(np.arange(1, count + 1), groups[belief.hits])
    # Those of one size in any order: else more obstacles would lie where labels begin.
    sizes = np.bincount(groups.ravel(), minlength=count + 1)[1:] + rng.random(count)
    shapes: list[shapely.Geometry] = []
    for group in np.lexsort([-sizes, ~hit]):
        if len(shapes) >= most and not hit[group]:
            break
        cells = squares(grid, groups == group + 1)
        hull = shapely.convex_hull(shapely.multipolygons(cells))
        if not shapely.intersects(hull, free):
            shapes.append(hull)
        elif hit[group]:
            shapes.append(shapely.union_all(cells).difference(free))
    return Sample(shapes, covered(grid, shapes))
