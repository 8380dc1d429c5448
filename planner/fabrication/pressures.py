"""Set points of the pressure lines and their margins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.design.design import InvalidDesign
from planner.fabrication.acceptance import kept_pressures
from planner.fabrication.build import ActuatorBuild, Build
from planner.fabrication.films import Thickness, strip_film
from planner.uncertainty.bend_ranges import BendRange

FILM_STRENGTH = 16e6
"""Maximum hoop stress of a set point [Pa]: 0.8 times 20 MPa, the usual strength of blown LDPE film (see `planner.fabrication.films`)."""
YIELD = 9.2e6
"""Hoop stress from which LDPE film yields [Pa] (`planner.fabrication.films.SOURCES`, 2)."""
PSI = 6894.757293168
"""Pascals per pound per square inch."""
REGULATOR, REGULATOR_STEP = 1.25, 5e3
"""Assumed range that a regulator needs, relative to its set point [-], and the step to which it is rounded up [Pa]."""


class NoHeadRoom(InvalidDesign):
    """A pressure line is set to its limit or above it; the message names it and says what to do."""


def check_head_room(build: Build) -> None:
    """Check that every line is set below its limit.

    Raises:
        NoHeadRoom: One is not.
    """
    supplied = [None, *(one.actuator.limits.most_pressure for one in build.actuators)]
    films = [build.film, *(strip_film(one.actuator) for one in build.actuators)]
    for line, highest, film in zip(pressure_lines(build), supplied, films, strict=True):
        if line["set_kpa"] < line["limit_kpa"]:
            continue
        name, limit = line["line"], line["limit_kpa"]
        if highest is not None and limit == round(highest / 1e3, 2):
            remedy = "if your regulators supply more, set most_pressure_kpa in the design file to that"
        else:
            remedy = f"more bursts film of {film.text()}; plan again with a lower pressure or a narrower tube"
        above = "above its limit of" if line["set_kpa"] > limit else "at its limit of"
        raise NoHeadRoom(
            f"{name} is set to {line['set_kpa']:g} kPa, {above} {limit:g} kPa, which leaves no head room: {remedy}; or give "
            "--allow-limit"
        )


def regulator_range(pressure: float) -> float:
    """Range that a regulator needs for a set point, with head room [Pa]."""
    return float(np.ceil(round(REGULATOR * pressure / REGULATOR_STEP, 9)) * REGULATOR_STEP)


def pressure_content(build: Build, ranges: Sequence[BendRange | None]) -> dict[str, Any]:
    """Return the content of the pressure file.

    Args:
        ranges: Accepted bends of each actuator; the pressures at which it bends so are those with which the goal is kept.
    """
    lines = pressure_lines(build)
    for line, within in zip(lines[1:], kept_pressures(build, ranges), strict=True):
        kept: tuple[float | None, float | None] = None, None
        if within is not None:
            low, high = (round(pressure / 1e3, 2) for pressure in within)
            kept = low, max(min(high, line["limit_kpa"]), line["set_kpa"])
        line |= {"goal_kept_from_kpa": kept[0], "goal_kept_to_kpa": kept[1]}
    return {
        "schema": 1,
        "note": "goal_kept: pressures, up to the limit, at which the actuator bends within the range of the acceptance test if it is "
        "made as planned. limit: the lower of the regulators' range and the pressure that causes "
        f"{FILM_STRENGTH / 1e6:g} MPa in film of {_films(build)}; test a sample of your film. hoop_stress: of actuators "
        "that bend freely; the stress in a pouch that cannot bend freely is higher, and the fabric of an fPAM counts as such film "
        f"(assumed). head_room: limit minus set point. regulator: least range of a regulator for this line, {REGULATOR:g} times the "
        "set point, which is an assumption.",
        "lines": lines,
    }


def film_radius(actuator: ActuatorBuild) -> float:
    """Radius of curvature of an actuator's film when it bends the tube freely [m]."""
    section = actuator.section
    strain = actuator.contraction / (section.end - section.start)
    return float(actuator.actuator.film_radius(strain, section.l_0))


def yielding_lines(lines: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the hoop stress [MPa] of the lines whose film begins to yield, by their names."""
    return {line["line"]: line["hoop_stress_mpa"] for line in lines if line["hoop_stress_mpa"] > YIELD / 1e6}


def _films(build: Build) -> str:
    """Return the thickness of the films as text."""
    body, strips = build.film.text(), dict.fromkeys(strip_film(one.actuator).text() for one in build.actuators)
    if strips.keys() <= {body}:
        return body
    return f"{body} for the body and {' and '.join(strips)} for the actuators"


def pressure_lines(build: Build) -> list[dict[str, Any]]:
    """Return the pressure lines, the body and then the actuators, with set points and limits."""
    params = build.design.params
    body = {"line": "body", **_line(params.growth_pressure, params.radius, build.film, None)}
    each = []
    for one in build.actuators:
        named = {"line": one.name, **({"type": one.actuator.kind} if build.mixed else {})}
        numbers = _line(
            one.section.pressure, film_radius(one), strip_film(one.actuator), one.actuator.limits.most_pressure
        )
        each.append({**named, **numbers, **({} if one.section.on else {"pressurised": False})})
    return [body, *each]


def _line(pressure: float, radius: float, film: Thickness, highest: float | None) -> dict[str, Any]:
    """Return a pressure line: set point, hoop stress in the film, and limit."""
    limit = FILM_STRENGTH * film.metres / radius
    limit = min(limit, highest or limit)
    return {
        "set_kpa": round(pressure / 1e3, 3),
        "set_psi": round(pressure / PSI, 3),
        "limit_kpa": round(limit / 1e3, 2),
        "head_room_kpa": round((limit - pressure) / 1e3, 2),
        "regulator_kpa": round(regulator_range(pressure) / 1e3, 2),
        "hoop_stress_mpa": round(pressure * radius / film.metres / 1e6, 2),
    }
