"""Union and difference of obstacles of a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import shapely

from environments.file_model import MOST_CORNERS, InvalidEnvironment
from environments.importing.cut import cut_holes, extract_polygons
from environments.obstacles import Ends, Obstacles

NEAR = 0.05
"""Distance within which outlines keep fewer corners: curves are polygons then [mm]."""


def combine_shapes(
    operation: Literal["union", "difference"], shapes: Sequence[dict[str, Any]], ends: Ends
) -> list[list[list[float]]]:
    """Compute the union of obstacles, or the first one without the others.

    Args:
        shapes: Each with its `kind`, the `row` of its list in a file and, of a polygon, its `corners`, in mm and degrees.
        ends: Shape of the ends of walls.
    Returns:
        Corners of simple polygons [mm]; an area with holes is cut into several.
    Raises:
        InvalidEnvironment: A shape has no area, or the polygons would have too many corners.
    """
    solids = [_solid(shape, ends) for shape in shapes]
    joined = (
        shapely.union_all(solids)
        if operation == "union"
        else shapely.difference(solids[0], shapely.union_all(solids[1:]))
    )
    found = extract_polygons(shapely.simplify(joined, NEAR))
    pieces = [piece for polygon in found for piece in cut_holes(polygon)]
    corners = [np.round(shapely.get_coordinates(piece.exterior)[:-1], 3).tolist() for piece in pieces]
    if (count := sum(map(len, corners))) > MOST_CORNERS:
        raise InvalidEnvironment(f"the result has {count} corners; at most {MOST_CORNERS} are allowed")
    return corners


def _solid(shape: dict[str, Any], ends: Ends) -> shapely.Geometry:
    row, kind = [float(value) for value in shape["row"]], shape["kind"]
    if kind == "box":
        row[4:] = np.deg2rad(row[4:]).tolist()
    rows = {"box": "boxes", "polygon": "polygons", "circle": "circles", "wall": "walls"}
    try:
        given: dict[str, Any] = {rows[kind]: [shape["corners"] if kind == "polygon" else row]}
        (solid,) = Obstacles(**given, ends=ends).shapes()
    except ValueError as error:
        raise InvalidEnvironment(f"a {kind} cannot be combined: {error}") from None
    if not solid.is_valid or not solid.area:
        raise InvalidEnvironment(f"a {kind} cannot be combined: it has no area, or its outline crosses itself")
    return solid
