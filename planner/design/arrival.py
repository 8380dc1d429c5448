"""Where a design ends beside the goal, as a distance and in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surrogate.kernels.compiled import Floats

ROUNDING = 1e-6
"""Distance from the goal that rounding in a file explains [m]."""


def outside_goal(goal: Floats, tip: ArrayLike) -> float:
    """Return the distance from the goal's edge to a tip [m]; 0 in the goal.

    Args:
        goal: x, y and radius [m], as `Environment.goal`.
        tip: x and y of the tip [m]; what follows does not count.
    """
    distance = float(np.hypot(*(np.asarray(tip)[:2] - goal[:2])) - goal[2])
    return distance if distance > ROUNDING else 0.0


def outside_words(outside: float) -> str:
    """Where a tip ends that is some distance from the goal's edge [m]; "" in the goal."""
    if not outside:
        return ""
    return f"ends {f'{1e3 * outside:.0f}' if outside >= 1e-3 else 'less than 1'} mm outside the goal"


def miss_words(goal: Floats, tip: ArrayLike) -> str:
    """Where a tip ends, x and y [m], if that is outside the goal, x, y and radius [m]; "" in the goal."""
    return outside_words(outside_goal(goal, tip))
