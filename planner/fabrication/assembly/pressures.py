"""Set points of the pressure lines and their margins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.design.design import InvalidDesign
from planner.design.head_room import body_limit, has_head_room, set_point_limit
from planner.design.schedule import VENTED
from planner.fabrication.assembly.acceptance import kept_pressures
from planner.fabrication.assembly.build import ActuatorBuild, Build
from planner.fabrication.assembly.films import Thickness, strip_film
from planner.uncertainty.bend_ranges import BendRange
from surrogate.films import STRIP_FILM, Film

YIELD = STRIP_FILM.yield_stress
"""Hoop stress from which LDPE film yields [Pa] (`planner.fabrication.assembly.films.SOURCES`, 2)."""
PSI = 6894.757293168
"""Pascals per pound per square inch."""
REGULATOR, REGULATOR_STEP = 1.25, 5e3
"""Assumed range that a regulator needs, relative to its set point [-], and the step to which it is rounded up [Pa]."""


class NoHeadRoom(InvalidDesign):
    """A pressure line is set to its limit or above it; the message names it and says what to do."""


def check_head_room(build: Build) -> None:
    """Check that every line is set below its limit, by `planner.design.head_room`; with a schedule, at all of its pressures.

    Raises:
        NoHeadRoom: One is not.
    """
    params = build.design.params
    if not has_head_room(params.growth_pressure, limit := body_limit(params)):
        raise _refusal("body", params.growth_pressure, limit, True, build.film)
    schedule = build.design.schedule
    for k, one in enumerate(build.actuators):
        section = one.section
        pressures = {section.pressure, *(() if schedule is None else schedule.pressures[:, k].tolist())}
        for pressure in sorted((pressure for pressure in pressures if pressure > VENTED), reverse=True):
            limit, by_film = set_point_limit(params, pressure, section.l_0, section.kind)
            if not has_head_room(pressure, limit):
                raise _refusal(one.name, pressure, limit, by_film, strip_film(one.actuator))


def _refusal(line: str, pressure: float, limit: float, by_film: bool, film: Thickness) -> NoHeadRoom:
    """Return the error of a line without head room; pressures [Pa]."""
    if by_film:
        remedy = f"more bursts film of {film.text()}; plan again with a lower pressure or a narrower tube"
    else:
        remedy = "if your regulators supply more, give --supply, or set most_pressure_kpa in the design file to that"
    set_kpa, limit_kpa = round(pressure / 1e3, 3), round(limit / 1e3, 2)
    above = "above its limit of" if set_kpa > limit_kpa else "at its limit of"
    return NoHeadRoom(
        f"{line} is set to {set_kpa:g} kPa, {above} {limit_kpa:g} kPa, which leaves no head room: {remedy}; or give --allow-limit"
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
        f"{build.design.params.wall.most_stress / 1e6:g} MPa in film of {_films(build)}; test a sample of your film. "
        "hoop_stress: of actuators that bend freely; the stress in a pouch that cannot bend freely is higher, and the fabric of an fPAM "
        "counts as such film (assumed). head_room: limit minus set point. regulator: least range of a regulator for this line, "
        f"{REGULATOR:g} times the set point, which is an assumption.",
        "lines": lines,
    }


def film_radius(actuator: ActuatorBuild) -> float:
    """Radius of curvature of an actuator's film when it bends the tube freely [m]."""
    return float(actuator.actuator.film_radius(actuator.strain, actuator.section.l_0))


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
    growth = params.growth_pressure, params.radius, params.wall
    body = {"line": "body", **_line(*growth, body_limit(params))}
    each = []
    for one in build.actuators:
        section, film = one.section, one.actuator.film
        named = {"line": one.name, **({"type": one.actuator.kind} if build.mixed else {})}
        limit, _ = set_point_limit(params, section.pressure, section.l_0, section.kind)
        numbers = _line(section.pressure, film_radius(one), film, limit)
        each.append({**named, **numbers, **({} if section.on else {"pressurised": False})})
    return [body, *each]


def _line(pressure: float, radius: float, film: Film, limit: float) -> dict[str, Any]:
    """Return a pressure line: set point, hoop stress in the film, and limit [Pa]."""
    return {
        "set_kpa": round(pressure / 1e3, 3),
        "set_psi": round(pressure / PSI, 3),
        "limit_kpa": round(limit / 1e3, 2),
        "head_room_kpa": round((limit - pressure) / 1e3, 2),
        "regulator_kpa": round(regulator_range(pressure) / 1e3, 2),
        "hoop_stress_mpa": round(pressure * radius / film.thickness / 1e6, 2),
    }
