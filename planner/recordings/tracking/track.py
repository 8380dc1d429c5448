"""Tracking a tube through a video, and its recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynamics.recording import Recording
from planner.recordings.tracking.centerline import Axis, tube_axis
from planner.recordings.tracking.segmentation import Image, Mask, Segmentation, tube_region
from surrogate.kernels.compiled import Floats

HEADING_RADII = 2.0
"""Length of the proximal part of the tube that defines the base's heading, in radii."""
MOST_LETTERS = 200
"""Maximum length of a recording's name [characters]."""


@dataclass(frozen=True, slots=True, eq=False)
class Tracked:
    """A tube found in one frame."""

    time: float
    """Time since the video's first frame [s]."""
    axis: Axis


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """The base of the tube."""

    pixel: Floats
    """(x, y) in the image, y down [pixel]."""
    found: str
    """Text that says how it was determined."""


def find_base(images: Sequence[Image], segmentation: Segmentation) -> Base | None:
    """Find the base: where the tube meets the image's border, or else the end of the earliest tube that does not move.

    Args:
        images: Frames in chronological order.
    Returns:
        The base, or None if no tube is found in any image.
    """
    regions = [tube_region(segmentation.likeness(image), None) for image in images]
    found = [(region, axis) for region in regions if region is not None and (axis := tube_axis(region, None))]
    if not found:
        return None
    region, axis = found[0]
    rows, columns = np.nonzero(region)
    height, width = region.shape
    touching = [rows == 0, rows == height - 1, columns == 0, columns == width - 1]
    side = max(touching, key=np.count_nonzero)
    if side.any():
        middle = np.array([columns[side].mean(), rows[side].mean()])
        return Base(middle, "where the earliest tube meets the image's border")
    last = found[-1][1].points[[0, -1]]
    ends = axis.points[[0, -1]]
    moved = np.hypot(*(ends[:, None] - last).transpose(2, 0, 1)).min(axis=1)
    if abs(moved[0] - moved[1]) < axis.radius:
        return Base(ends[0], "at one end of the earliest tube; which end is ambiguous: check it, or give --base")
    return Base(ends[int(moved.argmin())], "at the end of the earliest tube that does not move")


def track_frame(
    image: Image, time: float, segmentation: Segmentation, base: Floats
) -> tuple[Mask | None, Tracked | None]:
    """Find the tube's region and axis in one frame; None where there is none.

    Args:
        time: Time of the frame [s].
        base: (x, y) [pixel].
    """
    region = tube_region(segmentation.likeness(image), base)
    axis = tube_axis(region, base) if region is not None else None
    return region, Tracked(time, axis) if axis else None


def median_radius(tracked: Sequence[Tracked]) -> float:
    """Return the median of the tube's radius over all frames [pixel]."""
    return float(np.median([one.axis.radius for one in tracked]))


def in_metres(axis: Axis, base: Floats, scale: float) -> Floats:
    """Return points of an axis with the origin at the base and y up [m], shape (n, 2).

    Args:
        base: (x, y) [pixel].
        scale: Scale [m/pixel].
    """
    return scale * (axis.points - base) * np.array([1.0, -1.0])


def base_heading(centerlines: Sequence[Floats], radius: float) -> float:
    """Return the median direction of the proximal part of centrelines [rad].

    Args:
        centerlines: Points from base to tip, y up [m].
        radius: Radius of the tube [m].
    """
    starts = []
    for line in centerlines:
        arc = np.concatenate([[0.0], np.hypot(*np.diff(line, axis=0).T).cumsum()])
        starts.append([np.interp(HEADING_RADII * radius, arc, column) for column in (line - line[0]).T])
    x, y = np.array(starts).T
    # Angles wrap around, so the median is taken of their differences from the mean direction.
    middle = np.arctan2(y.sum(), x.sum())
    aside = (np.arctan2(y, x) - middle + np.pi) % (2 * np.pi) - np.pi
    return float(middle + np.median(aside))


def recording_of(name: str, tracked: Sequence[Tracked], base: Floats, scale: float, radius: float) -> Recording:
    """Make a recording of the frames in which a tube was found.

    Args:
        tracked: Tubes in chronological order, at least one.
        base: (x, y) [pixel].
        scale: Scale [m/pixel].
        radius: Radius of the tube [m].
    """
    lines = tuple(in_metres(one.axis, base, scale) for one in tracked)
    return Recording(
        name=name[:MOST_LETTERS],
        tube_radius=radius,
        mass_per_length=None,
        base=np.array([0.0, 0.0, base_heading(lines, radius)]),
        times=np.array([one.time for one in tracked]),
        centerlines=lines,
        walls=np.zeros((0, 4)),
        contacts=(),
    )


def find_shrinking(tracked: Sequence[Tracked]) -> list[float]:
    """Find times of the frames in which the tube is shorter by more than a radius than in an earlier frame [s]."""
    longest, times = 0.0, []
    for one in tracked:
        if one.axis.length < longest - one.axis.radius:
            times.append(one.time)
        longest = max(longest, one.axis.length)
    return times
