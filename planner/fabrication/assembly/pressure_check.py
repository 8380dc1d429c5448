"""The check of an actuator over its pressure: the bends to expect on the way to its set point, and what changes a bend that is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynamics.moment import JointMoments, free_curvature, holding_pressure, joint_moments
from planner.design.design import Section
from planner.fabrication.assembly.build import ActuatorBuild, Build
from planner.uncertainty.bend_ranges import BendRange
from planner.uncertainty.deviations import MOST_FACTOR

SHARES = 0.0, 0.5, 1.0
"""Pressures of the check, relative to the set point [-]."""
LONGER = 1e-3
"""Change of the cell length of which the effect is stated [m]."""


@dataclass(frozen=True, slots=True)
class PressureStep:
    """Bend of one actuator in free space at one pressure of its check."""

    pressure: float
    """[Pa]"""
    angle: float
    """Bend of an actuator that is made as planned [rad]."""
    accepted: tuple[float, float] | None
    """Bends with which it passes [rad]; None if there is no range at its set point."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """Effects on the bend of one actuator of what can be changed when it fails."""

    name: str
    limit: float
    """Highest pressure [Pa]: that of the regulators or of the film."""
    most: float | None
    """Bend at that pressure [rad]; None if the set point is there already, or above."""
    cell: float
    """Bend of a single cell at the set point [rad]: one cell more or less changes the bend by it."""
    longer: float
    """Change of the bend if every cell is longer by `LONGER` [rad]; cells that are shorter change it the other way."""


def pressure_steps(build: Build, ranges: Sequence[BendRange | None]) -> list[list[PressureStep]]:
    """Return the steps of each actuator, from no pressure to the set point.

    The range at the set point is that of the acceptance test. At a part of the set point, an actuator is accepted whose error acts as a
    wrong pressure does, in proportion to the pressure, up to the ends of that range. Without pressure, a bend is an error that adds to
    that at the set point, so that the range is how far its ends are from the planned bend.

    Args:
        ranges: Accepted bends at the set points.
    """
    joint = joint_moments(build.design.params)
    return [
        [_step(joint, actuator.section, accepted, share) for share in SHARES]
        for actuator, accepted in zip(build.actuators, ranges, strict=True)
    ]


def remedies(build: Build, limits: Sequence[float]) -> list[Remedy]:
    """Return the effects of what can be changed on each actuator.

    Args:
        limits: Highest pressure of each actuator [Pa].
    """
    joint = joint_moments(build.design.params)
    return [_remedy(joint, actuator, limit) for actuator, limit in zip(build.actuators, limits, strict=True)]


def held_pressures(joint: JointMoments, section: Section, accepted: BendRange) -> tuple[float, float]:
    """Return the pressures at which a section as planned bends by the ends of a range [Pa]; the highest may be inf."""
    length = section.end - section.start
    low, high = accepted.low / length, accepted.high / length
    least, most = holding_pressure(joint, [low, high], section.l_0, section.kind).tolist()
    # Cells contract no further than to the curvature at twice the pressure, nearly: no pressure holds a larger one.
    full = float(free_curvature(joint, MOST_FACTOR * section.pressure, section.l_0, section.kind))
    return least, most if high < full else float("inf")


def _bend(joint: JointMoments, section: Section, pressure: float, change: float = 0.0) -> float:
    """Return the bend of a section in free space [rad] at a pressure [Pa], with every cell longer by a change [m]."""
    cells = (section.end - section.start) / section.l_0
    cell = section.l_0 + change
    return float(free_curvature(joint, pressure, cell, section.kind)) * cells * cell


def _step(joint: JointMoments, section: Section, accepted: BendRange | None, share: float) -> PressureStep:
    pressure, planned = share * section.pressure, _bend(joint, section, section.pressure)
    angle = _bend(joint, section, pressure)
    if accepted is None:
        return PressureStep(pressure, angle, None)
    if share == 0.0:
        return PressureStep(pressure, angle, (accepted.low - planned, accepted.high - planned))
    if share == 1.0:
        return PressureStep(pressure, angle, (accepted.low, accepted.high))
    least, most = (min(one, MOST_FACTOR * section.pressure) for one in held_pressures(joint, section, accepted))
    low, high = _bend(joint, section, share * least), _bend(joint, section, share * most)
    return PressureStep(pressure, angle, (low, high))


def _remedy(joint: JointMoments, actuator: ActuatorBuild, limit: float) -> Remedy:
    section = actuator.section
    planned = _bend(joint, section, section.pressure)
    most = _bend(joint, section, limit) if limit > section.pressure else None
    # The other way where the table of cell lengths ends.
    way = 1.0 if section.l_0 + LONGER <= joint.tables.longest[section.kind] else -1.0
    changed = _bend(joint, section, section.pressure, way * LONGER) - planned
    return Remedy(actuator.name, limit, most, planned / actuator.cells, way * changed)
