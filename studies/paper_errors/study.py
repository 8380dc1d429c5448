"""Paper 002, Fig. 9: designs planned under errors of obstacles and bending, and how often they reach the goal as these errors grow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import shapely

from dynamics.tube import VineParams
from environments import Environment, Obstacles, load_environment
from environments.objects import objects_of, walls_at_bounds
from environments.reach import WalledIn, goal_within_reach
from environments.uncertainty_in_files import StatedUncertainty
from planner.design.design import Design
from planner.design.estimate import Estimate
from planner.plan.inputs import Inputs
from planner.uncertainty.deviations import widths_of
from planner.uncertainty.errors import errors_of
from planner.uncertainty.trials import Outcome, Worlds, grow_trials
from studies.uncertainty.fresh_trials import TESTING, count_pair, plan_in_full

ENVIRONMENT = "divider"
"""The environment of Fig. 9."""
LEAST_HEIGHT = 0.5
"""Height to which walls may squeeze the tube, in diameters [-]."""
LEVELS = 0.0, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2
"""Standard deviations of both axes of the figure [-]."""
PLANNED = 0.1, 0.1
"""Levels of obstacles and bending under which designs are planned [-]."""
CLAIM = {"obstacles": (0.1, 0.0), "bending": (0.0, 0.12)}
"""Levels of obstacles and bending up to which paper 002, section 7.3, has 90 % success [-]."""
BLOCK_MOVE = 0.2
"""Standard deviation of a block's x and y at the level 1, in the authors' experiment [m]: 20 mm at 10 %."""
BATCH = 100
"""Number of trials of one batch."""

StatedErrors = Callable[[Environment, VineParams, float, float], StatedUncertainty]


class Reading(NamedTuple):
    """A reading of "percent" of obstacles."""

    name: str
    meaning: str
    state: StatedErrors
    """Returns the errors of levels of obstacles and of bending [-]."""


def state_absolute(environment: Environment, tube: VineParams, obstacles: float, bending: float) -> StatedUncertainty:
    """Return the errors of the authors' experiment: the frame stands still, blocks move by 20 mm at 10 % whatever their size."""
    objects, widths = objects_of(environment), widths_of(environment, tube)
    single = {}
    for number, (item, frame) in enumerate(zip(objects.tolist(), walls_at_bounds(environment), strict=True), start=1):
        if frame:
            single[str(number)] = {"percent": 0.0}
        else:
            # The relative move that comes with a relative size is part of the absolute move.
            rest = max((BLOCK_MOVE * obstacles) ** 2 - (obstacles * widths[item]) ** 2, 0.0)
            single[str(number)] = {"position_mm": 1e3 * math.sqrt(rest)}
    return _state(obstacles, bending, single)


def state_relative(_: Environment, __: VineParams, obstacles: float, bending: float) -> StatedUncertainty:
    """Return the errors of the preset `paper`: everything moves by a share of its width, the frame too."""
    return _state(obstacles, bending, {})


def _state(obstacles: float, bending: float, single: dict[str, dict[str, float]]) -> StatedUncertainty:
    levels = {"obstacle_percent": obstacles, "pressure_percent": bending, "cell_percent": bending}
    return StatedUncertainty.of(
        {"preset": "none", **{key: 100 * level for key, level in levels.items()}, "obstacle": single}
    )


READINGS = (
    Reading(
        "absolute",
        "blocks move by 200 mm times the level and change their size by the level, the frame stands still",
        state_absolute,
    ),
    Reading(
        "relative", "everything moves by its width times the level and changes its size by the level", state_relative
    ),
)
"""The authors' experiment, and the preset `paper`."""


class PaperCase(NamedTuple):
    """A plan of the study."""

    reading: str
    """Name of a reading."""
    seed: int


@dataclass(frozen=True, slots=True)
class Misses:
    """Endings of the trials that miss the goal with errors of obstacles alone."""

    trials: int
    endings: dict[str, int]
    """Number of trials by result, see `Outcome.counts`; without those that reached the goal."""
    closed: int
    """Number of misses in worlds where no passage is open to the squeezed tube: no design can succeed."""
    narrow: int
    """Number of further misses in worlds where every passage is narrower than the tube, but open to the squeezed one."""


@dataclass(frozen=True, slots=True, eq=False)
class PaperOutcome:
    """One plan, and its design in the trials of every cell."""

    case: PaperCase
    design: Design | None
    """None if no design was found."""
    planned: Estimate | None = None
    """Success in the trials of the plan."""
    cells: dict[tuple[float, float], Estimate] | None = None
    """Success by levels of obstacles and bending [-]."""
    misses: Misses | None = None
    """Misses at the level of obstacles up to which the paper has 90 %."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        found: dict[str, Any] = {"reading": self.case.reading, "seed": self.case.seed}
        if self.design is None or self.cells is None or self.planned is None or self.misses is None:
            return found
        return found | {
            "actuators": self.design.actuators,
            "length_mm": round(1e3 * self.design.length, 3),
            "planned_reached_of": count_pair(self.planned),
            "cells": [
                {"obstacles": o, "bending": b, "reached_of": count_pair(one)} for (o, b), one in self.cells.items()
            ],
            "misses": {
                "trials": self.misses.trials,
                "endings": self.misses.endings,
                "closed": self.misses.closed,
                "narrow": self.misses.narrow,
            },
        }

    def __str__(self) -> str:
        found = "no design"
        if self.design is not None and self.cells is not None:
            found = ", ".join(f"{self.cells[levels]} at {name}" for name, levels in CLAIM.items())
        return f"{self.case.reading}, seed {self.case.seed}: {found}"


def cells() -> list[tuple[float, float]]:
    """List the levels of obstacles and bending that are tried: each axis of the figure alone, and both at once."""
    pairs = [(level, 0.0) for level in LEVELS] + [(0.0, level) for level in LEVELS[1:]]
    return pairs + [(level, level) for level in LEVELS[1:]]


def run_cases(cases: Sequence[PaperCase], seconds: float, trials: int) -> Iterator[PaperOutcome]:
    """Plan each case, and grow its design in the trials of every cell.

    Args:
        seconds: Time budget of each plan [s].
        trials: Number of trials of a cell.
    """
    tube = replace(VineParams(), least_height=LEAST_HEIGHT)
    environment = load_environment(ENVIRONMENT, tube.radius)
    readings = {one.name: one for one in READINGS}
    for case in cases:
        state = readings[case.reading].state
        stated = replace(environment, uncertainty=state(environment, tube, *PLANNED))
        choice = plan_in_full(stated, Inputs(seed=case.seed, time_budget_s=seconds), tube).choice
        if choice is None:
            yield PaperOutcome(case, None)
            continue
        chosen = choice.chosen
        found = {
            levels: _try_cell(chosen.design, environment, state(environment, tube, *levels), trials)
            for levels in cells()
        }
        estimates = {levels: Estimate(sum(reached), trials) for levels, (reached, _) in found.items()}
        yield PaperOutcome(case, chosen.design, chosen.estimate, estimates, found[CLAIM["obstacles"]][1])


def _try_cell(
    design: Design, environment: Environment, errors: StatedUncertainty, trials: int
) -> tuple[list[int], Misses]:
    """Grow a design in the trials of one cell: the number that reach the goal in each batch, and the endings of the others."""
    uncertainty = errors_of(replace(environment, uncertainty=errors), design.params)
    reached, closed, narrow = list[int](), 0, 0
    endings: dict[str, int] = {}
    for first in range(TESTING, TESTING + trials, BATCH):
        rows = range(first, min(first + BATCH, TESTING + trials))
        worlds = Worlds.draw(environment, design.params, uncertainty, rows, seed=0)
        outcome = grow_trials(design, worlds)
        reached.append(int(outcome.reached.sum()))
        for name, count in outcome.counts().items():
            endings[name] = endings.get(name, 0) + count
        shut, tight = count_shut(environment, design.params, worlds, outcome)
        closed, narrow = closed + shut, narrow + tight
    del endings["reached"]
    return reached, Misses(trials, endings, closed, narrow)


def count_shut(environment: Environment, tube: VineParams, worlds: Worlds, outcome: Outcome) -> tuple[int, int]:
    """Count the misses in worlds whose passages are shut to the squeezed tube, and those in worlds shut to the round one only."""
    closed = narrow = 0
    for world in np.flatnonzero(~outcome.reached).tolist():
        solids = [shapely.get_coordinates(shape)[:-1] for shape in worlds.shapes(world)]
        moved = replace(environment, obstacles=Obstacles(solids), start=worlds.motions.start[world])
        if worlds.blocked[world] or not _is_open(moved, tube.radius, tube.clearance):
            closed += 1
        elif not _is_open(moved, tube.radius, tube.radius):
            narrow += 1
    return closed, narrow


def _is_open(environment: Environment, radius: float, clearance: float) -> bool:
    try:
        goal_within_reach(environment, radius, clearance)
    except WalledIn:
        return False
    return True
