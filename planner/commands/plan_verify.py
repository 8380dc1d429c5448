"""`vinewright plan --verify`: a design counts only if a second propagator reaches the goal with it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from planner.console.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.propagator import PropagatorFactory
    from dynamics.tube import VineParams
    from planner.runs.inputs import Inputs
    from planner.verification import Verification

VerifyOption = Annotated[
    str | None,
    typer.Option(
        metavar="PROPAGATOR",
        help="Count only designs that this other propagator reaches the goal with too; exit code 3 if none does.",
    ),
]


def second_model(params: VineParams, inputs: Inputs, console: Console) -> PropagatorFactory:
    """What makes the propagator that verifies, checked before any work is done.

    Raises:
        BadInput: It is unknown, the one that plans, or has no contact or no sections.
    """
    from planner.console.options import chosen_model, note_friction

    verify = str(inputs.verify)
    if verify == inputs.propagator:
        raise BadInput(f"--verify {verify} is the propagator that plans; give another one")
    try:
        make = chosen_model(params, verify, "auto", None, None)
    except BadInput as error:
        raise BadInput(f"--verify {verify}: {error.message}") from None
    note_friction(console, params, verify)
    return make


def verdict(verification: Verification) -> str:
    """Its result, in words."""
    name, chosen, count = verification.propagator, verification.chosen, len(verification.grown)
    if not count:
        return f"NOT verified by {name}: interrupted before any design was grown; the best is written unverified"
    one = verification.grown[chosen]
    if not verification.verified:
        which = f"none of {count} solutions reaches the goal; the best" if count > 1 else "the design"
        return (
            f"NOT verified by {name}: {which} ends {1e3 * verification.outside(chosen):.0f} mm outside the goal, "
            f"{1e3 * verification.moved(chosen):.0f} mm from where it was planned to; {one.ending}. It is written unverified: "
            "search longer for other designs (--time-budget, --solutions, --seed), or look at it by `simulate --propagator "
            f"{name}`"
        )
    better = f"; {chosen} lower-cost solution{'s were' if chosen > 1 else ' was'} not" * (chosen > 0)
    return (
        f"verified by {name}: its tip reaches the goal there too, and ends {1e3 * verification.moved(chosen):.0f} mm from "
        f"where it was planned to{better}"
    )
