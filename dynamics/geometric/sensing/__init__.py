"""Sensing by deformation: walls, pivots and shape of a tube from its length and the contact angle of its tip alone (paper 003)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dynamics.geometric.body import BASE
from dynamics.geometric.hinges import FRICTION
from dynamics.geometric.kinematics import Behaviour
from dynamics.geometric.sensing.contact_fit import Course, fit_wall
from dynamics.geometric.sensing.shape import Shape
from surrogate.compiled import Floats

AT_ONCE = 1e-6
"""Two readings closer than this [m] are from before and after the contact changed: the tip came to another wall."""
ROUNDING = 1e-8
"""A turn is there when the tube is longer than up to it by more than this [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """What is sensed while a tube grows.

    A sensor that reads at the moment a contact begins, ends or changes gives the heading then exactly; where it does not,
    the heading is wrong by what the tube turned between two readings.
    """

    lengths: Floats
    """Of the tube [m], rising, shape (n,)."""
    angles: Floats
    """From the tip's heading anticlockwise to the wall's tangent [rad], between 0 and pi; NaN where the tip is free; shape (n,)."""

    def __post_init__(self) -> None:
        lengths, angles = self.lengths, self.angles
        if lengths.ndim != 1 or lengths.shape != angles.shape or not len(lengths):
            raise ValueError(
                f"lengths {lengths.shape} and angles {angles.shape} must have the same shape (n,), n at least 1"
            )
        if not (np.isfinite(lengths).all() and lengths[0] >= 0 and (np.diff(lengths) > 0).all()):
            raise ValueError("lengths must be finite, not negative, and rise")
        if not ((angles >= -np.pi) & (angles < 2 * np.pi) | np.isnan(angles)).all():
            raise ValueError("angles must be between 0 and pi, but for noise, or NaN where the tip is free")


@dataclass(frozen=True, slots=True, eq=False)
class Pivot:
    """A point, not the base, about which the tube turned."""

    point: Floats
    """[m], shape (2,)"""
    arc: float
    """Length of tube from the base to it [m]."""
    length: float
    """Of the tube when it began to turn there [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class WallContact:
    """A time in which the tip was on one flat wall."""

    first: int
    """Reading at which it began."""
    last: int
    """Reading at which it was last there."""
    wall: float
    """Angle of the wall, from 0 to pi [rad]."""
    behaviours: tuple[Behaviour, ...]
    """How a tube with a turn gave way, one after another; none for a straight tube."""
    determined: bool
    """Whether the readings exclude other motions. Where not, the one that limit analysis prefers was taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Sensed:
    """What readings say."""

    tips: Floats
    """At each reading [m], shape (n, 2); points of the wall, a tube radius outside it, where the tip is in contact."""
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
) -> Sensed:
    """Recover walls, pivots and the tube's shapes.

    On each wall the readings are fitted by a body that turns about one hinge after another: the base, a turn, a corner
    it is known to hang on or, where none of these fits, a corner not yet known (paper 003, Eqs. 16 to 29). A further
    change of the hinge is accepted where it takes `PRICE` per fitted number off the sum of squared errors, in units of
    the noise. Limit analysis of the hinges is the prior: what contradicts it must reduce the sum by as much.

    Args:
        readings: Of one growth.
        start: x, y [m] and heading [rad] of the launch, shape (3,).
        turn_at: Length at which the turn is [m].
        turn: Its angle, positive to the left [rad]; 0 for a straight tube.
        noise: Standard deviation of the angles [rad].
        friction: Of the tip on a wall, for the prior.
    Returns:
        What is known at each reading.
    Raises:
        ValueError: Noise or friction is negative.
    """
    if not (noise >= 0 and friction >= 0):
        raise ValueError(f"noise = {noise} rad and friction = {friction} must not be negative")
    lengths, angles = readings.lengths, readings.angles
    free = np.isnan(angles)
    shape, shapes = Shape.launched(start), list[Shape]()
    walls = np.full(len(lengths), np.nan)
    contacts, courses = list[WallContact](), list[tuple[Course, float]]()
    for first, after in _stretches(lengths, angles, turn_at + ROUNDING if turn else np.inf):
        if turn and lengths[first] > turn_at + ROUNDING and not shape.natural.any():
            shape = shape.grown(turn_at).turned_at_tip(turn)
        shape = shape.grown(lengths[first])
        if free[first]:
            shapes += [shape.grown(length) for length in lengths[first:after]]
            continue
        fit = fit_wall(shape, lengths[first:after], angles[first:after], noise, friction)
        course = fit.course
        shapes += [course.motion_at(length).shape_at(length) for length in lengths[first:after]]
        walls[first:after] = course.wall % np.pi
        contacts.append(
            WallContact(first, after - 1, course.wall % np.pi, _behaviours(course, lengths[after - 1]), fit.determined)
        )
        courses.append((course, float(lengths[after - 1])))
        shape = shapes[-1]
        if after < len(lengths) and free[after]:
            # The tip left by the wall's end, which now holds the tube on the wall's side.
            shape = shape.held(shape.length, -1 if course.wall - shape.heading < np.pi / 2 else 1)
    points = tuple(one.points for one in shapes)
    return Sensed(np.array([one.tip for one in shapes]), points, walls, tuple(contacts), _pivots(courses))


def _stretches(lengths: Floats, angles: Floats, turn_at: float) -> list[tuple[int, int]]:
    """First readings, and those after the last, of times in which the tip is free or on one wall."""
    free = np.isnan(angles)
    changes = free[1:] != free[:-1]
    changes |= ~free[1:] & (np.diff(lengths) < AT_ONCE)
    changes |= (lengths[1:] > turn_at) & (lengths[:-1] <= turn_at)
    cuts = [0, *(np.flatnonzero(changes) + 1).tolist(), len(lengths)]
    return list(pairwise(cuts))


def _behaviours(course: Course, last: float) -> tuple[Behaviour, ...]:
    """Name of each motion of a tube whose turn has grown."""
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


def _pivots(courses: list[tuple[Course, float]]) -> tuple[Pivot, ...]:
    found = dict[float, Pivot]()
    for course, last in courses:
        for motion in course.motions:
            shape = motion.shape
            k = shape.node(motion.arc)
            if shape.length > last or shape.side[k] == BASE or shape.natural[k]:
                continue
            found.setdefault(round(motion.arc, 9), Pivot(shape.points[k], motion.arc, shape.length))
    return tuple(found.values())
