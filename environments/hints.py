"""Hints at probable slips in a usable environment, and additions to the error messages of an unusable one."""

import math
from collections.abc import Callable

import numpy as np

from environments.environment import Environment
from environments.lengths import format_length
from environments.outside import outside_hint
from environments.uncertainty import Uncertainty

LARGEST = 1000
"""Width of an environment above which its unit is questioned [tube diameters]; `building` has 84.

A length in millimetres that is read as metres is 1000 times too large, so that every such environment that is at least
as wide as its tube is found. For the default tube the limit is 67 m; no tube longer than 50 m is searched.
"""


def environment_hints(
    environment: Environment, tube_diameter: float, uncertainty: Uncertainty | None = None, unit: str = "mm"
) -> list[str]:
    """Likely slips in an environment: lengths in another unit, a heading in radians, or a start from which tubes begin outside.

    Args:
        tube_diameter: Diameter of the tube that is to grow there [m].
        uncertainty: The errors with which it is built; None for none.
        unit: Unit of the lengths of the start in hints: mm, cm, m, in or ft.
    Returns:
        One line for each, without a full stop; none if nothing looks wrong.

    >>> from environments import load_environment
    >>> environment_hints(load_environment("maze"), 0.0667)
    []
    """
    found = [size_hint(environment.bounds, tube_diameter), _heading_hint(environment.start[2])]
    if uncertainty is not None:
        found.append(outside_hint(environment, tube_diameter / 2, uncertainty, unit))
    return [text for text in found if text]


def size_hint(bounds: np.ndarray, tube_diameter: float) -> str:
    """Return a hint that lengths may be in another unit; "" if the environment fits the tube.

    Args:
        bounds: min_x, min_y, max_x, max_y [m].
        tube_diameter: As in `environment_hints`.
    """
    width = float((bounds[2:] - bounds[:2]).max())
    if width > LARGEST * tube_diameter > 0:
        return f'the environment is {format_length(width, "m")} m wide: are its lengths in mm? unit = "mm"'
    if width < tube_diameter:
        tube = f"less than the tube ({format_length(1e3 * tube_diameter, 'mm')} mm)"
        return (
            f'the environment is {format_length(1e3 * width, "mm")} mm wide, {tube}: are its lengths in m? unit = "m"'
        )
    return ""


def upside_down_hint(environment: Environment, x: float, y: float, is_free: Callable[[float, float], bool]) -> str:
    """Return the end of a message about a position that cannot be used but could be with y pointing down; else "".

    Args:
        x, y: The position [m].
        is_free: Whether a position [m] can be used.
    """
    # Down from the upper edge, as in a picture, or down from the origin, with negative numbers.
    if is_free(x, environment.bounds[1] + environment.bounds[3] - y) or is_free(x, -y):
        return "; with y pointing down it would be free: y points up here"
    return ""


def _heading_hint(heading: float) -> str:
    """Return a hint at a heading [rad] that was written in radians where degrees are expected; "" if it was probably not.

    It looks like radians if it is a multiple of 15 degrees in radians, to the decimals it has, and has three digits or more.
    """
    written = float(f"{math.degrees(heading):.12g}")
    decimals = len(f"{written:.12f}".rstrip("0").partition(".")[2])
    turns = round(12 * written / math.pi)
    if abs(turns) > 24 or turns == 0 or decimals < 2 or len(f"{abs(written):.{decimals}f}".lstrip("0.")) < 3:
        return ""
    if abs(written - turns * math.pi / 12) > 0.5001 * 10.0 ** -min(decimals, 9):
        return ""
    return f"start.heading_deg = {written:g} looks like radians: {15 * turns} degrees is meant?"
