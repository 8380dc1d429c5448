"""Part of an environment that a figure shows: all of it, or the surroundings of designs that take little of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from environments.environment import Environment
from planner.design.design import Design
from planner.drawing.base import base_shapes, drawn_radius
from planner.drawing.profile import drawn_thickness
from surrogate.kernels.compiled import Floats

ZOOMED = 1 / 3
"""Share of the width and of the height of the whole below which a figure shows the surroundings only: it then draws them more than
three times as large. Above it the tube is wide enough to read in a figure of the whole, which shows more."""
AROUND = 0.15
"""Margin around designs, as a share of the larger side of the box around them [-]; at least one tube diameter."""
SLIM = 0.5
"""Smallest ratio of the sides of the surroundings [-]: a straight tube is shown with what stands beside it."""


def whole_view(environment: Environment, design: Design | None, joints: Floats | None) -> Floats:
    """Return the bounds, base, goal and tube with a narrow margin: min_x, min_y, max_x, max_y [mm].

    Args:
        joints: Joints of the tube [m], shape (..., 2), NaN beyond its tip; None without a tube.
    """
    bounds = 1e3 * environment.bounds.reshape(2, 2)
    designs, tubes = [design] if design else [], [] if joints is None else [joints]
    corners = np.vstack([bounds, *_extents(environment, designs, tubes)])
    margin = 0.012 * (bounds[1] - bounds[0]).max()
    return np.concatenate([corners.min(axis=0) - margin, corners.max(axis=0) + margin])


def zoomed_view(
    environment: Environment, designs: Sequence[Design], tubes: Iterable[Floats], whole: Floats
) -> Floats | None:
    """Return the surroundings of base, goal and tubes, within the whole: min_x, min_y, max_x, max_y [mm].

    Args:
        designs: Designs of the tubes, which tell how far these reach to their sides; at least one.
        tubes: Joints [m], each of shape (..., 2), NaN beyond the tip.
        whole: Limits of a figure of everything, in the same order.
    Returns:
        None if they take a third of the width or of the height of the whole, or more.
    """
    corners = np.vstack(_extents(environment, designs, tubes))
    low, high = corners.min(axis=0), corners.max(axis=0)
    margin = max(AROUND * (high - low).max(), 2 * max(map(drawn_radius, designs)))
    size = high - low + 2 * margin
    size = np.maximum(size, SLIM * size.max())
    if (size >= ZOOMED * (whole[2:] - whole[:2])).any():
        return None
    corner = np.clip((low + high - size) / 2, whole[:2], whole[2:] - size)
    return np.concatenate([corner, corner + size])


def _extents(environment: Environment, designs: Sequence[Design], tubes: Iterable[Floats]) -> list[Floats]:
    """Return points [mm], each of shape (n, 2) or (2,), whose box contains the goal, the base, and tubes with their actuators."""
    goal, radius = 1e3 * environment.goal, max(map(drawn_radius, designs), default=drawn_radius(None))
    thick = [drawn_thickness(one, design.params) for design in designs for one in design.sections]
    reach = radius + max(thick, default=0.0)
    shown = [goal[:2] - goal[2], goal[:2] + goal[2], base_shapes(environment.start, radius)[0]]
    for joints in tubes:
        points = 1e3 * joints.reshape(-1, 2)
        points = points[~np.isnan(points[:, 0])]
        shown += [points - reach, points + reach]
    return shown
