"""Success of the designs of a run, in a few words for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from dynamics.jumps import Jump
from planner.design.design import Design
from planner.design.estimate import Success
from planner.design.verification import Verification
from planner.plan.choice.front import Champion, Choice
from planner.search.solutions import Solution

REACHED, MISSED = "✓", "✗"


def success(
    choice: Choice | None, verification: Verification | None, solutions: Sequence[Solution] = ()
) -> tuple[Callable[[Design], list[str]], str]:
    """A function that gives the words for a design, and an explanation of these words.

    Every kept design has passed the replay. --verify grows the chosen design or, with --fast, all solutions; trials evaluate the
    best design with each number of actuators.
    """
    note = f"{REACHED} reaches the goal, {MISSED} misses it. Replay: grown again with an eighth of the step."
    if verification:
        note += f" {verification.propagator}: verified with this propagator."
    if choice:
        note += f" Trials: reached under {choice.errors} errors."
    return partial(_words, choice=choice, verification=verification, solutions=solutions), note


def _words(
    design: Design, choice: Choice | None, verification: Verification | None, solutions: Sequence[Solution]
) -> list[str]:
    words = [f"replay {REACHED}"]
    if verification:
        # Fewer designs than planned are grown if the verification was interrupted.
        for planned, grown in zip(verification.designs, verification.grown, strict=False):
            if planned.sections == design.sections:
                words.append(f"{verification.propagator} {REACHED if grown.reached else MISSED}")
    if champion := _champion(design, choice):
        words.append(f"{100 * champion.estimate.rate:.0f} % of trials")
    if jump := jump_of(design, choice, solutions):
        words.append(jump.brief)
    return words


def jump_of(design: Design, choice: Choice | None, solutions: Sequence[Solution]) -> Jump | None:
    """The largest jump that a design of a run needs as planned; None if it needs none.

    Args:
        solutions: All that the search kept; the design is one of them, or one of the front.
    """
    if champion := _champion(design, choice):
        return champion.jump
    return next((one.jump for one in solutions if one.design.sections == design.sections), None)


def with_trials(design: Design, choice: Choice | None) -> Design:
    """The design with the result of its trials, if it is one of the front."""
    champion = _champion(design, choice)
    if choice is None or champion is None:
        return design
    estimate = champion.estimate
    return replace(design, success=Success(choice.errors, estimate.reached, estimate.trials, estimate.weakest))


def _champion(design: Design, choice: Choice | None) -> Champion | None:
    return next((one for one in choice.front if one.design.sections == design.sections), None) if choice else None
