"""Actuators of a steered vine, and the changes of their pressures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.design.catalogue import Catalogue
from planner.design.design import Section
from planner.design.schedule import VENTED, Schedule


class PressureChange(NamedTuple):
    """Change of the pressure of an actuator, while the vine is held."""

    segments: int
    """Length of the vine, in segments."""
    actuator: int
    control: int
    """Control of the actuator's segments from then on."""


class FittedActuator(NamedTuple):
    """An actuator of a vine."""

    first: int
    """Its first segment."""
    after: int
    """The segment after its last one."""
    control: int
    """Control of its segments until its pressure changes."""


class ActuatorHistory(NamedTuple):
    """Actuators of a vine, and the changes of their pressures."""

    actuators: tuple[FittedActuator, ...] = ()
    changes: tuple[PressureChange, ...] = ()

    def control(self, actuator: int) -> int:
        """Return the present control of an actuator."""
        own = [one.control for one in self.changes if one.actuator == actuator]
        return own[-1] if own else self.actuators[actuator].control

    @property
    def steered(self) -> set[int]:
        """Actuators whose pressure has changed."""
        return {one.actuator for one in self.changes}

    def ends_with_actuator(self, segments: int) -> bool:
        """Return whether the last segment of a vine of this many segments has an actuator."""
        return bool(self.actuators) and self.actuators[-1].after == segments

    def with_change(self, change: PressureChange) -> ActuatorHistory:
        """Return the history after another change."""
        return ActuatorHistory(self.actuators, (*self.changes, change))

    def with_growth(self, first: int, after: int, control: int) -> ActuatorHistory:
        """Return the history after growth between two segments; an actuator with this control that ends there is extended."""
        if control == 0 or after == first:
            return self
        last = len(self.actuators) - 1
        if self.ends_with_actuator(first) and self.control(last) == control:
            return ActuatorHistory((*self.actuators[:-1], self.actuators[-1]._replace(after=after)), self.changes)
        return ActuatorHistory((*self.actuators, FittedActuator(first, after, control)), self.changes)

    def truncate(self, segments: int) -> ActuatorHistory:
        """Return the history of the vine when it had this many segments, before a change at that length."""
        fitted = tuple(one._replace(after=min(one.after, segments)) for one in self.actuators if one.first < segments)
        return ActuatorHistory(fitted, tuple(one for one in self.changes if one.segments < segments))

    def controls(self, segments: int) -> NDArray[np.int32]:
        """Return the present control of each segment, shape (segments,)."""
        found = np.zeros(segments, np.int32)
        for k, one in enumerate(self.actuators):
            found[one.first : one.after] = self.control(k)
        return found

    def sections(self, segments: int, segment_length: float, catalogue: Catalogue) -> tuple[Section, ...]:
        """Return the sections of a vine of this many segments, each at the highest pressure of its actuator."""
        found, first = [], 0
        for k, one in enumerate(self.actuators):
            if one.first > first:
                found.append(_bare(first * segment_length, one.first * segment_length))
            entries = np.abs([one.control, *(change.control for change in self.changes if change.actuator == k)]) - 1
            entry = int(entries[catalogue.pressure[entries].argmax()])
            found.append(
                Section(
                    one.first * segment_length,
                    one.after * segment_length,
                    "left" if one.control > 0 else "right",
                    float(catalogue.curvature[entry]),
                    float(catalogue.l_0[entry]),
                    float(catalogue.pressure[entry]),
                    kind=int(catalogue.kind[entry]),
                )
            )
            first = one.after
        if first < segments:
            found.append(_bare(first * segment_length, segments * segment_length))
        return tuple(found)

    def schedule(self, segment_length: float, catalogue: Catalogue) -> Schedule | None:
        """Return the pressures over the grown length; None without changes."""
        if not self.changes:
            return None
        controls = np.array([one.control for one in self.actuators])
        lengths, rows = list[float](), []
        for change in self.changes:
            rows.append(controls.copy())
            controls[change.actuator] = change.control
            rows.append(controls.copy())
            lengths += 2 * [change.segments * segment_length]
        pressures = catalogue.pressure[np.abs(rows) - 1]
        return Schedule(lengths, np.where(pressures > VENTED, pressures, 0.0))


def _bare(start: float, end: float) -> Section:
    return Section(start, end, "none", 0.0, 0.0, 0.0)
