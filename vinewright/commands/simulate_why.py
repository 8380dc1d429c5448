"""`vinewright simulate`: causes of a miss with a propagator although the plan reaches the goal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vinewright.console.compiling import compiling
from vinewright.console.progress import gather

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.propagator import Propagator, PropagatorFactory
    from dynamics.tube import VineParams
    from dynamics.vine import Rollout
    from environments import Environment
    from planner.design.design import Design

PAGE = "docs/reference/propagators.md"
HEADING = "Which model to believe when"
"""Further reading: a file of the repository, and a heading in it."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A design that misses the goal with the requested propagator, in the environment that it was made for."""

    environment: Environment
    planned: Design
    """The design with the tube that it was made for."""
    made: Design
    """The design with the requested tube."""
    name: str
    """Name of the propagator."""
    make: PropagatorFactory
    """The propagator, with its settings."""
    rollout: Rollout

    def explain(self, console: Console) -> dict[str, Any] | None:
        """Print why the design misses, in one line; return the content for a JSON file, or None if no other result was expected.

        The default propagator grows the design as planned. If it reaches the goal, the design is grown again by the propagator
        that misses, with a single change each time; Ctrl-C ends these growths.
        """
        from dynamics.registry import load_propagator, propagators
        from planner.design.comparison.growths import Comparison, grow_recorded, record_growth

        default, model = propagators()[0], load_propagator(self.name)
        if self.name == default and self.made.params == self.planned.params:
            return None
        with compiling(console, default):
            believed = load_propagator(default)(self.environment, self.planned.params)
            first = grow_recorded(self.environment, self.planned, believed)
        own = record_growth(self.environment, self.made, self.rollout)
        content: dict[str, Any] = {
            "planned_tip_from_goal_centre_mm": self._from_goal(self.planned.tip),
            "tip_from_goal_centre_mm": self._from_goal(own.lines[-1][-1] if own.lines else self.environment.start),
            "default_reaches_goal": first.reached,
            "causes": [],
            "differences": differences(self.name, model, self.planned.params, self.made.params, self.environment),
            "page": PAGE,
            "heading": HEADING,
        }
        if first.reached:
            tried, cured = self._try_changes(console, model)
            compared = Comparison(self.environment, self.made, self.name, own, first, tuple(cured))
            content["causes"] = [*compared.causes(), *_no_cure(tried, cured)]
        console.print(_line(self.name, default, content))
        return content

    def _try_changes(self, console: Console, model: type[Propagator]) -> tuple[list[str], list[str]]:
        """Grow the design with each change of the model; return all changes, and the changes with which it reaches the goal."""
        from planner.design.comparison.changes import changed_propagators
        from planner.design.comparison.growths import grow_recorded

        friction = friction_of(model, self.made.params, self.environment) > 0
        params = self.made.params
        tail = model.capabilities.tail and params.has_tail
        several = changed_propagators(self.make, self.name, friction, tail)
        grown = (
            (change, grow_recorded(self.environment, self.made, make(self.environment, params)).reached)
            for change, make in several.items()
        )
        found, _ = gather(console, grown, len(several), "changes of the model", transient=True)
        return [change for change, _ in found], [change for change, reached in found if reached]

    def _from_goal(self, tip: Any) -> float:
        """Return the distance of a tip from the goal's centre [mm]."""
        import numpy as np

        return round(1e3 * float(np.hypot(*(tip[:2] - self.environment.goal[:2]))), 3)


def friction_of(model: type[Propagator], params: VineParams, environment: Environment) -> float:
    """Return the kinetic coefficient of friction that a propagator uses for a tube; 0 if the propagator has no friction."""
    from dynamics.propagator import friction_coefficients

    if not model.capabilities.friction:
        return 0.0
    return friction_coefficients(params, environment, None, model.capabilities.assumed_friction)[0]


def differences(
    name: str, model: type[Propagator], planned: VineParams, made: VineParams, environment: Environment
) -> list[str]:
    """Return the differences between a propagator with a tube and the default propagator with the plan's tube, each as a clause."""
    from dynamics.registry import load_propagator, propagators
    from dynamics.tube_file import difference

    default = propagators()[0]
    before, now = friction_of(load_propagator(default), planned, environment), friction_of(model, made, environment)
    found = []
    if model.capabilities.inertia:
        found.append(f"{name} has inertia and grows at {1e3 * made.inertia.growth_rate:g} mm/s, {default} has none")
    if name == "geometric":
        found.append("in geometric a tube does not buckle: a tip that cannot slide along a wall is stuck")
    if now != before:
        unset = planned.friction is None and environment.friction is None
        is_assumed = unset and now == model.capabilities.assumed_friction
        assumed = " (assumed where the tube has none)" if is_assumed else ""
        found.append(f"the friction is {now:g}{assumed}, in the plan {before:g}")
    if (
        made.physics == "published"
        and name in ("impulse", "euler-lagrange")
        and made.segment_length != made.hinge_length
    ):
        found.append(f"{name} takes the moment per length, {default} per joint of {1e3 * made.segment_length:g} mm")
    if changed_propagators := difference(
        replace(planned, friction=made.friction, static_friction=made.static_friction), made
    ):
        found.append(f"the tube is not that of the plan: {changed_propagators}")
    return found


def _no_cure(tried: list[str], cured: list[str]) -> list[str]:
    """Return the clause about changes of which none leads to the goal by itself; empty if a change does."""
    return [] if cured or not tried else [f"it also misses {', '.join(tried)}"]


def _line(name: str, default: str, content: dict[str, Any]) -> str:
    """Return the explanation in one line."""
    plan, here = content["planned_tip_from_goal_centre_mm"], content["tip_from_goal_centre_mm"]
    causes = content["causes"]
    if not content["default_reaches_goal"]:
        causes = [f"{default}, the default propagator, does not end in the goal either"]
    said = [f"why: the plan ends {plan:.0f} mm from the goal's centre, {name} {here:.0f} mm: {'; '.join(causes)}"]
    said += [clause[0].upper() + clause[1:] for clause in content["differences"]]
    return ". ".join([*said, f'See "{HEADING}" in {PAGE} of the repository'])
