"""The acceptance test: how each actuator bends the tube in free space at its pressure, as the model predicts it, and how much each
preformed bend turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from planner.design.design import Side
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.pressure_check import held_pressures
from planner.uncertainty.bend_ranges import ONE, TOGETHER, Acceptance, BendRange


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
    accepted: BendRange | None
    """Angles with which it passes, see `planner.uncertainty.bend_ranges`; None if the design misses the goal, or the actuator has no
    pressure in this environment."""


def bends(build: Build, ranges: Sequence[BendRange | None]) -> list[Bend]:
    """Return the expected bend of each actuator, and the range of each."""
    params = build.design.params
    joint = joint_moments(params)
    found = []
    for actuator, accepted in zip(build.actuators, ranges, strict=True):
        section = actuator.section
        curvature = float(free_curvature(joint, section.pressure, section.l_0, section.kind))
        # The film turns by curvature times its length; the centreline is on a smaller circle.
        angle, radius = curvature * (section.end - section.start), 1 / float(centerline_curvature(curvature, params))
        aside = radius * (1 - np.cos(angle))
        found.append(Bend(actuator.name, section.side, section.pressure, angle, radius, float(aside), accepted))
    return found


def formed_bends(build: Build, ranges: Sequence[BendRange | None]) -> list[Bend]:
    """Return the expected turn of each preformed bend, and the range of each."""
    found = []
    for bend, accepted in zip(build.bends, ranges, strict=True):
        radius = 1 / bend.section.curvature
        aside = radius * (1 - np.cos(bend.turn))
        found.append(Bend(bend.name, bend.section.side, 0.0, bend.turn, radius, float(aside), accepted))
    return found


def kept_pressures(build: Build, ranges: Sequence[BendRange | None]) -> list[tuple[float, float] | None]:
    """Return the pressures at which each actuator, made as planned, bends within its range [Pa]; the highest may be inf."""
    joint = joint_moments(build.design.params)
    return [
        held_pressures(joint, actuator.section, accepted) if accepted else None
        for actuator, accepted in zip(build.actuators, ranges, strict=True)
    ]


def acceptance_text(found: Acceptance, errors: str) -> str:
    """Return the meaning of the ranges in sentences for a maker."""
    count = f"Of {found.trials} tubes simulated with {errors} errors, {found.reached} reach the goal and {found.passed} pass"
    parts = len(found.sections) + len(found.bends)
    together = f"; with all bends anywhere in their ranges, at most {100 * TOGETHER:.0f}" if parts > 1 else ""
    passed = f"; {found.good} of those that pass reach it" if found.passed else ""
    return (
        f"Accepted: angles with which tubes made with {errors} errors still reach the goal. With one bend anywhere in its range, at most "
        f"{100 * ONE:.0f} tube in 100 more misses than without the test{together}. {count}{passed}. An angle with * is the largest error "
        "that was simulated: nothing fails there."
    )


def acceptance_content(found: Acceptance, errors: str) -> dict[str, Any]:
    """Return the content of a JSON file: how tubes with errors pass the test."""
    return {
        "errors": errors,
        "trials": found.trials,
        "reached": found.reached,
        "passed": found.passed,
        "passed_and_reached": found.good,
    }
