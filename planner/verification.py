"""Whether a design that was found with one model of the vine reaches the goal under another one too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from environments.environment import Environment
from planner.design import Design
from planner.replay import Grown


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """Designs, best first, and where a second propagator grows them to."""

    propagator: str
    """Name of the second one."""
    environment: Environment
    designs: Sequence[Design]
    """As they were planned."""
    grown: Sequence[Grown]
    """The same by the second propagator; fewer if it was interrupted."""

    @property
    def chosen(self) -> int:
        """The best design that the second propagator reaches the goal with; the best of all if there is none."""
        return next((k for k, one in enumerate(self.grown) if one.reached), 0)

    @property
    def verified(self) -> bool:
        """Whether there is one."""
        return any(one.reached for one in self.grown)

    @property
    def design(self) -> Design:
        """The design to write, as it was planned."""
        return self.designs[self.chosen]

    def outside(self, k: int) -> float:
        """How far outside the goal design k ends under the second propagator [m]; 0 within it."""
        tip, goal = self.grown[k].design.tip, self.environment.goal
        return max(float(np.hypot(*(tip[:2] - goal[:2])) - goal[2]), 0.0)

    def moved(self, k: int) -> float:
        """How far the tip of design k ends from where it was planned to [m]."""
        return float(np.hypot(*(self.grown[k].design.tip[:2] - self.designs[k].tip[:2])))

    def content(self) -> dict[str, Any]:
        """For a JSON file."""
        return {
            "propagator": self.propagator,
            "verified": self.verified,
            "chosen": self.chosen,
            "solutions": [
                {
                    "actuators": one.design.actuators,
                    "length_mm": round(1e3 * one.design.length, 3),
                    "reached": one.reached,
                    "status": one.status.name.lower(),
                    "ending": one.ending,
                    "outside_goal_mm": round(1e3 * self.outside(k), 3),
                    "from_planned_mm": round(1e3 * self.moved(k), 3),
                }
                for k, one in enumerate(self.grown)
            ],
        }
