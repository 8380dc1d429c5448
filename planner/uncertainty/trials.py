"""Trials: growth of a design in worlds that are not quite as planned (paper 002, section 6.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.cuda import default_device
from dynamics.moved_scene import LEAST_FACTOR, ObjectMotions, build_moved_scenes, farthest_motion, move_solids
from dynamics.quasistatic.models import WorldModels
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.scene import Scenes
from dynamics.stages import Stage, grow_in_stages
from dynamics.tube import VineParams
from dynamics.vine import MOST_SNAPS, Actuation, Integers, Rollout, Status, VineState, centerlines
from dynamics.world import BuiltWorlds
from environments.base import base_clearance
from environments.environment import Environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.uncertainty.deviations import SectionErrors, Trials, WorldErrors, actuation_of
from planner.uncertainty.drawing import draw_sections, draw_world
from planner.uncertainty.memo import TrialMemo
from surrogate.kernels.compiled import Floats

EVALUATING, CHOOSING, SEARCHING, COMPARING = 1_000_000, 2_000_000, 4_000_000, 5_000_000
"""Numbers of the first trial that evaluates a design, refines designs, guides a search, and compares a design with a simpler one: none
counts for two of them, and surveys use smaller ones."""
TOGETHER = 64
"""Maximum number of vines that are grown in one batch."""
MOST_BYTES = 32e6
"""Memory up to which the records of a batch may grow [bytes], if that leaves a vine for each thread: that of a long tube grows with the
square of its length."""
TOGETHER_ON_CUDA = 16384
"""Number of vines in one batch where a CUDA device may grow them."""
SPARE_LENGTH = 1.1
"""Length of the tubes for which scenes of worlds are built, over that of the tube that needs them [-]: slightly longer tubes share them."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Results of the trials of one design."""

    reached: NDArray[np.bool_]
    """Whether the tip reached the goal while it grew, shape (trials,)."""
    nearest: Floats
    """Distance from the goal's edge to the tip where it came nearest [m], negative inside the goal; inf if nothing grew."""
    status: Integers
    """`Status` of each trial, shape (trials,)."""
    joints: Floats
    """Centrelines at the end of growth [m], shape (trials, segments + 1, 2), NaN beyond the tip."""
    broken: dict[int, str]
    """Explanation of the end of growth in each trial with status `NOT_FINITE` or `UNSETTLED`, by row."""

    def counts(self) -> dict[str, int]:
        """Count the trials by result."""
        names = {
            "reached": self.reached,
            "ended elsewhere": ~self.reached & (self.status == Status.GROWN),
            "stalled": ~self.reached & (self.status == Status.STALLED),
            "left the bounds": ~self.reached & (self.status == Status.OUT_OF_BOUNDS),
            "no room": ~self.reached & (self.status == Status.UNRESOLVED),
            "not at rest": ~self.reached & (self.status == Status.UNSETTLED),
            "not finite": ~self.reached & (self.status == Status.NOT_FINITE),
        }
        return {name: int(which.sum()) for name, which in names.items()}


class Worlds:
    """Worlds in which all designs of a comparison are grown."""

    def __init__(
        self,
        environment: Environment,
        params: VineParams,
        errors: WorldErrors,
        uncertainty: Uncertainty | None = None,
        trials: Trials = (),
        seed: int = 0,
        device: str | None = None,
    ) -> None:
        """Prepare worlds with given errors.

        Args:
            uncertainty: From which `sections` draws errors of the actuators, by the numbers of the trials; None for none.
            device: Where they grow, see `QuasiStatic`; None for its default.
        """
        self.environment, self.params, self.errors = environment, params, errors
        self.uncertainty, self.trials, self.seed = uncertainty, trials, seed
        self.motions = errors.motions(environment)
        self.blocked = _make_room(environment, params, self.motions)
        """Worlds in which an obstacle covers the base, shape (trials,)."""
        press = np.maximum(1 + errors.growth_pressure / params.growth_pressure, LEAST_FACTOR)
        moment, compliance = (np.maximum(1 + part, LEAST_FACTOR) for part in (errors.moment, errors.compliance))
        self._factors = press, moment, compliance
        self.planned = _planned_model(environment, params, device or default_device())
        """The model of the tube where everything is as planned, which grows it in all worlds."""
        self._longest = 0.0
        """Length of the longest tube for which `_scenes` are built [m]."""
        self._scenes: Scenes | None = None
        self._models: WorldModels | None = None
        self.known: TrialMemo | None = None
        """Results of `compute_goal_distances` by the numbers of the trials; None to keep no results."""

    @classmethod
    def draw(
        cls,
        environment: Environment,
        params: VineParams,
        uncertainty: Uncertainty,
        trials: Trials,
        seed: int,
        device: str | None = None,
    ) -> Worlds:
        """Draw worlds by the numbers of their trials."""
        errors = draw_world(environment, params, uncertainty, trials, seed)
        return cls(environment, params, errors, uncertainty, trials, seed, device)

    def __len__(self) -> int:
        return len(self.motions.start)

    def models(self, length: float) -> WorldModels:
        """Return the model in each world, with all obstacles that a tube of a length [m] can touch."""
        if self._scenes is None or length > self._longest:
            self._longest, self._models = SPARE_LENGTH * length, None
            self._scenes, _ = build_moved_scenes(self.environment, self.params, self.motions, self._longest)
        if self._models is None:
            built = BuiltWorlds(self._scenes, self.motions.start, *self._factors, self.errors.friction)
            self._models = self.planned.in_worlds(built)
        return self._models

    def batch_size(self, segments: int) -> int:
        """Return the number of vines of so many segments that are grown in one batch, with a record at the end of each
        segment."""
        if self.planned.on_device is not None:
            return TOGETHER_ON_CUDA
        fitting = int(MOST_BYTES / (16 * segments * (segments + 1 + MOST_SNAPS // 2)))
        return min(TOGETHER, max(self.planned.threads, fitting))

    def refined(self, parts: int) -> Worlds:
        """Return these worlds with the growth step of the model divided, to check its results."""
        finer = copy(self)
        finer.known = None
        finer.planned = self.planned.refined(parts)
        finer._models = None
        return finer

    def sections(self, design: Design) -> SectionErrors:
        """Return the errors of a design's actuators and preformed bends in each world."""
        if self.uncertainty is None:
            return SectionErrors.none(len(self), design.actuators, len(design.preformed))
        return draw_sections(design, self.uncertainty, self.trials, self.seed)

    def shapes(self, world: int) -> list[shapely.Geometry]:
        """Return the solids of one world [m], in the order of `environment.solids.shapes()`."""
        return move_solids(self.environment, self.motions, world)


def grow_trials(design: Design, worlds: Worlds, sections: SectionErrors | None = None) -> Outcome:
    """Grow a design once in each world, on all threads (about 5 ms per trial and thread).

    Args:
        sections: Errors of its actuators; None for those that are drawn with the worlds.
    """
    most, trials, goal = design.segments, len(worlds), worlds.environment.goal
    outcome = Outcome(
        np.zeros(trials, bool),
        np.full(trials, np.inf),
        np.full(trials, int(Status.UNRESOLVED)),
        np.full((trials, most + 1, 2), np.nan),
        {},
    )
    for rows, rollout in grow_batches(design, worlds, sections):
        outcome.nearest[rows] = rollout.nearest(goal)
        outcome.reached[rows] = outcome.nearest[rows] <= 0.0
        outcome.status[rows] = rollout.status
        broken = np.flatnonzero(np.isin(rollout.status, (Status.NOT_FINITE, Status.UNSETTLED))).tolist()
        outcome.broken.update((int(rows[vine]), rollout.ending(vine)) for vine in broken)
        grown = np.flatnonzero(rollout.records)
        last = rollout.state(grown, rollout.records[grown] - 1)
        outcome.joints[rows[grown]] = centerlines(last, worlds.motions.start[rows[grown]], design.params)
    return outcome


def grow_batches(
    design: Design, worlds: Worlds, sections: SectionErrors | None = None
) -> Iterator[tuple[Integers, Rollout]]:
    """Grow a design once in each world with room for its base; yield the worlds and the rollout of each batch.

    Args:
        sections: As in `grow_trials`.
    """
    stages = _stages(design, worlds, worlds.sections(design) if sections is None else sections)
    free = np.flatnonzero(~worlds.blocked)
    for rows in np.array_split(free, -(-len(free) // worlds.batch_size(design.segments))) if len(free) else []:
        yield rows, _grow_stages(worlds, rows, stages)


def _stages(design: Design, worlds: Worlds, errors: SectionErrors) -> list[Stage]:
    """Return the stages of a design's growth, with its actuation in each world."""
    return [Stage(until, actuation_of(one, errors, worlds.errors)) for until, one in design.stages()]


def _grow_stages(worlds: Worlds, rows: Integers, stages: Sequence[Stage]) -> Rollout:
    """Grow one vine in each of the worlds `rows` through stages, whose actuations are those of all worlds."""
    if len(stages) == 1:
        return grow_rows(worlds, rows, stages[0].actuation.of(rows), stages[0].until)
    full, models = worlds.params.segment_length, worlds.models(stages[-1].until)

    def grow(some: Integers, state: VineState, actuation: Actuation, length: float) -> Rollout:
        return worlds.planned.grow_in(models, rows[some], state, actuation, length, full)

    own = [Stage(stage.until, stage.actuation.of(rows)) for stage in stages]
    start = worlds.planned.start(len(rows), stages[0].actuation.pressure.shape[1])
    return grow_in_stages(worlds.planned, grow, start, own)


def compute_goal_distances(designs: Sequence[Design], worlds: Worlds, rows: Integers) -> tuple[Floats, Floats]:
    """Grow designs in worlds, in joint batches, and return their distances from the goal; see `Worlds.known`.

    Returns:
        `Outcome.nearest` of each, and the distance at the end of its growth [m], shape (designs, rows).
    """

    def grow(wanted: NDArray[np.bool_]) -> Floats:
        return _grow_distances(designs, worlds, rows, wanted)

    if worlds.known is None:
        every = np.ones((len(designs), len(rows)), bool)
        nearest, last = grow(every).reshape(2, *every.shape)
    else:
        nearest, last = worlds.known.evaluate(designs, [worlds.trials[row] for row in rows], grow)
    return nearest, last


def _grow_distances(designs: Sequence[Design], worlds: Worlds, rows: Integers, wanted: NDArray[np.bool_]) -> Floats:
    """Grow the wanted designs and worlds, shape (designs, rows); return their distances, shape (2, number of them)."""
    found = np.full((2, *wanted.shape), np.inf)
    free = wanted & ~worlds.blocked[rows]
    steered = np.array([design.schedule is not None for design in designs])
    for k in np.flatnonzero(steered & free.any(axis=1)).tolist():
        stages = _stages(designs[k], worlds, worlds.sections(designs[k]))
        at = np.flatnonzero(free[k])
        for some in np.array_split(at, -(-len(at) // worlds.batch_size(designs[k].segments))):
            found[:, k, some] = _goal_distances(_grow_stages(worlds, rows[some], stages), worlds)
    constant = np.flatnonzero(~steered & free.any(axis=1)).tolist()
    if len(constant):
        found[:, free & ~steered[:, None]] = _grow_constant_together(
            [designs[k] for k in constant], worlds, rows, free[constant]
        )
    return found[:, wanted]


def _grow_constant_together(
    designs: Sequence[Design], worlds: Worlds, rows: Integers, free: NDArray[np.bool_]
) -> Floats:
    """Grow designs without schedules in the worlds with room for the base, in joint batches; return as `_grow_distances`."""
    most = max(design.segments for design in designs)
    carried = []
    for design, which in zip(designs, free, strict=True):
        own = actuation_of(design, worlds.sections(design), worlds.errors).of(rows[which])
        carried.append(own.padded(most))
    every, vine = Actuation.joined(carried), np.nonzero(free)
    world, length = rows[vine[1]], np.array([design.length for design in designs])[vine[0]]
    found = np.full((2, len(world)), np.inf)
    for some in np.array_split(np.arange(len(world)), -(-len(world) // worlds.batch_size(most))):
        found[:, some] = _goal_distances(grow_rows(worlds, world[some], every.of(some), length[some]), worlds)
    return found


def _goal_distances(rollout: Rollout, worlds: Worlds) -> Floats:
    """Return `Outcome.nearest` of the vines of a rollout, and the distance at the end of their growth [m], shape (2, vines)."""
    goal, last = worlds.environment.goal, np.full(len(rollout.records), np.inf)
    grown = np.flatnonzero(rollout.records)
    tips = rollout.tips[grown, rollout.records[grown] - 1, :2]
    last[grown] = np.hypot(*(tips - goal[:2]).T) - goal[2]
    return np.stack([rollout.nearest(goal), last])


def grow_rows(worlds: Worlds, rows: Integers, carried: Actuation, length: float | Floats) -> Rollout:
    """Grow one vine in each of the worlds `rows`, which may repeat a world, recorded at the end of every segment."""
    start = worlds.planned.start(*carried.pressure.shape)
    models = worlds.models(float(np.max(length)))
    return worlds.planned.grow_in(models, rows, start, carried, length, worlds.params.segment_length)


@lru_cache(maxsize=4)
def _planned_model(environment: Environment, params: VineParams, device: str) -> QuasiStatic:
    """Make the model of a tube where everything is as planned, once for all batches of worlds."""
    return QuasiStatic(environment, params, device=device)


def _make_room(environment: Environment, params: VineParams, motions: ObjectMotions) -> NDArray[np.bool_]:
    """Move the bases that stand in an obstacle out of it, by at most a radius; returns where that fails, shape (T,).

    Nobody can place a base inside of an obstacle: where the drawn errors would, it stands beside it.
    """
    blocked = np.zeros(len(motions.start), bool)
    moved = farthest_motion(environment, motions) + np.hypot(*(motions.start[:, :2] - environment.start[:2]).T)
    least, base = params.clearance, shapely.Point(environment.start[:2])
    away = np.array([shape.distance(base) for shape in environment.solids.shapes()])
    away[environment.mounted] = np.inf
    for world in np.flatnonzero(base_clearance(environment) - moved < least).tolist():
        near = np.flatnonzero(away - moved[world] < least + params.radius)
        solid = shapely.union_all(move_solids(environment, motions, world, near))
        placed = motions.start[world, :2].copy()
        for _ in range(20):
            point = shapely.Point(motions.start[world, :2])
            inside = bool(solid.area) and solid.contains(point)
            depth = solid.boundary.distance(point) if inside else -solid.distance(point)
            if depth <= -least:
                break
            line = shapely.shortest_line(solid.boundary if inside else solid, point)
            nearest = shapely.get_coordinates(line)[0]
            out = (motions.start[world, :2] - nearest) * (-1.0 if inside else 1.0)
            if not out.any():
                break
            motions.start[world, :2] += out / np.hypot(*out) * (least + depth + 1e-9)
        else:
            blocked[world] = True
        blocked[world] |= depth > -least or np.hypot(*(motions.start[world, :2] - placed)) > params.radius
    return blocked
