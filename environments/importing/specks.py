"""Small obstacles on maps and photographs, which are often noise."""

from __future__ import annotations

import numpy as np
import shapely

from environments.importing.build import Imported
from environments.importing.ros_map import SHADES, UNKNOWN
from environments.lengths import format_length

_OF_RADIUS = 0.5
"""Obstacles that are smaller than this are questioned [tube radii]."""
_OF_PIXEL = 1.5
"""Obstacles that are smaller than this are questioned [pixels]: a single pixel is 1.41 across."""


def specks_hint(found: Imported, tube_radius: float) -> str:
    """Return a hint at obstacles that stand alone and are small for the tube, or a single cell; "" if there are none, or for a drawing.

    Args:
        tube_radius: Radius of the tube that is to grow there [m].
    """
    if found.backdrop is None:
        return ""
    limit = max(_OF_RADIUS * tube_radius, _OF_PIXEL * found.backdrop.pixel)
    shapes = np.array(found.outlines, dtype=object)
    is_small = 2 * shapely.minimum_bounding_radius(shapes) < limit
    small, tree = shapes[is_small], shapely.STRtree(shapes[~is_small])
    # Cells that touch a large obstacle at a corner are its outline.
    at_large = tree.query(small, predicate="dwithin", distance=found.backdrop.pixel / 2)[0]
    small = np.delete(small, at_large)
    if not len(small):
        return ""
    counted = "1 obstacle is" if len(small) == 1 else f"{len(small)} obstacles are"
    text = f"{counted} less than {format_length(1e3 * limit, 'mm')} mm across"
    if found.backdrop.pixels.ndim == 2:  # a map, of one of the shades for each cell
        shades = found.backdrop.pixels_at(shapely.get_coordinates(shapely.point_on_surface(small)))
        unknown = np.count_nonzero(shades == SHADES[UNKNOWN])
        text += f", {unknown} of them unknown cells" if unknown else ""
    return f"{text}: designs may lean on them; remove those that are noise from the picture"
