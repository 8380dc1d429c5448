"""Sensing by deformation: walls, pivots and shape of a tube from only its length and the contact angle of its tip (paper 003)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dynamics.geometric.body import BASE
from dynamics.geometric.hinges import FRICTION
from dynamics.geometric.kinematics import Behaviour
from planner.mapping.sensing.contact_fit import HingeCourse, fit_wall
from planner.mapping.sensing.rules import RULES
from planner.mapping.sensing.shape import TubeShape
from surrogate.kernels.compiled import Floats

AT_ONCE = 1e-6
"""Two readings closer than this [m] are from before and after a change of contact: the tip has reached another wall."""
ROUNDING = 1e-8
"""A turn exists when the tube extends beyond it by more than this [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """Sensor readings while a tube grows.

    If the sensor reads at the moment when a contact begins, ends or changes, the heading at that moment is exact; otherwise
    its error is the rotation of the tube between two readings.
    """

    lengths: Floats
    """Length of the tube [m], ascending, shape (n,)."""
    angles: Floats
    """Angle from the tip's heading anticlockwise to the wall's tangent [rad], from 0 to pi; NaN if the tip is free; shape (n,)."""

    def __post_init__(self) -> None:
        lengths, angles = self.lengths, self.angles
        if lengths.ndim != 1 or lengths.shape != angles.shape or not len(lengths):
            raise ValueError(
                f"lengths {lengths.shape} and angles {angles.shape} must have the same shape (n,), n at least 1"
            )
        if not (np.isfinite(lengths).all() and lengths[0] >= 0 and (np.diff(lengths) > 0).all()):
            raise ValueError("lengths must be finite, at least 0 and ascending")
        if not ((angles >= -np.pi) & (angles < 2 * np.pi) | np.isnan(angles)).all():
            raise ValueError("angles must be between 0 and pi, except for noise, or NaN where the tip is free")


@dataclass(frozen=True, slots=True, eq=False)
class Pivot:
    """A point, not the base, about which the tube turned."""

    point: Floats
    """Position [m], shape (2,)."""
    arc: float
    """Distance from the base along the tube [m]."""
    length: float
    """Length of the tube when it began to turn there [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class WallContact:
    """An interval in which the tip was on one flat wall."""

    first: int
    """First reading."""
    last: int
    """Last reading."""
    wall: float
    """Angle of the wall, from 0 to pi [rad]."""
    behaviours: tuple[Behaviour, ...]
    """Successive behaviours of a tube with a turn; empty for a straight tube."""
    determined: bool
    """Whether the readings exclude other motions. If not, this is the one that the rule prefers."""


@dataclass(frozen=True, slots=True, eq=False)
class Sensed:
    """Walls, pivots and shapes estimated from readings."""

    tips: Floats
    """Tip at each reading [m], shape (n, 2); in contact, a point of the wall offset by the tube's radius."""
    shapes: tuple[Floats, ...]
    """Base, bends and contacts, and tip at each reading [m], shape (nodes, 2)."""
    walls: Floats
    """Angle of the wall at each reading, from 0 to pi [rad], NaN where the tip is free; shape (n,)."""
    contacts: tuple[WallContact, ...]
    pivots: tuple[Pivot, ...]
    """In the order in which they were found."""


def sense(
    readings: Readings,
    start: Floats,
    turn_at: float = 0.0,
    turn: float = 0.0,
    *,
    noise: float = 0.0,
    friction: float = FRICTION,
    rule: str = "limit-analysis",
) -> Sensed:
    """Recover walls, pivots and the tube's shapes.

    On each wall the readings are fitted by a body that rotates about one hinge after another: the base, a turn, a known
    corner or, if none of these fits, an unknown corner (paper 003, Eqs. 16 to 29). Another change of the hinge is accepted
    if it reduces the sum of squared errors, in units of the noise, by `PRICE` per fitted number. A rule for the hinge that
    gives way is the prior: a motion that contradicts it must reduce the sum by the same amount.

    Args:
        readings: Readings of one growth.
        start: x, y [m] and heading [rad] of the launch, shape (3,).
        turn_at: Distance of the turn from the base along the tube [m].
        turn: Angle of the turn, positive to the left [rad]; 0 for a straight tube.
        noise: Standard deviation of the angles [rad].
        friction: Friction coefficient of the tip on a wall, for the prior [-].
        rule: A key of `RULES`, for the prior.
    Returns:
        Estimates at each reading.
    Raises:
        ValueError: Noise or friction is negative, or the rule is unknown.
    """
    if not (noise >= 0 and friction >= 0):
        raise ValueError(f"noise = {noise} rad and friction = {friction} must not be negative")
    if rule not in RULES:
        raise ValueError(f"rule = {rule!r} must be one of {', '.join(RULES)}")
    lengths, angles = readings.lengths, readings.angles
    free = np.isnan(angles)
    shape, shapes = TubeShape.at_launch(start), list[TubeShape]()
    walls = np.full(len(lengths), np.nan)
    contacts, courses = list[WallContact](), list[tuple[HingeCourse, float]]()
    for first, after in _stretches(lengths, angles, turn_at + ROUNDING if turn else np.inf):
        if turn and lengths[first] > turn_at + ROUNDING and not shape.natural.any():
            shape = shape.extend(turn_at).with_turn_at_tip(turn)
        shape = shape.extend(lengths[first])
        if free[first]:
            shapes += [shape.extend(length) for length in lengths[first:after]]
            continue
        fit = fit_wall(shape, lengths[first:after], angles[first:after], noise, friction, RULES[rule])
        course = fit.course
        shapes += [course.motion_at(length).shape_at(length) for length in lengths[first:after]]
        walls[first:after] = course.wall % np.pi
        contacts.append(
            WallContact(first, after - 1, course.wall % np.pi, _behaviours(course, lengths[after - 1]), fit.determined)
        )
        courses.append((course, float(lengths[after - 1])))
        shape = shapes[-1]
        if after < len(lengths) and free[after]:
            # The tip has passed the end of the wall, which now holds the tube on the wall's side.
            shape = shape.hold(shape.length, -1 if course.wall - shape.heading < np.pi / 2 else 1)
    points = tuple(one.points for one in shapes)
    return Sensed(np.array([one.tip for one in shapes]), points, walls, tuple(contacts), _pivots(courses))


def _stretches(lengths: Floats, angles: Floats, turn_at: float) -> list[tuple[int, int]]:
    """Return the first reading, and the reading after the last, of each interval in which the tip is free or on one wall."""
    free = np.isnan(angles)
    changes = free[1:] != free[:-1]
    changes |= ~free[1:] & (np.diff(lengths) < AT_ONCE)
    changes |= (lengths[1:] > turn_at) & (lengths[:-1] <= turn_at)
    cuts = [0, *(np.flatnonzero(changes) + 1).tolist(), len(lengths)]
    return list(pairwise(cuts))


def _behaviours(course: HingeCourse, last: float) -> tuple[Behaviour, ...]:
    """Return the behaviour in each motion of a tube whose turn has grown."""
    found = list[Behaviour]()
    for motion in course.motions:
        shape = motion.shape
        if shape.length > last or not shape.natural.any():
            continue
        k = int(np.flatnonzero(shape.natural)[0])
        if motion.locked:
            kind = Behaviour.FRICTION_LOCKED
        elif abs(motion.arc - shape.arcs[k]) < 1e-9:
            kind = Behaviour.PIVOT_AT_TURN
        elif motion.arc > shape.arcs[k]:
            continue
        else:
            positive = motion.sense() * shape.natural[k] > 0
            kind = Behaviour.POSITIVE_PIVOT if positive else Behaviour.NEGATIVE_PIVOT
        if not found or found[-1] != kind:
            found.append(kind)
    return tuple(found)


def _pivots(courses: list[tuple[HingeCourse, float]]) -> tuple[Pivot, ...]:
    found = dict[float, Pivot]()
    for course, last in courses:
        for motion in course.motions:
            shape = motion.shape
            k = shape.node(motion.arc)
            if shape.length > last or shape.side[k] == BASE or shape.natural[k]:
                continue
            found.setdefault(round(motion.arc, 9), Pivot(shape.points[k], motion.arc, shape.length))
    return tuple(found.values())
