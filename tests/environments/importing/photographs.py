"""Photographs of a bench, rendered for tests with a known homography, uneven light and noise."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import shapely
from PIL import Image

SIZE = 0.6, 0.4
"""Width and height of the rectangle on the bench [m]."""
SHOWN = 0.08
"""Margin that the photograph shows around it [m]."""
OBSTACLES = (
    shapely.box(0.10, 0.08, 0.18, 0.30),
    shapely.Polygon([(0.30, 0.10), (0.42, 0.14), (0.38, 0.26)]),
    shapely.Point(0.50, 0.30).buffer(0.045, quad_segs=64),
)
VIEW = np.array([[210.0, 1010.0], [1420.0, 1090.0], [1240.0, 190.0], [330.0, 240.0]])
"""Pixels of the lower left, lower right, upper right and upper left corner of the rectangle, x to the right and y down."""
FINE = 3000
"""Pixels per metre of the bench before it is photographed."""


def bench(color: Sequence[int], shapes: Sequence[shapely.Polygon] = OBSTACLES, markers: float = 0.0) -> np.ndarray:
    """The bench from straight above, light grey; with ArUco markers of a side [m] at the corners of the rectangle."""
    width, height = (round(FINE * (side + 2 * SHOWN)) for side in SIZE)
    picture = np.full((height, width, 3), 215, np.uint8)
    for shape in shapes:
        corners = FINE * (np.array(shape.exterior.coords) + SHOWN) * [1, -1] + [0, height]
        # Subpixels are of 1/16, and the centre of the first pixel is 0, 0.
        cv2.fillPoly(picture, [np.round(16 * (corners - 0.5)).astype(np.int32)], [*color], cv2.LINE_AA, 4)
    if markers:
        dictionary, side = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), round(FINE * markers)
        for number, (x, y) in enumerate([(0, 0), (SIZE[0], 0), SIZE, (0, SIZE[1])]):
            left, top = round(FINE * (x + SHOWN)) - side // 2, height - round(FINE * (y + SHOWN)) - side // 2
            marker = cv2.aruco.generateImageMarker(dictionary, number, side)
            picture[top - side // 4 : top + side + side // 4, left - side // 4 : left + side + side // 4] = 255
            picture[top : top + side, left : left + side] = marker[..., None]
    return picture


def photographed(picture: np.ndarray, seed: int = 0) -> np.ndarray:
    """The photograph of a bench: `VIEW`, light that falls by half from one side to the other, a vignette, and noise."""
    height = picture.shape[0]
    corners = FINE * (np.array([(0, 0), (SIZE[0], 0), SIZE, (0, SIZE[1])]) + SHOWN) * [1, -1] + [0, height] - 0.5
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), VIEW.astype(np.float32))
    # Three times as many pixels a side, averaged: a pixel of a camera sees a square.
    larger = np.array([[3, 0, 1], [0, 3, 1], [0, 0, 1]])
    seen = cv2.warpPerspective(picture, larger @ matrix, (3 * 1600, 3 * 1200), borderValue=(215, 215, 215))
    seen = cv2.resize(seen, (1600, 1200), interpolation=cv2.INTER_AREA).astype(float)
    x, y = np.meshgrid(np.linspace(-1, 1, 1600), np.linspace(-1, 1, 1200))
    light = (0.85 + 0.28 * x - 0.05 * y) * (1 - 0.08 * (x**2 + y**2))
    noise = np.random.default_rng(seed).normal(0, 4, seen.shape)
    return np.clip(seen * light[..., None] + noise, 0, 255).astype(np.uint8)


def save(path: Path, photo: np.ndarray) -> Path:
    """Write a photograph, red first, as PNG or JPEG."""
    Image.fromarray(photo).save(path, quality=92)
    return path
