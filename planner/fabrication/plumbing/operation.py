"""Operation of a tube: what is set at which grown length, and the marks on the body that show when.

When a length has everted, the film at that distance from the base is at the tip. So a mark there comes out when something has to be
switched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.fabrication.assembly.build import Build
from planner.fabrication.plumbing.schedule import APART, SetPoints, set_points

MARK_APART = 15e-3
"""Least distance of two marks, and of a mark from the base line [m]; what is nearer is counted from the mark before."""
RAMP_EVERY = 0.1
"""Distance after which a pressure that changes gradually is given again [m]."""
RESOLUTION = 1.0
"""Pressures no farther apart than this are the same [Pa]."""


@dataclass(frozen=True, slots=True)
class OperationMark:
    """A mark on the body at which something is switched."""

    name: str
    """Label, e.g. `S1`."""
    at: float
    """Distance from the base line along the film [m]."""


@dataclass(frozen=True, slots=True)
class OperationEvent:
    """Set points from a grown length on."""

    grown: float
    """Length of tube that has everted [m]."""
    pressures: tuple[float, ...]
    """Pressure of each actuator from the base [Pa]; 0 is vented."""
    ramps: tuple[bool, ...]
    """Whether each pressure changes in proportion to the length from here to the next event."""
    hold: bool
    """Whether growth is stopped here until the tube is at rest under the new pressures."""
    mark: str = ""
    """Mark from which the length is counted; empty for the base line."""
    beyond: float = 0.0
    """Distance of the length from that mark, or from the base line [m]."""


@dataclass(frozen=True, slots=True)
class Operation:
    """All events from the start to the end of growth, and their marks."""

    names: tuple[str, ...]
    """Names of the actuators, from the base."""
    events: tuple[OperationEvent, ...]
    """Events by grown length; the first is before growth starts."""
    marks: tuple[OperationMark, ...]
    """Marks on the body, from the base."""
    length: float
    """Length at which growth ends [m]."""

    def pressures_at(self, grown: float, held: bool = True) -> dict[str, float]:
        """Return the pressure of each actuator [Pa] at a grown length.

        Args:
            grown: Length of tube that has everted [m].
            held: Whether a pressure that is changed while the tube is held at this length has been changed.
        """
        past = [k for k, one in enumerate(self.events) if one.grown <= grown + APART]
        while not held and len(past) > 1 and self.events[past[-1]].hold and self.events[past[-1]].grown > grown - APART:
            past.pop()
        last = self.events[past[-1]]
        following = self.events[past[-1] + 1] if past[-1] + 1 < len(self.events) else last
        span = following.grown - last.grown
        share = min((grown - last.grown) / span, 1.0) if span > APART else 0.0
        return {
            name: before + ramp * share * (after - before)
            for name, before, after, ramp in zip(
                self.names, last.pressures, following.pressures, last.ramps, strict=True
            )
        }


def operation_of(build: Build) -> Operation:
    """Return the operation of a tube by its schedule."""
    marks: list[OperationMark] = []
    events: list[OperationEvent] = []
    for one in _without_repeats(set_points(build)):
        last = marks[-1].at if marks else 0.0
        if one.grown >= last + MARK_APART:
            last = one.grown
            marks.append(OperationMark(f"S{len(marks) + 1}", one.grown))
        name = marks[-1].name if marks else ""
        events.append(OperationEvent(one.grown, one.pressures, one.ramps, one.hold, name, one.grown - last))
    return Operation(tuple(one.name for one in build.actuators), tuple(events), tuple(marks), build.design.length)


def _without_repeats(rows: Sequence[SetPoints]) -> list[OperationEvent]:
    """Return the rows at which a pressure is set, or begins, goes on or ends to change gradually."""
    first = len(rows) > 1 and rows[1].grown == rows[0].grown  # nothing is held before growth starts
    ramps = [_ramps(row, after) for row, after in zip(rows, [*rows[1:], rows[-1]], strict=True)]
    kept = [int(first)]
    for k in range(kept[0] + 1, len(rows)):
        if _is_event(rows, ramps, kept[-1], k):
            kept.append(k)
    return [
        OperationEvent(rows[k].grown, rows[k].pressures, ramps[k], k > kept[0] and rows[k].grown == rows[k - 1].grown)
        for k in kept
    ]


def _ramps(row: SetPoints, after: SetPoints) -> tuple[bool, ...]:
    """Whether each pressure changes gradually up to the next row; one that is 0 because the section is not out yet jumps there."""
    grows = after.grown > row.grown
    pairs = zip(row.pressures, after.pressures, row.out, strict=True)
    return tuple(grows and out and here != there for here, there, out in pairs)


def _is_event(rows: Sequence[SetPoints], ramps: Sequence[tuple[bool, ...]], last: int, k: int) -> bool:
    """Whether row k does not follow from the last event, which is row `last`."""
    if ramps[k] != ramps[last]:
        return True
    pairs = zip(rows[k].pressures, rows[last].pressures, ramps[last], strict=True)
    if any(now != before and not ramp for now, before, ramp in pairs):
        return True
    if not any(ramps[last]):
        return False
    return rows[k].grown - rows[last].grown > RAMP_EVERY - APART or not _on_line(rows[last : k + 2], ramps[last])


def _on_line(rows: Sequence[SetPoints], ramps: Sequence[bool]) -> bool:
    """Whether the pressures that change gradually lie on straight lines from the first of some rows to the last."""
    first, end = rows[0], rows[-1]
    for row in rows[1:-1]:
        share = (row.grown - first.grown) / (end.grown - first.grown)
        for at, low, high, ramp in zip(row.pressures, first.pressures, end.pressures, ramps, strict=True):
            if ramp and abs(low + share * (high - low) - at) > RESOLUTION:
                return False
    return True
