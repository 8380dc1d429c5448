"""Trials: growth of a design with deviations of actuators, start and obstacles (paper 002, section 6.3)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dynamics.actuation import actuation_along
from dynamics.moment import free_curvature, holding_pressure, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.vine import Actuation, Integers, Status, centerlines
from environments.base import base_clearance
from environments.environment import Environment
from planner.design import Design
from planner.replay import grow as grow_vines
from surrogate.compiled import Floats, thread_count

LEAST_FACTOR = 0.1
"""Minimum factor on the size of an obstacle, a pressure or a cell length."""
MOST_FACTOR = 2.0
"""Maximum factor on the pressure by which an error of turn is produced."""
TOGETHER = 25
"""Number of trials in the same environment that one thread grows in a batch."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations of the deviations from the plan; all are normal and independent."""

    obstacles: float = 0.0
    """Size of each obstacle, relative to its size, and x and y of its position, relative to its width (`reach_of`) [-]."""
    pressure: float = 0.0
    """Pressure of each actuator, relative to that pressure [-]."""
    cell: float = 0.0
    """Cell length of each actuator, relative to that length [-]; the actuator's length changes by the same factor."""
    length: float = 0.0
    """Length of each section [m]; the following sections are shifted."""
    turn: float = 0.0
    """Turn of each actuated section in free space [rad]."""
    start: float = 0.0
    """x and y of the base [m]."""
    heading: float = 0.0
    """Heading of the base [rad]."""

    @classmethod
    def of_levels(cls, obstacles: float, bending: float, start: float = 0.0, heading: float = 0.0) -> Spread:
        """The two axes of paper 002, Fig. 9: obstacles, and pressure and length of the actuators."""
        return cls(obstacles=obstacles, pressure=bending, cell=bending, start=start, heading=heading)

    def content(self) -> dict[str, float]:
        """Content for a JSON file."""
        return {
            "obstacles": self.obstacles,
            "pressure": self.pressure,
            "cell": self.cell,
            "length_mm": round(1e3 * self.length, 6),
            "turn_deg": round(float(np.degrees(self.turn)), 6),
            "start_mm": round(1e3 * self.start, 6),
            "heading_deg": round(float(np.degrees(self.heading)), 6),
        }


HANDMADE = Spread(turn=np.radians(0.12), length=0.36e-3)
"""The best manual fabrication: errors of bend and length per section (Agharese and Okamura, 2023)."""
PRESETS = {"none": Spread(), "handmade": HANDMADE}
"""Tolerances by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Deviations:
    """Deviations of trials from the plan, one row per trial; 0 is as planned. S actuated sections, K obstacles."""

    pressure: Floats
    """Relative change of the pressure [-], shape (trials, S)."""
    cell: Floats
    """Relative change of the cell length [-], shape (trials, S)."""
    place: Floats
    """Shift of the start of a section towards the tip [m], shape (trials, S)."""
    stretch: Floats
    """Length added to a section [m], shape (trials, S)."""
    turn: Floats
    """Turn added to a section in the direction of its bend [rad], shape (trials, S)."""
    start: Floats
    """Shift of the base in x and y [m] and of its heading [rad], shape (trials, 3)."""
    size: Floats
    """Relative change of the size of an obstacle [-], shape (trials, K)."""
    shift: Floats
    """Shift of an obstacle in x and y [m], shape (trials, K, 2)."""

    @classmethod
    def none(cls, design: Design, environment: Environment, trials: int) -> Deviations:
        """Trials in which everything is as planned, to be changed in place."""
        one, obstacles = (trials, design.actuators), len(environment.obstacles)
        pressure, cell, place, stretch, turn = np.zeros((5, *one))
        start, size, shift = np.zeros((trials, 3)), np.zeros((trials, obstacles)), np.zeros((trials, obstacles, 2))
        return cls(pressure, cell, place, stretch, turn, start, size, shift)

    @classmethod
    def drawn(
        cls, design: Design, environment: Environment, spread: Spread, trials: Sequence[int], seed: int
    ) -> Deviations:
        """Draw trials by their numbers: a trial number gives the same standard normal numbers for every spread."""
        drawn = cls.none(design, environment, len(trials))
        lengths = np.zeros((len(trials), len(design.sections)))
        for row, trial in enumerate(trials):
            rng = np.random.default_rng([seed, trial])
            # The environment is drawn first, so that a trial number gives all designs the same obstacles.
            for part in (drawn.start, drawn.size, drawn.shift, drawn.pressure, drawn.cell, drawn.turn, lengths):
                part[row] = rng.standard_normal(part[row].shape)
        for part, scale in ((drawn.pressure, spread.pressure), (drawn.cell, spread.cell), (drawn.turn, spread.turn)):
            part *= scale
        lengths *= spread.length
        before, actuated = np.cumsum(lengths, axis=1) - lengths, [section.side != "none" for section in design.sections]
        drawn.place[:], drawn.stretch[:] = before[:, actuated], lengths[:, actuated]
        drawn.start[:] *= [spread.start, spread.start, spread.heading]
        drawn.size[:] *= spread.obstacles
        drawn.shift[:] *= spread.obstacles * reach_of(environment, design)[:, None]
        return drawn

    def environments(self, environment: Environment) -> list[Environment]:
        """The environment of each trial; `environment` itself if nothing in it deviates."""
        factor, environments = np.maximum(1 + self.size, LEAST_FACTOR), []
        mounted = environment.mounted  # it remains the mount, wherever base and obstacles are
        for row, (start, size, shift) in enumerate(zip(self.start, self.size, self.shift, strict=True)):
            varied = environment
            if start.any():
                varied = replace(varied, start=environment.start + start, anchor=mounted)
            if size.any() or shift.any():
                varied = replace(varied, obstacles=environment.obstacles.varied(factor[row], shift), anchor=mounted)
            environments.append(varied)
        return environments

    def actuation(self, design: Design) -> Actuation:
        """Actuation of the segments in each trial."""
        rows = [(s.start, s.end, s.sense, s.l_0, s.pressure) for s in design.actuated]
        start, end, sense, l_0, pressure = np.array(rows).reshape(-1, 5).T
        factor = np.maximum(1 + self.cell, LEAST_FACTOR)
        begins, length = start + self.place, factor * (end - start) + self.stretch
        joint = joint_moments(design.params)
        cells = np.clip(factor * l_0, joint.rows.shortest, joint.rows.longest)
        pressures = np.maximum(1 + self.pressure, LEAST_FACTOR) * pressure
        if self.turn.any():
            curvature = free_curvature(joint, pressures, cells) + self.turn / np.maximum(length, joint.rows.shortest)
            # Near full contraction, more pressure hardly bends the tube further.
            held = holding_pressure(joint, np.maximum(curvature, 0.0), cells)
            pressures = np.clip(held, LEAST_FACTOR * pressures, MOST_FACTOR * pressures)
        ends, signed = begins + length, sense * pressures
        return actuation_along(begins, ends, signed, cells, design.length, design.params, design.segments)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The results of trials."""

    reached: NDArray[np.bool_]
    """Whether the tip reached the goal while it grew, shape (trials,)."""
    status: Integers
    """`Status` of each trial, shape (trials,)."""
    joints: Floats
    """Centrelines at the end of growth [m], shape (trials, segments + 1, 2), NaN beyond the tip."""
    environments: list[Environment]
    """Environment of each trial."""
    broken: dict[int, str]
    """How the growth ended in each trial with status `NOT_FINITE` or `UNSETTLED`, by row."""

    def counts(self) -> dict[str, int]:
        """Number of trials by result."""
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


def reach_of(environment: Environment, design: Design) -> Floats:
    """Reference length for the shift of each obstacle [m]: the larger of its width and the tube's."""
    return np.asarray(np.maximum(environment.obstacles.widths(), 2 * design.params.radius))


def grow_trials(design: Design, environment: Environment, deviations: Deviations) -> Outcome:
    """Grow a design once for each row of deviations, on all threads (about 5 ms per trial and thread)."""
    params = design.params
    carried, environments = deviations.actuation(design), deviations.environments(environment)
    trials, most = carried.pressure.shape
    model = partial(QuasiStatic, params=params, threads=1)
    planned = model(environment)
    outcome = Outcome(
        np.zeros(trials, bool), np.zeros(trials, np.int64), np.full((trials, most + 1, 2), np.nan), environments, {}
    )

    def grow(rows: Integers) -> None:
        varied = environments[rows[0]]
        if varied is not environment and base_clearance(varied) < params.clearance:
            outcome.status[rows] = Status.UNRESOLVED  # an obstacle covers the base
            return
        moved = varied.obstacles is not environment.obstacles
        propagator = model(varied) if moved else planned.starting_at(varied.start)
        actuation = Actuation(carried.pressure[rows], carried.l_0[rows])
        rollout = grow_vines(propagator, actuation, design.length, params.segment_length)
        outcome.reached[rows] = rollout.enters(environment.goal)
        outcome.status[rows] = rollout.status
        broken = np.flatnonzero(np.isin(rollout.status, (Status.NOT_FINITE, Status.UNSETTLED))).tolist()
        outcome.broken.update((int(rows[vine]), rollout.ending(vine)) for vine in broken)
        grown = np.flatnonzero(rollout.records)
        last = rollout.state(grown, rollout.records[grown] - 1)
        outcome.joints[rows[grown]] = centerlines(last, varied.start, params)

    elsewhere = np.array([varied is not environment for varied in environments], bool)
    here = np.flatnonzero(~elsewhere)
    batches = [here[k : k + TOGETHER] for k in range(0, len(here), TOGETHER)]
    with ThreadPoolExecutor(thread_count()) as pool:
        list(pool.map(grow, [*batches, *np.flatnonzero(elsewhere)[:, None]]))
    return outcome
