"""Walls along closed outlines, as those of rooms."""

from __future__ import annotations

import shapely

from environments.importing.chains import close_chains
from environments.importing.enclosure import Outline, drop_edges
from environments.importing.rings import area_of
from environments.importing.sketch import Sketch


def wall_outlines(sketch: Sketch, thickness: float) -> int:
    """Turn the outlines of a sketch into lines with a thickness, in place; return how many outlines there were.

    Lines whose ends meet are outlines too. One that repeats the edge of a filled area has a fill, and is left out.

    Args:
        sketch: A drawing, before it is traced.
        thickness: Thickness of the walls [m], half of it on each side of the outline.
    """
    closed, open_, gap = close_chains([points for points, width in sketch.lines if width == 0])
    joined = [Outline(part, None) for ring in closed for part in area_of([ring], sketch.effort)]
    sketch.curved |= gap > 0  # no gap is wider than the distance that curves may have from their lines
    outlines = drop_edges([*sketch.outlines, *joined], sketch.edges)
    rings = shapely.get_rings([outline.area for outline in outlines])
    walls = [(shapely.get_coordinates(ring), thickness) for ring in rings]
    sketch.lines = [*(line for line in sketch.lines if line[1] > 0), *((points, 0.0) for points in open_), *walls]
    sketch.outlines = []
    return len(outlines)
