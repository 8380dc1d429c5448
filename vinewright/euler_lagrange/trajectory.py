"""Motions of a robot as CSV, in columns that inputs and references are read from."""

from __future__ import annotations

import numpy as np

from dynamics.euler_lagrange.control import Tracking
from dynamics.euler_lagrange.input_table import RECORD_EVERY
from dynamics.euler_lagrange.kinematics import tip_positions, to_polar
from dynamics.euler_lagrange.motion import RobotMotion
from dynamics.euler_lagrange.time_table import CORE, POLAR, REFERENCE, TENSIONS, TIME, TIP
from planner.output.csv_table import csv_table
from surrogate.kernels.compiled import Floats

COLUMNS = TIME, *POLAR, *TIP, CORE, *TENSIONS
TRACKED = *COLUMNS, *REFERENCE


def trajectory_table(found: RobotMotion | Tracking) -> str:
    """Return a motion as CSV, along a reference with that."""
    return _tracking_table(found) if isinstance(found, Tracking) else _motion_table(found)


def _motion_table(motion: RobotMotion) -> str:
    """Return the motion as CSV, with a row for each record."""
    return _table(COLUMNS, np.column_stack([motion.times, motion.polar, motion.tips, motion.inputs]))


def _tracking_table(tracking: Tracking) -> str:
    """Return the motion and its reference as CSV, with a row for the start, about every 0.01 s, and for the last step.

    The inputs of a row are those of the step that ends there; those of the first row are those of the step that begins there.
    """
    steps = len(tracking.times)
    every = max(round(RECORD_EVERY / tracking.times[0]), 1)
    rows = [*range(every - 1, steps - 1, every), steps - 1]
    q = np.vstack([tracking.start, tracking.q[rows]])
    inputs, wanted = (np.vstack([part[:1], part[rows]]) for part in (tracking.inputs, tracking.reference))
    times = np.append(0.0, tracking.times[rows])
    return _table(TRACKED, np.column_stack([times, to_polar(q), tip_positions(q), inputs, wanted]))


def _table(columns: tuple[str, ...], rows: Floats) -> str:
    return csv_table(columns, ([f"{value + 0.0:.9g}" for value in row] for row in rows.tolist()))
