"""The drawn centreline of a tube, in millimetres."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from planner.design.design import Design
from surrogate.kernels.compiled import Floats

ROUNDED = 0.03
"""Maximum distance between a joint and the curve that rounds it, in tube radii."""
STEP = math.radians(4)
"""Maximum bend between two points of a rounded joint [rad]."""


@dataclass(frozen=True, slots=True)
class DrawnCourse:
    """The drawn centreline: the joints, each rounded over at most half of the segments next to it."""

    points: Floats
    """Shape (n, 2) [mm]."""
    along: Floats
    """Distance from the base, measured along the film as in the sections of a design [mm], shape (n,); increasing."""
    heading: Floats
    """Direction of the curve at each point [rad], continuous, shape (n,); at the base, that in which the tube leaves it."""

    @classmethod
    def of(cls, design: Design, joints: Floats, heading: float | None = None) -> DrawnCourse:
        """Round the joints.

        Args:
            design: The design whose joints they are.
            joints: Joints from the base to the tip, at least two [m], shape (n, 2).
            heading: Direction in which the tube leaves its base [rad]; None is that of the first segment.
        """
        radius, film = 1e3 * design.params.radius, 1e3 * design.film(joints, heading)
        joints = 1e3 * joints
        moves = np.diff(joints, axis=0)
        lengths = np.hypot(*moves.T)
        joints, film = joints[[True, *(lengths > 0)]], film[lengths > 0]
        moves, lengths = moves[lengths > 0], lengths[lengths > 0]
        headings = np.unwrap(np.arctan2(moves[:, 1], moves[:, 0]))
        if heading is not None:
            headings += 2 * np.pi * round((heading - headings[0]) / (2 * np.pi))
        first = headings[0] if heading is None else heading
        before, after = np.array([first, *headings[:-1]]), headings
        sharp = np.abs(np.sin((after - before) / 2))
        reach = np.minimum(np.array([lengths[0], *lengths[:-1]]), lengths) / 2
        reach = np.minimum(reach, 2 * ROUNDED * radius / np.maximum(sharp, 1e-9))
        along = np.concatenate([[0.0], np.cumsum(film)])
        counts = 2 * np.ceil(np.abs(after - before) / STEP / 2).astype(int) + 1
        counts[0] = 0
        parts = [np.array([[*joints[0], 0.0, first], [*joints[-1], along[-1], headings[-1]]])]
        for count in np.unique(counts[1:]):
            some = np.flatnonzero(counts == count)
            parts.append(_round_joint(joints[some], along[some], before[some], after[some], reach[some], count))
        rows = np.concatenate(parts)
        rows = rows[np.argsort(rows[:, 2], kind="stable")]
        rows = rows[[True, *(np.diff(rows[:, 2]) > 1e-9)]]
        return cls(rows[:, :2], rows[:, 2], rows[:, 3])

    def at(self, along: Floats) -> tuple[Floats, Floats]:
        """Return positions [mm] and left normals at distances from the base [mm]."""
        points = np.stack([np.interp(along, self.along, self.points[:, k]) for k in range(2)], axis=-1)
        heading = np.interp(along, self.along, self.heading)
        return points, np.stack([-np.sin(heading), np.cos(heading)], axis=-1)

    def between(self, first: float, last: float) -> DrawnCourse:
        """Return the course from one distance from the base to another [mm]."""
        inside = (self.along > first + 1e-6) & (self.along < last - 1e-6)
        along = np.concatenate([[first], self.along[inside], [last]])
        return DrawnCourse(self.at(along)[0], along, np.interp(along, self.along, self.heading))


def centrelines(joints: Iterable[Floats]) -> list[Floats]:
    """Return centrelines [m] in millimetres, up to their tips, without those of one point."""
    lines = [1e3 * line[~np.isnan(line[:, 0])] for line in joints]
    return [line for line in lines if len(line) > 1]


def _round_joint(joints: Floats, along: Floats, before: Floats, after: Floats, reach: Floats, count: int) -> Floats:
    """Return parabolas from `reach` before each joint to `reach` after it, as rows x, y, distance from the base, heading.

    Args:
        count: Points of each parabola; odd, so that one of them is where the parabola passes its joint.
    """
    t = np.linspace(0, 1, count)[:, None] if count > 1 else np.array([[0.5]])
    (x, y), (u, v) = (np.cos(before), np.sin(before)), (np.cos(after), np.sin(after))
    behind, beyond = -reach * (1 - t) ** 2, reach * t**2
    places = joints[:, 0] + behind * x + beyond * u, joints[:, 1] + behind * y + beyond * v
    bend = after - before
    # Direction of a parabola between two tangents of equal length, relative to the first.
    turned = np.arctan2(t * np.sin(bend), 1 - t + t * np.cos(bend))
    return np.stack([*places, along + reach * (2 * t - 1), before + turned], axis=-1).reshape(-1, 4)
