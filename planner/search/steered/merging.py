"""Steered vines with fewer actuators: two actuators that bend to the same side become one whose pressure changes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from planner.design.catalogue import LEAST_CELLS
from planner.search.solutions import segments_to
from planner.search.steered.carried import ActuatorHistory, FittedActuator, PressureChange
from planner.search.steered.pressure_levels import PressureLevels

SPREADS = 0.03, 0.1, 0.2
"""Standard deviations of the logarithm of curvatures, of which each variant has one."""
SHIFT = 20.0
"""Standard deviation of ends and changes over that [segments]."""
VENTED = 0.7
"""Share of the variants in which the actuator is vented between its two parts; in the others its pressure is low there."""
LOW = 0.3
"""Highest curvature between them, relative to the first part."""


class Merging:
    """Random variants of a steered vine: in each a pair of actuators is merged, neighbours or two with a third between, which
    is removed.

    The pressure of the merged actuator changes where the first one ended and where the second one began. What was bent before is bent
    again then, unless walls hold it: so a variant seldom leads to the goal unchanged, and all curvatures and lengths vary.
    """

    def __init__(
        self,
        levels: PressureLevels,
        segment_length: float,
        most: int,
        rng: np.random.Generator,
        spreads: tuple[float, ...] = SPREADS,
        vented: float = VENTED,
    ) -> None:
        """Prepare the merging.

        Args:
            most: Maximum number of steered actuators of a variant.
            spreads: Standard deviations of the logarithm of curvatures, of which each variant has one [-].
            vented: Share of the variants in which the actuator is vented between its two parts [-].
        """
        self.levels, self.segment_length, self.most, self.rng = levels, segment_length, most, rng
        self.spreads, self.vented = spreads, vented

    def make_variant(self, carried: ActuatorHistory) -> ActuatorHistory | None:
        """Make a variant; None where there is no pair, or where the drawn variant cannot be built."""
        every = carried.actuators
        reach = [(k, m) for k in range(len(every)) for m in (k + 1, k + 2) if m < len(every)]
        pairs = [(k, m) for k, m in reach if every[k].control * every[m].control > 0]
        if not pairs:
            return None
        (k, m), spread = pairs[self.rng.integers(len(pairs))], self.spreads[self.rng.integers(len(self.spreads))]
        fitted, changes = self._merge(carried, k, m, spread)
        actuators = [*every[:k], fitted]
        for one in every[m + 1 :]:
            first = max(self._move(one.first, spread), actuators[-1].after)
            after = max(self._move(one.after, spread), first + 1)
            actuators.append(FittedActuator(first, after, self._similar_control(one.control, one.control, spread)))
        others = self.rng.permutation([one for one in sorted(carried.steered) if not k <= one <= m])
        for other in others[: self.most - bool(changes)].tolist():
            own = [change for change in carried.changes if change.actuator == other]
            changes += [change._replace(actuator=other - (m - k) * (other > m)) for change in own]
        made = ActuatorHistory(tuple(actuators), tuple(sorted(changes)))
        return made if self.can_be_built(made) else None

    def simplify(self, carried: ActuatorHistory) -> ActuatorHistory | None:
        """Remove changes: a random one, or all but one pressure of an actuator; return None without changes."""
        if not carried.changes:
            return None
        change = carried.changes[self.rng.integers(len(carried.changes))]
        if self.rng.random() < 0.5:
            return ActuatorHistory(carried.actuators, tuple(one for one in carried.changes if one != change))
        k, actuators = change.actuator, list(carried.actuators)
        controls = [actuators[k].control, *(one.control for one in carried.changes if one.actuator == k)]
        controls = [control for control in controls if not self.levels.is_vented(control)]
        actuators[k] = actuators[k]._replace(control=controls[self.rng.integers(len(controls))])
        return ActuatorHistory(tuple(actuators), tuple(one for one in carried.changes if one.actuator != k))

    def can_be_built(self, carried: ActuatorHistory) -> bool:
        """Return whether every actuator has enough cells, and every change its own length, beyond the start of its actuator."""
        lengths = [change.segments for change in carried.changes]
        begun = all(change.segments > carried.actuators[change.actuator].first for change in carried.changes)
        return begun and len(set(lengths)) == len(lengths) and all(map(self._has_enough_cells, carried.actuators))

    def _has_enough_cells(self, one: FittedActuator) -> bool:
        least = LEAST_CELLS * float(self.levels.catalogue.l_0[abs(one.control) - 1])
        return one.after - one.first >= segments_to(least, self.segment_length)

    def _merge(
        self, carried: ActuatorHistory, k: int, m: int, spread: float
    ) -> tuple[FittedActuator, list[PressureChange]]:
        """Merge actuators k and m into one, with its changes of pressure."""
        first, second = carried.actuators[k], carried.actuators[m]
        cell = (first, second)[self.rng.integers(2)].control
        off = max(self._move(first.after, spread), first.first + 1)
        on = max(self._move(second.first, spread), off + 1) if second.first > first.after else off
        own = [(one.segments, one.control) for one in carried.changes if one.actuator == k and one.segments < off]
        controls = [(first.first, first.control), *own]
        if on > off and not self.levels.is_vented(controls[-1][1]):
            controls.append((off, self._low_control(first.control)))
        controls.append((on, second.control))
        controls += [(one.segments, one.control) for one in carried.changes if one.actuator == m and one.segments > on]
        made = [(at, self._similar_control(control, cell, spread)) for at, control in controls]
        changes = [PressureChange(at, k, control) for (_, before), (at, control) in pairwise(made) if control != before]
        return FittedActuator(first.first, second.after, made[0][1]), changes

    def _low_control(self, control: int) -> int:
        if self.rng.random() < self.vented:
            return self.levels.vented(control)
        curvature = float(self.levels.catalogue.curvature[abs(control) - 1])
        return self.levels.nearest(control, LOW * self.rng.random() * curvature)

    def _similar_control(self, control: int, cell: int, spread: float) -> int:
        """Draw a control with nearly the curvature of `control` and the cell of `cell`."""
        if self.levels.is_vented(control):
            return self.levels.vented(cell)
        curvature = float(self.levels.catalogue.curvature[abs(control) - 1])
        return self.levels.nearest(cell, curvature * float(np.exp(spread * self.rng.standard_normal())))

    def _move(self, segments: int, spread: float) -> int:
        return segments + round(SHIFT * spread * self.rng.standard_normal())
