"""The published wall experiment (paper 000, section IV-B.2), from its HDF5 file to a recording.

The file holds the groups `x_vid` and `y_vid` with one array of points [mm] for each video frame, `x_vid_1`, `x_vid_2`, ..., written
in Julia: what has several dimensions is transposed. Tube, base, wall and times are not in it; they are the constants here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dynamics.recording import Contact, InvalidRecording, Recording
from surrogate.compiled import Floats

_MM = 1e-3
RADIUS = 12 * _MM
"""[m]"""
BODY_MASS, BODY_LENGTH = 1e-3, 2 * 16.845 * _MM
"""Of the published model's bodies [kg], [m]; together they make the mass per length."""
HEADING = 1.31
"""Of the base, which is at the origin [rad]."""
STEP, STEPS_A_FRAME = 1 / 90, 3
"""Time step of the published model [s], and how many pass between two frames."""
WALL_POINT, WALL_NORMAL = (-1.82838056 * _MM, 335.36801156 * _MM), (0.02356764, -0.99972224)
"""A point of the tilted wall's face [m], and its normal to the robot's side."""
WALL_LENGTH = 1.0
"""What is drawn of the wall, which has no ends in the published model [m]."""


def load_wall_growth(path: Path) -> Recording:
    """The experiment's frames; the tip touches the wall in every one of them.

    Raises:
        InvalidRecording: The file cannot be read or is another one.
        ModuleNotFoundError: h5py is not installed.
    """
    import h5py

    try:
        with h5py.File(path) as file:
            count = len(file["x_vid"])
            numbers = range(1, count + 1)
            lines = tuple(_MM * _points(file, number) for number in numbers)
    except OSError as error:
        # h5py puts several sentences, with addresses, into its own.
        cause = "is not HDF5" if path.is_file() else "cannot be read: No such file"
        raise InvalidRecording(f"{path} {cause}") from error
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidRecording(
            f"{path} is not the published wall experiment: groups x_vid and y_vid must hold arrays of points, x_vid_1 and on"
        ) from None
    normal, middle = np.array(WALL_NORMAL), np.array(WALL_POINT)
    along = WALL_LENGTH / 2 * np.array([-normal[1], normal[0]])
    wall = np.concatenate([middle - along, middle + along])[None]
    contacts = tuple(Contact(frame, 0, len(line) - 1) for frame, line in enumerate(lines))
    times = STEP * STEPS_A_FRAME * np.arange(len(lines), dtype=float)
    base = np.array([0.0, 0.0, HEADING])
    return Recording("wall-growth", RADIUS, BODY_MASS / BODY_LENGTH, base, times, lines, wall, contacts)


def _points(file: Any, number: int) -> Floats:
    """Points of one frame [mm], shape (points, 2)."""
    points = np.stack([np.array(file[f"{side}_vid"][f"{side}_vid_{number}"], float) for side in "xy"], axis=-1)
    if points.ndim != 2 or len(points) < 2 or not np.isfinite(points).all():
        raise ValueError(number)
    return points
