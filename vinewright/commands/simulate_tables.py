"""Poses of a grown tube as tables: along its centreline, and of its tip while it grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from planner.design.design import Design, link_headings
from planner.design.replay import Simulation
from planner.output.csv_table import csv_table
from surrogate.kernels.compiled import Floats

POSE_COLUMNS = "x_mm", "y_mm", "heading_deg", "x_m", "y_m", "yaw_rad"
CENTRELINE_COLUMNS = "length_mm", *POSE_COLUMNS, "curvature_per_m"
GROWTH_COLUMNS = "grown_mm", *POSE_COLUMNS


def centreline_table(design: Design, joints: Floats, heading: float) -> str:
    """Return a centreline as CSV, with a row for each joint from the base to the tip.

    Heading and curvature of a row are those of the link that begins there: the curvature is the bend of the joint over the length
    of the link. The last row, the tip, repeats the values of the last link.

    Args:
        joints: Joints from base to tip [m], shape (n, 2), n at least 2.
        heading: Direction in which the tube leaves its base [rad].
    """
    links = np.hypot(*np.diff(joints, axis=0).T)
    headings = link_headings(joints, heading)
    along = np.concatenate([[0.0], np.cumsum(design.film(joints, heading))])
    curvature = np.diff(headings, prepend=heading) / links
    headings, curvature = (np.append(part, part[-1]) for part in (headings, curvature))
    poses = np.column_stack([joints, headings])
    rows = (
        (_tidy(1e3 * length, 3), *_pose(pose), _tidy(bend, 6))
        for length, pose, bend in zip(along, poses, curvature, strict=True)
    )
    return csv_table(CENTRELINE_COLUMNS, rows)


def growth_table(simulation: Simulation, start: Floats) -> str:
    """Return the poses of the tip as CSV, with a row for the start and a row for each record of the growth.

    Args:
        start: x [m], y [m] and heading [rad] of the base, shape (3,).
    """

    def tips() -> Iterator[Floats]:
        yield start
        for moment in simulation.joints:
            joints = moment[~np.isnan(moment[:, 0])]
            yield np.array([*joints[-1], link_headings(joints, start[2])[-1]])

    lengths = [0.0, *simulation.lengths.tolist()]
    rows = ((_tidy(1e3 * length, 3), *_pose(tip)) for length, tip in zip(lengths, tips(), strict=True))
    return csv_table(GROWTH_COLUMNS, rows)


def _pose(pose: Floats) -> Sequence[float]:
    """Return the values of `POSE_COLUMNS`: in mm and degrees, then as in a `nav_msgs/Path`, with the yaw from -pi to pi."""
    x, y, heading = (float(part) for part in pose)
    yaw = float(np.arctan2(np.sin(heading), np.cos(heading)))
    shown = _tidy(1e3 * x, 3), _tidy(1e3 * y, 3), _tidy(float(np.degrees(heading)), 4)
    return *shown, _tidy(x, 6), _tidy(y, 6), _tidy(yaw, 6)


def _tidy(value: float, digits: int) -> float:
    return round(float(value), digits) + 0.0  # no minus zero
