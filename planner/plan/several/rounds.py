"""Rounds of a plan for several environments: when it ends, as a plan for one does."""

from __future__ import annotations

from planner.plan.rounds import NO_FEWER, later_choice, reason_to_end
from planner.plan.several.choice import CommonChoice


def reason_to_end_all(before: CommonChoice | None, now: CommonChoice, least: int) -> str | None:
    """Return why a plan ends after a round; None if another one may pay. See `reason_to_end`.

    Args:
        before: The choice of the round before; None if there was none.
        least: Number of actuators that every tube needs.
    """
    if now.tried:  # the worst environment decides: the chosen tube is sure in each if it is sure there
        return reason_to_end(before.worst if before else None, now.worst, least)
    fewer = before is None or now.champion.actuators < before.champion.actuators
    return None if fewer or not now.met else NO_FEWER


def later_choice_of_all(
    before: CommonChoice | None, now: CommonChoice | None, interrupted: bool
) -> CommonChoice | None:
    """Return the choice after a round: the later one, unless it was interrupted before it was as good. See `later_choice`."""
    if before is None or now is None or not (before.tried and now.tried):
        return now or before
    earlier = before.worst
    return before if later_choice(earlier, now.worst, interrupted) is earlier else now
