"""The operation of a tube in sentences for the person who opens the valves."""

from __future__ import annotations

from collections.abc import Iterator

from planner.fabrication.assembly.build import Build
from planner.fabrication.lists.plumbing_parts import kilopascals
from planner.fabrication.plumbing.operation import Operation, OperationEvent, operation_of
from planner.fabrication.plumbing.plumbing import BODY_SHUT_OFF, SUPPLY_SHUT_OFF, Branch, Plumbing, plumbing_of
from planner.output.text import millimetres


def operation_rows(build: Build) -> list[tuple[str, str, str]]:
    """Return the rows of the operation's table: when, the grown length in mm, and what to do."""
    operation = operation_of(build)
    plumbing = plumbing_of(build, operation)
    rows = [
        (_when(event), millimetres(event.grown), "; ".join(_what(operation, plumbing, k)))
        for k, event in enumerate(operation.events)
    ]
    return [
        *rows,
        ("At the end", millimetres(operation.length), "stop the growth: lower P1 until the tip stands still"),
    ]


def _when(event: OperationEvent) -> str:
    """Return when an event comes, in words."""
    if event.grown == 0.0:
        return "Before the growth"
    return f"When {_place(event)} comes out at the tip"


def _place(event: OperationEvent) -> str:
    """Return the place on the body that is at the tip at an event, in words."""
    place = f"mark {event.mark}" if event.mark else "the base line"
    return f"the film {millimetres(event.beyond)} mm past {place}" if event.beyond > 0.0 else place


def _what(operation: Operation, plumbing: Plumbing, k: int) -> Iterator[str]:
    """Return what to do at an event, in words."""
    event = operation.events[k]
    if k == 0:
        yield _start_text(plumbing)
    if event.hold:
        yield "stop the growth"
    for regulator in plumbing.regulators[1:]:
        for branch in regulator.branches:
            actuator = operation.names.index(branch.lines[0])
            if regulator.proportional:
                yield from _steer_text(operation, k, actuator, f"{regulator.name} ({' and '.join(branch.lines)})")
            elif event.pressures[actuator] != (operation.events[k - 1].pressures[actuator] if k else 0.0):
                yield _switch_text(branch, event.pressures[actuator])
    if event.hold:
        yield "go on when the tube is at rest"


def _steer_text(operation: Operation, k: int, actuator: int, name: str) -> Iterator[str]:
    """Return what to do with a proportional regulator at event k, in words."""
    event = operation.events[k]
    now, last = event.pressures[actuator], operation.events[k - 1] if k else None
    moving, reached = bool(last and last.ramps[actuator]), f"{name} at {kilopascals(now)} kPa"
    if not moving and now != (last.pressures[actuator] if last else 0.0):
        yield f"set {name} to {kilopascals(now)} kPa"
    if not event.ramps[actuator]:
        if moving:
            yield f"{reached}: leave it there"
        return
    following = operation.events[k + 1]
    there = following.pressures[actuator]
    until = f"to {kilopascals(there)} kPa at {_place(following)}"
    change = "raise" if there > now else "lower"
    if moving:
        yield f"{reached}: {change} it on, {until}"
    else:
        yield f"from here on {change} {name} in proportion to the grown length, {until}"


def _start_text(plumbing: Plumbing) -> str:
    """Return what to do before growth starts."""
    fixed = [
        f"{one.name} to {kilopascals(one.pressure)} kPa" for one in plumbing.regulators[1:] if not one.proportional
    ]
    parts = [f"{'all valves closed, ' * bool(plumbing.valves)}P1 at 0, {BODY_SHUT_OFF} open", f"open {SUPPLY_SHUT_OFF}"]
    if fixed:
        parts.append(f"set {', '.join(fixed)}")
    if moved := [one.name for one in plumbing.regulators if one.proportional]:
        parts.append(f"{', '.join(moved)} at 0")
    growth = kilopascals(plumbing.regulators[0].pressure)
    return "; ".join([*parts, f"then raise P1 slowly to {growth} kPa"])


def _switch_text(branch: Branch, pressure: float) -> str:
    """Return how a branch with a valve gets its pressure [Pa], in words."""
    lines = " and ".join(branch.lines)
    if pressure:
        return f"open valve {branch.valve} ({lines} to {kilopascals(pressure)} kPa)"
    return f"close valve {branch.valve} ({lines} {'are' if len(branch.lines) > 1 else 'is'} vented)"
