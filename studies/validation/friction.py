"""Effect of friction, of tip and body, on the best designs in the shipped environments, which were found without friction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.vine import Status
from planner.design.comparison.growths import RecordedGrowth, grow_recorded
from planner.output.markdown import markdown_table
from studies.validation.cross_checks import ENVIRONMENTS, plan_best
from studies.validation.variants import FRICTIONS

COEFFICIENTS = 0.0, *FRICTIONS


@dataclass(frozen=True, slots=True, eq=False)
class FrictionResult:
    """A design grown with a coefficient of friction."""

    environment: str
    actuators: int
    friction: float
    growth: RecordedGrowth
    moved: float
    """Distance between the final tip positions with and without friction [m]."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "environment": self.environment,
            "actuators": self.actuators,
            "friction": self.friction,
            "status": self.growth.status.name.lower(),
            "ends_in_goal": self.growth.reached,
            "length_mm": round(1e3 * self.growth.length, 3),
            "tip_moved_mm": round(1e3 * self.moved, 2),
        }


def run_friction(environments: Sequence[str] = ENVIRONMENTS) -> Iterator[FrictionResult]:
    """Grow the design of each environment without friction and with each of `COEFFICIENTS`."""
    for name in environments:
        environment, design = plan_best(name)
        smooth: RecordedGrowth | None = None
        for friction in COEFFICIENTS:
            grown = grow_recorded(environment, design, QuasiStatic(environment, design.params, friction=friction))
            smooth = smooth or grown
            moved = float(np.hypot(*(grown.lines[-1][-1] - smooth.lines[-1][-1])))
            yield FrictionResult(name, design.actuators, friction, grown, moved)


def report(found: Sequence[FrictionResult]) -> list[str]:
    """Return a table as lines of Markdown: whether the tip ends in the goal, and its distance from the result without friction."""
    frictions = list(dict.fromkeys(one.friction for one in found))
    lines = [
        "The best designs of the cross-checks, which were found without friction, are grown with friction. The table says",
        "whether they end in the goal, and the distance of the tip from where it ends without friction.",
        "",
    ]
    rows = []
    for environment in dict.fromkeys(one.environment for one in found):
        own = [one for one in found if one.environment == environment]
        rows.append([environment, str(own[0].actuators), *map(_cell, own)])
    kept = [sum(one.growth.reached for one in found if one.friction == friction) for friction in frictions]
    rows.append(["in the goal", "", *map(str, kept)])
    return lines + markdown_table(
        ["environment", "actuators", *(f"friction {friction:g}" for friction in frictions)], rows
    )


def _cell(one: FrictionResult) -> str:
    if one.growth.status != Status.GROWN:
        return f"no: {one.growth.status.name.lower().replace('_', ' ')} at {1e3 * one.growth.length:.0f} mm"
    return f"{'yes' if one.growth.reached else 'no'}, {1e3 * one.moved:.1f} mm"
