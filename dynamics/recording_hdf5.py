"""Conversion of the published wall experiment (paper 000, section IV-B.2) from HDF5 to a recording.

The file holds the groups `x_vid` and `y_vid` with one array of points [mm] for each video frame, `x_vid_1`, `x_vid_2`, ..., written
in Julia: arrays are transposed. Tube, base, wall and times are not in the file; they are the constants below.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dynamics.recording import InvalidRecording, RecordedContact, Recording
from surrogate.kernels.compiled import Floats

_MM = 1e-3
RADIUS = 12 * _MM
"""Radius of the tube [m]."""
BODY_MASS, BODY_LENGTH = 1e-3, 2 * 16.845 * _MM
"""Mass [kg] and length [m] of a body of the published model, which determine the mass per length."""
HEADING = 1.31
"""Heading of the base, which is at the origin [rad]."""
STEP, STEPS_A_FRAME = 1 / 90, 3
"""Time step of the published model [s], and number of steps between two frames."""
WALL_POINT, WALL_NORMAL = (-1.82838056 * _MM, 335.36801156 * _MM), (0.02356764, -0.99972224)
"""A point of the tilted wall's face [m], and its normal towards the robot."""
WALL_LENGTH = 1.0
"""Length of the wall in the recording [m]; in the published model it is infinite."""


def load_wall_growth(path: Path) -> Recording:
    """Load the experiment; the tip touches the wall in every frame.

    Raises:
        InvalidRecording: The file cannot be read or is not that of the experiment.
        ModuleNotFoundError: h5py is not installed.
    """
    import h5py

    try:
        with h5py.File(path) as file:
            count = len(file["x_vid"])
            numbers = range(1, count + 1)
            lines = tuple(_MM * _points(file, number) for number in numbers)
    except OSError as error:
        # The message of h5py has several sentences, with addresses.
        cause = "is not HDF5" if path.is_file() else "cannot be read: No such file"
        raise InvalidRecording(f"{path} {cause}") from error
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidRecording(
            f"{path} is not the published wall experiment: groups x_vid and y_vid must contain arrays of points, x_vid_1 and so on"
        ) from None
    normal, middle = np.array(WALL_NORMAL), np.array(WALL_POINT)
    along = WALL_LENGTH / 2 * np.array([-normal[1], normal[0]])
    wall = np.concatenate([middle - along, middle + along])[None]
    contacts = tuple(RecordedContact(frame, 0, len(line) - 1) for frame, line in enumerate(lines))
    times = STEP * STEPS_A_FRAME * np.arange(len(lines), dtype=float)
    base = np.array([0.0, 0.0, HEADING])
    return Recording("wall-growth", RADIUS, BODY_MASS / BODY_LENGTH, base, times, lines, wall, contacts)


def _points(file: Any, number: int) -> Floats:
    """Points of one frame [mm], shape (points, 2)."""
    points = np.stack([np.array(file[f"{side}_vid"][f"{side}_vid_{number}"], float) for side in "xy"], axis=-1)
    if points.ndim != 2 or len(points) < 2 or not np.isfinite(points).all():
        raise ValueError(number)
    return points
