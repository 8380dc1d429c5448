"""The simulated tube in numbers: what the simulation of a pack takes beside the pattern, on a page of the guide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dynamics.actuator_file import OTHERS
from dynamics.tube_file import tube_content
from dynamics.tube_keys import ACTUATORS, INERTIA, LIMITS, PHYSICS, TUBE
from planner.design.schedule import Schedule
from planner.drawing.style import FAINT
from planner.fabrication.assembly.build import Build
from planner.fabrication.guide.flow import PAD, SIZE, SMALL, Column, Flow, line_height

TOGETHER = 8
"""Largest number of actuators in one table of pressures."""
KEPT = 16
"""Largest number of rows that are kept on one page."""
DIGITS = ".9g"
"""Digits of all numbers."""
KEYS = (Column("key", 3.2), Column("value", 2.2), Column("meaning", 6.6))


def write_numbers(flow: Flow, build: Build) -> None:
    """Write every number of the tube and its actuators with its meaning, and the pressures over the grown length.

    Together with the pattern they are the design: sections, cells and sides are drawn there.
    """
    content = tube_content(build.design.params)
    flow.title(
        "The simulated tube in numbers",
        "With the sections of the pattern, all that the simulation takes. Names and units are those of a tube file.",
    )
    if build.design.schedule is not None:
        _write_schedule(flow, build.design.schedule, [one.name for one in build.actuators])
        flow.reserve(3)
    parts = [content.pop("actuator"), *content.pop(OTHERS, [])]
    flow.heading("Tube", 20)
    if build.design.stop is not None:
        content["stop_mm"] = float(format(1e3 * build.design.stop, DIGITS))
    flow.table(KEYS, list(_rows(content, _meanings())))
    for part in parts:
        flow.reserve(3)
        rows = list(_rows(part, _meanings(part["type"])))
        flow.heading(f"Actuator {part['type']}", _height(len(rows)))
        flow.table(KEYS, rows)


def _height(rows: int) -> float:
    """Height of a table of so many rows, or of its first `KEPT` [mm]."""
    return line_height(SMALL) + PAD + (line_height(SIZE) + PAD) * min(rows, KEPT)


def _meanings(kind: str | None = None) -> dict[str, str]:
    """Return the meanings of the keys of a tube, or of an actuator of a type."""
    if kind is not None:
        return {"type": "type of the actuator"} | {key.name: key.meaning for key in (ACTUATORS[kind] | LIMITS).values()}
    known = {key.name: key.meaning for key in (TUBE | INERTIA).values()}
    return known | {
        PHYSICS.name: PHYSICS.meaning,
        "stop_mm": "length at which the growth is stopped in this environment",
    }


def _rows(content: Mapping[str, Any], meanings: Mapping[str, str], table: str = "") -> Iterator[tuple[str, str, str]]:
    """Return keys, values and meanings; the keys of a table within have its name before them."""
    for key, value in content.items():
        if isinstance(value, Mapping):
            yield from _rows(value, meanings, f"{table}{key}.")
        else:
            shown = format(value, DIGITS) if isinstance(value, float) else str(value)
            yield f"{table}{key}", shown, meanings.get(key, "")


def _write_schedule(flow: Flow, schedule: Schedule, names: list[str]) -> None:
    """Write the pressures of the actuators at each length where they change."""
    flow.heading("Pressures over the grown length [kPa]", 10 + _height(len(schedule.lengths)))
    flow.paragraph(
        "Between two rows a pressure changes in proportion to the grown length. Two rows of the same length are a step, at which the "
        "tube is held. 0 is vented. An actuator that has not everted yet needs no pressure: see schedule.csv.",
        size=SMALL,
        colour=FAINT,
    )
    for first in range(0, len(names), TOGETHER):
        some = slice(first, first + TOGETHER)
        columns = [Column("grown [mm]", 1.4), *(Column(name, 1.0, "right") for name in names[some])]
        pairs = zip(schedule.lengths.tolist(), schedule.pressures[:, some].tolist(), strict=True)
        flow.table(
            columns, [(format(1e3 * at, DIGITS), *(format(1e-3 * one, DIGITS) for one in row)) for at, row in pairs]
        )
        flow.reserve(2)
