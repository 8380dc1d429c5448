"""The obstacles of an environment: polygons, circles and walls."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress
from typing import Literal

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

Ends = Literal["flat", "round"]
_THINNEST = 1e-6
"""Minimum thickness of a wall that becomes a polygon [m]; the ends of a thinner one are too small to matter."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Obstacles:
    """The solid shapes of an environment; they may overlap and may extend beyond the bounds.

    >>> obstacles = Obstacles(boxes=[(0.8, 0.0, 1.0, 0.6)], circles=[(1.4, 0.9, 0.1)])
    >>> float(obstacles.clearance([0.5, 0.3]).round(3))
    0.3

    Walls end flat at their end points, unless `ends="round"`: this doorway is 80 mm wide.

    >>> left, right = Obstacles(walls=[(0, 0, 0.5, 0, 0.018), (0.58, 0, 1, 0, 0.018)]).shapes()
    >>> round(left.distance(right), 6)
    0.08
    """

    polygons: tuple[np.ndarray, ...]
    """Corners of simple polygons [m], each of shape (n, 2), n >= 3; concave allowed, clockwise or anticlockwise, not closed.

    Boxes come first, then the polygons, then the walls with flat ends, which are rectangles."""
    circles: np.ndarray
    """Rows x, y, radius [m], shape (n, 3)."""
    walls: np.ndarray
    """Rows x1, y1, x2, y2, thickness [m], shape (n, 5), of the other walls: those with round ends, widened by half their thickness
    in all directions, and bare lines, of thickness 0."""

    def __init__(
        self,
        polygons: Iterable[ArrayLike] = (),
        circles: ArrayLike = (),
        walls: ArrayLike = (),
        boxes: Iterable[ArrayLike] = (),
        ends: Ends = "flat",
    ) -> None:
        """All lengths in metres.

        Args:
            walls: Rows x1, y1, x2, y2, thickness. With flat ends they become the last polygons, so that nothing else has to
                know of flat ends; with round ends, and as bare lines, they remain `walls`.
            boxes: Rows x_min, y_min, x_max, y_max, parallel to the axes; they become the first polygons.
            ends: Shape of the walls' ends: "flat" at the end points, or "round", half the thickness beyond them. Give "round"
                to build obstacles from the `walls` of others.
        Raises:
            ValueError: `ends` is unknown, or a wall with flat ends has no length.
        """
        if ends not in ("flat", "round"):
            raise ValueError(f"ends = {ends!r} must be 'flat' or 'round'")
        rows = np.asarray(walls, float).reshape(-1, 5)
        flat = flat_walls(rows, ends)
        corners = [box_corners(*np.asarray(box, float)) for box in boxes]
        corners += [np.asarray(polygon, float).reshape(-1, 2) for polygon in polygons]
        corners += [_rectangle(wall) for wall in rows[flat]]
        # Fields of a frozen dataclass can only be set this way.
        object.__setattr__(self, "polygons", tuple(corners))
        object.__setattr__(self, "circles", np.asarray(circles, float).reshape(-1, 3))
        object.__setattr__(self, "walls", rows[~flat])

    def shapes(self) -> list[shapely.Geometry]:
        """Return the obstacles as shapely geometries [m], in the order polygons, circles, walls.

        Circles and the round ends of walls are inscribed polygons with 256 corners per turn; a bare wall is a line.
        """
        circles = shapely.buffer(shapely.points(self.circles[:, :2]), self.circles[:, 2], quad_segs=64)
        lines = shapely.linestrings(self.walls[:, :4].reshape(-1, 2, 2))
        thickness = self.walls[:, 4]
        walls = np.where(thickness > 0, shapely.buffer(lines, thickness / 2, quad_segs=64), lines)
        return [*map(shapely.Polygon, self.polygons), *circles, *walls]

    def clearance(self, points: ArrayLike) -> np.ndarray:
        """Distance from points to the nearest obstacle, exact also for circles and walls.

        Args:
            points: Finite positions [m], shape (..., 2).
        Returns:
            Distances [m], shape (...): 0 inside an obstacle, infinite if there are no obstacles.
        """
        points = np.asarray(points, dtype=float)
        flat = points.reshape(-1, 2)
        distance = np.full(len(flat), np.inf)
        if self.polygons and len(flat):
            tree = shapely.STRtree([shapely.Polygon(polygon) for polygon in self.polygons])
            (index, _), nearest = tree.query_nearest(shapely.points(flat), return_distance=True, all_matches=False)
            distance[index] = nearest
        # One pass per shape keeps the memory proportional to the number of points.
        for x, y, radius in self.circles:
            np.minimum(distance, np.hypot(flat[:, 0] - x, flat[:, 1] - y) - radius, out=distance)
        for wall in self.walls:
            np.minimum(distance, _segment_distance(flat, wall[:2], wall[2:4]) - wall[4] / 2, out=distance)
        clearance: np.ndarray = np.maximum(distance, 0.0).reshape(points.shape[:-1])
        return clearance

    def __len__(self) -> int:
        return len(self.polygons) + len(self.circles) + len(self.walls)

    def widths(self) -> np.ndarray:
        """Shorter side of the minimum rotated rectangle of each of `shapes` [m], shape (n,); 0 for bare walls."""
        sides = [shapely.minimum_rotated_rectangle(shapely.Polygon(corners)) for corners in self.polygons]
        lengths = [np.hypot(*np.diff(shapely.get_coordinates(side)[:3], axis=0).T).min() for side in sides]
        return np.array([*lengths, *2 * self.circles[:, 2], *self.walls[:, 4]])

    def part(self, chosen: np.ndarray) -> "Obstacles":
        """Select obstacles.

        Args:
            chosen: Which, in the order of `shapes`, shape (n,), bool.
        """
        polygons, circles, walls = np.split(chosen, np.cumsum([len(self.polygons), len(self.circles)]))
        return Obstacles(compress(self.polygons, polygons), self.circles[circles], self.walls[walls], ends="round")


def flat_walls(walls: np.ndarray, ends: Ends) -> NDArray[np.bool_]:
    """Mask of the walls that become polygons, for rows x1, y1, x2, y2, thickness [m], shape (n,)."""
    return (walls[:, 4] >= _THINNEST) & (ends == "flat")


def box_corners(x_min: float, y_min: float, x_max: float, y_max: float) -> np.ndarray:
    """Corners of an axis-aligned box, shape (4, 2), anticlockwise from (x_min, y_min), in the unit of the arguments."""
    return np.array([[x_min, y_min], [x_max, y_min], [x_max, y_max], [x_min, y_max]], dtype=float)


def _rectangle(wall: np.ndarray) -> np.ndarray:
    """Corners of a wall with flat ends, anticlockwise, shape (4, 2) [m]."""
    start, end = wall[:2], wall[2:4]
    if not (length := np.hypot(*(end - start))):
        raise ValueError(f"the wall {wall.tolist()} has no length: its two ends are the same point")
    side = wall[4] / (2 * length) * np.array([start[1] - end[1], end[0] - start[0]])
    # A picometre is far above the rounding errors and far below all that matters: a file in other units has the same corners.
    corners: np.ndarray = np.round([start - side, end - side, end + side, start + side], 12)
    return corners


def _segment_distance(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    along = end - start
    fraction = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    offset = points - start - fraction[:, None] * along
    distance: np.ndarray = np.hypot(offset[:, 0], offset[:, 1])
    return distance
