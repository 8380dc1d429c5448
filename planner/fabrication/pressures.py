"""Set points of the pressure lines, and how far they may stray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.fabrication.build import FILM, Build, Muscle
from planner.robustness.sensitivity import Margin
from surrogate.pouch import PouchMotor, half_angle
from surrogate.spam import Spam

FILM_STRENGTH = 16e6
"""Hoop stress that no set point may exceed [Pa]: 0.8 of the 20 MPa at which blown LDPE film usually breaks."""
PSI = 6894.757293168
"""Pascals to the pound per square inch."""


def pressure_content(build: Build, margins: Sequence[Margin], reached: bool) -> dict[str, Any]:
    """The lines as they stand in a file.

    Args:
        margins: How far the pressure of each muscle may stray with the goal still reached, in percent.
        reached: Whether it is reached at the set points; no pressure keeps what is not reached.
    """
    params = build.design.params
    highest = params.actuator.grid.pressure.max()
    lines = [{"line": "body", **_line(params.growth_pressure, params.radius, None)}]
    for muscle, margin in zip(build.muscles, margins, strict=True):
        pressure = muscle.section.pressure
        line = _line(pressure, film_radius(build, muscle), highest)
        low, high = (round(pressure * (1 + share / 100) / 1e3, 2) for share in (-margin.less, margin.more))
        kept = (low, max(min(high, line["limit_kpa"]), line["set_kpa"])) if reached else (None, None)
        lines.append({"line": muscle.name, **line, "goal_kept_from_kpa": kept[0], "goal_kept_to_kpa": kept[1]})
    return {
        "schema": 1,
        "note": "goal_kept: the goal is reached from there to there with all else as planned; looked at up to 20 % off and "
        f"up to the limit. limit: what the regulators are meant for, and {FILM_STRENGTH / 1e6:g} MPa in film of "
        f"{FILM * 1e6:g} um; try a sample of yours. The stress is that of muscles that bend freely: a pouch that is kept "
        "from it stands under more.",
        "lines": lines,
    }


def film_radius(build: Build, muscle: Muscle) -> float:
    """Radius of a muscle's film when it bends the tube freely [m]."""
    section, actuator = muscle.section, build.design.params.actuator
    match actuator:
        case Spam():
            return actuator.tube_radius
        case PouchMotor():
            strain = muscle.contraction / (section.end - section.start)
            return section.l_0 / (2 * float(half_angle(strain)))
    raise TypeError(f"no film radius is known of a {type(actuator).__name__}")


def _line(pressure: float, radius: float, highest: float | None) -> dict[str, Any]:
    """One line: set point, the stress it puts on the film, and what it must not exceed."""
    limit = FILM_STRENGTH * FILM / radius
    return {
        "set_kpa": round(pressure / 1e3, 3),
        "set_psi": round(pressure / PSI, 3),
        "limit_kpa": round(min(limit, highest or limit) / 1e3, 2),
        "hoop_stress_mpa": round(pressure * radius / FILM / 1e6, 2),
    }
