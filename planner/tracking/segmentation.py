"""Which pixels of a picture belong to the tube: by its colour, or by what differs from the background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from surrogate.compiled import Floats

Image = NDArray[np.uint8]
"""A picture as OpenCV reads it: blue, green, red; shape (height, width, 3)."""
Mask = NDArray[np.bool_]
"""Whether a pixel belongs to the tube, shape (height, width)."""

LIGHTNESS_WEIGHT = 0.5
"""Share of a difference in lightness that counts: folds and shade change it along the tube, but hardly the hue."""
LEAST_AREA = 60
"""Smaller regions are specks, never a tube [pixel^2]."""
FARTHEST_FROM_BASE = 0.1
"""How far from the base a tube may begin, as a fraction of the picture's diagonal."""
EDGE = 3
"""How far off a tolerance may find the tube's edge [pixel]."""
COLOR_TOLERANCE, BACKGROUND_TOLERANCE = 25.0, 15.0
"""Default tolerances in CIELAB; a just noticeable difference is about 2."""


class Segmentation(Protocol):
    """Tells a tube's pixels from all others."""

    @property
    def tolerance(self) -> float:
        """Distance in CIELAB at which they part."""
        ...

    def likeness(self, image: Image) -> NDArray[np.float32]:
        """How much each pixel looks like the tube, above 0 where it does; in units of CIELAB, shape (height, width)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ByColor:
    """Pixels of about the tube's colour."""

    color: tuple[int, int, int]
    """Red, green, blue, each from 0 to 255."""
    tolerance: float = COLOR_TOLERANCE
    """Greatest distance in CIELAB."""

    def likeness(self, image: Image) -> NDArray[np.float32]:
        wanted = lab(np.array([[self.color[::-1]]], np.uint8))
        return self.tolerance - _size(lab(image) - wanted)


@dataclass(frozen=True, slots=True, eq=False)
class ByBackground:
    """Pixels that differ from the same place without a tube."""

    background: Image
    tolerance: float = BACKGROUND_TOLERANCE
    """Least distance in CIELAB."""

    def likeness(self, image: Image) -> NDArray[np.float32]:
        difference = lab(image) - lab(self.background)
        # The tube covers the smaller part of the picture: what most pixels change by is the light.
        difference -= np.median(difference, axis=(0, 1))
        return _size(difference) - self.tolerance


def lab(image: Image) -> NDArray[np.float32]:
    """A picture in CIELAB (lightness from 0 to 100, a, b), without the finest noise."""
    smooth = cv2.GaussianBlur(image, (3, 3), 0)
    return np.asarray(cv2.cvtColor(smooth.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float32)


def _size(difference: NDArray[np.float32]) -> NDArray[np.float32]:
    lightness, a, b = np.moveaxis(difference, 2, 0)
    return np.sqrt((LIGHTNESS_WEIGHT * lightness) ** 2 + a**2 + b**2)


def median_image(images: Sequence[Image]) -> Image:
    """The median of each pixel over some pictures: a tube that passes any place in fewer than half of them is gone."""
    return np.median(np.stack(images), axis=0).astype(np.uint8)


def tube_region(likeness: NDArray[np.float32], base: Floats | None) -> Mask | None:
    """The one region that is the tube, cleaned of specks, frays and holes.

    Args:
        likeness: As of `Segmentation.likeness`.
        base: Where the tube begins (x, y) [pixel], or None to take the largest region; else it is the region nearest
            to the base, and of several that reach equally near the largest.
    Returns:
        The region, or None where there is none near the base.
    """
    coarse = _region(likeness > 0, base)
    return None if coarse is None else _region(_edged(likeness, coarse), base)


def _region(mask: Mask, base: Floats | None) -> Mask | None:
    whole = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, _disc(5))
    whole = cv2.morphologyEx(whole, cv2.MORPH_CLOSE, _disc(5))
    count, labels, facts, _ = cv2.connectedComponentsWithStats(whole, connectivity=8)
    areas = facts[:, cv2.CC_STAT_AREA]
    known = [label for label in range(1, count) if areas[label] >= LEAST_AREA]
    if base is not None:
        away = {label: _distance(labels == label, base) for label in known}
        # A hair's breadth does not decide between a speck and the tube.
        reach = min(min(away.values(), default=0.0) + 5, FARTHEST_FROM_BASE * float(np.hypot(*mask.shape)))
        known = [label for label in known if away[label] <= reach]
    return _filled(labels == max(known, key=lambda label: areas[label])) if known else None


def _disc(width: int) -> Any:
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))


def _edged(likeness: NDArray[np.float32], region: Mask) -> Mask:
    """A region whose edge is moved, by no more than `EDGE`, to where its likeness is halfway between inside and outside.

    A tolerance that keeps all of a shaded tube also takes in some of the blur around it, or leaves some out.
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


def _filled(region: Mask) -> Mask:
    """The region without the holes that are smaller than the disc which fits into it: a loop of the tube stays open."""
    widest = cv2.distanceTransform(region.astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE).max()
    count, labels, facts, _ = cv2.connectedComponentsWithStats((~region).astype(np.uint8), connectivity=4)
    small = facts[:, cv2.CC_STAT_AREA] < np.pi * widest**2
    small[0] = False  # the region itself
    return region | small[labels] if count > 1 else region
