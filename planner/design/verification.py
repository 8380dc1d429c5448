"""Verification of designs found with one propagator by growing them with another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from environments.environment import Environment
from planner.design.arrival import outside_goal
from planner.design.design import Design
from planner.design.replay import GrowthEnd


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """Designs, best first, and their growth with a second propagator."""

    propagator: str
    """Name of the second propagator."""
    environment: Environment
    """Where they grew."""
    designs: Sequence[Design]
    """The designs as planned."""
    grown: Sequence[GrowthEnd]
    """The designs as grown with the second propagator; fewer if interrupted."""

    @property
    def chosen(self) -> int:
        """Index of the best design that reaches the goal with the second propagator; 0 if there is none."""
        return next((k for k, one in enumerate(self.grown) if one.reached), 0)

    @property
    def verified(self) -> bool:
        """Whether any design reaches the goal with the second propagator."""
        return any(one.reached for one in self.grown)

    @property
    def design(self) -> Design:
        """The best design that reaches the goal with the second propagator, as it was planned."""
        return self.designs[self.chosen]

    def outside(self, k: int) -> float:
        """Return the distance from the goal's edge to the tip of design k with the second propagator [m]; 0 inside the goal."""
        return outside_goal(self.environment.goal, self.grown[k].design.tip)

    def moved(self, k: int) -> float:
        """Return the distance between the final and the planned tip of design k [m]."""
        return float(np.hypot(*(self.grown[k].design.tip[:2] - self.designs[k].tip[:2])))

    def content(self) -> dict[str, Any]:
        """Return the content for a JSON file."""
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
