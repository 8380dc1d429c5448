"""The acceptance test: how each actuator bends the tube in free space at its pressure, as the model predicts it, and how much each
preformed bend turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from planner.design.design import Side
from planner.fabrication.build import Build
from planner.uncertainty.sensitivity import Margin


@dataclass(frozen=True, slots=True)
class Bend:
    """The bend of one section in free space, alone and with the body at its growth pressure."""

    name: str
    side: Side
    pressure: float
    """Set point [Pa]; 0 of a preformed bend."""
    angle: float
    """Angle between the tube before and behind the section [rad]."""
    radius: float
    """Radius of the centreline [m]."""
    aside: float
    """Distance of the section's end from the straight line on which it begins [m], on the centreline."""
    accepted: tuple[float, float] | None
    """Angles at which the goal is still reached with all else as planned [rad]; None if the design misses the goal, or the actuator
    has no pressure in this environment."""


def bends(build: Build, margins: Sequence[Margin], reached: bool) -> list[Bend]:
    """Return the expected bend of each actuator.

    Args:
        margins: Range of each actuator's pressure within which the goal is still reached, in percent; it becomes one of angles.
        reached: Whether the goal is reached at the set points; if not, there is no such range.
    """
    params = build.design.params
    joint = joint_moments(params)
    found = []
    for actuator, margin in zip(build.actuators, margins, strict=True):
        section = actuator.section
        length = section.end - section.start
        pressures = section.pressure * (1 + np.array([0.0, -margin.less, margin.more]) / 100)
        curvature, least, most = free_curvature(joint, pressures, section.l_0, section.kind).tolist()
        accepted = (least * length, most * length) if reached and section.on else None
        # The film turns by curvature times its length; the centreline is on a smaller circle.
        angle, radius = curvature * length, 1 / float(centerline_curvature(curvature, params))
        aside = radius * (1 - np.cos(angle))
        found.append(Bend(actuator.name, section.side, section.pressure, angle, radius, float(aside), accepted))
    return found


def formed_bends(build: Build, margins: Sequence[Margin], reached: bool) -> list[Bend]:
    """Return the expected turn of each preformed bend.

    Args:
        margins: Error of each turn with which the goal is still reached, in degrees.
        reached: As in `bends`.
    """
    found = []
    for bend, margin in zip(build.bends, margins, strict=True):
        less, more = np.radians([margin.less, margin.more]).tolist()
        accepted = (bend.turn - less, bend.turn + more) if reached else None
        radius = 1 / bend.section.curvature
        aside = radius * (1 - np.cos(bend.turn))
        found.append(Bend(bend.name, bend.section.side, 0.0, bend.turn, radius, float(aside), accepted))
    return found
