"""Adaptation of a tube that is built: what can still be changed so that it reaches the goal in spite of its errors, cheapest first.

The tube is glued: sections, sides and cells stay, but for one actuator that is glued on or replaced. Success of each proposal is judged in
tubes that its search has not met.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dynamics.vine import Integers
from planner.adapting.actuators import another_actuator, one_more_actuator
from planner.adapting.changes import (
    MOUNT,
    Change,
    Mount,
    another_pose,
    changes_at_a_mark,
    moved_object,
    other_growth_pressure,
    other_pressures,
)
from planner.adapting.searching import Limit, Search, part_of, split
from planner.built.learning_report import mostly_explained
from planner.built.posterior import Posterior, SuccessRange, predict_success
from planner.built.predicting import Setting
from planner.design.design import Design

AS_IT_IS = "as it is"
LIMIT = Limit(30.0)
FIRST_SHARE = 2.0
"""Share of the time of the cheapest change over that of each other one [-]: all others begin with its pressures."""
BETTER = 1.645
"""Number of standard errors by which a proposal must be better in the same tubes to count as better [-]: 95 %, one-sided."""
LEAST_BETTER = 0.02
"""Gain of success that is worth a change [-]."""


@dataclass(frozen=True, slots=True, eq=False)
class Adapted:
    """The best change of a kind."""

    name: str
    setting: Setting
    posterior: Posterior
    """Errors of the tube that is changed, as samples; the search has met some of them."""
    success: SuccessRange
    """Success in the samples that it has not met."""
    better: bool
    """Whether it is measurably better than all that are cheaper."""
    seconds: float
    """Time of the search [s]."""


def adapt(
    posterior: Posterior,
    mount: Mount = MOUNT,
    move: float = 0.0,
    limit: Limit = LIMIT,
    seed: int = 0,
) -> Iterator[Adapted]:
    """Search each kind of change, cheapest first, and yield the best of each; the first is the tube as it is.

    Each kind begins with the best pressures that were found. After Ctrl-C the best so far is yielded, and KeyboardInterrupt raised.

    Args:
        mount: How far the base can be moved.
        move: Largest shift of an obstacle in x and in y [m]; 0 if none can be moved.
        limit: Each kind has an equal share of the time that is left; those for which none is left are left out.
    """
    design = posterior.tube.design
    rows, unseen = split(posterior, seed)
    best = Adapted(AS_IT_IS, Setting(design), posterior, _judge(None, posterior, unseen, seed), True, 0.0)
    yield best
    start, pressed = time.monotonic(), design
    for number, kind in enumerate(kinds := list_kinds(posterior, mount, move)):
        began = time.monotonic()
        if limit.stopped() or (number and began >= start + limit.seconds):
            return
        search = Search(kind(pressed), rows, seed)
        interrupted = False
        try:
            share = (1 if number else FIRST_SHARE) / (len(kinds) - number)
            search.run(limit.of(began + share * max(start + limit.seconds - began, 0.0)))
        except KeyboardInterrupt:
            interrupted = True
        if search.best is not None and search.posterior is not None:
            success = _judge(search.best, search.posterior, unseen, seed)
            better = is_better(success, best.success)
            seconds = time.monotonic() - began
            found = Adapted(search.change.name, search.best, search.posterior, success, better, seconds)
            if better:
                best = found
                pressed = pressed if number else found.setting.design
            yield found
        if interrupted:
            raise KeyboardInterrupt


def list_kinds(posterior: Posterior, mount: Mount, move: float) -> list[Callable[[Design], Change]]:
    """Return the kinds of change, cheapest first, as functions of the design with the best pressures so far."""
    return [
        lambda now: other_pressures(now, posterior),
        lambda now: changes_at_a_mark(now, posterior),
        lambda now: another_pose(now, posterior, mount),
        lambda now: other_growth_pressure(now, posterior),
        *([lambda now: moved_object(now, posterior, move)] if move else []),
        lambda now: one_more_actuator(now, posterior),
        lambda now: another_actuator(now, posterior),
    ]


def _judge(setting: Setting | None, posterior: Posterior, rows: Integers, seed: int) -> SuccessRange:
    """Return the success of a setting in some samples, with numbers of growths that no search has used."""
    return predict_success(part_of(posterior, rows), setting, seed=seed)


def is_better(one: SuccessRange, other: SuccessRange) -> bool:
    """Whether a success is measurably higher than another one in the same samples: paired, and worth a change."""
    gain = one.each - other.each
    error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else 0.0
    return bool(gain.mean() > max(LEAST_BETTER, BETTER * error))


def recommended(found: Sequence[Adapted], wanted: float) -> Adapted | None:
    """Return the cheapest proposal that reaches a success [-] and is better than all that are cheaper; None if there is none.

    What is predicted for another tube than the one that was tried is nothing to recommend: see `mostly_explained`.
    """
    if not found or not mostly_explained(found[0].posterior):
        return None
    return next((one for one in found if one.better and one.success.mean >= wanted), None)


def best_of(found: Sequence[Adapted]) -> Adapted:
    """Return the last proposal that is better than all that are cheaper."""
    return next(one for one in reversed(found) if one.better)
