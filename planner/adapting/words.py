"""Instructions for the bench: how a built tube is set as proposed."""

from __future__ import annotations

import math
from collections.abc import Iterator

from environments.environment import Environment
from environments.objects import object_name
from planner.built.predicting import Setting
from planner.design.design import Design, Section, cell_name
from planner.design.schedule import VENTED, Schedule


def what_to_do(before: Design, setting: Setting, environment: Environment) -> list[str]:
    """Return what to do, a line each; "leave everything as it is" if nothing is changed."""
    lines = [*_base(setting), *_moved(setting, environment)]
    if setting.growth_pressure:
        own = before.params.growth_pressure
        lines.append(f"set the growth pressure from {_kpa(own)} to {_kpa(own + setting.growth_pressure)} kPa")
    lines += _actuators(before, setting)
    lines += _schedule(before, setting.design)
    return lines or ["leave everything as it is"]


def _base(setting: Setting) -> Iterator[str]:
    x, y, turn = setting.base
    if x or y:
        yield f"shift the base by ({_mm(x, 1)}, {_mm(y, 1)}) mm"
    if turn:
        yield f"turn the base {abs(math.degrees(turn)):.1f} degrees to the {'left' if turn > 0 else 'right'}"


def _moved(setting: Setting, environment: Environment) -> Iterator[str]:
    for item, x, y in setting.moved:
        if x or y:
            yield f"move {object_name(environment, item)} by ({_mm(x, 0)}, {_mm(y, 0)}) mm"


def _actuators(before: Design, setting: Setting) -> Iterator[str]:
    """Yield new actuators, replaced ones, and constant pressures that are changed."""
    after = setting.design
    for k, section in enumerate(after.actuated):
        if k >= before.actuators:
            where = f"on the {section.side} from {1e3 * section.start:.0f} to {1e3 * section.end:.0f} mm"
            yield f"glue actuator {k + 1} {where}: {_made(section, after)}"
            continue
        own = before.actuated[k]
        if k in setting.renewed:
            yield f"replace actuator {k + 1} by one on the {section.side}: {_made(section, after)}"
        elif after.schedule is None and own.pressure != section.pressure:
            yield f"turn section {k + 1} from {_kpa(own.pressure)} to {_kpa(section.pressure)} kPa"


def _schedule(before: Design, after: Design) -> Iterator[str]:
    """Yield the pressures along the growth, if they are not those of the design before."""
    if (rows := after.schedule) is None:
        return
    first = [one.pressure for one in before.actuated] if before.schedule is None else [*before.schedule.pressures[0]]
    yield from _changed(first, [*rows.pressures[0]], "", 0.0)
    if _is_new(before.schedule, rows):
        for k in range(1, len(rows.lengths)):
            length = float(rows.lengths[k])
            yield from _changed([*rows.pressures[k - 1]], [*rows.pressures[k]], f" at {length:.3f} m", length)


def _is_new(before: Schedule | None, after: Schedule) -> bool:
    return before is None or not (
        before.lengths.shape == after.lengths.shape
        and (before.lengths == after.lengths).all()
        and (before.pressures == after.pressures).all()
    )


def _changed(before: list[float], after: list[float], where: str, length: float) -> Iterator[str]:
    """Yield the changes from one row of pressures to the next, at a length [m]."""
    vented = [k for k, (one, other) in enumerate(zip(before, after, strict=True)) if one > VENTED >= other]
    if length and len(vented) == len(after):
        yield f"vent all{where}"
        return
    for k, (one, other) in enumerate(zip(before, after, strict=True)):
        if k in vented:
            yield f"vent section {k + 1}{where}"
        elif one != other:
            yield f"turn section {k + 1} from {_kpa(one)} to {_kpa(other)} kPa{where}"


def _made(section: Section, design: Design) -> str:
    kind = f"{design.params.actuators[section.kind].kind}, " if design.params.others else ""
    return f"{kind}{cell_name(design)}s of {1e3 * section.l_0:.0f} mm, {_kpa(section.pressure)} kPa"


def _kpa(pressure: float) -> str:
    return f"{1e-3 * pressure:.1f}"


def _mm(length: float, digits: int) -> str:
    """Return a length [m] in millimetres, with its sign, which zero has not."""
    rounded = round(1e3 * length, digits) + 0.0
    return f"{rounded:+.{digits}f}" if rounded else "0"
