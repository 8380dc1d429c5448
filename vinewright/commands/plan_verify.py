"""`vinewright plan --verify`: a design is accepted only if it also reaches the goal with a second propagator."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planner.design.verification import Verification


def unverified(verification: Verification) -> str:
    """Message at the end of a plan that is not verified."""
    name, count = verification.propagator, len(verification.grown)
    if not count:
        return f"interrupted before {name} verified any design"
    return f"{name} confirms none of {count} solutions" if count > 1 else f"{name} does not confirm the design"


def verdict(verification: Verification) -> str:
    """The result of a verification, in words."""
    name, chosen, count = verification.propagator, verification.chosen, len(verification.grown)
    if not count:
        return f"NOT verified by {name}: interrupted before any design was grown; the best is written unverified"
    one = verification.grown[chosen]
    if not verification.verified:
        which = f"none of {count} solutions reaches the goal; the best" if count > 1 else "the design"
        return (
            f"NOT verified by {name}: {which} ends {1e3 * verification.outside(chosen):.0f} mm outside the goal, "
            f"{1e3 * verification.moved(chosen):.0f} mm from the planned position; {one.ending}. It is written unverified. "
            "Search longer for other designs (--time-budget, --solutions, --seed), or inspect it with `simulate --propagator "
            f"{name}`"
        )
    better = f"; {chosen} lower-cost solution{'s do' if chosen > 1 else ' does'} not" if chosen > 0 else ""
    return (
        f"verified by {name}: its tip reaches the goal there too, and ends {1e3 * verification.moved(chosen):.0f} mm from "
        f"the planned position{better}"
    )
