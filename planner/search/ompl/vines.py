"""Growth of one vine by one control, for OMPL's planners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.propagator import Propagator
from dynamics.vine import Rollout, Status, VineState, centerlines, convert_like, pivots_of, to_host
from planner.design.catalogue import LEAST_CELLS, Catalogue
from planner.design.design import Design
from planner.search.aiming import LONGEST_BEND
from planner.search.controls import actuation, sections_of
from planner.search.goal import in_goal
from planner.search.solutions import segments_to
from planner.search.sst import most_segments
from surrogate.kernels.compiled import Floats


@dataclass(frozen=True, slots=True, eq=False)
class OmplVine:
    """A vine at the end of a segment."""

    tip: Floats
    """x [m], y [m] and heading [rad]."""
    angles: Floats
    """Bend at each joint [rad], shape (max_segments,); zero beyond `segments`."""
    controls: NDArray[np.int32]
    """Control of each segment, see `planner.search.controls.actuation`, shape (max_segments,); zero beyond `segments`."""
    segments: int = 0
    actuators: int = 0
    status: Status = Status.GROWN
    """Status at the end of its growth; a vine is valid only if it is `GROWN`."""
    number: int = 0
    """Given by whoever records vines, see `VineGrower.number_vine`."""


class VineGrower:
    """Grows vines in an environment, one at a time."""

    def __init__(self, propagator: Propagator) -> None:
        self.propagator, self.environment, self.params = propagator, propagator.environment, propagator.params
        self.catalogue = Catalogue.of(self.params)
        self.cells = len(np.unique(self.catalogue.l_0))
        """Number of cell lengths that can be fabricated."""
        levels, level = np.unique(self.catalogue.pressure, return_inverse=True)
        self.pressures = len(levels)
        """Number of pressures with head room."""
        self._at_level = [np.flatnonzero(level == k) for k in range(self.pressures)]
        """Entries of the catalogue with each pressure: films may hold a pressure in a part of the cells only."""
        self._level = level
        self.max_segments = most_segments(self.environment, self.params)
        self.asked = 0
        """Number of extensions that were asked for; some need no growth."""
        self.vine_steps = 0
        self._pivot = self.params.pivot

    def start(self) -> OmplVine:
        """Return a vine of zero length at the start."""
        count = self.max_segments
        return OmplVine(np.asarray(self.environment.start, float), np.zeros(count), np.zeros(count, np.int32))

    def decode(self, side: float, cell: float, pressure: float, length: float) -> tuple[int, int]:
        """Return the control and the number of segments for a point of the control space.

        Args:
            side: From 0 to 3: right, none, left.
            cell: From 0 to the number of cell lengths.
            pressure: From 0 to the number of pressures.
            length: From 1 to `LONGEST_BEND` + 1 segments.
        """
        sign = min(int(side), 2) - 1
        entries = self._at_level[min(int(pressure), self.pressures - 1)]
        entry = int(entries[min(int(cell * len(entries) / self.cells), len(entries) - 1)])
        return sign * (entry + 1), min(int(length), LONGEST_BEND)

    def encode(self, control: int, segments: int) -> list[float]:
        """Return a point of the control space that `decode` turns into a control and a number of segments."""
        entry = max(abs(control) - 1, 0)
        pressure = int(self._level[entry])
        entries = self._at_level[pressure]
        cell = (int(np.searchsorted(entries, entry)) + 0.5) * self.cells / len(entries)
        return [float(np.sign(control)) + 1.5, cell, pressure + 0.5, segments + 0.5]

    def extend(self, vine: OmplVine, control: int, segments: int) -> OmplVine:
        """Grow a vine: to its first state with the tip in the goal, or else by a number of segments or as far as it grows.

        A section with a new actuator becomes at least as long as it can be fabricated.

        Returns:
            The vine; not valid if it cannot grow to the end of a segment at which the section may end.
        """
        self.asked += 1
        old = vine.segments
        new = control != 0 and (old == 0 or control != vine.controls[old - 1])
        cell = float(self.catalogue.l_0[abs(control) - 1])
        least = segments_to(LEAST_CELLS * cell, self.params.segment_length) if new else 1
        count = min(max(segments, least), self.max_segments - old)
        if count < least:
            return self._fail(vine, Status.OUT_OF_BOUNDS)
        controls = vine.controls.copy()
        controls[old:] = control
        rollout = self._grow(vine, controls, count)
        actuators = vine.actuators + new
        records = np.arange(rollout.records[0] if rollout.broken[0] < 0 else 0)
        whole = np.isclose(rollout.last_length[0, records], self.params.segment_length)
        enough = rollout.segments[0, records] - old >= least
        records = records[whole & enough]
        records = records[self.may_improve(rollout.tips[0, records], actuators, rollout.segments[0, records])]
        if not len(records):
            return self._fail(vine, Status(rollout.status[0]) or Status.STALLED)
        arrived = records[in_goal(rollout.tips[0, records], self.environment, self.params)]
        record = int((arrived if len(arrived) else records[-1:])[0])
        after = int(rollout.segments[0, record])
        controls[after:] = 0
        grown = OmplVine(rollout.tips[0, record], to_host(rollout.angles[0, record]), controls, after, actuators)
        return self.number_vine(vine, grown, rollout, record)

    def may_improve(self, tips: Floats, actuators: int, segments: NDArray[np.int64]) -> NDArray[np.bool_]:  # noqa: ARG002
        """Return whether states are to be kept, shape (n,): here all."""
        return np.ones(len(tips), bool)

    def number_vine(self, before: OmplVine, vine: OmplVine, rollout: Rollout, record: int) -> OmplVine:  # noqa: ARG002
        """Return the vine with a number, for a subclass that records vines: here unchanged."""
        return vine

    def has_arrived(self, vine: OmplVine) -> bool:
        """Return whether the tip of a vine is in the goal."""
        return bool(in_goal(vine.tip[None], self.environment, self.params)[0])

    def design(self, vine: OmplVine) -> Design:
        """Return the design of a vine, not replayed."""
        grown = slice(0, vine.segments)
        sections = sections_of(vine.controls[grown], self.params.segment_length, self.catalogue)
        joints = centerlines(self._state(vine), self.environment.start, self.params)[0, : vine.segments + 1]
        return Design(self.environment.name, self.environment.sha256, self.params, sections, vine.tip, joints)

    def _fail(self, vine: OmplVine, status: Status) -> OmplVine:
        return OmplVine(vine.tip, vine.angles, vine.controls, vine.segments, vine.actuators, status, vine.number)

    def _state(self, vine: OmplVine) -> VineState:
        full = self.params.segment_length
        last, pivots = np.array([full if vine.segments else 0.0]), pivots_of(vine.controls[None], self._pivot)
        unbent = self.propagator.start(1, self.max_segments).angles
        return VineState(convert_like(unbent, vine.angles[None]), np.array([max(vine.segments, 1)]), last, pivots)

    def _grow(self, vine: OmplVine, controls: NDArray[np.int32], count: int) -> Rollout:
        full = self.params.segment_length
        carried = actuation(controls[None], self.catalogue)
        rollout = self.propagator.grow(self._state(vine), carried, count * full, full)
        self.vine_steps += int(rollout.steps.sum())
        return rollout
