"""Sampling of environments from a belief."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from scipy import ndimage

from dynamics.geometric.walls import MITRE_LIMIT
from planner.mapping.belief import Belief
from planner.mapping.grid import CellGrid, Cells, covered_cells, squares
from surrogate.kernels.compiled import Floats

GROUPS = 6, 8
"""Minimum and maximum number of groups of cells that become obstacles, unless more were hit (paper 003, section 4.1.5)."""
DISC = 1.02 * MITRE_LIMIT
"""Radius of the free disc about a launch point, in tube radii. Inflated corners may reach this far, and shapely's discs are
inscribed polygons."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A sampled environment."""

    shapes: list[shapely.Geometry]
    """One obstacle for each group of cells [m]."""
    rubric: Cells


def kept_free(points: Floats, radius: float) -> shapely.Geometry:
    """Return regions without obstacles because tubes are launched there: discs about points [m], shape (p, 2)."""
    return shapely.union_all(shapely.buffer(shapely.points(points), DISC * radius, quad_segs=16))


def sample_environment(belief: Belief, grid: CellGrid, free: shapely.Geometry, rng: np.random.Generator) -> Sample:
    """Sample an environment: draw cells by their belief and take the convex hulls of the largest connected groups.

    All cells known to be covered are in obstacles, except in the free regions.

    Args:
        free: Region that no obstacle may cover [m]. A group whose hull intersects it is omitted; if one of its cells is
            known to be covered, its cells are used instead of its hull.
    Source: paper 003, section 4.1.5.
    """
    groups, count = ndimage.label(rng.random(belief.hits.shape) < belief.occupancy, np.ones((3, 3)))
    most = rng.integers(GROUPS[0], GROUPS[1] + 1)
    hit = np.isin(np.arange(1, count + 1), groups[belief.hits])
    # Groups of equal size are ordered at random; otherwise more obstacles would lie where labels begin.
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
    return Sample(shapes, covered_cells(grid, shapes))
