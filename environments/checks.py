"""Checks of the whole geometry of an environment: whether start and goal can be used."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import shapely

from environments.file_model import InvalidEnvironment
from environments.hints import size_hint, upside_down_hint
from environments.lengths import UNITS, listed, rounded

if TYPE_CHECKING:
    from environments.environment import Environment

_LEAST_GOAL = 1e-6
"""Minimum radius of a goal [m]."""


def check_start(environment: Environment, tube_radius: float, unit: str) -> None:
    """Check that a tube fits at the start.

    Args:
        tube_radius: Minimum distance to every obstacle [m].
        unit: Unit of the lengths in messages.
    Raises:
        InvalidEnvironment: The start is outside the bounds, or too near to an obstacle.
    """
    per_metre, bounds = UNITS[unit], environment.bounds

    def clearance(x: float, y: float) -> float:
        """Distance to the nearest obstacle [m], negative outside the bounds."""
        if not (bounds[0] <= x <= bounds[2] and bounds[1] <= y <= bounds[3]):
            return -math.inf
        return float(environment.obstacles.clearance((x, y)))

    x, y = map(float, environment.start[:2])
    found, least = clearance(x, y), tube_radius - 1e-9  # tolerance for rounding: touching is allowed
    if found >= least:
        return
    shown, size = (
        f"start.position = {listed(environment.start[:2] * per_metre, unit)}",
        size_hint(bounds, 2 * tube_radius),
    )
    more = f"; {size}" if size else ""
    if found <= 0:
        more += upside_down_hint(environment, x, y, lambda x, y: clearance(x, y) >= least)
    if found < 0:
        limits = listed(bounds * per_metre, unit)
        raise InvalidEnvironment(f"{shown} {unit} must lie within the bounds {limits}{more}")
    distance, needed = found * per_metre, tube_radius * per_metre
    where = f"{rounded(distance, unit, needed)} {unit} from the nearest" if found else "inside an"
    needs = f"at least {rounded(needed, unit, distance)} {unit} (the tube radius) is needed"
    raise InvalidEnvironment(f"{shown} is {where} obstacle; {needs}{more}")


def check_goal(environment: Environment, unit: str) -> None:
    """Check that some of the goal disc is within the bounds and free.

    Args:
        unit: Unit of the lengths in messages.
    Raises:
        InvalidEnvironment: The disc is too small, outside the bounds, or inside obstacles.
    """
    per_metre, bounds = UNITS[unit], environment.bounds
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
    wrong = f"must reach into the bounds {listed(bounds * per_metre, unit)}"
    if not outside(x, y):
        wrong = "lies wholly inside obstacles; some of it must be free"
    shown = f"goal at {listed(environment.goal[:2] * per_metre, unit)} with radius {rounded(radius * per_metre, unit)} {unit}"
    raise InvalidEnvironment(f"{shown} {wrong}{upside_down_hint(environment, x, y, free)}")
