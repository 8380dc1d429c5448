"""Segmentation of the tube's pixels, by colour or by the difference from a background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from surrogate.kernels.compiled import Floats

Image = NDArray[np.uint8]
"""An image in OpenCV's format: blue, green, red; shape (height, width, 3)."""
Mask = NDArray[np.bool_]
"""Whether a pixel belongs to the tube, shape (height, width)."""

LIGHTNESS_WEIGHT = 0.5
"""Weight of differences in lightness: folds and shadows change the lightness along the tube, but hardly the hue."""
LEAST_AREA = 60
"""Minimum area of a tube's region; smaller ones are specks [pixel^2]."""
FARTHEST_FROM_BASE = 0.1
"""Maximum distance of a tube's region from the base, as a fraction of the image's diagonal."""
EDGE = 3
"""Maximum correction of the tube's edge [pixel]."""
COLOR_TOLERANCE, BACKGROUND_TOLERANCE = 25.0, 15.0
"""Default tolerances in CIELAB units; the just noticeable difference is about 2."""


class Segmentation(Protocol):
    """Classifies the pixels of a tube."""

    @property
    def tolerance(self) -> float:
        """Threshold distance in CIELAB."""
        ...

    def likeness(self, image: Image) -> NDArray[np.float32]:
        """Return the likeness of each pixel to the tube in CIELAB units, positive for the tube; shape (height, width)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ByColor:
    """Segmentation by the tube's colour."""

    color: tuple[int, int, int]
    """Red, green, blue, each from 0 to 255."""
    tolerance: float = COLOR_TOLERANCE
    """Maximum distance in CIELAB."""

    def likeness(self, image: Image) -> NDArray[np.float32]:
        wanted = lab(np.array([[self.color[::-1]]], np.uint8))
        return self.tolerance - _size(lab(image) - wanted)


@dataclass(frozen=True, slots=True, eq=False)
class ByBackground:
    """Segmentation by the difference from an image without the tube."""

    background: Image
    tolerance: float = BACKGROUND_TOLERANCE
    """Minimum distance in CIELAB."""

    def likeness(self, image: Image) -> NDArray[np.float32]:
        difference = lab(image) - lab(self.background)
        # The tube covers the smaller part of the image, so the median change is due to the light.
        difference -= np.median(difference, axis=(0, 1))
        return _size(difference) - self.tolerance


def lab(image: Image) -> NDArray[np.float32]:
    """Return an image in CIELAB (lightness from 0 to 100, a, b), slightly smoothed against noise."""
    smooth = cv2.GaussianBlur(image, (3, 3), 0)
    return np.asarray(cv2.cvtColor(smooth.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float32)


def _size(difference: NDArray[np.float32]) -> NDArray[np.float32]:
    lightness, a, b = np.moveaxis(difference, 2, 0)
    return np.sqrt((LIGHTNESS_WEIGHT * lightness) ** 2 + a**2 + b**2)


def median_image(images: Sequence[Image]) -> Image:
    """Return the median of each pixel over images. A tube that covers each pixel in fewer than half of them is removed."""
    return np.median(np.stack(images), axis=0).astype(np.uint8)


def tube_region(likeness: NDArray[np.float32], base: Floats | None) -> Mask | None:
    """Find the tube's region, without specks, frays and holes.

    Args:
        likeness: As of `Segmentation.likeness`.
        base: Base of the tube (x, y) [pixel], or None to take the largest region. With a base, take the region nearest to
            it, and the largest of several that are about equally near.
    Returns:
        The region, or None if there is none near the base.
    """
    coarse = _largest_region(likeness > 0, base)
    return None if coarse is None else _largest_region(_move_edge(likeness, coarse), base)


def _largest_region(mask: Mask, base: Floats | None) -> Mask | None:
    whole = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, _disc(5))
    whole = cv2.morphologyEx(whole, cv2.MORPH_CLOSE, _disc(5))
    count, labels, facts, _ = cv2.connectedComponentsWithStats(whole, connectivity=8)
    areas = facts[:, cv2.CC_STAT_AREA]
    known = [label for label in range(1, count) if areas[label] >= LEAST_AREA]
    if base is not None:
        away = {label: _distance(labels == label, base) for label in known}
        # Regions within 5 pixels count as equally near, so that a speck is not preferred to the tube.
        reach = min(min(away.values(), default=0.0) + 5, FARTHEST_FROM_BASE * float(np.hypot(*mask.shape)))
        known = [label for label in known if away[label] <= reach]
    return _fill_holes(labels == max(known, key=lambda label: areas[label])) if known else None


def _disc(width: int) -> Any:
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))


def _move_edge(likeness: NDArray[np.float32], region: Mask) -> Mask:
    """Move the edge of a region, by at most `EDGE`, to where the likeness is halfway between inside and outside.

    A tolerance that includes all of a shaded tube may also include, or exclude, some of the blur at its edge.
    """
    coarse, disc = region.astype(np.uint8), _disc(2 * EDGE + 1)
    inner, outer = cv2.erode(coarse, disc) > 0, cv2.dilate(coarse, disc) > 0
    around = (cv2.dilate(coarse, _disc(4 * EDGE + 1)) > 0) & ~outer
    if not inner.any() or not around.any():
        return region
    halfway = (np.median(likeness[inner]) + np.median(likeness[around])) / 2
    return inner | (outer & (likeness > halfway))


def _distance(region: Mask, base: Floats) -> float:
    rows, columns = np.nonzero(region)
    return float(np.hypot(columns - base[0], rows - base[1]).min())


def _fill_holes(region: Mask) -> Mask:
    """Fill holes smaller than the largest inscribed disc of the region; a loop of the tube remains open."""
    widest = cv2.distanceTransform(region.astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE).max()
    count, labels, facts, _ = cv2.connectedComponentsWithStats((~region).astype(np.uint8), connectivity=4)
    small = facts[:, cv2.CC_STAT_AREA] < np.pi * widest**2
    small[0] = False  # the region itself
    return region | small[labels] if count > 1 else region
