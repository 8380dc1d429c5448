"""The solid things in a place: polygons, circles and walls."""

from dataclasses import dataclass, field

import numpy as np
import shapely


@dataclass(frozen=True, slots=True, eq=False)
class Obstacles:
    """Everything the tube cannot enter; shapes may overlap and may reach beyond the bounds."""

    polygons: tuple[np.ndarray, ...] = ()
    """Corners of simple polygons [m], each of shape (n, 2), n >= 3; concave allowed, either turn, not closed."""
    circles: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    """Rows x, y, radius [m], shape (n, 3)."""
    walls: np.ndarray = field(default_factory=lambda: np.zeros((0, 5)))
    """Rows x1, y1, x2, y2, thickness [m], shape (n, 5): a segment widened by half its thickness; 0 is a bare line."""

    def shapes(self) -> list[shapely.Geometry]:
        """The obstacles as shapely geometries [m]: polygons, then circles, then walls.

        Circles and the round ends of walls are inscribed polygons with 256 corners to the turn; a bare wall is a line.
        """
        circles = shapely.buffer(shapely.points(self.circles[:, :2]), self.circles[:, 2], quad_segs=64)
        lines = shapely.linestrings(self.walls[:, :4].reshape(-1, 2, 2))
        thickness = self.walls[:, 4]
        walls = np.where(thickness > 0, shapely.buffer(lines, thickness / 2, quad_segs=64), lines)
        return [*map(shapely.Polygon, self.polygons), *circles, *walls]

    def clearance(self, points: np.ndarray) -> np.ndarray:
        """Distance from points to the nearest obstacle, exact for circles and walls too.

        Args:
            points: Finite positions [m], shape (..., 2).
        Returns:
            Distances [m], shape (...): 0 inside an obstacle, infinite where there are none.
        """
        points = np.asarray(points, dtype=float)
        flat = points.reshape(-1, 2)
        distance = np.full(len(flat), np.inf)
        if self.polygons and len(flat):
            tree = shapely.STRtree([shapely.Polygon(polygon) for polygon in self.polygons])
            (index, _), nearest = tree.query_nearest(shapely.points(flat), return_distance=True, all_matches=False)
            distance[index] = nearest
        # One pass per shape keeps the memory at the number of points.
        for x, y, radius in self.circles:
            np.minimum(distance, np.hypot(flat[:, 0] - x, flat[:, 1] - y) - radius, out=distance)
        for wall in self.walls:
            np.minimum(distance, _segment_distance(flat, wall[:2], wall[2:4]) - wall[4] / 2, out=distance)
        clearance: np.ndarray = np.maximum(distance, 0.0).reshape(points.shape[:-1])
        return clearance


def box_corners(x_min: float, y_min: float, x_max: float, y_max: float) -> np.ndarray:
    """Corners of an axis-aligned box, shape (4, 2), anticlockwise from (x_min, y_min); same unit as given."""
    return np.array([[x_min, y_min], [x_max, y_min], [x_max, y_max], [x_min, y_max]], dtype=float)


def _segment_distance(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    along = end - start
    fraction = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    offset = points - start - fraction[:, None] * along
    distance: np.ndarray = np.hypot(offset[:, 0], offset[:, 1])
    return distance
