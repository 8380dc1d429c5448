"""A picture, and where it lies in an environment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.affinity import affine_transform


@dataclass(frozen=True, slots=True, eq=False)
class Backdrop:
    """The picture that obstacles were found in; a pixel is a square."""

    pixels: NDArray[np.uint8]
    """Grey, shape (height, width), or red, green and blue, shape (height, width, 3); the top row first."""
    pixel: float
    """Side of a pixel [m]."""
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """x, y of the lower left corner of the picture [m] and its rotation about that corner [rad]."""

    @property
    def matrix(self) -> tuple[float, float, float, float, float, float]:
        """a, b, d, e, x, y: a point (column, row) from the lower left corner lies at (a column + b row + x, d column + e row + y) [m]."""
        x, y, yaw = self.origin
        cosine, sine = self.pixel * np.cos(yaw), self.pixel * np.sin(yaw)
        return float(cosine), float(-sine), float(sine), float(cosine), x, y

    @property
    def frame(self) -> shapely.Polygon:
        """The outline of the picture [m]."""
        height, width = self.pixels.shape[:2]
        return affine_transform(shapely.box(0, 0, width, height), self.matrix)

    def pixels_at(self, points: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return the pixels around points on the picture.

        Args:
            points: x, y [m], shape (n, 2).
        Returns:
            Shape (n,), or (n, 3) for colours.
        """
        a, b, d, e, x, y = self.matrix
        column, row = np.floor(np.linalg.solve([[a, b], [d, e]], (points - [x, y]).T)).astype(int)
        return np.asarray(self.pixels[len(self.pixels) - 1 - row, column])

    def place(self, polygons: list[shapely.Polygon]) -> list[shapely.Polygon]:
        """Convert polygons from pixels, counted from the lower left corner, to metres."""
        a, b, d, e, x, y = self.matrix
        turned, offset = np.array([[a, b], [d, e]]).T, np.array([x, y])
        return list(shapely.transform(np.array(polygons, dtype=object), lambda points: points @ turned + offset))
