"""Errors of worlds and tubes as drawn: those that are stated, and in their place those that were learnt from trials of a built tube."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dynamics.tube import VineParams
from environments.environment import Environment
from environments.learnt_errors import LearntErrors
from environments.objects import obstacles_digest
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.uncertainty.causes import COMMON, OF_OBJECTS, UNITS, Cause, section_causes, tube_digest, world_causes
from planner.uncertainty.deviations import LEARNT, SectionErrors, Trials, WorldErrors, make_generator
from surrogate.kernels.compiled import Floats


def draw_world(
    environment: Environment, params: VineParams, uncertainty: Uncertainty, trials: Trials, seed: int
) -> WorldErrors:
    """Draw worlds by the numbers of their trials, see `WorldErrors.draw`.

    What was learnt of obstacles holds where all of them are as they were.
    """
    drawn = WorldErrors.draw(environment, params, uncertainty, trials, seed)
    if learnt := uncertainty.learnt:
        values, causes = _draw(learnt, trials, seed), world_causes(environment, params, uncertainty)
        if learnt.obstacles not in ("", obstacles_digest(environment)):
            causes = [cause for cause in causes if cause.field not in OF_OBJECTS]
        for cause, column in _known(learnt, causes, values):
            part = getattr(drawn, cause.field)
            part[(slice(None), *cause.at)] = 0.0
            cause.add(drawn, column)
    return drawn


def draw_sections(design: Design, uncertainty: Uncertainty, trials: Trials, seed: int) -> SectionErrors:
    """Draw the errors of a tube by the numbers of its trials, see `SectionErrors.draw`.

    What was learnt of sections holds for the tube of which it was learnt; what was learnt of a kind of actuator for every tube.
    """
    drawn = SectionErrors.draw(design.actuators, uncertainty, trials, seed, len(design.preformed))
    if learnt := uncertainty.learnt:
        own = learnt.tube == tube_digest(design)
        # What a kind has in common is told of another tube also where that has one actuator of the kind.
        causes = section_causes(design, uncertainty, least=2 if own else 1)
        known = [
            (cause, column)
            for cause, column in _known(learnt, causes, _draw(learnt, trials, seed))
            if own or np.ndim(cause.at[0])
        ]
        drawn.shift_following(-1.0)
        # Errors with a part in common lose that part first: all of them if their own part is known too.
        for cause, _ in known:
            part = getattr(drawn, cause.field)
            part[(slice(None), *cause.at)] *= np.sqrt(1 - COMMON) if np.ndim(cause.at[0]) else 0.0
        for cause, column in known:
            cause.add(drawn, column)
        drawn.shift_following()
    return drawn


def unused_learnt(
    environment: Environment, params: VineParams, uncertainty: Uncertainty, design: Design | None = None
) -> list[str]:
    """Return what of the learnt errors does not count, and why, a line each.

    Args:
        design: The tube that is grown; None for tubes that are planned.
    """
    if (learnt := uncertainty.learnt) is None:
        return []
    world = {cause.key: cause.field in OF_OBJECTS for cause in world_causes(environment, params, uncertainty)}
    kinds = {f"all {one.kind} actuators: bend [%]" for one in params.actuators}
    made = [name for name in learnt.errors if name.startswith(("section ", "bend F"))]
    notes = list[str]()
    if learnt.obstacles not in ("", obstacles_digest(environment)) and (
        lost := [name for name in learnt.errors if world.get(name)]
    ):
        notes.append(f"{_several(lost)}: of obstacles, and one was moved, added or removed since")
    if gone := [name for name in learnt.errors if name not in {*world, *kinds, *made}]:
        notes.append(f"{_several(gone)}: of what is not here, or was renamed since")
    if made and (design is None or tube_digest(design) != learnt.tube):
        whose = (
            "of sections, and holds for the tube of which it was learnt alone" if design is None else "of another tube"
        )
        notes.append(f"{_several(made)}: {whose}")
    return [f"learnt, but as stated here: {note}" for note in notes]


def _several(names: list[str]) -> str:
    """Return the first of some errors, and how many more there are."""
    first = names[0].partition(" [")[0]
    return f"{first} and {len(names) - 1} more" if len(names) > 1 else first


def _draw(learnt: LearntErrors, trials: Trials, seed: int) -> Floats:
    """Draw the learnt errors by the numbers of the trials, shape (T, errors); 0, as planned, where a trial has no number."""
    normal, count = np.zeros((len(trials), len(learnt.errors))), len(learnt.errors)
    for row, trial in enumerate(trials):
        if trial is not None:
            normal[row] = make_generator(seed, trial, LEARNT).standard_normal(count)
    drawn = learnt.draw(normal)
    drawn[[trial is None for trial in trials]] = 0.0
    return drawn


def _known(learnt: LearntErrors, causes: list[Cause], values: Floats) -> list[tuple[Cause, Floats]]:
    """Return the causes that were learnt, with their values in SI units, shape (T,)."""
    of = _by_key(learnt)
    return [(cause, values[:, of[cause.key]] / UNITS[cause.unit]) for cause in causes if cause.key in of]


@lru_cache(maxsize=4)
def _by_key(learnt: LearntErrors) -> dict[str, int]:
    return {name: k for k, name in enumerate(learnt.errors)}
