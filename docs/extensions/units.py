"""The unit of a number in a file, from the end of its key or from its description."""

from __future__ import annotations

import re

SUFFIXES = {
    "um": "µm",
    "mm": "mm",
    "m": "m",
    "mm2": "mm²",
    "deg": "deg",
    "rad": "rad",
    "kpa": "kPa",
    "mpa": "MPa",
    "psi": "psi",
    "n": "N",
    "kg": "kg",
    "n_m_per_rad": "N m/rad",
    "n_s_per_m": "N s/m",
    "n_m_s_per_rad": "N m s/rad",
    "n_per_m": "N/m",
    "n_m2": "N m²",
    "g": "g",
    "g_per_m": "g/m",
    "kg_per_m": "kg/m",
    "mm_per_s": "mm/s",
    "m_per_s2": "m/s²",
    "per_m": "1/m",
    "per_s": "1/s",
    "s": "s",
    "seconds": "s",
    "percent": "%",
    "schema": "1",
    "share": "1",
    "friction": "1",
}
"""Units by the end of a key; 1 is dimensionless."""
_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_PURE = re.compile(
    r"\b(dimensionless|numbers? of|coefficients?|shares?|strain|index|indices|probability|in actuators|in diameters|seed)\b",
    re.I,
)
"""Words that say that a number has no unit."""


def unit_of(key: str, meaning: str) -> str:
    """The unit of a number; "" if neither its key nor its description says it."""
    parts = key.split("_")
    for first in range(len(parts)):
        if unit := SUFFIXES.get("_".join(parts[first:])):
            return unit
    if found := _BRACKETS.findall(meaning):
        return ", ".join("1" if one == "-" else one for one in found)
    return "1" if _PURE.search(meaning) else ""


def without_unit(meaning: str) -> str:
    """A description without the unit in brackets, as it stands in a column of its own."""
    return re.sub(r"\s*\[[^\[\]]+\]", "", meaning)
