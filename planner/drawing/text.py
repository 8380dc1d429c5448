"""A design in its environment as lines of characters, for a terminal."""

from __future__ import annotations

import numpy as np

from environments.environment import Environment
from planner.design.design import Design
from planner.drawing.course import DrawnCourse
from surrogate.kernels.compiled import Floats

OBSTACLE, GOAL, SIDES = "#", ".", {"none": "o", "left": "L", "right": "R"}
"""Characters of obstacles, of the goal, and of the tube by the side of its actuator."""
LEGEND = "# obstacle; o tube; L, R tube with an actuator on its left, right; . goal"
ASPECT = 2.0
"""Height of a character, in widths."""
ACROSS = 9
"""Number of points across the tube."""


def text_picture(environment: Environment, design: Design, joints: Floats, columns: int) -> list[str]:
    """Draw a tube in its environment, from the upper to the lower edge of its bounds.

    Every character stands for an area of one by `ASPECT` widths; one belongs to an obstacle that comes nearer than half a width to its
    centre.

    Args:
        joints: Joints from base to tip [m], shape (n, 2).
        columns: Number of characters of each line.
    Returns:
        Lines of this length.
    """
    left, bottom, right, top = environment.bounds
    width = (right - left) / columns
    rows = max(round((top - bottom) / (ASPECT * width)), 1)
    height = (top - bottom) / rows
    x, y = left + width * (np.arange(columns) + 0.5), top - height * (np.arange(rows) + 0.5)
    centres = np.stack(np.meshgrid(x, y), axis=-1)
    drawn = np.full((rows, columns), " ")
    drawn[np.hypot(*np.moveaxis(centres - environment.goal[:2], -1, 0)) <= environment.goal[2]] = GOAL
    drawn[environment.obstacles.clearance(centres) < width / 2] = OBSTACLE
    points, letters = _tube(design, joints, float(environment.start[2]), width / 2)
    column = np.floor((points[:, 0] - left) / width).astype(int)
    row = np.floor((top - points[:, 1]) / height).astype(int)
    seen = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
    drawn[row[seen], column[seen]] = letters[seen]
    return ["".join(line) for line in drawn]


def _tube(design: Design, joints: Floats, heading: float, step: float) -> tuple[Floats, np.ndarray]:
    """Return points of the area of a tube [m], no further apart along it than a step [m], and the character of each."""
    course = DrawnCourse.of(design, joints, heading)
    along = np.linspace(0.0, course.along[-1], int(np.ceil(1e-3 * course.along[-1] / step)) + 1)
    points, normals = course.at(along)
    across = design.params.radius * np.linspace(-1, 1, ACROSS)
    places = 1e-3 * points[:, None] + across[:, None] * normals[:, None]
    ends = [1e3 * section.end for section in design.sections]
    number = np.minimum(np.searchsorted(ends, along), len(ends) - 1)
    letters = np.array([SIDES[section.side] for section in design.sections])[number]
    return places.reshape(-1, 2), np.repeat(letters, ACROSS)
