"""What a run knows of the success of its designs, in a few words for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from planner.design import Design, Trialled
from planner.robustness.selection import Champion, Choice
from planner.verification import Verification

REACHED, MISSED = "✓", "✗"


def success(choice: Choice | None, verification: Verification | None) -> tuple[Callable[[Design], list[str]], str]:
    """A function that gives the words for a design, and an explanation of these words.

    Every kept design has passed the replay. --verify grows the chosen design or, with --fast, all solutions; trials evaluate the
    best design with each number of actuators.
    """
    note = f"{REACHED} reaches the goal, {MISSED} misses it. Replay: grown again with an eighth of the step."
    if verification:
        note += f" {verification.propagator}: verified with this propagator."
    if choice:
        note += f" Trials: reached under {choice.errors} errors."
    return partial(_words, choice=choice, verification=verification), note


def _words(design: Design, choice: Choice | None, verification: Verification | None) -> list[str]:
    words = [f"replay {REACHED}"]
    if verification:
        # Fewer designs than planned are grown if the verification was interrupted.
        for planned, grown in zip(verification.designs, verification.grown, strict=False):
            if planned.sections == design.sections:
                words.append(f"{verification.propagator} {REACHED if grown.reached else MISSED}")
    if champion := _champion(design, choice):
        words.append(f"{100 * champion.estimate.rate:.0f} % of trials")
    return words


def with_trials(design: Design, choice: Choice | None) -> Design:
    """The design with the result of its trials, if it is one of the front."""
    champion = _champion(design, choice)
    if choice is None or champion is None:
        return design
    estimate = champion.estimate
    return replace(design, trialled=Trialled(choice.errors, estimate.reached, estimate.trials, champion.weakest))


def _champion(design: Design, choice: Choice | None) -> Champion | None:
    return next((one for one in choice.front if one.design.sections == design.sections), None) if choice else None
