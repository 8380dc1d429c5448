"""Obstacles on a photograph of a flat bench."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage

from environments.importing.backdrop import Backdrop
from environments.importing.calibration import (
    Calibration,
    calibrate_by_corners,
    calibrate_by_length,
    calibrate_by_markers,
)
from environments.importing.cells import outline_cells
from environments.importing.options import ImportOptions
from environments.importing.pixels import read_pixels
from environments.importing.traced import Tracing, UnusableFile
from environments.lengths import format_length

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
LIGHTNESS_WEIGHT = 0.5
"""Weight of differences in lightness: shadows change the lightness of an obstacle, but hardly its hue."""
TOLERANCE = 25.0
"""Default distance from the colour of obstacles [CIELAB units]."""
_LEAST_AREA = 25
"""Smaller spots are noise [pixel^2]."""
_LEAST_CONTRAST = 0.15
"""Dark obstacles reflect at least this share less light than the bench."""


def read_photo(path: Path, options: ImportOptions) -> tuple[Tracing, Backdrop]:
    """Find the obstacles on the rectangle.

    Raises:
        UnusableFile: The photograph cannot be read, the rectangle not found, or there are no obstacles.
    """
    rectangle = options.size is not None or bool(options.corners) or options.aruco
    if rectangle == (options.known is not None) or (
        rectangle and (options.size is None or bool(options.corners) == options.aruco)
    ):
        needed = "a known length (--known), or a rectangle of known size (--size) and its corners (--corners) or markers at them (--aruco)"
        raise UnusableFile(f"{path.name} is taken as a photograph, which needs {needed}")
    if options.tolerance is not None and (options.color is None or not 0 < options.tolerance <= 200):
        given = f"--tolerance {options.tolerance:g} must be greater than 0 and at most 200"
        raise UnusableFile(f"{path.name}: {given}, and needs --color")
    photo = read_pixels(path, ("PNG", "JPEG"), path.name)
    if photo.dtype != np.uint8:
        raise UnusableFile(f"{path.name} has 16 bits a channel; save it with 8")
    picture = np.asarray(photo if photo.ndim == 3 else np.repeat(photo[..., None], 3, axis=2), np.uint8)[..., :3]
    picture = np.ascontiguousarray(picture)
    calibration = _calibrate(path.name, picture, options)
    flat = calibration.rectify(picture)
    if options.color is None:
        solid, how = _find_dark(path.name, flat)
    else:
        solid, how = _find_color(flat, options.color, TOLERANCE if options.tolerance is None else options.tolerance)
    backdrop = Backdrop(flat, calibration.pixel)
    marked = shapely.transform(calibration.marker_area(), lambda points: points / backdrop.pixel)
    if not marked.is_empty:
        solid &= ~_select_inside(marked, solid.shape)
    solid, specks = _remove_spots(solid)
    if not solid.any():
        raise UnusableFile(
            f"{path.name}: no obstacles were found, {how}; give their colour with --color, or another --tolerance"
        )
    side = format_length(1e3 * backdrop.pixel, "mm")
    notes = [
        f"photograph of {picture.shape[1]} x {picture.shape[0]} pixels, rectified to pixels of {side} mm",
        f"calibrated by {calibration.note}",
        f"obstacles are {how}",
    ]
    if specks:
        notes.append(f"{specks} spots of less than {_LEAST_AREA} pixels left out")
    shape = (0.0, 0.0, *calibration.size)
    return Tracing(
        solid=tuple(backdrop.place(outline_cells(solid[::-1], path.name))), bounds=shape, notes=tuple(notes)
    ), backdrop


def _calibrate(name: str, picture: NDArray[np.uint8], options: ImportOptions) -> Calibration:
    """Calibrate a photograph by what is known of it."""
    if options.known is not None:
        return calibrate_by_length(name, picture, options.known)
    assert options.size is not None
    if options.aruco:
        return calibrate_by_markers(name, picture, options.size)
    return calibrate_by_corners(name, picture, np.array(options.corners, float), options.size)


def _find_color(picture: NDArray[np.uint8], color: tuple[int, int, int], tolerance: float) -> tuple[Mask, str]:
    """Return the pixels of a colour."""
    wanted = _to_lab(np.array([[color]], np.uint8))
    difference = (_to_lab(picture) - wanted) * np.array([LIGHTNESS_WEIGHT, 1, 1], np.float32)
    distance = np.linalg.norm(difference, axis=2)
    return distance <= tolerance, f"within {tolerance:g} CIELAB units of the colour #{bytes(color).hex()}"


def _to_lab(picture: NDArray[np.uint8]) -> Floats:
    """Return a picture in CIELAB (lightness from 0 to 100, a, b), slightly smoothed against noise."""
    smooth = cv2.GaussianBlur(picture, (5, 5), 0)
    return np.asarray(cv2.cvtColor(smooth.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)


def _find_dark(name: str, picture: NDArray[np.uint8]) -> tuple[Mask, str]:
    """Return the pixels that are darker than the bench, which may be lit unevenly: a threshold by Otsu's method, relative to its light.

    Source: N. Otsu, A threshold selection method from gray-level histograms, 1979.
    """
    smooth = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), (5, 5), 0).astype(np.float32)
    share = smooth / _fit_light(smooth)
    levels = np.clip(200 * share, 0, 255).astype(np.uint8)
    threshold, _ = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    dark = levels <= threshold
    contrast = 1 - share[dark].mean() / share[~dark].mean() if dark.any() and not dark.all() else 0.0
    if contrast < _LEAST_CONTRAST:
        raise UnusableFile(
            f"{name}: nothing on it is much darker than the rest; give the colour of the obstacles with --color"
        )
    return (
        dark,
        f"darker than {threshold / 2:.0f} % of the light on the bench (Otsu); they reflect {100 * contrast:.0f} % less than it",
    )


def _fit_light(grey: Floats) -> Floats:
    """Return the grey of an empty bench: a parabola in x and y through the lighter part of the pixels."""
    height, width = grey.shape
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    terms = [np.ones_like(x), x, y, x * x, x * y, y * y]
    step = max(1, int(np.sqrt(grey.size / 20_000)))
    columns = np.stack([term[::step, ::step].ravel() for term in terms], axis=1)
    values = grey[::step, ::step].ravel()
    used = values >= np.median(values)
    for _ in range(10):
        weights = np.linalg.lstsq(columns[used], values[used], rcond=None)[0]
        # Obstacles and their shadows are far below; the noise is not.
        used = values > 0.85 * (columns @ weights)
    light = sum(weight * term for weight, term in zip(weights, terms, strict=True))
    return np.maximum(np.asarray(light, np.float32), 1.0)


def _select_inside(area: shapely.Geometry, shape: tuple[int, ...]) -> Mask:
    """Mask of the pixels, the top row first, whose centres lie in an area in pixels from the lower left corner."""
    height, width = shape
    inside = np.zeros((height, width), bool)
    for part in shapely.get_parts(area):
        x0, y0, x1, y1 = np.clip(np.round(part.bounds), 0, [width, height, width, height]).astype(int)
        y, x = np.mgrid[y0:y1, x0:x1] + 0.5
        inside[y0:y1, x0:x1] |= shapely.contains_xy(part, x, y)
    return inside[::-1]


def _remove_spots(solid: Mask) -> tuple[Mask, int]:
    """Remove spots, solid or free, that are smaller than `_LEAST_AREA`; return the mask and the number of spots."""
    count = 0
    for value in (True, False):
        labels, found = ndimage.label(solid == value)
        small = np.bincount(labels.ravel(), minlength=found + 1) < _LEAST_AREA
        small[0] = False
        solid = np.where(small[labels], not value, solid)
        count += int(small.sum())
    return solid, count
