"""`vinewright plan --verify`: a design counts only if a second propagator reaches the goal with it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from planner.console.compiling import compiling
from planner.console.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.propagator import Propagator, PropagatorFactory
    from dynamics.tube import VineParams
    from planner.robustness.selection import Choice
    from planner.runs.inputs import Inputs
    from planner.search.run import Run
    from planner.verification import Verification

VerifyOption = Annotated[
    str | None,
    typer.Option(
        metavar="PROPAGATOR",
        help="Count only designs that this other propagator reaches the goal with too; exit code 3 if none does.",
    ),
]


def second_model(params: VineParams, inputs: Inputs, console: Console) -> PropagatorFactory:
    """What makes the propagator that verifies, checked before any work is done; with the same friction, where it knows any.

    Raises:
        BadInput: It is unknown, the one that plans, or knows no contact or no sections.
    """
    from planner.console.options import chosen_model, has_friction

    verify, friction = str(inputs.verify), inputs.friction
    if verify == inputs.propagator:
        raise BadInput(f"--verify {verify} is the propagator that plans; give another one")
    if friction is not None and not has_friction(verify):
        console.print(f"note: {verify} knows no friction; it verifies without")
        friction = None
    try:
        return chosen_model(params, verify, "auto", None, None, friction=friction)
    except BadInput as error:
        raise BadInput(f"--verify {verify}: {error.message}") from None


def verified(console: Console, run: Run, name: str, second: Propagator, choice: Choice | None) -> Verification:
    """Grow what was found by the second propagator, with progress on the console; Ctrl-C keeps what has been grown.

    Args:
        choice: By --robust: then nothing but what it chose can be verified.
    """
    from planner.console.progress import gathered
    from planner.replay import grow_designs
    from planner.search.run import warm_up
    from planner.verification import Verification

    designs = [choice.chosen.design] if choice else [solution.design for solution in run.solutions.best]
    with compiling(console, name):
        warm_up(second)
    one_by_one = (grow_designs([design], run.environment, second)[0] for design in designs)
    words = f"grown by {name}"
    return Verification(name, run.environment, designs, gathered(console, one_by_one, len(designs), words))


def verdict(verification: Verification) -> str:
    """What came of it, in words."""
    name, chosen, count = verification.propagator, verification.chosen, len(verification.grown)
    if not count:
        return f"NOT verified by {name}: interrupted before any design was grown; the best is written unverified"
    one = verification.grown[chosen]
    if not verification.verified:
        which = f"none of {count} solutions gets into the goal; the best" if count > 1 else "the design"
        return (
            f"NOT verified by {name}: {which} ends {1e3 * verification.outside(chosen):.0f} mm outside the goal, "
            f"{1e3 * verification.moved(chosen):.0f} mm from where it was planned to; {one.ending}. It is written unverified: "
            "search longer for other designs (--time-budget, --solutions, --seed), or look at it by `simulate --propagator "
            f"{name}`"
        )
    better = f"; {chosen} cheaper solution{'s were' if chosen > 1 else ' was'} not" * (chosen > 0)
    return (
        f"verified by {name}: its tip comes into the goal there too, and ends {1e3 * verification.moved(chosen):.0f} mm from "
        f"where it was planned to{better}"
    )
