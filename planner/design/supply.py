"""The pressure that is at hand for actuators, instead of that in a tube file."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from dynamics.tube import InvalidTube, VineParams
from planner.design.head_room import has_head_room

UNITS = {"kPa": 1e3, "Pa": 1.0, "bar": 1e5, "psi": 6894.757293168}
"""Units of pressure [Pa]; the first is that of a number without one."""
LEAST, MOST = 1e3, 1e6
"""Range of a supply [Pa]."""


class InvalidSupply(InvalidTube):
    """A pressure supply that cannot be used; the message says what to give."""


def parse_supply(text: str) -> float:
    """Parse a pressure such as "100", "100kPa" or "1.5 bar" [Pa].

    Raises:
        InvalidSupply: It is malformed, or out of range.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)\s*", text)
    units = {name.lower(): pascals for name, pascals in UNITS.items()} | {"": UNITS["kPa"]}
    if not found or found[2].lower() not in units:
        raise InvalidSupply(f"--supply {text} is not a pressure; give one such as 100kPa ({', '.join(UNITS)})")
    pressure = float(found[1]) * units[found[2].lower()]
    if not LEAST <= pressure <= MOST:
        raise InvalidSupply(f"--supply {text} must be from {LEAST / 1e3:g} to {MOST / 1e3:g} kPa")
    return pressure


def with_supply(params: VineParams, supply: str | None) -> VineParams:
    """The tube whose regulators can be set up to a supply; films still limit its pressures. None leaves it as it is.

    Raises:
        InvalidSupply: The supply cannot be used, or is too low for the tube.
    """
    if supply is None:
        return params
    pressure = parse_supply(supply)
    if not has_head_room(params.growth_pressure, pressure):
        raise InvalidSupply(
            f"--supply {supply} must be above the growth pressure, {params.growth_pressure / 1e3:g} kPa: supply more, or set "
            "growth_pressure_kpa lower in the tube file"
        )
    first, *others = (_supplied(one, pressure, supply) for one in params.actuators)
    return replace(params, actuator=first, others=tuple(others))


def _supplied(actuator: Any, pressure: float, supply: str) -> Any:
    """The actuator with pressures up to a supply [Pa], in its own steps."""
    least = actuator.limits.least_pressure
    if not has_head_room(least, pressure):
        raise InvalidSupply(
            f"--supply {supply} must be above the lowest pressure of {actuator.kind}, {least / 1e3:g} kPa: supply more, or set "
            "least_pressure_kpa lower in the tube file"
        )
    try:
        return replace(actuator, limits=replace(actuator.limits, most_pressure=pressure))
    except ValueError:
        step = actuator.limits.pressure_step / 1e3
        raise InvalidSupply(
            f"--supply {supply} leaves too many steps of {step:g} kPa for {actuator.kind}: set pressure_step_kpa higher in the "
            "tube file"
        ) from None
