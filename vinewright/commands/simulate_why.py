"""`vinewright simulate`: causes of a miss with a propagator although the plan reaches the goal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vinewright.console.compiling import compiling
from vinewright.console.progress import gather

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.propagator import PropagatorFactory
    from dynamics.vine import Rollout
    from environments import Environment
    from planner.design.comparison.growths import RecordedGrowth
    from planner.design.comparison.reasons import Disagreement
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
        that misses, with a single change each time; Ctrl-C ends these growths. What does not occur in this growth, or does not
        change where it ends, is not named.
        """
        from dynamics.registry import load_propagator, propagators
        from planner.design.comparison.growths import Comparison, record_growth
        from planner.design.comparison.reasons import Disagreement, TubeModel

        if self.name == (default := propagators()[0]) and self.made.params == self.planned.params:
            return None
        believed = TubeModel(default, load_propagator(default), self.planned, self.environment)
        with compiling(console, default):
            first = believed.grow()
        own = record_growth(self.environment, self.made, self.rollout)
        content: dict[str, Any] = {
            "planned_tip_from_goal_centre_mm": self._from_goal(self.planned.tip),
            "tip_from_goal_centre_mm": self._from_goal(own.lines[-1][-1] if own.lines else self.environment.start),
            "default_reaches_goal": first.reached,
            "causes": [],
            "differences": [],
            "page": PAGE,
            "heading": HEADING,
        }
        if first.reached:
            compared = Comparison(self.environment, self.made, self.name, own, first)
            model = TubeModel(self.name, self.make, self.made, self.environment)
            between = Disagreement(model, believed, compared)
            again = _grow_again(console, between)
            tried = [change for change in between.changes() if change in again]
            cured = tuple(change for change in tried if again[change].reached)
            content["causes"] = [*replace(compared, cured_by=cured).causes(), *_no_cure(tried, cured)]
            content["differences"] = between.differences(again)
        console.print(_line(self.name, default, content))
        return content

    def _from_goal(self, tip: Any) -> float:
        """Return the distance of a tip from the goal's centre [mm]."""
        import numpy as np

        return round(1e3 * float(np.hypot(*(tip[:2] - self.environment.goal[:2]))), 3)


def _grow_again(console: Console, between: Disagreement) -> dict[str, RecordedGrowth]:
    """Grow the tube again with each change that may matter, by name; after Ctrl-C, return those that were grown."""
    several = {**between.changes(), **between.comparisons()}
    grown = ((name, grow()) for name, grow in several.items())
    return dict(gather(console, grown, len(several), "changes of the model", transient=True)[0])


def _no_cure(tried: list[str], cured: tuple[str, ...]) -> list[str]:
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
