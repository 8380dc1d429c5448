"""Checks of trials against the design that was built and its environment: what cannot have been measured is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import shapely

from dynamics.moment import free_curvature, joint_moments
from environments.environment import Environment
from environments.error_messages import hint, list_obstacles
from environments.obstacles import KINDS
from planner.built.trial import BendTest, Growth, MeasuredPoint, Trials, design_digest
from planner.built.trials_file import InvalidTrials, trials_content, validate_content
from planner.design.design import Design, Section
from planner.output.contents import MEASUREMENTS
from planner.output.text import plural

DEVIATIONS = 3.0
"""Number of standard deviations by which a measurement may be beyond what is possible [-]."""
ON = 2e-3
"""Distance of a planned point from its obstacle that counts as on it [m]."""
MOST_SHIFT = 0.25
"""Largest distance between a planned point and the measured one, as a share of the longer side of the bounds [-]."""
UNLIMITED = 1e9
"""Pressure at which cells are contracted fully [Pa]."""


def check_trials(trials: Trials, design: Design, environment: Environment) -> list[str]:
    """Check that trials are those of a design in its environment, that they can have been measured, and that a file can have them.

    Returns:
        Notes on what is possible but unlikely, one line each.
    Raises:
        InvalidTrials: They are not; the message gives the key, the value, and what is possible.
    """
    try:
        return [f"{MEASUREMENTS}: {note}" for note in _check_all(trials, design, environment)]
    except InvalidTrials as error:
        raise InvalidTrials(f"{MEASUREMENTS}: {error}") from None


def _check_all(trials: Trials, design: Design, environment: Environment) -> list[str]:
    """Check trials, and return notes; without the name of the file."""
    validate_content(trials_content(trials))
    _check_design(trials, design, environment)
    for number, bend in enumerate(trials.bends):
        _check_bend(f"bends[{number}]", bend, design, trials.errors.bend)
    solids = environment.solids
    shapes = {solids.label(index): shape for index, shape in enumerate(solids.shapes())} if trials.points else {}
    for number, point in enumerate(trials.points):
        _check_point(f"points[{number}]", point, environment, shapes)
    notes = list[str]()
    for number, growth in enumerate(trials.growths):
        notes += _check_growth(f"growths[{number}]", growth, trials, design, environment)
    return notes


def _check_design(trials: Trials, design: Design, environment: Environment) -> None:
    if trials.design != (wanted := design_digest(design)):
        raise InvalidTrials(
            f"design = {trials.design!r} is another design, or one that was changed: this one is {wanted!r}; choose the --solution that "
            "was built, or move the file to the folder of that design"
        )
    if environment.sha256 != design.sha256:
        raise InvalidTrials(
            f"the environment {environment.name} is not the one of the design: it was changed; measured obstacles belong into points"
        )


# ---- bends and pressures ----


def _check_bend(key: str, test: BendTest, design: Design, error: float) -> None:
    """Check a test of one actuator."""
    if test.section > design.actuators:
        there = f"1 to {design.actuators}" if design.actuators > 1 else "1" if design.actuators else "none"
        raise InvalidTrials(f"{key}.section = {test.section} is not there; actuators of this design: {there}")
    section = design.actuated[test.section - 1]
    _check_pressure(f"{key}.pressure_kpa", test.pressure, section, design)
    least, most = -DEVIATIONS * error, bend_at(UNLIMITED, section, design) + DEVIATIONS * error
    bend, side = (
        f"{key}.bend_deg = {math.degrees(test.bend):.4g}",
        f"actuator {test.section}, which bends to the {section.side}",
    )
    if test.bend < least:
        raise InvalidTrials(
            f"{bend} is to the other side than that of {side}: a bend to its own side is positive, also to the right; from "
            f"{math.degrees(least):.3g}, which {DEVIATIONS:g} standard deviations explain"
        )
    if test.bend > most:
        raise InvalidTrials(
            f"{bend} is more than fully contracted cells bend {side}: at most {math.degrees(most):.4g}, with {DEVIATIONS:g} "
            "standard deviations; give the angle between the tube before it and behind it"
        )


def bend_at(pressure: float, section: Section, design: Design) -> float:
    """Return the bend of an actuated section in free space [rad] at a pressure [Pa]: that of the acceptance test."""
    curvature = free_curvature(joint_moments(design.params), pressure, section.l_0, section.kind)
    return float(curvature) * (section.end - section.start)


def _check_pressure(key: str, pressure: float, section: Section, design: Design) -> None:
    """Check the pressure of an actuator, up to its limit, or to its set point if that is above."""
    actuator = design.params.actuators[section.kind]
    most = max(actuator.limits.most_pressure, section.pressure)
    if not 0 <= pressure <= most * (1 + 1e-9):
        raise InvalidTrials(
            f"{key} = {1e-3 * pressure:.4g} must be from 0 to {1e-3 * most:.4g}, the limit of its {actuator.kind}"
        )


# ---- growths ----


def _check_growth(key: str, growth: Growth, trials: Trials, design: Design, environment: Environment) -> Iterator[str]:
    """Check one growth, and yield notes on it."""
    if growth.reached is None and growth.tip is None and growth.length is None and growth.recording is None:
        raise InvalidTrials(f"{key} says nothing: give at least one of reached, tip_mm, length_mm and recording")
    if growth.pressures is not None:
        _check_pressures(f"{key}.pressures_kpa", growth.pressures, design)
    if growth.length is not None:
        most = design.built + DEVIATIONS * trials.errors.length
        if growth.length > most:
            raise InvalidTrials(
                f"{key}.length_mm = {1e3 * growth.length:.5g} is more than the tube has, {1e3 * design.built:.5g} mm, by more than "
                f"{DEVIATIONS:g} standard deviations"
            )
    if growth.tip is not None:
        _check_tip(f"{key}.tip_mm", growth, trials, design, environment)
    yield from _contradictions(key, growth, trials, environment)


def _check_pressures(key: str, pressures: tuple[float, ...], design: Design) -> None:
    """Check the set points of a growth."""
    if design.schedule is not None:
        raise InvalidTrials(
            f"{key}: the pressures of this design follow a schedule, and cannot be given as set points; leave it out"
        )
    if len(pressures) != design.actuators:
        raise InvalidTrials(
            f"{key} has {plural(len(pressures), 'pressure')}; this design has {plural(design.actuators, 'actuator')}"
        )
    for number, (pressure, section) in enumerate(zip(pressures, design.actuated, strict=True)):
        _check_pressure(f"{key}[{number}]", pressure, section, design)


def _check_tip(key: str, growth: Growth, trials: Trials, design: Design, environment: Environment) -> None:
    """Check that a tip is where the tube can be; its diameter is allowed for errors of the base."""
    tip, errors = np.array(growth.tip), trials.errors
    allowed = DEVIATIONS * errors.tip + 2 * design.params.radius
    length = design.built if growth.length is None else growth.length + DEVIATIONS * errors.length
    what = f"{key} = [{1e3 * tip[0]:.5g}, {1e3 * tip[1]:.5g}]"
    if (away := math.dist(tip, environment.start[:2])) > length + allowed:
        raise InvalidTrials(
            f"{what} is {1e3 * away:.0f} mm from the start, farther than the {1e3 * length:.0f} mm of tube reach, by more than "
            f"{1e3 * allowed:.0f} mm; give it in the coordinates of the environment, and the unit with --unit"
        )
    beyond = np.maximum(environment.bounds[:2] - tip, tip - environment.bounds[2:])
    if (outside := float(beyond.max())) > allowed:
        raise InvalidTrials(
            f"{what} is {1e3 * outside:.0f} mm outside the bounds, where no tube is predicted; up to {1e3 * allowed:.0f} mm are "
            "allowed: of a tube that leaves the bounds, give that it missed, without its tip"
        )


def _contradictions(key: str, growth: Growth, trials: Trials, environment: Environment) -> Iterator[str]:
    """Check that what is known of a growth fits together; yield a note where a tip may have left the goal."""
    errors, (*goal, radius) = trials.errors, environment.goal.tolist()
    allowed = DEVIATIONS * errors.tip
    if growth.reached and growth.length is not None:
        nearest = math.dist(goal, environment.start[:2]) - radius
        if growth.length + DEVIATIONS * errors.length + allowed < nearest:
            raise InvalidTrials(
                f"{key}.reached = true, but its length_mm = {1e3 * growth.length:.5g} is less than the distance from the start to "
                f"the goal, {1e3 * nearest:.0f} mm"
            )
    if growth.tip is None or growth.reached is None:
        return
    outside = math.dist(growth.tip, goal) - radius
    if growth.reached and outside > allowed:
        yield f"{key}.reached = true, but its tip ends {1e3 * outside:.0f} mm outside the goal: right if it left the goal again"
    if not growth.reached and outside < -allowed:
        raise InvalidTrials(f"{key}.reached = false, but its tip_mm is {-1e3 * outside:.0f} mm inside the goal")


# ---- points ----


def _check_point(
    key: str, point: MeasuredPoint, environment: Environment, shapes: Mapping[str, shapely.Geometry]
) -> None:
    """Check a measured point of an obstacle.

    Args:
        shapes: All obstacles [m], by their labels.
    """
    if (shape := shapes.get(point.obstacle)) is None:
        there = list_obstacles(dict(zip(KINDS, environment.obstacles.counts.values(), strict=False)))
        close = hint(point.obstacle, [*shapes])
        raise InvalidTrials(
            f"{key}.obstacle = {point.obstacle!r} is not there{close}; those of this environment: {there}"
        )
    off = shape.distance(shapely.Point(point.planned))
    if off > ON:
        raise InvalidTrials(
            f"{key}.planned_mm is {1e3 * off:.4g} mm from {point.obstacle}; it must be on it or in it, within {1e3 * ON:g} mm"
        )
    most = MOST_SHIFT * float((environment.bounds[2:] - environment.bounds[:2]).max())
    if (moved := math.dist(point.planned, point.measured)) > most:
        raise InvalidTrials(
            f"{key}.measured_mm is {1e3 * moved:.0f} mm from planned_mm; at most {1e3 * most:.0f} mm are allowed, a quarter of the bounds"
        )
