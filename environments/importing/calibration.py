"""Calibration of a photograph of a flat bench: the homography of a rectangle of known size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.affinity import scale

from environments.importing.traced import UnusableFile
from environments.lengths import format_length

Floats = NDArray[np.float64]
Pixel = tuple[float, float]
"""x, y from the upper left corner of the picture."""
Picture = NDArray[np.uint8]
"""Red, green, blue; shape (height, width, 3)."""
ORDER = "lower left, lower right, upper right, upper left (anticlockwise, as seen in the photograph)"
DICTIONARY = "DICT_4X4_50"
_MOST_PIXELS = 4_000_000
_LEAST_TURN = 0.02
"""Sine of the smallest turn at a corner: with less, three corners are on one line."""
_QUIET = 1.5
"""Side of a marker with the white margin that it is printed with, in sides of the marker."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A rectangle on the bench and its picture."""

    corners: Floats
    """Pixels of the lower left, lower right, upper right and upper left corner, shape (4, 2); the centre of the first pixel is 0, 0."""
    size: tuple[float, float]
    """Width and height of the rectangle [m]."""
    markers: Floats
    """Pixels of the corners of markers at the corners of the rectangle, shape (n, 4, 2); n is 0 without markers."""
    note: str
    """Source of the calibration and known measures of its error, as text."""

    @property
    def pixel(self) -> float:
        """Side of a pixel of the rectified photograph [m]: as large as those of the photograph on average, or larger."""
        pixels = min(shapely.Polygon(self.corners).area, _MOST_PIXELS)
        return float(np.sqrt(self.size[0] * self.size[1] / max(pixels, 1.0)))

    @property
    def homography(self) -> Floats:
        """Matrix from pixels to metres, shape (3, 3)."""
        return homography(self.corners, self.size)

    def rectify(self, photo: Picture) -> Picture:
        """Rectify a photograph: return the rectangle as seen from straight above."""
        pixel = self.pixel
        width, height = (max(1, round(side / pixel)) for side in self.size)
        # The centre of the first pixel of a picture is its origin, and its rows run down.
        to_pixels = np.array([[1 / pixel, 0, -0.5], [0, -1 / pixel, height - 0.5], [0, 0, 1]])
        warped = cv2.warpPerspective(photo, to_pixels @ self.homography, (width, height), flags=cv2.INTER_LINEAR)
        return np.asarray(warped, np.uint8)

    def marker_area(self) -> shapely.Geometry:
        """Return the area of the markers with their white margins [m]."""
        outlines = [shapely.Polygon(apply_homography(self.homography, marker)) for marker in self.markers]
        return shapely.union_all([scale(one, _QUIET, _QUIET) for one in outlines])


def homography(corners: Floats, size: tuple[float, float]) -> Floats:
    """Return the matrix from pixels to metres of a rectangle with its first corner at 0, 0, shape (3, 3)."""
    width, height = size
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), target), float)


def apply_homography(matrix: Floats, points: Floats) -> Floats:
    """Apply a homography to points, shape (n, 2)."""
    lifted = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return lifted[:, :2] / lifted[:, 2:]


def calibrate_by_corners(name: str, photo: Picture, corners: Floats, size: tuple[float, float]) -> Calibration:
    """Calibrate by the pixels of a rectangle's corners.

    Args:
        name: The file, for messages.
        corners: Pixels from the upper left corner of the photograph, x to the right and y down, in the order `ORDER`, shape (4, 2).
        size: Width and height of the rectangle [m].
    Raises:
        UnusableFile: These cannot be the corners of a rectangle.
    """
    height, width = photo.shape[:2]
    outside = corners[((corners < -0.5) | (corners > np.array([width, height]) - 0.5)).any(axis=1)]
    if len(outside):
        x, y = outside[0].tolist()
        most = f"x must be from 0 to {width - 1}, and y from 0 to {height - 1}"
        raise UnusableFile(
            f"{name}: the corner {x:g}, {y:g} is outside of the photograph of {width} x {height} pixels: {most}"
        )
    outline = shapely.Polygon(corners)
    if not outline.is_valid:
        raise UnusableFile(
            f"{name}: the lines between the corners {corners.tolist()} cross; give them in the order {ORDER}"
        )
    sides = np.roll(corners, -1, axis=0) - corners
    following = np.roll(sides, -1, axis=0)
    turns = (sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]) * (1 if outline.exterior.is_ccw else -1)
    if (turns <= _LEAST_TURN * np.hypot(*sides.T) * np.hypot(*following.T)).any() or outline.area < 100:
        raise UnusableFile(
            f"{name}: the corners {corners.tolist()} must be those of a rectangle in the photograph, convex and of at least 100 pixels"
        )
    if outline.exterior.is_ccw:  # with y down
        raise UnusableFile(
            f"{name}: the corners {corners.tolist()} run clockwise, which mirrors the bench; give them in the order {ORDER}"
        )
    return Calibration(corners, size, np.empty((0, 4, 2)), "four corners given, which leave no way to know their error")


def calibrate_by_length(name: str, photo: Picture, known: tuple[float, Pixel, Pixel]) -> Calibration:
    """Calibrate a picture from straight above, such as a scan, by one length: the rectangle is the whole picture.

    Args:
        name: The file, for messages.
        known: Length [m], and the pixels of its ends from the upper left corner of the photograph.
    Raises:
        UnusableFile: An end is not in the picture.
    """
    height, width = photo.shape[:2]
    length, one, other = known
    for x, y in (one, other):
        if not (-0.5 <= x <= width - 0.5 and -0.5 <= y <= height - 0.5):
            raise UnusableFile(
                f"{name}: the known length ends at ({x:g}, {y:g}), which is not in the photograph: x from 0 to {width - 1}, y from 0 to "
                f"{height - 1}"
            )
    pixel = length / math.dist(one, other)
    left, right, low, high = -0.5, width - 0.5, height - 0.5, -0.5
    corners = np.array([[left, low], [right, low], [right, high], [left, high]])
    note = "one known length, which leaves no way to know its error; a camera that looks from aside distorts it"
    return Calibration(corners, (width * pixel, height * pixel), np.empty((0, 4, 2)), note)


def calibrate_by_markers(name: str, photo: Picture, size: tuple[float, float]) -> Calibration:
    """Calibrate by ArUco markers 0 to 3, whose centres are the corners of a rectangle in the order `ORDER`.

    The markers must be squares of one size, and this is what their error is known from.

    Args:
        name: The file, for messages.
        size: Width and height of the rectangle between the centres [m].
    Raises:
        UnusableFile: A marker is missing, or seen twice.
    """
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    grey = cv2.cvtColor(photo, cv2.COLOR_RGB2GRAY)
    found, numbers, _ = cv2.aruco.ArucoDetector(dictionary, settings).detectMarkers(grey)
    seen = [] if numbers is None else numbers.ravel().tolist()
    if sorted(number for number in seen if number < 4) != [0, 1, 2, 3]:
        raise UnusableFile(
            f"{name}: the markers 0, 1, 2 and 3 of {DICTIONARY} must be seen once each, with a white margin; seen: {sorted(seen) or 'none'}"
        )
    markers = np.array([np.reshape(found[seen.index(number)], (4, 2)) for number in range(4)], float)
    centres = np.array([_crossing_of_diagonals(marker) for marker in markers])
    made = calibrate_by_corners(name, photo, centres, size)
    sides, error = _fit_squares(np.array([apply_homography(made.homography, marker) for marker in markers]))
    side, deviation = (format_length(1e3 * length, "mm") for length in (sides, error))
    note = f"four markers of {side} mm, whose corners are within {deviation} mm of such squares"
    return Calibration(centres, size, markers, note)


def _crossing_of_diagonals(marker: Floats) -> Floats:
    """Intersection of the diagonals: the picture of the centre of a square."""
    a, b, c, d = np.column_stack([marker, np.ones(4)])
    point = np.cross(np.cross(a, c), np.cross(b, d))
    return point[:2] / point[2]


def _fit_squares(markers: Floats) -> tuple[float, float]:
    """Return the common side of four squares, each turned as it fits best, and the largest distance of a corner from them [m]."""
    turn = np.array([0.5 + 0.5j, -0.5 + 0.5j, -0.5 - 0.5j, 0.5 - 0.5j])
    corners = markers @ np.array([1, 1j])
    about = corners - corners.mean(axis=1, keepdims=True)
    # The detector gives corners clockwise; with y up that is one of the two ways round a square.
    fits = [about @ np.conj(way) / 2 for way in (turn, turn[::-1])]
    best, way = max(zip(fits, (turn, turn[::-1]), strict=True), key=lambda pair: float(np.abs(pair[0]).sum()))
    side = float(np.abs(best).mean())
    square = side * (best / np.abs(best))[:, None] * way
    return side, float(np.abs(about - square).max())
