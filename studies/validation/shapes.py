"""Features of a recorded shape that a simulated one should have: the fold, the walls touched first, the tip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.lib.stride_tricks import sliding_window_view

from dynamics.recording import Recording
from studies.validation.recordings import SimulatedRecording
from surrogate.kernels.compiled import Floats

SPACING = 10e-3
"""Spacing of the points of a shape [m], that of the recordings."""
ARM = 2.0
"""Length of the two pieces on either side of a fold [tube radii]."""
FOLDED = 0.3
"""Recorded folds from this angle on are compared [rad]: noise of 5 mm over an arm is a tenth."""
TOUCH = 5e-3
"""A wall counts as touched where the centreline is nearer to it than the radius and this, the noise of the recordings [m]."""


@dataclass(frozen=True, slots=True)
class ShapeAgreement:
    """Agreement of a simulated growth with the recorded one."""

    folds: int
    """Number of frames with a recorded fold."""
    fold_angle: float
    """Mean difference of the fold angles in them [rad], unsigned."""
    fold_excess: float
    """Mean difference of the fold angles with its sign: negative if the simulated tube folds less [rad]."""
    fold_place: float
    """Mean distance of the places of the folds [m]."""
    tip: float
    """Mean distance of the tips over all frames [m]."""
    same_contacts: bool
    """Whether the same walls are touched, in the same order of first contact."""


def find_fold(line: Floats, radius: float) -> tuple[float, Floats]:
    """Fold of a shape: the largest angle between straight lines fitted to the pieces before and after a point.

    Args:
        line: Points of the shape [m], shape (points, 2).
    Returns:
        Angle [rad], positive to the left, and the point [m], shape (2,); 0 and the last point of a shape that is too short.
    """
    path = shapely.LineString(line)
    arm = round(ARM * radius / SPACING)
    points = shapely.get_coordinates(shapely.line_interpolate_point(path, np.arange(0.0, path.length, SPACING)))
    if len(points) < 2 * arm + 1:
        return 0.0, np.asarray(line[-1], float)
    pieces = sliding_window_view(points, arm + 1, axis=0)
    centred = pieces - pieces.mean(axis=2, keepdims=True)
    (xx, xy), (_, yy) = np.einsum("nik,njk->ijn", centred, centred)
    heading = 0.5 * np.arctan2(2 * xy, xx - yy)
    chord = pieces[:, :, -1] - pieces[:, :, 0]
    backwards = np.cos(heading) * chord[:, 0] + np.sin(heading) * chord[:, 1] < 0
    heading = heading + np.pi * backwards
    angles = (heading[arm:] - heading[:-arm] + np.pi) % (2 * np.pi) - np.pi
    at = int(np.argmax(np.abs(angles)))
    return float(angles[at]), points[at + arm]


def contact_order(recording: Recording, lines: Sequence[Floats]) -> tuple[int, ...]:
    """Walls of a recording in the order in which shapes touch them first."""
    walls = shapely.linestrings(recording.walls.reshape(-1, 2, 2))
    near = np.array([shapely.distance(walls, shapely.LineString(line)) for line in lines])
    touched = near < recording.tube_radius + TOUCH
    first = np.where(touched.any(axis=0), touched.argmax(axis=0), len(lines))
    return tuple(int(wall) for wall in np.argsort(first, kind="stable") if first[wall] < len(lines))


def compare_shapes(one: SimulatedRecording) -> ShapeAgreement:
    """Compare folds, contacts and tips of a simulated growth with the recorded ones."""
    recording, radius = one.recording, one.recording.tube_radius
    excess, apart = [], []
    for line, shape in zip(recording.centerlines, one.shapes, strict=True):
        angle, place = find_fold(line, radius)
        if abs(angle) >= FOLDED:
            found, at = find_fold(shape, radius)
            excess.append(np.sign(angle) * found - abs(angle))
            apart.append(np.hypot(*(at - place)))
    tips = [np.hypot(*(line[-1] - shape[-1])) for line, shape in zip(recording.centerlines, one.shapes, strict=True)]
    return ShapeAgreement(
        folds=len(excess),
        fold_angle=float(np.mean(np.abs(excess))) if excess else np.nan,
        fold_excess=float(np.mean(excess)) if excess else np.nan,
        fold_place=float(np.mean(apart)) if apart else np.nan,
        tip=float(np.mean(tips)),
        same_contacts=contact_order(recording, recording.centerlines) == contact_order(recording, one.shapes),
    )
