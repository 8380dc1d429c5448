"""Sensitivity: the largest deviation of each parameter, the others as planned, with which the goal is still reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.quasistatic.propagator import QuasiStatic
from environments.environment import Environment
from environments.objects import object_name, objects_of
from planner.design.design import Design
from planner.design.replay import replay, trajectory
from planner.uncertainty.deviations import SectionErrors, WorldErrors
from planner.uncertainty.trials import Worlds, grow_trials
from surrogate.kernels.compiled import Floats

STEPS = 40
"""Number of equal deviations tested on either side of the plan, except of objects."""
MOST = {"%": 0.2, "mm": 50e-3, "deg": np.radians(10.0)}
"""Maximum deviation tested, by unit [-, m, rad]."""
SHOWN = {"%": 100.0, "mm": 1e3, "deg": 180 / np.pi}
"""Factor that converts a deviation to its unit."""
EQUAL = tuple(np.arange(1, STEPS + 1) / STEPS)
"""Deviations tested on either side, relative to the maximum [-]."""
OBJECT = 0.02, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.4, 0.6, 1.0
"""Deviations of objects, of which there may be many: fewer, and finest where errors are likely, from 1 mm on."""


@dataclass(frozen=True, slots=True)
class Margin:
    """Largest deviations of one parameter, to either side, with which the goal is reached."""

    name: str
    unit: str
    less: float
    """Maximum decrease such that it and all smaller ones tested reach the goal, in `unit`, at least 0."""
    more: float
    """Maximum increase such that it and all smaller ones tested reach the goal, in `unit`, at least 0."""
    missed: tuple[float | None, float | None] = (None, None)
    """Smallest decrease and increase tested that miss the goal, in `unit`; None where all reach it; 0 as planned."""
    subject: str = ""
    """Name of the deviating thing in `words`; `name` if empty."""
    ways: tuple[str, str] = ("less", "more")
    """Words for a decrease and an increase."""

    @property
    def most(self) -> float:
        """The maximum deviation tested, in `unit`."""
        return float(MOST[self.unit] * SHOWN[self.unit])

    @property
    def share(self) -> float:
        """The smaller margin, relative to the maximum deviation tested; parameters are ranked by it."""
        return min(self.less, self.more) / self.most

    @property
    def words(self) -> str:
        """The smallest deviation that misses the goal, for example `wall 4, 3 mm to the left`, if there is one."""
        missed = [(amount, way) for amount, way in zip(self.missed, self.ways, strict=True) if amount is not None]
        if 0.0 in self.missed:
            return "the plan itself misses the goal"
        if not missed:
            return f"{self.subject or self.name}, more than {self.most:.3g} {self.unit}"
        amount, way = min(missed, key=lambda one: one[0])
        return f"{self.subject or self.name}, {amount:.3g} {self.unit} {way}"


@dataclass(frozen=True, slots=True)
class DeviatingParameter:
    """Number of a design or an environment that may deviate."""

    name: str
    unit: str
    change: Callable[[WorldErrors, SectionErrors, Floats], None]
    """Function that writes deviations, one per trial, into the errors that they are."""
    steps: Sequence[float] = EQUAL
    """Deviations tested on either side, relative to the maximum, ascending [-]."""
    subject: str = ""
    """See `Margin`."""
    ways: tuple[str, str] = ("less", "more")
    """See `Margin`."""


def parameters(design: Design, environment: Environment) -> list[DeviatingParameter]:
    """List all parameters that may deviate."""
    listed = [*section_parameters(design), *bend_parameters(design), *environment_parameters(environment)]
    return [*listed, *object_parameters(design, environment)]


def compute_margin(design: Design, environment: Environment, parameter: DeviatingParameter) -> Margin:
    """Compute the margin of a parameter, in the steps of the parameter; 0 on both sides if the design misses as planned."""
    most, steps = MOST[parameter.unit], np.array([0.0, *parameter.steps])
    deviations = most * np.concatenate([-steps[:0:-1], steps])
    world = WorldErrors.none(environment, len(deviations))
    sections = SectionErrors.none(len(deviations), design.actuators, len(design.preformed))
    parameter.change(world, sections, deviations)
    reached = grow_trials(design, Worlds(environment, design.params, world), sections).reached
    last = len(steps) - 1
    held = [_count_leading(side) for side in (reached[last::-1], reached[last:])]
    amounts = SHOWN[parameter.unit] * most * steps
    less, more = (float(amounts[max(count - 1, 0)]) for count in held)
    first, second = (float(amounts[count]) if count <= last else None for count in held)
    return Margin(parameter.name, parameter.unit, less, more, (first, second), parameter.subject, parameter.ways)


def smallest_margin(margins: Sequence[Margin]) -> Margin | None:
    """Return the smallest margin (`Margin.share`); None if no deviation tested misses the goal."""
    return min((one for one in margins if one.missed != (None, None)), key=lambda one: one.share, default=None)


def _count_leading(reached: NDArray[np.bool_]) -> int:
    """Return the number of leading true values."""
    return len(reached) if np.all(reached) else int(np.argmin(reached))


def section_parameters(
    design: Design, parts: Sequence[str] = ("pressure", "cell length", "place")
) -> list[DeviatingParameter]:
    """List the parameters of each actuated section."""
    kinds = {
        "pressure": ("%", "pressure_share", ("less", "more")),
        "cell length": ("%", "cell_share", ("less", "more")),
        "place": ("mm", "place", ("towards the base", "towards the tip")),
        "bend": ("%", "curvature", ("less", "more")),
    }

    def change(error: str, k: int, _: WorldErrors, sections: SectionErrors, deviations: Floats) -> None:
        getattr(sections, error)[:, k] = deviations

    return [
        DeviatingParameter(
            f"section {k + 1}: {part}", kinds[part][0], partial(change, kinds[part][1], k), ways=kinds[part][2]
        )
        for k in range(design.actuators)
        for part in parts
    ]


def bend_parameters(design: Design, parts: Sequence[str] = ("turn", "place")) -> list[DeviatingParameter]:
    """List the parameters of each preformed bend."""
    kinds = {
        "turn": ("deg", "bend_turn", ("less", "more")),
        "place": ("mm", "bend_place", ("towards the base", "towards the tip")),
    }

    def change(error: str, k: int, _: WorldErrors, sections: SectionErrors, deviations: Floats) -> None:
        getattr(sections, error)[:, k] = deviations

    return [
        DeviatingParameter(
            f"preformed bend {k + 1}: {part}", kinds[part][0], partial(change, kinds[part][1], k), ways=kinds[part][2]
        )
        for k in range(len(design.preformed))
        for part in parts
    ]


def environment_parameters(environment: Environment) -> list[DeviatingParameter]:
    """List the parameters of the start, and of all obstacles together."""
    left = environment.start[2] + np.pi / 2

    def change_heading(world: WorldErrors, _: SectionErrors, deviations: Floats) -> None:
        world.start[:, 2] = deviations

    def change_sideways(world: WorldErrors, _: SectionErrors, deviations: Floats) -> None:
        world.start[:, :2] = deviations[:, None] * [np.cos(left), np.sin(left)]

    def change_size(world: WorldErrors, _: SectionErrors, deviations: Floats) -> None:
        world.share[:] = deviations[:, None]

    sideways, turns = ("to the right", "to the left"), ("clockwise", "anticlockwise")
    listed = [
        DeviatingParameter("start: to the left", "mm", change_sideways, subject="start", ways=sideways),
        DeviatingParameter("start: heading", "deg", change_heading, ways=turns),
    ]
    return listed + [DeviatingParameter("obstacles: size", "%", change_size)] * bool(len(environment.obstacles))


def object_parameters(design: Design, environment: Environment) -> list[DeviatingParameter]:
    """List shifts along x and y of each object (`environments.objects`) that may touch the tube when it is shifted."""

    def change(axis: int, one: int, world: WorldErrors, _: SectionErrors, deviations: Floats) -> None:
        world.shift[:, one, axis] = deviations

    ways = ("to the left", "to the right"), ("down", "up")
    return [
        DeviatingParameter(f"{name}: along {'xy'[axis]}", "mm", partial(change, axis, one), OBJECT, name, ways[axis])
        for one, name in _objects_near(design, environment).items()
        for axis in (0, 1)
    ]


def _objects_near(design: Design, environment: Environment) -> dict[int, str]:
    """Find the objects that the tube touches or passes so near that the maximum shift may touch it: number and name."""
    objects, shapes = objects_of(environment), np.array(environment.solids.shapes(), dtype=object)
    if not len(shapes):
        return {}
    joints, _ = trajectory(environment, design, replay(design, QuasiStatic(environment, design.params)))
    points = joints[~np.isnan(joints[..., 0])]
    # Joints are at most a segment apart, so that no point of the tube's axis is farther than half of it from one.
    reach = design.params.radius + MOST["mm"] + design.params.segment_length / 2
    swept = shapely.MultiPoint(np.unique(points, axis=0)) if len(points) else shapely.Point(environment.start[:2])
    shapely.prepare(swept)
    near = np.unique(objects[shapely.distance(swept, shapes) < reach])
    return {int(one): object_name(environment, int(one)) for one in near}
