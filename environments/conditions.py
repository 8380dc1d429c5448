"""Conditions of an environment: mount of the base, kind of bounds, friction of the walls, and whether tubes may lie on themselves."""

import math
from typing import TypedDict

import numpy as np
import shapely
from numpy.typing import NDArray

from environments.file_model import InvalidEnvironment
from environments.obstacles import Obstacles
from environments.uncertainty_in_files import StatedUncertainty

MOUNTS = "free", "wall"
EDGES = "open", "table", "wall"
FRAME = 0.1
"""Thickness of the wall around bounds that are walls [m]."""
TOUCHING = 1e-4
"""Obstacles no farther apart than this are one piece [m]: round ones are tested as inscribed polygons."""


class Conditions(TypedDict, total=False):
    """Mount, bounds, friction and errors of an environment; see the fields of `Environment`."""

    mount: str
    edge: str
    stacked: bool
    friction: float | None
    uncertainty: StatedUncertainty


def check_conditions(conditions: Conditions) -> None:
    """Check the words and numbers of the conditions.

    Raises:
        InvalidEnvironment: `mount` or `edge` is not a known word, `stacked` is not true or false, or `friction` is negative or not
            finite.
        TypeError: An unknown key.
    """
    if unknown := conditions.keys() - Conditions.__annotations__.keys():
        raise TypeError(f"Environment() got an unexpected keyword argument {min(unknown)!r}")
    for key, word, known in (("mount", conditions.get("mount"), MOUNTS), ("edge", conditions.get("edge"), EDGES)):
        if key in conditions and word not in known:
            raise InvalidEnvironment(f"{key} = {word!r} must be {' or '.join(map(repr, known))}")
    if not isinstance(stacked := conditions.get("stacked", False), bool):
        raise InvalidEnvironment(f"stacked = {stacked!r} must be True or False")
    friction = conditions.get("friction")
    if friction is not None and not 0 <= friction < math.inf:
        raise InvalidEnvironment(f"friction = {friction:g} must be at least 0 and finite")


def add_frame(obstacles: Obstacles, bounds: np.ndarray) -> Obstacles:
    """Add a wall around the bounds to obstacles, as the last four polygons.

    Args:
        bounds: min_x, min_y, max_x, max_y [m].
    """
    (x0, y0, x1, y1), t = bounds, FRAME
    boxes = (x0 - t, y0 - t, x1 + t, y0), (x0 - t, y1, x1 + t, y1 + t), (x0 - t, y0, x0, y1), (x1, y0, x1 + t, y1)
    return obstacles.framed(boxes)


def find_piece(solids: Obstacles, position: np.ndarray) -> NDArray[np.bool_]:
    """Find the obstacle nearest to a point, or around it, with all that touch it directly or through others.

    Args:
        position: x, y [m].
    Returns:
        Which of `solids.shapes()` belong to it, shape (n,).
    """
    shapes = np.array(solids.shapes(), dtype=object)
    chosen = np.zeros(len(shapes), bool)
    if len(shapes):
        tree = shapely.STRtree(shapes)
        new = tree.query_nearest(shapely.Point(position))
        while len(new):
            chosen[new] = True
            found = np.unique(tree.query(shapes[new], predicate="dwithin", distance=TOUCHING)[1])
            new = found[~chosen[found]]
    return chosen
