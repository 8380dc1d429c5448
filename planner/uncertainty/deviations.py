"""Deviations of a build from its plan, drawn by counter: the numbers of a trial do not depend on the design that grows in
it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dynamics.actuation import actuation_along
from dynamics.moment import free_curvature, holding_pressure, joint_moments
from dynamics.moved_scene import LEAST_FACTOR, ObjectMotions
from dynamics.preformed import largest_turn
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers
from environments.environment import Environment
from environments.objects import object_of, objects_of
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.design.schedule import VENTED
from surrogate.kernels.compiled import Floats

MOST_FACTOR = 2.0
"""Maximum factor on the pressure by which an error of turn is produced."""
_WORLD, _SECTIONS, _BENDS, LEARNT = 0, 1, 2, 3
"""Streams of random numbers of a trial."""

OF_SECTIONS = {
    "pressure": "pressure", "pressure_share": "pressure_share", "cell": "cell", "cell_share": "cell_share", "place": "section_position",
    "stretch": "section_length", "turn": "section_turn", "curvature": "curvature_share",
}  # fmt: skip
"""Fields of `Uncertainty` with the standard deviations of each actuated section, by the fields of `SectionErrors`, in their order."""
OF_BENDS = {"bend_place": "preformed_position", "bend_turn": "preformed_turn"}
"""Fields of `Uncertainty` of each preformed bend, by the fields of `SectionErrors`, in their order."""

Trials = Sequence[int | None]
"""Numbers of trials; None is the world as planned."""


def make_generator(seed: int, trial: int, stream: int) -> np.random.Generator:
    """Make the random generator of a stream of a trial."""
    return np.random.default_rng([seed, trial, stream])


@dataclass(frozen=True, slots=True, eq=False)
class WorldErrors:
    """Errors of environment and tube in T worlds, one per row; 0 is as planned. O objects."""

    start: Floats
    """Shift of the base in x and y [m] and of its heading [rad], shape (T, 3)."""
    shift: Floats
    """Shift of each object in x and y [m], shape (T, O, 2)."""
    rotation: Floats
    """Turn of each object [rad], shape (T, O)."""
    size: Floats
    """Distance of its outer faces outside of the planned faces [m], shape (T, O)."""
    share: Floats
    """Relative change of its size [-], shape (T, O)."""
    growth_pressure: Floats
    """[Pa], shape (T,)."""
    moment: Floats
    """Relative change of the tube's restoring moment [-], shape (T,)."""
    compliance: Floats
    """Relative change of the compliance of contacts [-], shape (T,)."""
    cell: Floats
    """Error that all cells of a tube have in common [m], shape (T,)."""
    friction: Floats
    """Coefficient of friction on walls [-], NaN for that of tube and environment, shape (T,)."""

    @classmethod
    def none(cls, environment: Environment, trials: int) -> WorldErrors:
        """Make worlds in which everything is as planned, to be changed in place."""
        objects = int(objects_of(environment).max(initial=-1)) + 1
        rotation, size, share = np.zeros((3, trials, objects))
        pressure, moment, compliance, cell = np.zeros((4, trials))
        shift, friction = np.zeros((trials, objects, 2)), np.full(trials, np.nan)
        return cls(np.zeros((trials, 3)), shift, rotation, size, share, pressure, moment, compliance, cell, friction)

    @classmethod
    def draw(
        cls, environment: Environment, params: VineParams, uncertainty: Uncertainty, trials: Trials, seed: int
    ) -> WorldErrors:
        """Draw worlds by their numbers: a number gives the same standard normal numbers for all standard deviations."""
        drawn = cls.none(environment, len(trials))
        # Objects come last, each with its own five numbers, so that another one does not change those before it.
        objects = drawn.rotation.shape[1]
        normal = np.zeros((len(trials), 7 + 5 * objects))
        for row, trial in enumerate(trials):
            if trial is None:
                continue
            rng = make_generator(seed, trial, _WORLD)
            if uncertainty.friction:
                drawn.friction[row] = rng.uniform(*uncertainty.friction)
            else:
                rng.random()
            rng.standard_normal(out=normal[row])
        each = normal[:, 7:].reshape(len(trials), objects, 5)
        for part, numbers in (
            (drawn.start, normal[:, :3]),
            (drawn.cell, normal[:, 3]),
            (drawn.growth_pressure, normal[:, 4]),
            (drawn.moment, normal[:, 5]),
            (drawn.compliance, normal[:, 6]),
            (drawn.shift, each[..., :2]),
            (drawn.rotation, each[..., 2]),
            (drawn.size, each[..., 3]),
            (drawn.share, each[..., 4]),
        ):
            part[:] = numbers
        for name, scale in world_deviations(environment, params, uncertainty).items():
            part = getattr(drawn, name)
            part *= scale
        return drawn

    def motions(self, environment: Environment) -> ObjectMotions:
        """Return the motions of the objects and the base."""
        return ObjectMotions(self.shift, self.rotation, self.size, self.share, environment.start + self.start)


def world_deviations(environment: Environment, params: VineParams, uncertainty: Uncertainty) -> dict[str, Any]:
    """Return the standard deviations of the fields of `WorldErrors` in one world, but for friction; see there for units and shapes."""
    share = _object_deviations(environment, uncertainty, "obstacle_share")
    position = np.hypot(
        _object_deviations(environment, uncertainty, "obstacle_position"), share * widths_of(environment, params)
    )
    return {
        "start": np.array([*[uncertainty.start_position] * 2, uncertainty.start_heading]),
        "shift": np.repeat(position[:, None], 2, axis=1),
        "rotation": _object_deviations(environment, uncertainty, "obstacle_rotation"),
        "size": _object_deviations(environment, uncertainty, "obstacle_size"),
        "share": share,
        "growth_pressure": uncertainty.growth_pressure,
        "moment": uncertainty.moment_share,
        "compliance": uncertainty.contact_share,
        "cell": uncertainty.cell_common,
    }


def _object_deviations(environment: Environment, uncertainty: Uncertainty, field: str) -> Floats:
    """Return the standard deviation of each object, shape (O,)."""
    objects = objects_of(environment)
    found = np.full(int(objects.max(initial=-1)) + 1, getattr(uncertainty, field))
    given = [
        (object_of(environment, one.obstacle), one.value) for one in uncertainty.of_obstacles if one.field == field
    ]
    # Sorted, the largest value is written last.
    for item, value in sorted(given):
        found[item] = value
    return found


def widths_of(environment: Environment, params: VineParams) -> Floats:
    """Reference length for relative shifts of each object [m]: the larger of its width and the tube's.

    The width of an object is the smallest one of its pieces.
    """
    objects = objects_of(environment)
    widths = np.full(int(objects.max(initial=-1)) + 1, np.inf)
    np.minimum.at(widths, objects, environment.solids.widths())
    return np.asarray(np.maximum(widths, 2 * params.radius))


@dataclass(frozen=True, slots=True, eq=False)
class SectionErrors:
    """Errors of the sections of a tube in T trials, one per row; 0 is as planned. S actuated sections, B preformed ones."""

    pressure: Floats
    """Change of the pressure [Pa], shape (T, S)."""
    pressure_share: Floats
    """Relative change of the pressure [-], shape (T, S)."""
    cell: Floats
    """Change of the cell length [m], shape (T, S)."""
    cell_share: Floats
    """Relative change of the cell length, and of the length of the section [-], shape (T, S)."""
    place: Floats
    """Shift of the start of a section towards the tip [m], shape (T, S)."""
    stretch: Floats
    """Length added to a section [m], shape (T, S)."""
    turn: Floats
    """Turn added to a section in the direction of its bend [rad], shape (T, S)."""
    curvature: Floats
    """Relative change of its curvature in free space [-], shape (T, S)."""
    bend_place: Floats
    """Shift of a preformed bend towards the tip [m], shape (T, B)."""
    bend_turn: Floats
    """Turn added to a preformed bend in its direction [rad], shape (T, B)."""

    @classmethod
    def none(cls, trials: int, sections: int, bends: int = 0) -> SectionErrors:
        """Make trials in which everything is as planned, to be changed in place.

        Args:
            sections: Number of actuated sections.
            bends: Number of preformed sections.
        """
        return cls(*np.zeros((8, trials, sections)), *np.zeros((2, trials, bends)))

    @classmethod
    def draw(cls, sections: int, uncertainty: Uncertainty, trials: Trials, seed: int, bends: int = 0) -> SectionErrors:
        """Draw trials by their numbers; the errors of a section do not depend on how many follow.

        Args:
            sections: Number of actuated sections.
            bends: Number of preformed sections, whose errors change nothing of those of the others.
        """
        drawn, formed = np.zeros((len(trials), sections, 8)), np.zeros((len(trials), bends, 2))
        for row, trial in enumerate(trials):
            if trial is not None:
                drawn[row] = make_generator(seed, trial, _SECTIONS).standard_normal((sections, 8))
                formed[row] = make_generator(seed, trial, _BENDS).standard_normal((bends, 2))
        formed *= [getattr(uncertainty, field) for field in OF_BENDS.values()]
        scales = [getattr(uncertainty, field) for field in OF_SECTIONS.values()]
        parts = (np.ascontiguousarray(np.moveaxis(part, -1, 0)) for part in (drawn * scales, formed))
        found = cls(*(one for part in parts for one in part))
        found.shift_following()
        return found

    def shift_following(self, factor: float = 1.0) -> None:
        """Shift each section by the lengths that are added to those before it, times a factor [-]."""
        self.place[:] += factor * (np.cumsum(self.stretch, axis=1) - self.stretch)


class Actuators(NamedTuple):
    """Actuators of tubes, shape (S,), or (T, S) if they differ between trials."""

    start: Floats
    """Distance from the base [m]."""
    end: Floats
    sense: Floats
    """1 to the left, -1 to the right, 0 for no actuator."""
    l_0: Floats
    """Cell length [m]."""
    pressure: Floats
    """[Pa], positive."""
    kind: Integers
    """Number in `VineParams.actuators`."""


class PreformedBends(NamedTuple):
    """Preformed bends of a tube, shape (B,)."""

    start: Floats
    """Distance from the base [m]."""
    end: Floats
    rest: Floats
    """Angle per length of film [1/m], positive to the left."""


NO_BENDS = PreformedBends(*np.zeros((3, 0)))


class MadeActuators(NamedTuple):
    """Actuators as they are made in each trial, shape (T, S)."""

    start: Floats
    """Distance from the base [m]."""
    length: Floats
    l_0: Floats
    """Cell length [m]."""
    pressure: Floats
    """Pressure that bends them as they bend [Pa]: an error of turn or curvature is one of pressure here."""


def actuators_in_trials(
    planned: Actuators, sections: SectionErrors, common: Floats, params: VineParams
) -> MadeActuators:
    """Return the actuators with their errors; arguments as for `actuation_with`."""
    factor = np.maximum(1 + sections.cell_share, LEAST_FACTOR)
    begins = planned.start + sections.place
    length = factor * (planned.end - planned.start) + sections.stretch
    joint, kind = joint_moments(params), planned.kind
    shortest = joint.tables.shortest[kind]
    cells = np.clip(factor * planned.l_0 + sections.cell + common[:, None], shortest, joint.tables.longest[kind])
    error = np.where(planned.pressure > VENTED, sections.pressure, 0.0)  # no regulator holds a vented actuator
    pressures = (1 + sections.pressure_share) * planned.pressure + error
    pressures = np.maximum(pressures, LEAST_FACTOR * planned.pressure)
    if sections.turn.any() or sections.curvature.any():
        free = free_curvature(joint, pressures, cells, kind)
        curvature = (1 + sections.curvature) * free + sections.turn / np.maximum(length, shortest)
        # Near full contraction, more pressure hardly bends the tube further.
        held = holding_pressure(joint, np.maximum(curvature, 0.0), cells, kind)
        pressures = np.clip(held, LEAST_FACTOR * pressures, MOST_FACTOR * pressures)
    return MadeActuators(begins, length, cells, pressures)


def measured_bends(design: Design, sections: SectionErrors, world: WorldErrors) -> Floats:
    """Return the angle by which each actuator bends the tube in free space at its set point in each trial [rad], shape (T, S)."""
    planned = planned_actuators(design)
    made = actuators_in_trials(planned, sections, world.cell, design.params)
    curvature = free_curvature(joint_moments(design.params), made.pressure, made.l_0, planned.kind)
    return np.asarray(curvature * made.length)


def with_bend(
    design: Design, sections: SectionErrors, world: WorldErrors, section: int, angle: Floats
) -> SectionErrors:
    """Return errors with which one actuator bends the tube by given angles in free space, as far as its cells can contract.

    All other errors stay, those of its place and length too.

    Args:
        section: Its number among the actuated sections.
        angle: [rad], shape (T,).
    """
    turn, curvature = sections.turn.copy(), sections.curvature.copy()
    turn[:, section] = curvature[:, section] = 0.0
    straight = replace(sections, turn=turn, curvature=curvature)
    curvature[:, section] = angle / measured_bends(design, straight, world)[:, section] - 1
    return straight


def planned_actuators(design: Design) -> Actuators:
    """Return the actuators of a design, shape (S,)."""
    rows = [(s.start, s.end, s.sense, s.l_0, s.pressure) for s in design.actuated]
    kind = np.array([s.kind for s in design.actuated], np.int64)
    return Actuators._make([*np.array(rows).reshape(-1, 5).T, kind])


def actuation_of(design: Design, sections: SectionErrors, world: WorldErrors) -> Actuation:
    """Return the actuation of the segments of a design in each trial, shape (T, segments)."""
    planned = planned_actuators(design)
    formed = [(s.start, s.end, s.rest(design.params)) for s in design.preformed]
    bends = PreformedBends(*np.array(formed).reshape(-1, 3).T)
    return actuation_with(planned, sections, world.cell, design.params, (design.length, design.segments), bends)


def actuation_with(
    planned: Actuators,
    sections: SectionErrors,
    common: Floats,
    params: VineParams,
    tube: tuple[float, int],
    bends: PreformedBends = NO_BENDS,
) -> Actuation:
    """Return the actuation of the segments of tubes in each trial, shape (T, segments).

    Args:
        common: Error that all cells of a tube have in common [m], shape (T,).
        tube: Length of the tubes [m], and number of segments.
        bends: Preformed bends of all of them.
    """
    made = actuators_in_trials(planned, sections, common, params)
    begins, length, cells, pressures = made.start, made.length, made.l_0, made.pressure
    kind = planned.kind
    signed, ends = planned.sense * pressures, begins + length
    kind = np.broadcast_to(kind, signed.shape)
    if not len(bends.start):
        return actuation_along(begins, ends, Actuation(signed, cells, kind=kind), tube[0], params, tube[1])
    # A bend has no actuator, and an actuator no bend.
    formed, none = _bends_in_trials(bends, sections, params), np.zeros(sections.bend_turn.shape)
    every: list[tuple[Any, Any]] = [
        (begins, formed.start),
        (ends, formed.end),
        (signed, none),
        (cells, none),
        (np.zeros(signed.shape), formed.rest),
        (kind, none.astype(np.int64)),
    ]
    start, end, *parts = (np.concatenate(pair, axis=1) for pair in every)
    return actuation_along(start, end, Actuation(*parts), tube[0], params, tube[1])


def _bends_in_trials(bends: PreformedBends, sections: SectionErrors, params: VineParams) -> PreformedBends:
    """Return the preformed bends in each trial, shape (T, B): none is turned to the other side, or more than can be folded."""
    length, start = bends.end - bends.start, bends.start + sections.bend_place
    turn = np.clip(np.abs(bends.rest) + sections.bend_turn / length, 0.0, largest_turn(params))
    return PreformedBends(start, start + length, np.sign(bends.rest) * turn)
