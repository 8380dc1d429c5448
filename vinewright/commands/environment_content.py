"""The properties of an environment in the JSON documents of commands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from environments import Environment


def environment_content(environment: Environment) -> dict[str, Any]:
    """Return the properties of an environment, for a JSON document."""
    left, bottom, right, top = (round(1e3 * float(part), 6) for part in environment.bounds)
    x, y, radius = (round(1e3 * float(part), 6) for part in environment.goal)
    return {
        "name": environment.name,
        "description": environment.description,
        "bounds_mm": [[left, bottom], [right, top]],
        "start_mm": [round(1e3 * float(part), 6) for part in environment.start[:2]],
        "heading_deg": round(math.degrees(environment.start[2]), 6),
        "goal_mm": [x, y],
        "goal_radius_mm": radius,
        "mount": environment.mount,
        "edge": environment.edge,
        "stacked": environment.stacked,
        "friction": environment.friction,
        "obstacles": environment.obstacles.counts,
        "sha256": environment.sha256,
    }
