"""Reasons for a miss: differences between two models that change where this tube ends, as shown by growing it without each.

Two models differ in much that one growth never meets. A difference is named only if it occurs here: friction where the tube touches an
obstacle, a tube that cannot buckle where its tip is stuck on one. And it is named only if it matters here: without it, the tip
ends elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from dynamics.propagator import CannotRun, Capabilities, PropagatorFactory, friction_coefficients
from dynamics.registry import load_propagator
from dynamics.tube import VineParams
from dynamics.tube_file import difference
from dynamics.vine import Status
from environments.environment import Environment
from planner.design.comparison.changes import NO_FRICTION, NO_TAIL, SLOW, changed_propagators, without_friction
from planner.design.comparison.growths import Comparison, RecordedGrowth, grow_recorded
from planner.design.design import Design

SHARE, LEAST = 0.1, 1e-4
"""A difference matters if without it the tip ends elsewhere by this share of the distance between the tips of both models [-], and by
at least this [m]: less is rounding."""
PLANNED_FRICTION, DEFAULT_FRICTION, PLANNED_TUBE = (
    "friction of the plan",
    "default without friction",
    "tube of the plan",
)
"""Growths without a difference, beside those with `changed_propagators`."""
Growths = Mapping[str, RecordedGrowth]


@dataclass(frozen=True, slots=True, eq=False)
class TubeModel:
    """A propagator, and a design with the tube that it grows in its environment."""

    name: str
    make: PropagatorFactory
    design: Design
    environment: Environment

    @property
    def capabilities(self) -> Capabilities:
        """Features of the propagator."""
        return load_propagator(self.name).capabilities

    @property
    def friction(self) -> float:
        """Kinetic coefficient of friction with which it grows [-]; 0 if it has no friction."""
        if not self.capabilities.friction:
            return 0.0
        return friction_coefficients(self.design.params, self.environment, None, self.capabilities.assumed_friction)[0]

    def grow(self, params: VineParams | None = None) -> RecordedGrowth:
        """Grow the design, or the same sections of another tube."""
        design = self.design if params is None else replace(self.design, params=params)
        return grow_recorded(self.environment, design, self.make(self.environment, design.params))


@dataclass(frozen=True, slots=True, eq=False)
class Disagreement:
    """Two models of which the default one has the plan's tube in the goal, and the other one does not."""

    own: TubeModel
    default: TubeModel
    compared: Comparison
    """Their growths."""

    @property
    def touches(self) -> bool:
        """Whether an obstacle is touched in either growth."""
        return bool(self.compared.own.touched or self.compared.default.touched)

    def changes(self) -> dict[str, Callable[[], RecordedGrowth]]:
        """Return the growths with one change each of the propagator that misses, by description: only those that may differ."""
        params, capabilities = self.own.design.params, self.own.capabilities
        touches = bool(self.compared.own.touched)
        tail = capabilities.tail and params.has_tail
        several = changed_propagators(self.own.make, self.own.name, touches and self.own.friction > 0, tail, touches)
        return {change: replace(self.own, make=make).grow for change, make in several.items()}

    def comparisons(self) -> dict[str, Callable[[], RecordedGrowth]]:
        """Return the other growths that show which differences matter, by name."""
        own, default, found = self.own, self.default, dict[str, Callable[[], RecordedGrowth]]()
        now, before = own.friction, default.friction
        if self.touches and now != before:
            if not own.capabilities.friction:
                found[DEFAULT_FRICTION] = lambda: default.grow(without_friction(default.design.params))
            elif before > 0:
                rubbed = replace(own.design.params, friction=before, static_friction=None)
                found[PLANNED_FRICTION] = lambda: own.grow(rubbed)
        if self._tube_difference():
            made, planned = own.design.params, default.design.params
            tube = replace(planned, friction=made.friction, static_friction=made.static_friction)
            with suppress(CannotRun):
                own.make(own.environment, tube)
                found[PLANNED_TUBE] = lambda: own.grow(tube)
        return found

    def differences(self, again: Growths) -> list[str]:
        """List the differences that matter, each as a clause.

        Args:
            again: Results of `changes` and `comparisons`; a difference without its growth is not named.
        """
        return [
            *self._inertia(again), *self._buckling(again), *self._friction(again), *self._moment(), *self._tube(again)
        ]  # fmt: skip

    def _matters(self, without: RecordedGrowth | None, reference: RecordedGrowth) -> bool:
        """Whether a tip ends elsewhere without a difference: False if that was not grown."""
        if without is None:
            return False
        ends = [self._end(one) for one in (self.compared.own, self.compared.default, without, reference)]
        apart, moved = np.hypot(*(ends[0] - ends[1])), np.hypot(*(ends[2] - ends[3]))
        return bool(moved >= max(SHARE * apart, LEAST))

    def _end(self, growth: RecordedGrowth) -> np.ndarray:
        """Position of the tip at the end of a growth [m], shape (2,)."""
        return np.asarray(growth.lines[-1][-1] if growth.lines else self.own.environment.start[:2])

    def _inertia(self, again: Growths) -> Iterator[str]:
        if self.own.capabilities.inertia and self._matters(again.get(SLOW), self.compared.own):
            rate = 1e3 * self.own.design.params.inertia.growth_rate
            yield f"{self.own.name} has inertia and grows at {rate:g} mm/s, {self.default.name} has none"

    def _buckling(self, again: Growths) -> Iterator[str]:
        """Name the obstacle on which a tip is stuck with nothing else to hold it, where the other model grows on."""
        on, freed = self.compared.stuck_on, [again[one] for one in (NO_FRICTION, NO_TAIL) if one in again]
        grows_on = self.compared.default.length > self.compared.own.length
        if self.own.name != "geometric" or on is None or not grows_on:
            return
        if all(one.status == Status.STALLED for one in freed):
            where = self.own.environment.solids.name(on[0])
            yield f"in geometric a tube does not buckle: a tip that cannot slide along a wall is stuck, here on {where}"

    def _friction(self, again: Growths) -> Iterator[str]:
        own, now, before = self.own, self.own.friction, self.default.friction
        planned = again.get(NO_FRICTION) if before == 0 and now > 0 else again.get(PLANNED_FRICTION)
        matters = self._matters(planned, self.compared.own)
        matters |= self._matters(again.get(DEFAULT_FRICTION), self.compared.default)
        if now == before or not self.touches or not matters:
            return
        unset = self.default.design.params.friction is None and own.environment.friction is None
        is_assumed = unset and now == own.capabilities.assumed_friction
        assumed = f" (which {own.name} assumes where a tube has none)" if is_assumed else ""
        yield f"the friction is {now:g}{assumed}, in the plan {before:g}"

    def _moment(self) -> Iterator[str]:
        """Name the moment per length where there is a bend that it makes another one."""
        params, name = self.own.design.params, self.own.name
        bends = any(one.sense for one in self.own.design.sections) or self.touches
        per_joint = params.physics == "published" and params.segment_length != params.hinge_length
        if bends and per_joint and name in ("impulse", "euler-lagrange"):
            length = 1e3 * params.segment_length
            yield f"{name} takes the moment per length, {self.default.name} per joint of {length:g} mm"

    def _tube(self, again: Growths) -> Iterator[str]:
        changed = self._tube_difference()
        if changed and self._matters(again.get(PLANNED_TUBE), self.compared.own):
            yield f"the tube is not that of the plan: {changed}"

    def _tube_difference(self) -> str:
        """Return the differences between the tubes in other keys than friction; empty if there are none."""
        made, planned = self.own.design.params, self.default.design.params
        return difference(replace(planned, friction=made.friction, static_friction=made.static_friction), made)
