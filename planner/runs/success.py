"""What a run knows of the success of its designs, in a few words for each."""

from __future__ import annotations

from planner.design import Design
from planner.robustness.selection import Choice
from planner.verification import Verification

REACHED, MISSED = "✓", "✗"


def success(design: Design, choice: Choice | None, verification: Verification | None) -> list[str]:
    """The replay, which every kept design has passed, and the results of --verify and --robust if it has any."""
    words = [f"replay {REACHED}"]
    if verification:
        # Fewer designs than planned are grown if the verification was interrupted.
        for planned, grown in zip(verification.designs, verification.grown, strict=False):
            if planned.sections == design.sections:
                words.append(f"{verification.propagator} {REACHED if grown.reached else MISSED}")
    for champion in choice.evaluated if choice else []:
        if champion.design.sections == design.sections:
            words.append(f"{100 * champion.estimate.rate:.0f} % of trials")
            break
    return words


def success_note(choice: Choice | None, verification: Verification | None) -> str:
    """Explanation of these words."""
    note = f"{REACHED} reaches the goal, {MISSED} misses it. Replay: grown again with half the step."
    if verification:
        note += f" {verification.propagator}: verified with this propagator."
    if choice:
        note += f" Trials: reached with random errors of {100 * choice.level:g} %."
    return note
