"""Checks of the whole geometry of an environment: whether start and goal can be used."""

import math
from dataclasses import replace

import numpy as np
import shapely

from environments.base import base_clearance, find_base_fault
from environments.environment import Environment
from environments.file_model import InvalidEnvironment
from environments.hints import size_hint, upside_down_hint
from environments.lengths import SHOWN_UNITS, format_length, format_lengths

_LEAST_GOAL = 1e-6
"""Minimum radius of a goal [m]."""


def check_start(environment: Environment, tube_radius: float, unit: str) -> None:
    """Check that a tube fits at the start.

    Args:
        tube_radius: Minimum distance to every obstacle [m].
        unit: Unit of the lengths in messages.
    Raises:
        InvalidEnvironment: The start is outside the bounds, or the base cannot stand there (`environments.base.find_base_fault`).
    """
    bounds = environment.bounds

    def fault(x: float, y: float) -> str | None:
        if not (bounds[0] <= x <= bounds[2] and bounds[1] <= y <= bounds[3]):
            return f"{unit} must lie within the bounds {format_lengths(bounds * SHOWN_UNITS[unit], unit)}"
        return find_base_fault(replace(environment, start=np.array([x, y, environment.start[2]])), tube_radius, unit)

    x, y = map(float, environment.start[:2])
    if (found := fault(x, y)) is None:
        return
    size = size_hint(bounds, 2 * tube_radius)
    more = f"; {size}" if size else ""
    if base_clearance(environment) <= 0 or "must lie within" in found:
        more += upside_down_hint(environment, x, y, lambda x, y: fault(x, y) is None)
    shown = format_lengths(environment.start[:2] * SHOWN_UNITS[unit], unit)
    raise InvalidEnvironment(f"start.position = {shown} {found}{more}")


def check_goal(environment: Environment, unit: str) -> None:
    """Check that some of the goal disc is within the bounds and free.

    Args:
        unit: Unit of the lengths in messages.
    Raises:
        InvalidEnvironment: The disc is too small, outside the bounds, or inside obstacles.
    """
    per_metre, bounds = SHOWN_UNITS[unit], environment.bounds
    x, y, radius = map(float, environment.goal)
    if radius < _LEAST_GOAL:
        least = f"at least {_LEAST_GOAL * per_metre:g} {unit}"
        raise InvalidEnvironment(f"goal.radius = {radius * per_metre:g} must be {least}")

    def outside(x: float, y: float) -> bool:
        return math.dist((x, y), np.clip([x, y], bounds[:2], bounds[2:])) >= radius

    def free(x: float, y: float) -> bool:
        if outside(x, y):
            return False
        disc = shapely.Point(x, y).buffer(radius, quad_segs=64).intersection(shapely.box(*bounds))
        solid = [shape for shape in environment.obstacles.shapes() if shape.area and shape.intersects(disc)]
        return bool(disc.difference(shapely.union_all(solid)).area >= 1e-9 * disc.area)

    if free(x, y):
        return
    wrong = f"must reach into the bounds {format_lengths(bounds * per_metre, unit)}"
    if not outside(x, y):
        disc, shapes = shapely.Point(x, y).buffer(radius), environment.obstacles.shapes()
        inside = [index for index, shape in enumerate(shapes) if shape.area and shape.intersects(disc)]
        wrong = f"lies wholly inside {environment.obstacles.names(inside)}; some of it must be free"
    shown = f"goal at {format_lengths(environment.goal[:2] * per_metre, unit)} with radius {format_length(radius * per_metre, unit)} {unit}"
    raise InvalidEnvironment(f"{shown} {wrong}{upside_down_hint(environment, x, y, free)}")
