"""Kinds of change that can still be made to a tube that is built, as functions of unknowns around 0, each of the order of 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from environments.environment import Environment
from environments.environment_file import check_environment
from environments.file_model import InvalidEnvironment
from environments.objects import object_names, objects_of, walls_at_bounds
from planner.adapting.set_points import FINEST, growth_range, nearest_pressure
from planner.built.posterior import Posterior
from planner.built.predicting import Setting
from planner.design.design import Design
from planner.design.schedule import InvalidSchedule, Schedule
from surrogate.kernels.compiled import Floats

LEVELS = 0.3
"""Change of the logarithm of a pressure by one unit of the search [-]."""
ALONG = 0.1
"""Relative change of the lengths of a schedule by one unit of the search [-]."""
FINEST_SHIFT, FINEST_TURN = 1e-4, np.radians(0.1)
"""Poses of the base are rounded to this [m, rad]."""
NEAR = 3.0
"""Distance from the tips up to which an object is one that may be moved, in radii of the tube [-]."""
MOST_MOVED = 3
"""Number of objects that may be moved, at most: the nearest ones."""


class Mount(NamedTuple):
    """How far the base can be moved."""

    shift: float = 10e-3
    """In x and in y [m]."""
    turn: float = np.radians(3.0)
    """[rad]"""


MOUNT = Mount()
Make = Callable[[Floats], Setting | None]
"""Returns the setting at a point; None where it cannot be made."""


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One way of making a change: its unknowns are numbers, while variants differ in side, section or object."""

    posterior: Posterior
    """Errors of the tube that is changed: a new actuator has errors of its own."""
    make: Make
    starts: Floats
    """Points where the search may begin, shape (starts, unknowns)."""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A kind of change."""

    name: str
    variants: list[Variant]


def other_pressures(design: Design, posterior: Posterior) -> Change:
    """Return the change of the pressures of all actuators; along a schedule each by a factor."""
    count = len(levelled(design))
    variants = [Variant(posterior, lambda x: Setting(scaled(design, x)), np.zeros((1, count)))]
    return Change("other pressures", variants if count else [])


def other_growth_pressure(design: Design, posterior: Posterior) -> Change:
    """Return the change of the growth pressure, and of the pressures."""
    own = design.params.growth_pressure
    low, high = growth_range(design, posterior.tube.environment)

    def make(x: Floats) -> Setting:
        wide = high - own if x[0] > 0 else own - low
        pressure = float(np.clip(np.round((own + wide * x[0]) / FINEST) * FINEST, low, high))
        return Setting(scaled(design, x[1:]), growth_pressure=pressure - own)

    starts = _from(np.array([[0.0], [0.7], [-0.7]]), len(levelled(design)))
    return Change("another growth pressure", [Variant(posterior, make, starts)] if high > low else [])


def changes_at_a_mark(design: Design, posterior: Posterior) -> Change:
    """Return the change of the pressures at a mark on the tube: to others, or to none; of a schedule, the change of its lengths."""
    name, count = "a change of pressures at a mark", design.actuators
    if not count or design.off:
        return Change(name, [])
    if design.schedule is not None:
        shifts = _from(np.array([[0.0], [0.5], [-0.5]]), count)
        return Change("other lengths of the schedule", [Variant(posterior, lambda x: _stretched(design, x), shifts)])
    marks = np.array([[-1.0], [0.0], [1.0], [2.0]])
    others = Variant(
        posterior, lambda x: _at_a_mark(design, x, scaled(design, x[1 + count :])), _from(marks, 2 * count)
    )
    vented = Variant(posterior, lambda x: _at_a_mark(design, x, None), _from(marks, count))
    return Change(name, [others, vented])


def _at_a_mark(design: Design, x: Floats, after: Design | None) -> Setting | None:
    """Return a design whose pressures change at a mark.

    Args:
        after: With the pressures behind it; None for actuators that are vented there.
    """
    share = 1 / (1 + np.exp(-2 * x[0]))
    mark = float(np.round(share * design.length, 3))
    first = [one.pressure for one in scaled(design, x[1 : 1 + design.actuators]).actuated]
    second = [0.0] * len(first) if after is None else [one.pressure for one in after.actuated]
    return Setting(design.scheduled(Schedule([0.0, mark, mark], [first, first, second])))


def _stretched(design: Design, x: Floats) -> Setting | None:
    """Return a design whose schedule has its changes at other lengths, and other pressures."""
    made = scaled(design, x[1:])
    if made.schedule is None:
        return None
    lengths = np.round(made.schedule.lengths * np.exp(ALONG * x[0]), 3)
    try:
        return Setting(made.scheduled(Schedule(lengths, made.schedule.pressures)))
    except InvalidSchedule:
        return None


def another_pose(design: Design, posterior: Posterior, mount: Mount) -> Change:
    """Return the change of the pose of the base within its mount, and of the pressures."""
    most, environment = np.array([mount.shift, mount.shift, mount.turn]), posterior.tube.environment
    finest = np.array([FINEST_SHIFT, FINEST_SHIFT, FINEST_TURN])

    def make(x: Floats) -> Setting | None:
        # Cut off towards the planned pose, so that it stays within the mount.
        pose = np.trunc(most * np.clip(x[:3], -1.0, 1.0) / finest + np.sign(x[:3]) * 1e-9) * finest
        return checked(Setting(scaled(design, x[3:]), base=tuple(pose.tolist())), environment)

    starts = _from(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.7], [0.0, 0.0, -0.7]]), len(levelled(design)))
    return Change("another pose of the base", [Variant(posterior, make, starts)] if most.any() else [])


def moved_object(design: Design, posterior: Posterior, most: float) -> Change:
    """Return the change of the place of one object that the tube comes near, and of the pressures.

    Args:
        most: Largest shift in x and in y [m].
    """
    directions = 0.7 * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
    starts, environment = _from(directions, len(levelled(design))), posterior.tube.environment

    def variant(item: int) -> Variant:
        def make(x: Floats) -> Setting | None:
            shift = np.trunc(most * np.clip(x[:2], -1.0, 1.0) * 1e3 + np.sign(x[:2]) * 1e-6) / 1e3
            return checked(Setting(scaled(design, x[2:]), moved=((item, *shift.tolist()),)), environment)

        return Variant(posterior, make, starts)

    return Change("an obstacle moved", [variant(item) for item in near_objects(posterior)] if most else [])


def near_objects(posterior: Posterior) -> list[int]:
    """Return the objects that the tube comes near, the nearest first; walls at the bounds and what holds the base stay."""
    import shapely

    tube = posterior.tube
    environment, objects = tube.environment, objects_of(tube.environment)
    fixed = {*objects[walls_at_bounds(environment) | environment.mounted].tolist()}
    path = tube.grow(posterior.normal[:: max(len(posterior.normal) // 16, 1)]).path[..., :2].reshape(-1, 2)
    tips = shapely.MultiPoint(path[~np.isnan(path[:, 0])])
    away = dict.fromkeys(range(len(object_names(environment))), np.inf)
    for item, shape in zip(objects.tolist(), environment.solids.shapes(), strict=True):
        away[item] = min(away[item], shape.distance(tips))
    near = [item for item, gap in away.items() if gap <= NEAR * tube.design.params.radius and item not in fixed]
    return sorted(near, key=away.__getitem__)[:MOST_MOVED]


# ---- settings ----


def levelled(design: Design) -> list[int]:
    """Return the indices among the actuated sections of those with pressure in this environment."""
    return [k for k, section in enumerate(design.actuated) if section.on]


def scaled(design: Design, x: Floats) -> Design:
    """Return a design whose pressures are changed by factors, within their limits; what is vented stays so.

    Args:
        x: In units of `LEVELS`, one for each of `levelled`.
    """
    factors = dict(zip(levelled(design), np.exp(LEVELS * x).tolist(), strict=True))
    params, actuated = design.params, design.actuated

    def level(k: int, pressure: float) -> float:
        if k not in factors:
            return pressure
        return nearest_pressure(params, replace(actuated[k], pressure=pressure), factors[k] * pressure)

    if design.schedule is not None:
        rows = [[level(k, one) for k, one in enumerate(row)] for row in design.schedule.pressures.tolist()]
        return design.scheduled(Schedule(design.schedule.lengths, rows))
    levels = iter([level(k, section.pressure) for k, section in enumerate(actuated)])
    sections = [replace(one, pressure=next(levels)) if one.actuated else one for one in design.sections]
    return replace(design, sections=tuple(sections), success=None)


def moved_environment(environment: Environment, setting: Setting) -> Environment:
    """Return the environment of a setting: its base and its objects where they are now."""
    if not any(setting.base) and not setting.moved:
        return environment
    obstacles, objects = environment.obstacles, objects_of(environment)
    shifts = np.zeros((len(objects), 2))
    for item, x, y in setting.moved:
        shifts[objects == item] = x, y
    # The walls at the bounds are solids between polygons and circles, and stay where they are.
    own = np.ones(len(objects), bool)
    own[len(obstacles.polygons) :][: len(objects) - len(obstacles)] = False
    return replace(environment, start=environment.start + setting.base, obstacles=obstacles.shifted(shifts[own]))


def checked(setting: Setting, environment: Environment) -> Setting | None:
    """Return a setting; None if nothing can grow there, as with an obstacle on the base."""
    try:
        check_environment(moved_environment(environment, setting), setting.design.params.radius)
    except InvalidEnvironment:
        return None
    return setting


def _from(points: Floats, others: int) -> Floats:
    """Return starts from the unknowns of a change, with 0 for other unknowns."""
    return np.concatenate([points, np.zeros((len(points), others))], axis=1)
