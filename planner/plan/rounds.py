"""Rounds of a plan, each of which doubles its time: how long each is, and when the plan ends."""

from __future__ import annotations

import math

from planner.plan.choice.front import Choice
from planner.plan.inputs import SEARCHING, Inputs
from planner.search.planners import SST_STAR
from planner.search.run import Run

FIRST_ROUND = 3.0
"""Minimum time of the first round [s]."""
SHORTER = 1 / math.sqrt(2)
"""Share of the time limit from which on a round goes on to the limit [-]: what is left would be a short round."""
LEAST_SEARCHING = 0.25
"""Least time for searches in a round, over that in the first [-]."""
TRIED = 1.25
"""Time up to which a design that meets what is wanted is tried before another round, over the time until then [-]. A design whose success
is near what is wanted needs many trials to be sure, in which refinement would find a better one."""
NO_FEWER = "the last half of the time brought no fewer actuators"
"""Why a plan without trials has ended before its limit."""
ENOUGH = "success is enough, and the last round brought no fewer actuators"
"""Why a plan has ended before its limit."""
FEWEST = "success is enough, and no design can have fewer actuators"
"""Why a plan has ended before its limit after a single round."""


def end_of_round(spent: float, first: float, limit: float) -> float:
    """Return the time at which a round ends, from the beginning of the plan [s].

    Args:
        spent: Time at which it begins, or at which the round before was to end if it had nothing left to do before [s].
        first: Time at which the search had its first solution [s]: each search gets as much at least.
        limit: Of the whole plan [s].
    """
    end = max(2 * spent, 2 * first / SEARCHING, FIRST_ROUND)
    return end if end < SHORTER * limit else limit


def later_searching(share: float, renewed: bool) -> float:
    """Return the time for searches in the next round, over that in the first [-]: half of that in this round, unless this one brought a
    design that is better now than those before.

    Args:
        share: This of the present round [-].
        renewed: Whether it brought one, see `Contest.is_renewed`.
    """
    return 1.0 if renewed else max(share / 2, LEAST_SEARCHING)


def end_of_trials(spent: float, limit: float) -> float:
    """Return the time at which more trials between two rounds end, from the beginning of the plan [s].

    Args:
        spent: Time at which they begin [s].
        limit: Of the whole plan [s].
    """
    return min(TRIED * spent, limit)


def reason_to_end(before: Choice | None, now: Choice, least: int) -> str | None:
    """Return why a plan ends after a round; None if another one may pay.

    It ends if the chosen design is enough with its whole confidence interval, and either no design can have fewer actuators, or the
    round brought no fewer. More success than is wanted is worth no further round.

    Args:
        before: The choice of the round before; None if there was none.
        least: Number of actuators that every design needs.
    """
    if not now.sure:
        return None
    if now.chosen.design.actuators <= least:
        return FEWEST
    return None if before is None or now.chosen.design.actuators < before.chosen.design.actuators else ENOUGH


def reason_to_end_search(run: Run, end: float) -> str | None:
    """Return why a plan without trials ends after a round; None if another one may pay.

    Args:
        end: Time at which the round has ended [s]. It ends if the second half of that brought no fewer actuators.
    """
    fewest = run.history[-1].actuators
    since = next(entry.seconds for entry in run.history if entry.actuators == fewest)
    return NO_FEWER if end >= 2 * max(since, FIRST_ROUND) else None


def least_actuators(run: Run, options: Inputs) -> int:
    """Return the number of actuators that every design needs: 1 if the straight tube, which a search grows first, misses the goal."""
    straight_first = options.planner == SST_STAR and not options.steer and not options.preformed
    return int(straight_first and all(one.design.actuators for one in run.solutions.best))


def later_choice(before: Choice | None, now: Choice | None, interrupted: bool) -> Choice | None:
    """Return the choice after a round: the later one, unless it was interrupted before it was as good."""
    if before is None or now is None:
        return now or before
    return max(before, now, key=lambda one: (one.met, one.chosen.estimate.interval[0])) if interrupted else now
