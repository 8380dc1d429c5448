"""Goal of a search: the disc in which a tip has arrived."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynamics.tube import VineParams
from environments.environment import Environment
from surrogate.kernels.compiled import Floats

GOAL_MARGIN = 2e-3
"""Distance inside the goal's edge at which a tip has arrived, for the prototype [m], because a replay may end slightly differently.

The search (`goal_radius`) limits it to half of the goal's radius; refinement does not."""


def in_goal(tips: Floats, environment: Environment, params: VineParams) -> NDArray[np.bool_]:
    """Whether tips have arrived in the goal, shape (n,).

    Args:
        tips: x, y [m], heading [rad], shape (n, 3).
    """
    return np.asarray(np.hypot(*(tips[:, :2] - environment.goal[:2]).T) <= goal_radius(environment, params))


def goal_radius(environment: Environment, params: VineParams) -> float:
    """Distance from the goal's centre within which a tip has arrived [m]."""
    radius = float(environment.goal[2])
    return max(radius - GOAL_MARGIN * params.scale, 0.5 * radius)
