"""Correction of the perspective of a picture beneath a drawing: what a camera straight above sees."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from vinewright.studio.limited import MOST_MEMORY, MOST_SECONDS, Failed, run_limited
from vinewright.studio.pictures import LARGEST, UnusablePicture

if TYPE_CHECKING:
    from environments.importing.calibration import Calibration, Floats

REACH = 10.0
"""Size of the part of the plane beside the rectangle that is shown, on each side, in sizes of the rectangle."""
HORIZON = 0.25
"""Points are left out whose distance in the direction of view is more than that of the rectangle over this."""


def rectify(
    data: bytes,
    corners: list[tuple[float, float]],
    size: tuple[float, float],
    seconds: float = MOST_SECONDS,
    memory: int = MOST_MEMORY,
) -> dict[str, Any]:
    """Correct the perspective of a picture by a rectangle of known size.

    Args:
        data: A PNG picture.
        corners: Pixels of the lower left, lower right, upper right and upper left corner of the rectangle, from the upper left
            corner of the picture, y down.
        size: Width and height of the rectangle [mm].
        seconds: Maximum time [s].
        memory: Maximum memory of its process [bytes], where the system limits it.
    Returns:
        `data` of the picture as PNG, its `size` [px], `scale` [mm/px], and `corner`: position of the first corner of the
        rectangle from the lower left corner of the picture [mm].
    Raises:
        UnusablePicture: These cannot be the corners of a rectangle, or the limits are exceeded.
    """
    try:
        found: dict[str, Any] = run_limited(_rectify, (data, corners, size), seconds, memory)
    except (TimeoutError, MemoryError):
        raise UnusablePicture("the picture is too large to be corrected: make it smaller") from None
    except Failed as error:
        raise UnusablePicture(str(error)) from None
    return found


def _rectify(data: bytes, corners: list[tuple[float, float]], size: tuple[float, float]) -> dict[str, Any]:
    import cv2

    from environments.importing.calibration import calibrate_by_corners

    picture = np.asarray(Image.open(io.BytesIO(data), formats=("PNG",)).convert("RGBA"))
    # The centre of the first pixel is the origin there.
    calibration = calibrate_by_corners("the picture", picture, np.array(corners, float) - 0.5, size)
    x0, y0, x1, y1 = _extent(calibration, picture.shape[1], picture.shape[0])
    scale = max(calibration.pixel, (x1 - x0) / LARGEST, (y1 - y0) / LARGEST)
    width, height = (max(1, round(side / scale)) for side in (x1 - x0, y1 - y0))
    to_pixels = np.array([[1 / scale, 0, -x0 / scale - 0.5], [0, -1 / scale, height - 0.5 + y0 / scale], [0, 0, 1]])
    matrix = to_pixels @ calibration.homography
    flat = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_LINEAR)
    # Points beyond the horizon would be seen, too, as if they were before it.
    row = np.linalg.inv(matrix)[2] * _side(calibration)
    flat[np.add.outer(row[1] * np.arange(height) + row[2], row[0] * np.arange(width)) <= 0] = 0
    out = io.BytesIO()
    Image.fromarray(np.asarray(flat, np.uint8)).save(out, "PNG", compress_level=3)
    return {"data": out.getvalue(), "size": [width, height], "scale": scale, "corner": [-x0, -y0]}


def _side(calibration: Calibration) -> float:
    """Return the sign of the third coordinate of points on the camera's side of the horizon."""
    return float(np.sign(np.append(calibration.corners[0], 1) @ calibration.homography[2]))


def _extent(calibration: Calibration, width: int, height: int) -> tuple[float, float, float, float]:
    """Return the part of the plane that is shown [mm]: of what the picture shows, that near the rectangle."""
    from environments.importing.calibration import apply_homography

    row = calibration.homography[2] * _side(calibration)
    nearness = np.column_stack([calibration.corners, np.ones(4)]) @ row
    frame = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]])
    shown = apply_homography(calibration.homography, _cut(frame, row, HORIZON * float(nearness.min())))
    size = np.array(calibration.size)
    low = np.maximum(shown.min(axis=0), -REACH * size)
    high = np.minimum(shown.max(axis=0), (1 + REACH) * size)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _cut(outline: Floats, row: Floats, least: float) -> Floats:
    """Return the corners of the part of a convex outline in which x, y, 1 times a row is at least a number."""
    values = np.column_stack([outline, np.ones(len(outline))]) @ row - least
    kept = []
    for one, other, value, following in zip(
        outline, np.roll(outline, -1, axis=0), values, np.roll(values, -1), strict=True
    ):
        if value >= 0:
            kept.append(one)
        if value * following < 0:
            kept.append(one + value / (value - following) * (other - one))
    return np.array(kept)
