"""Overlays: the tracked tube drawn over the image."""

from __future__ import annotations

import cv2
import numpy as np

from planner.recordings.tracking.centerline import Axis
from planner.recordings.tracking.segmentation import Image, Mask
from surrogate.kernels.compiled import Floats

# Blue, green, red, as in OpenCV; chosen to differ from each other and from most tubes and walls.
OUTLINE, AXIS, POINT, BASE = (255, 200, 0), (255, 255, 255), (30, 30, 30), (200, 0, 200)
SUBPIXEL_BITS = 4


def draw_overlay(image: Image, region: Mask | None, axis: Axis | None, base: Floats, caption: str) -> Image:
    """Return a copy of an image with the region's outline, the axis with its points, the base, and a caption.

    Args:
        base: (x, y) [pixel].
    """
    drawn = image.copy()
    size = max(1.0, min(image.shape[:2]) / 480)
    width = round(size)
    if region is not None:
        outlines, _ = cv2.findContours(region.astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
        cv2.drawContours(drawn, outlines, -1, OUTLINE, 2 * width, cv2.LINE_AA)
    if axis is not None:
        line = _fixed_point(axis.points)
        cv2.polylines(drawn, [line], False, AXIS, 2 * width, cv2.LINE_AA, SUBPIXEL_BITS)
        for point in line:
            _dot(drawn, point, 1.3 * size, POINT)
        _dot(drawn, line[-1], 3.2 * size, OUTLINE)
    cv2.drawMarker(drawn, np.round(base).astype(int).tolist(), BASE, cv2.MARKER_CROSS, round(14 * size), width + 1)
    return _add_caption(drawn, caption, size)


def _fixed_point(points: Floats) -> np.ndarray:
    return np.round(points * 2**SUBPIXEL_BITS).astype(np.int32)


def _dot(image: Image, point: np.ndarray, radius: float, colour: tuple[int, int, int]) -> None:
    reach = round(radius * 2**SUBPIXEL_BITS)
    cv2.circle(image, point.tolist(), reach, colour, cv2.FILLED, cv2.LINE_AA, SUBPIXEL_BITS)


def _add_caption(image: Image, caption: str, size: float) -> Image:
    """Return the image with a caption in its upper left corner, on a darkened strip for contrast."""
    font, scale = cv2.FONT_HERSHEY_SIMPLEX, 0.45 * size
    (wide, high), below = cv2.getTextSize(caption, font, scale, 1)
    pad = round(6 * size)
    strip = image[: high + below + 2 * pad, : wide + 2 * pad]
    strip[:] = strip // 4
    cv2.putText(image, caption, (pad, high + pad), font, scale, AXIS, max(1, round(0.8 * size)), cv2.LINE_AA)
    return image
