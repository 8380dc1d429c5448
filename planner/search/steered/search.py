"""SST* for vines that are steered: before a vine grows on, the pressure of an actuator that it carries may change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.propagator import Propagator
from dynamics.tube import VineParams
from dynamics.vine import Integers, Rollout
from environments.environment import Environment
from planner.design.catalogue import LEAST_CELLS
from planner.design.design import Design
from planner.search.aiming import LONGEST_BEND
from planner.search.candidates import GrowingVines, find_candidates
from planner.search.controls import actuation
from planner.search.goal import in_goal
from planner.search.sampling import LONGEST_STRAIGHT, STRAIGHT
from planner.search.sst import DEFAULT_SWITCHES, Search, Switches
from planner.search.steered.carried import ActuatorHistory, PressureChange
from planner.search.steered.pressure_levels import PressureLevels
from planner.search.tree import Candidates
from surrogate.kernels.compiled import Floats

CHANGE_COST = 0.05
"""Cost of a change of pressure, in actuators: actuators count first, then changes."""
CHANGED = 0.1
"""Share of the vines with an actuator in which a pressure changes before they grow on."""
VENTING = 0.5
"""Share of the changes that vent an actuator."""
CONTINUED = 0.5
"""Share of the vines that end with an actuator, and in which a pressure has changed, whose actuator continues."""


@dataclass(frozen=True, slots=True)
class _Vines:
    """Vines of a batch before they grow, one per row."""

    nodes: Integers
    """The nodes that they were, shape (n,)."""
    carried: list[ActuatorHistory]
    controls: NDArray[np.int32]
    """Present control of each segment, shape (n, width)."""
    changed: NDArray[np.bool_]
    """Whether a pressure has changed since, shape (n,)."""

    def of(self, rows: Integers) -> _Vines:
        """Return the vines of the given rows."""
        carried = [self.carried[k] for k in rows.tolist()]
        return _Vines(self.nodes[rows], carried, self.controls[rows], self.changed[rows])


class _Origin(NamedTuple):
    """Actuators of a vine of a batch before it grows, and its growth."""

    carried: ActuatorHistory
    segments: int
    control: int
    """Control of the segments that grow."""


class SteeredSearch(Search):
    """Vines whose pressures may change. A node is a vine at its present pressures; a change costs `CHANGE_COST`."""

    repeated = True

    def __init__(
        self,
        environment: Environment,
        propagator: Propagator,
        params: VineParams,
        rng: np.random.Generator,
        batch: int,
        switches: Switches = DEFAULT_SWITCHES,
    ) -> None:
        """Create the tree, see `Search`."""
        self._of_slot: dict[int, ActuatorHistory] = {}
        self._batch: list[_Origin] = []
        super().__init__(environment, propagator, params, rng, batch, switches)
        # A change of pressure counts as a part of an actuator.
        self.tree.actuators = self.tree.actuators.astype(float)
        self.levels = PressureLevels(self.catalogue)

    def carried(self, candidates: Candidates, row: int) -> ActuatorHistory:
        """Return the actuators of a candidate of the last batch."""
        of = self._batch[int(candidates.vine[row])]
        return of.carried.with_growth(of.segments, int(candidates.segments[row]), of.control)

    def carried_by(self, slot: int) -> ActuatorHistory:
        """Return the actuators of a node."""
        return self._of_slot.get(slot, ActuatorHistory())

    def design(self, carried: ActuatorHistory, segments: int) -> Design:
        """Return a vine as a design, without its predicted shape."""
        full, start = self.params.segment_length, self.environment.start
        sections = carried.sections(segments, full, self.levels.catalogue)
        schedule = carried.schedule(full, self.levels.catalogue)
        name, sha256 = self.environment.name, self.environment.sha256
        return Design(name, sha256, self.params, sections, start, start[None, :2], schedule=schedule)

    def grow(self) -> tuple[Candidates, Callable[[], None]]:
        """Select and grow one batch, see `Search.grow`; in some vines a pressure changes before they grow on.

        The growth of a model begins at rest, so that they need not be held; replays hold them.
        """
        self.iteration += 1
        if not self._growable_nodes().any():
            self._shrink()
        nodes = self._select()
        self._widen(self.tree.segments[nodes] + max(LONGEST_BEND, LONGEST_STRAIGHT))
        every = self._change_pressures(nodes)
        rows, control, segments = self._sample_growth(every)
        vines, full = every.of(rows), self.params.segment_length
        at = self.tree.segments[vines.nodes]
        controls = np.where(np.arange(self.width) < at[:, None], vines.controls, control[:, None])
        rollout = self._grower.grow(
            self.tree.state(vines.nodes, full, self.width),
            actuation(controls, self.levels.catalogue),
            segments * full,
            full,
        )
        self.vine_steps += int(rollout.steps.sum())
        self._batch = [_Origin(*one) for one in zip(vines.carried, at.tolist(), control.tolist(), strict=True)]
        candidates = self._find_candidates(rollout, vines, control, controls)
        arrived = candidates[in_goal(candidates.tips, self.environment, self.params)]

        def insert() -> None:
            self.tree.straight[vines.nodes[(control == 0) & ~vines.changed]] = True
            slots, kept = self._insert(candidates)
            for row, slot in enumerate(slots.tolist()):
                self._of_slot[slot] = self.carried(kept, row)
            if self.iteration == self.next_shrink:
                self._shrink()

        return arrived[np.argsort(self.cost(arrived.actuators, arrived.segments), kind="stable")], insert

    def _change_pressures(self, nodes: Integers) -> _Vines:
        """Return the vines of nodes, some of them with a change of pressure."""
        carried = [self.carried_by(node) for node in nodes.tolist()]
        controls, changed = self.tree.pages.controls(nodes, self.width), np.zeros(len(nodes), bool)
        for row, node in enumerate(nodes.tolist()):
            change = self._change(node, carried[row])
            if change:
                carried[row], changed[row] = carried[row].with_change(change), True
                own = carried[row].actuators[change.actuator]
                controls[row, own.first : own.after] = change.control
        return _Vines(nodes, carried, controls, changed)

    def _change(self, node: int, carried: ActuatorHistory) -> PressureChange | None:
        """Draw a change of the pressure of an actuator of a node; None for most nodes, and where none is allowed."""
        segments, steered = int(self.tree.segments[node]), carried.steered
        if not carried.actuators or self.rng.random() >= CHANGED:
            return None
        if carried.changes and carried.changes[-1].segments == segments:
            return None  # one change at a length, so that a length and a number of changes name a state
        if self.cost(np.asarray(self.tree.actuators[node] + CHANGE_COST, float), np.array(segments)) >= self.bound:
            return None
        most = len(steered) < self.switches.steer
        allowed = [k for k in range(len(carried.actuators)) if most or k in steered]
        actuator = allowed[self.rng.integers(len(allowed))]
        control = carried.control(actuator)
        entries = self.levels.pressurised(control)
        others = entries[entries != abs(control) - 1]
        if not self.levels.is_vented(control) and (not len(others) or self.rng.random() < VENTING):
            return PressureChange(segments, actuator, self.levels.vented(control))
        chosen = int(others[self.rng.integers(len(others))])
        return PressureChange(segments, actuator, int(np.sign(control)) * (chosen + 1))

    def _sample_growth(self, vines: _Vines) -> tuple[Integers, NDArray[np.int32], Integers]:
        """Sample the growth of vines as in `sample_growths`; after a change of pressure also straight or with the distal
        actuator.

        Returns:
            The rows that grow, the control of each, and the number of segments to grow.
        """
        count, nodes, changed = len(vines.nodes), vines.nodes, vines.changed
        at, effort = self.tree.segments[nodes], self._effort(vines)
        side = self.rng.choice([-1, 1], count)
        entry = self.catalogue.draw(self.rng, count)
        once = np.zeros(count, bool)
        once[np.unique(np.where(changed, -1 - np.arange(count), nodes), return_index=True)[1]] = True
        affordable = self.cost(effort + 1, at) < self.bound
        fresh = once & (changed | ~self.tree.straight[nodes])
        straight = fresh & (~affordable | (self.rng.random(count) < STRAIGHT))
        control = np.where(straight, 0, side * (entry + 1)).astype(np.int32)
        ends = np.array([one.ends_with_actuator(n) for one, n in zip(vines.carried, at.tolist(), strict=True)], bool)
        goes_on = changed & ends & (self.rng.random(count) < CONTINUED)
        control[goes_on] = [
            vines.carried[k].control(len(vines.carried[k].actuators) - 1) for k in np.flatnonzero(goes_on)
        ]
        segments = np.where(straight & ~goes_on, LONGEST_STRAIGHT, self.rng.integers(1, LONGEST_BEND + 1, count))
        segments = np.minimum(segments, self.max_segments - at)
        rows = np.flatnonzero((straight | affordable | goes_on) & (segments > 0))
        return rows, control[rows], segments[rows]

    def _effort(self, vines: _Vines) -> Floats:
        """Return the number of actuators of vines, plus shares of one for their changes, shape (n,)."""
        return np.asarray(self.tree.actuators[vines.nodes] + CHANGE_COST * vines.changed)

    def _find_candidates(
        self, rollout: Rollout, vines: _Vines, control: NDArray[np.int32], controls: NDArray[np.int32]
    ) -> Candidates:
        """Select records that may become nodes, see `find_candidates`."""
        old = self.tree.segments[vines.nodes]
        grown = [of.carried.with_growth(of.segments, of.segments + 1, of.control) for of in self._batch]
        pairs = zip(grown, vines.carried, strict=True)
        new = np.array([len(after.actuators) > len(before.actuators) for after, before in pairs], bool)
        batch = GrowingVines(
            vines.nodes,
            old,
            controls.astype(np.int32),
            control == 0,
            np.where(new, LEAST_CELLS * self.levels.catalogue.l_0[np.abs(control) - 1], 0.0),
            self._effort(vines) + new,
            # A change of pressure moves the tip without growth: there the first record is compared with itself.
            np.where(vines.changed[:, None], rollout.tips[:, 0, :2], self.tree.tips[vines.nodes, :2]),
            self.tree.jumped[vines.nodes],
        )
        return find_candidates(rollout, batch, self.params, self._may_improve, pinned=self.switches.pinned)
