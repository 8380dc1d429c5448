"""Units of length in drawings."""

from environments.importing.traced import UnusableFile

METRES = {"mm": 0.001, "cm": 0.01, "m": 1.0, "in": 0.0254, "ft": 0.3048}
"""Metres in each unit that can be asked for."""


def metres_in(unit: str) -> float:
    """Metres in a unit that the user named.

    Raises:
        UnusableFile: There is no such unit.
    """
    if unit not in METRES:
        raise UnusableFile(f"unit {unit!r} is not known; use {', '.join(METRES)}")
    return METRES[unit]
