"""Profile of one side of a drawn tube, in millimetres: the cells of an actuator at their true thickness, or folds.

Nothing else describes their shape: pictures, the page of the studio and notes on the room of a design use it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynamics.thickness import signed_thickness
from dynamics.tube import VineParams
from planner.design.design import Section
from planner.design.folds import Folds
from planner.drawing.course import DrawnCourse
from surrogate.kernels.compiled import Floats

NECK = 0.3
"""Thickness of a drawn actuator between two cells, as a share of that of a cell."""
WEDGE = 0.2
"""Half the width of a drawn fold at the edge of the tube, in tube radii."""
PER_CELL, MOST_POINTS = 16, 5000
"""Number of points of a cell, and maximum number of points of an actuator."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Inner and outer edge of an actuator or of folds, over the length of film."""

    along: Floats
    """Distance from the base, measured along the film [mm], shape (n,); not decreasing."""
    inner: Floats
    """Distance of the inner edge from the centreline [mm], shape (n,)."""
    outer: Floats
    """Distance of the outer edge from the centreline [mm], shape (n,)."""
    sign: float
    """1 on the left side of the tube, -1 on the right."""
    inflated: bool = False
    """Whether it is an actuator under pressure, which lies beside the tube; all others lie in its outline."""

    def between(self, first: float, last: float) -> Profile:
        """Return the profile from one distance from the base to another [mm]; beyond its ends it is as at them."""
        inside = (self.along > first + 1e-6) & (self.along < last - 1e-6)
        along = np.concatenate([[first], self.along[inside], [last]])
        inner, outer = (
            np.concatenate([[np.interp(first, self.along, edge)], edge[inside], [np.interp(last, self.along, edge)]])
            for edge in (self.inner, self.outer)
        )
        return Profile(along, inner, outer, self.sign, self.inflated)

    def along_course(self, course: DrawnCourse) -> tuple[Floats, Floats]:
        """Return the points of the inner and of the outer edge beside a course [mm], each of shape (n, 2)."""
        middle, left = course.at(self.along)
        side = self.sign * left
        return middle + self.inner[:, None] * side, middle + self.outer[:, None] * side


def profile_of(section: Section, params: VineParams) -> Profile | None:
    """Return the profile of a section.

    An inflated actuator is a row of cells of true length and thickness beside the tube, one without pressure a row of cells of true
    length inside the edge of the tube. Folds are wedges from the inner edge of the tube inwards.

    Returns:
        The profile; None for a section that has neither an actuator nor folds.
    """
    if section.side == "none":
        return None
    radius, sign = 1e3 * params.radius, 1.0 if section.side == "left" else -1.0
    if section.preformed:
        return Profile(*_folds(section, params), sign)
    start, end, cell = 1e3 * section.start, 1e3 * section.end, max(1e3 * section.l_0, 1.0)
    count = int(np.clip(round(PER_CELL * (end - start) / cell), 1, MOST_POINTS - 1)) + 1
    along = np.linspace(start, end, count)
    swell = np.abs(np.sin(np.pi * (along - start) / cell))
    if thickness := drawn_thickness(section, params):
        outer = radius + (NECK + (1 - NECK) * np.sqrt(swell)) * thickness
        return Profile(along, np.full(count, radius), outer, sign, inflated=True)
    return Profile(along, (0.72 - 0.16 * swell) * radius, (0.8 + 0.16 * swell) * radius, sign)


def drawn_thickness(section: Section, params: VineParams) -> float:
    """Return how far the actuator of a section stands out from the tube [mm]; 0 without pressure."""
    if not (section.actuated and section.on):
        return 0.0
    return 1e3 * abs(float(signed_thickness(params, section.signed_pressure, section.l_0, section.kind)))


def _folds(section: Section, params: VineParams) -> tuple[Floats, Floats, Floats]:
    """Return distances from the base, inner and outer edge of the folds of a preformed section [mm], each of shape (3 folds,)."""
    radius, folds = 1e3 * params.radius, Folds.of(section, params)
    half = min(WEDGE * radius, 0.4e3 * (section.end - section.start) / len(folds.at))
    along = (1e3 * folds.at[:, None] + half * np.array([-1.0, 0.0, 1.0])).ravel()
    return along, radius * np.tile([1.0, 0.25, 1.0], len(folds.at)), np.full(len(along), radius)
