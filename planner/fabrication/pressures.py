"""Set points of the pressure lines and their margins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.fabrication.build import FILM, ActuatorBuild, Build
from planner.robustness.sensitivity import Margin
from surrogate.pouch import PouchMotor, half_angle
from surrogate.spam import Spam

FILM_STRENGTH = 16e6
"""Maximum hoop stress of a set point [Pa]: 0.8 times 20 MPa, the usual strength of blown LDPE film."""
PSI = 6894.757293168
"""Pascals per pound per square inch."""


def pressure_content(build: Build, margins: Sequence[Margin], reached: bool) -> dict[str, Any]:
    """Content of the pressure file.

    Args:
        margins: Range of each actuator's pressure within which the goal is still reached, in percent.
        reached: Whether the goal is reached at the set points; if not, there is no such range.
    """
    params = build.design.params
    highest = params.actuator.grid.pressure.max()
    lines = [{"line": "body", **_line(params.growth_pressure, params.radius, None)}]
    for actuator, margin in zip(build.actuators, margins, strict=True):
        pressure = actuator.section.pressure
        line = _line(pressure, film_radius(build, actuator), highest)
        low, high = (round(pressure * (1 + share / 100) / 1e3, 2) for share in (-margin.less, margin.more))
        kept = (low, max(min(high, line["limit_kpa"]), line["set_kpa"])) if reached else (None, None)
        lines.append({"line": actuator.name, **line, "goal_kept_from_kpa": kept[0], "goal_kept_to_kpa": kept[1]})
    return {
        "schema": 1,
        "note": "goal_kept: range of pressure in which the goal is reached with everything else as planned; examined up to "
        "20 % from the set point and up to the limit. limit: the lower of the regulators' range and the pressure that causes "
        f"{FILM_STRENGTH / 1e6:g} MPa in film of {FILM * 1e6:g} um; test a sample of your film. hoop_stress: of actuators "
        "that bend freely; the stress in a pouch that cannot bend freely is higher.",
        "lines": lines,
    }


def film_radius(build: Build, actuator: ActuatorBuild) -> float:
    """Radius of curvature of an actuator's film when it bends the tube freely [m]."""
    section, kind = actuator.section, build.design.params.actuator
    match kind:
        case Spam():
            return kind.tube_radius
        case PouchMotor():
            strain = actuator.contraction / (section.end - section.start)
            return section.l_0 / (2 * float(half_angle(strain)))
    raise TypeError(f"the film radius of a {type(kind).__name__} is not known")


def _line(pressure: float, radius: float, highest: float | None) -> dict[str, Any]:
    """One pressure line: set point, hoop stress in the film, and limit."""
    limit = FILM_STRENGTH * FILM / radius
    return {
        "set_kpa": round(pressure / 1e3, 3),
        "set_psi": round(pressure / PSI, 3),
        "limit_kpa": round(min(limit, highest or limit) / 1e3, 2),
        "hoop_stress_mpa": round(pressure * radius / FILM / 1e6, 2),
    }
