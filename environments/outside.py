"""Share of tubes that begin outside of bounds that are no walls, because of the errors of their base."""

import math
from statistics import NormalDist

from environments.base import rooms, rooms_needed
from environments.environment import Environment
from environments.lengths import SHOWN_UNITS, format_length
from environments.uncertainty import Uncertainty

LEAST_SHARE = 0.01
"""Share of tubes from which on there is a hint [-]: less is within the interval of the success of the 1000 trials of `robustness`."""
SIDES = "left", "lower", "right", "upper"
"""Names of the sides of bounds, in the order of `Environment.bounds`."""
_HEADINGS = 101
"""Number of headings over which shares are averaged, all of the same probability."""
_ROUNDING = 1e-9
"""Lengths that differ by less are equal [m]."""


def shares_outside(environment: Environment, radius: float, uncertainty: Uncertainty) -> tuple[float, list[float]]:
    """Return the share of tubes that begin outside, and that of each side, in the order of `SIDES` [-].

    A tube is outside where the growth of a straight one would end (`dynamics.growth.outcome_of_leaving`), see `rooms_needed`.

    Args:
        radius: Radius of the tube [m].
        uncertainty: The errors of its base; all others change nothing of where it begins.
    """
    if environment.edge == "wall":
        return 0.0, [0.0] * len(SIDES)
    heading, turn = float(environment.start[2]), uncertainty.start_heading
    headings = [heading]
    if turn and _depends_on_heading(environment):
        headings = [NormalDist(heading, turn).inv_cdf((k + 0.5) / _HEADINGS) for k in range(_HEADINGS)]
    room_of, total, by_side = rooms(environment), 0.0, [0.0] * len(SIDES)
    for one in headings:
        needed = rooms_needed(environment, radius, one)
        out = [
            _share_above(room - need, uncertainty.start_position) for room, need in zip(room_of, needed, strict=True)
        ]
        # Shifts along x and along y are independent; the two sides of each exclude one another.
        total += 1 - max(1 - out[0] - out[2], 0.0) * max(1 - out[1] - out[3], 0.0)
        by_side = [before + share for before, share in zip(by_side, out, strict=True)]
    return total / len(headings), [share / len(headings) for share in by_side]


def outside_hint(environment: Environment, radius: float, uncertainty: Uncertainty, unit: str) -> str:
    """Return a hint at a start so near the bounds that its error puts a notable share of tubes outside; "" if there is none.

    Args:
        radius, uncertainty: See `shares_outside`.
        unit: Unit of the lengths in the hint, one of `SHOWN_UNITS`.
    """
    share, by_side = shares_outside(environment, radius, uncertainty)
    if share < LEAST_SHARE:
        return ""

    def shown(length: float) -> str:
        return f"{format_length(length * SHOWN_UNITS[unit], unit)} {unit}"

    least = min(LEAST_SHARE, max(by_side))
    near = [
        f"{shown(room)} from the {side}"
        for room, side, part in zip(rooms(environment), SIDES, by_side, strict=True)
        if part >= least
    ]
    errors = [shown(uncertainty.start_position)] if uncertainty.start_position else []
    if uncertainty.start_heading and _depends_on_heading(environment):
        errors.append(f"{math.degrees(uncertainty.start_heading):.3g} degrees")
    place, end = "bound", "begin outside; move the bound or the start"
    if environment.edge == "table":
        place = "edge of the table"
        end = f"({shown(2 * radius)} wide) hang over it within their first diameter; move the edge or the start, or turn it inwards"
    elif environment.mount == "wall":
        end = "are outside where they leave the wall; move the bound or the start"
    are = "its error is" if len(errors) == 1 else "its errors are"
    near_text = f"{', '.join(near[:-1])} and {near[-1]}" if len(near) > 1 else near[0]
    return f"the start is {near_text} {place}, and {are} {' and '.join(errors)}: about {100 * share:.0f} % of the tubes {end}"


def _depends_on_heading(environment: Environment) -> bool:
    return environment.edge == "table" or environment.mount == "wall"


def _share_above(room: float, deviation: float) -> float:
    """Return the share of normal errors of a standard deviation [m] that are greater than a length [m]."""
    if not deviation:
        return float(room < -_ROUNDING)
    return 0.5 * math.erfc(room / deviation / math.sqrt(2))
