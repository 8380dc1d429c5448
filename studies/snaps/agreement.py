"""Planned designs grown by the impulse simulator, so slowly that snaps do not depend on the pace of growth.

`penalty` is not compared here: its holds take minutes per design.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.impulse.propagator import Impulse
from dynamics.vine import Status
from planner.design.comparison.rests import grow_with_rests
from studies.snaps.designs import Snapped


@dataclass(frozen=True, slots=True)
class ImpulseAgreement:
    """End of a design in the impulse simulator."""

    environment: str
    status: Status
    apart: float
    """Distance of its tip from that of the default propagator with the shorter step [m]."""
    in_goal: bool

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "environment": self.environment,
            "status": self.status.name.lower(),
            "tips_apart_mm": round(1e3 * self.apart, 3),
            "ends_in_goal": self.in_goal,
        }


def measure_agreement(design: Snapped) -> ImpulseAgreement:
    """Grow a design in the impulse simulator, and hold it until it is at rest after each segment."""
    own, environment = design.design, design.environment
    model = Impulse(environment, own.params)
    rested = grow_with_rests(model, own.actuation(own.segments), own.length, own.params.segment_length)
    status, tip, goal = Status(int(rested.status[0])), rested.tips[0], environment.goal
    reached = status == Status.GROWN and np.hypot(*(tip[:2] - goal[:2])) <= goal[2]
    return ImpulseAgreement(environment.name, status, float(np.hypot(*(tip - own.tip)[:2])), bool(reached))
