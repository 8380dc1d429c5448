"""The file `schedule.json` of a pack: what a driver opens and sets while a tube grows, written and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from dynamics.file_table import FileTable
from environments.error_messages import describe
from environments.file_model import Name
from environments.reading import UnreadableFile, read_file
from planner.fabrication.assembly.build import Build
from planner.fabrication.plumbing.operation import Operation, OperationEvent, OperationMark, operation_of
from planner.fabrication.plumbing.plumbing import BODY, Branch, Plumbing, Regulator, plumbing_of
from planner.fabrication.plumbing.schedule import growth_time

SCHEDULE = "schedule.json"
_MOST_BYTES = 20_000_000
_Kilopascals = Annotated[float, Field(ge=0, le=1000)]
_Millimetres = Annotated[float, Field(ge=0, le=1e6)]
_Names = Annotated[list[Name], Field(max_length=2000)]


class InvalidOperation(ValueError):
    """A file of an operation that cannot be used; the one-line message gives file, key, value and allowed range."""

    exit_code = 2


class _LinePart(FileTable):
    line: Name
    """Name of the line: `body`, or that of the actuator."""
    set_kpa: _Kilopascals
    """Set point; of an actuator that is steered, the highest."""
    limit_kpa: _Kilopascals
    """Pressure that no line of its regulator exceeds: its relief valve opens at or below it."""
    regulator: Name
    """Name of the regulator that feeds it."""
    valve: Name | None
    """Name of the 3/2-way valve that opens it; null if there is none."""
    used: bool
    """Whether it has pressure at some length."""


class _RegulatorPart(FileTable):
    regulator: Name
    """Name of the regulator."""
    set_kpa: _Kilopascals
    """Set point; of a proportional regulator, the highest."""
    proportional: bool
    """Whether the driver sets it while the tube grows; otherwise it is set once."""
    lines: _Names
    """Names of its lines."""


class _ValvePart(FileTable):
    valve: Name
    """Name of the valve: 3/2-way, closed at rest, vents its lines when it is closed."""
    regulator: Name
    """Name of the regulator before it."""
    lines: _Names
    """Names of the lines behind it."""


class _MarkPart(FileTable):
    mark: Name
    """Label on the body."""
    at_mm: _Millimetres
    """Distance from the base line along the film: the grown length at which it comes out at the tip."""


class _EventPart(FileTable):
    grown_mm: _Millimetres
    """Grown length from which on it holds, ascending."""
    time_s: Annotated[float, Field(ge=0)]
    """When that is at the growth rate of the tube without resistance."""
    mark: Name | None
    """Mark from which the length is counted; null for the base line."""
    beyond_mm: _Millimetres
    """Distance of the length from the mark, or from the base line."""
    hold: bool
    """Whether to stop growth at this length, set the pressures, and go on when the tube is at rest."""
    set_kpa: dict[str, _Kilopascals]
    """Pressure of each line by name; 0 is vented."""
    ramp: _Names
    """Names of the lines whose pressure changes in proportion to the length from here to the next event; the others stay as set."""
    open: _Names
    """Names of the valves that are open; all others are closed."""
    regulators_kpa: dict[str, _Kilopascals]
    """Set point of each proportional regulator by name."""


class ScheduleFile(FileTable):
    """Valves to open and pressures to set while a tube grows."""

    version: Annotated[int, Field(ge=1, le=1)] = Field(alias="schema")
    """Schema of the file."""
    length_mm: _Millimetres
    """Length at which growth ends."""
    lines: Annotated[list[_LinePart], Field(min_length=1, max_length=2001)]
    """The lines: that of the body first, then those of the actuators from the base."""
    regulators: Annotated[list[_RegulatorPart], Field(min_length=1, max_length=2001)]
    """The regulators: that of the body first."""
    valves: Annotated[list[_ValvePart], Field(max_length=2000)]
    """The 3/2-way valves, by number."""
    marks: Annotated[list[_MarkPart], Field(max_length=10_000)]
    """Marks on the body, from the base."""
    events: Annotated[list[_EventPart], Field(min_length=1, max_length=100_000)]
    """Events by grown length; the first event is before growth starts."""

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        lines, regulators = {one.line for one in self.lines}, {one.regulator for one in self.regulators}
        valves, marks = {one.valve for one in self.valves}, {one.mark for one in self.marks}
        fed = [one.lines for one in self.regulators] + [one.lines for one in self.valves]
        before = [one.regulator for one in self.lines] + [one.regulator for one in self.valves]
        named = [(lines, [line for some in fed for line in some], "line"), (regulators, before, "regulator")]
        named.append((valves, [one.valve for one in self.lines if one.valve], "valve"))
        for event in self.events:
            named += [(lines, event.ramp, "line"), (valves, event.open, "valve")]
            named += [
                (regulators, [*event.regulators_kpa], "regulator"),
                (marks, [event.mark] if event.mark else [], "mark"),
            ]
            if event.set_kpa.keys() != lines:
                raise _fault(f"the event at {event.grown_mm:g} mm must set every line once: {', '.join(sorted(lines))}")
        for known, used, what in named:
            for name in used:
                if name not in known:
                    raise _fault(f"unknown {what} {name!r}; known: {', '.join(sorted(known)) or 'none'}")
        grown = [one.grown_mm for one in self.events]
        if grown != sorted(grown):
            raise _fault("events must be in the order of their grown_mm")
        if self.lines[0].line != BODY or self.regulators[0].lines != [BODY]:
            raise _fault(f"the first line and the line of the first regulator must be {BODY!r}")
        return self


def _fault(text: str) -> PydanticCustomError:
    return PydanticCustomError("schedule", text.replace("{", "{{").replace("}", "}}"))


def operation_content(build: Build) -> dict[str, Any]:
    """Return the content of the file `schedule.json` of a build."""
    operation = operation_of(build)
    plumbing = plumbing_of(build, operation)
    return {
        "schema": 1,
        "length_mm": _number(1e3 * operation.length),
        "lines": [_line_content(plumbing, name, operation) for name in (BODY, *operation.names)],
        "regulators": [
            {
                "regulator": one.name,
                "set_kpa": _number(one.pressure / 1e3),
                "proportional": one.proportional,
                "lines": [*one.lines],
            }
            for one in plumbing.regulators
        ],
        "valves": [
            {"valve": branch.valve, "regulator": one.name, "lines": [*branch.lines]} for one, branch in plumbing.valves
        ],
        "marks": [{"mark": one.name, "at_mm": _number(1e3 * one.at)} for one in operation.marks],
        "events": [_event_content(build, operation, plumbing, event) for event in operation.events],
    }


def _line_content(plumbing: Plumbing, name: str, operation: Operation) -> dict[str, Any]:
    regulator, branch = plumbing.feeding(name)
    numbers = {"set_kpa": _number(regulator.pressure / 1e3), "limit_kpa": _number(regulator.limit / 1e3)}
    used = name == BODY or any(event.pressures[operation.names.index(name)] for event in operation.events)
    return {"line": name, **numbers, "regulator": regulator.name, "valve": branch.valve or None, "used": used}


def _event_content(build: Build, operation: Operation, plumbing: Plumbing, event: OperationEvent) -> dict[str, Any]:
    pressures = dict(zip(operation.names, event.pressures, strict=True))
    setting = plumbing.setting(pressures)
    every = {BODY: plumbing.regulators[0].pressure, **pressures}
    return {
        "grown_mm": _number(1e3 * event.grown),
        "time_s": growth_time(build, event.grown),
        "mark": event.mark or None,
        "beyond_mm": _number(1e3 * event.beyond),
        "hold": event.hold,
        "set_kpa": {name: _number(pressure / 1e3) for name, pressure in every.items()},
        "ramp": [name for name, ramp in zip(operation.names, event.ramps, strict=True) if ramp],
        "open": [branch.valve for _, branch in plumbing.valves if branch.valve in setting.open],
        "regulators_kpa": {name: _number(pressure / 1e3) for name, pressure in setting.set_points.items()},
    }


def _number(value: float) -> float:
    return round(float(value), 3)


def load_operation(path: str | Path) -> tuple[Operation, Plumbing]:
    """Read and check the operation of a tube, with the plumbing that it is for.

    Args:
        path: The file `schedule.json`, or the folder of a pack.
    Raises:
        planner.fabrication.plumbing.operation_file.InvalidOperation: The file is missing, malformed or of an unknown schema, or its
            names do not fit together.
    """
    path = Path(path)
    file = path / SCHEDULE if path.is_dir() else path
    try:
        content = json.loads(read_file(file, _MOST_BYTES))
    except UnreadableFile as error:
        raise InvalidOperation(f"{file}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidOperation(f"{file.name}: is not JSON: {error}") from None
    try:
        read = ScheduleFile.model_validate(content)
    except ValidationError as error:
        raise InvalidOperation(f"{file.name}: {describe(error, ScheduleFile)}") from None
    return _operation(read), _plumbing(read)


def _operation(file: ScheduleFile) -> Operation:
    names = tuple(one.line for one in file.lines[1:])
    events = tuple(
        OperationEvent(
            1e-3 * one.grown_mm,
            tuple(1e3 * one.set_kpa[name] for name in names),
            tuple(name in one.ramp for name in names),
            one.hold,
            one.mark or "",
            1e-3 * one.beyond_mm,
        )
        for one in file.events
    )
    marks = tuple(OperationMark(one.mark, 1e-3 * one.at_mm) for one in file.marks)
    return Operation(names, events, marks, 1e-3 * file.length_mm)


def _plumbing(file: ScheduleFile) -> Plumbing:
    limits = {one.regulator: 1e3 * one.limit_kpa for one in file.lines}
    made = []
    for one in file.regulators:
        valves = [Branch(valve.valve, tuple(valve.lines)) for valve in file.valves if valve.regulator == one.regulator]
        branches = tuple(valves) or (Branch("", tuple(one.lines)),)
        limit = limits[one.regulator]
        made.append(Regulator(one.regulator, 1e3 * one.set_kpa, limit, one.proportional, branches))
    return Plumbing(tuple(made))
