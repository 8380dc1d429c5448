"""Whether what a plan reached is enough: every command, folder and page judges success by this."""

from __future__ import annotations

from planner.design.arrival import outside_words
from planner.design.estimate import Estimate

ROUNDING = 1e-9
"""Share of a trial by which a wanted rate in percent may be inexact [-]."""


def is_enough(wanted: float, outside: float, estimate: Estimate | None) -> bool:
    """Whether a design ends in the goal as planned, and reaches it in the share of trials that is wanted.

    Args:
        wanted: That share [-].
        outside: Distance from the goal's edge to its tip as planned [m].
        estimate: Its trials; None, or one without trials, for a design that is planned without errors.
    """
    return not outside and (estimate is None or estimate.reached >= wanted * estimate.trials - ROUNDING)


def shortfall(wanted: float, outside: float, estimate: Estimate | None, name: str = "") -> str:
    """Describe what a design lacks to be enough (see `is_enough`), as text; "" if it lacks nothing.

    Args:
        name: Of its environment, where there are several.
    """
    place = f" in {name}" if name else ""
    said = [f"as planned, the design {outside_words(outside)}{place}"] if outside else []
    if not is_enough(wanted, 0.0, estimate) and estimate:
        said.append(f"{estimate.reached} of {estimate.trials} trials reach the goal{place}, {100 * wanted:g} % wanted")
    return "; ".join(said)
