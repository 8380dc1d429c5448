"""Motions of a robot as the content of files, without their records."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dynamics.euler_lagrange.control import Tracking
from dynamics.euler_lagrange.kinematics import tip_positions, to_polar
from dynamics.euler_lagrange.motion import RobotMotion
from surrogate.kernels.compiled import Floats

COMPLETE, COILED, INTERRUPTED = "complete", "coiled", "interrupted"
"""Ways in which a motion ends: after its duration, with a full circle, or by Ctrl-C."""


def describe_motion(found: RobotMotion | Tracking, asked: float) -> dict[str, Any]:
    """Return how a motion ended, its first and last configuration, and its greatest forces; then what only its kind has.

    A motion under given inputs has the intervals without growth, one along a reference its errors (None where there is nothing to
    compare) and the limits that were met.

    Args:
        asked: Duration that was asked for [s].
    Returns:
        Content for JSON, with the units in its keys.
    """
    if isinstance(found, Tracking):
        begin, ended, own = found.start[None], float(found.times[-1]), _describe_tracking(found)
    else:
        begin, ended = found.q[:1], round(found.ended, 9)
        own = {"growth_stood_still_s": [list(lock) for lock in found.locks]}
    inputs = found.inputs
    return {
        "asked_s": asked,
        "computed_s": ended,
        "ended": COILED if found.coiled else INTERRUPTED if found.stopped else COMPLETE,
        "start": _pose(to_polar(begin)[0], tip_positions(begin)[0]),
        "end": _pose(found.polar[-1], found.tips[-1]),
        "greatest_core_n": float(inputs[:, 0].max()),
        "greatest_tensions_n": inputs[:, 1:].max(axis=0).tolist(),
        **own,
    }


def _describe_tracking(found: Tracking) -> dict[str, Any]:
    length, bend, plane = (None if math.isnan(one) else float(one) for one in found.greatest_errors)
    able = found.able
    return {
        "greatest_length_error_m": length,
        "greatest_bend_error_rad": bend,
        "greatest_plane_error_rad": plane,
        "greatest_tip_error_m": float(found.tip_errors[able].max()) if able.any() else None,
        "greatest_excess_length_m": float(np.maximum(found.q[:, 0] - found.reference[:, 0], 0.0).max()),
        "limits_met": [
            {"what": event.what.name.lower(), "begin_s": round(event.begin, 9), "end_s": round(event.end, 9)}
            for event in found.events
        ],
    }


def _pose(polar: Floats, tip: Floats) -> dict[str, Any]:
    """Return a configuration s [m], theta [rad], phi [rad], and its tip [m], for a file."""
    s, theta, phi = (round(float(one), 9) + 0.0 for one in polar)
    return {"s_m": s, "theta_rad": theta, "phi_rad": phi, "tip_m": [round(float(one), 9) + 0.0 for one in tip]}
