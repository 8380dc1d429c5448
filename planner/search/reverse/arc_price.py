"""Prices of the arcs of the reverse tree, in actuators, and the test whether a vine can take an arc."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.tube import VineParams
from surrogate.kernels.compiled import compiled

STRAIGHT = 0.1
"""Maximum angle of an arc that needs no actuator [rad]."""
TURNS = 0.1, 0.3, 0.6, 1.0, 1.6
"""Angles from which each price holds [rad]."""
PRICES = 0.657, 0.894, 0.917, 0.923, 0.923
"""Price of an arc along a wall, in actuators, from each of `TURNS`; fitted to pairs of vines in 40 random
environments by `vinewright reproduce contact-price` of version 0.2.0."""
BEND = 0.478
"""Maximum curvature along a wall times the radius of the tube; fitted to the same vines."""


class ArcCurvatures(NamedTuple):
    """Curvatures of arcs that a vine can take."""

    least: float
    """Minimum curvature that the actuators reach [1/m]."""
    most: float
    """Maximum curvature that they reach [1/m]."""
    touching: float
    """Maximum curvature along a wall [1/m]; 0 if contact does not count."""

    @classmethod
    def of(cls, reachable: tuple[float, float], params: VineParams, contact: bool = True) -> ArcCurvatures:
        """Return the curvatures for a tube, with those along walls or without.

        Args:
            reachable: Minimum and maximum curvature that its actuators reach [1/m].
        Raises:
            ValueError: The maximum is not finite, or not greater than the minimum, or the minimum is negative.
        """
        least, most = reachable
        if not 0 <= least < most < np.inf:
            raise ValueError(f"curvatures {least} to {most} must be at least 0, increasing and finite, in 1/m")
        return cls(least, most, BEND / params.radius if contact else 0.0)


@compiled(forceinline=True)
def arc_is_possible(bends: ArcCurvatures, curvature: float, length: float, share: float) -> bool:
    """Return whether a vine can take an arc.

    Without contact it must be straight, or as curved as an actuator can make it, neither more nor less. With a wall
    along part of its outside it may have any curvature up to another limit.

    Args:
        curvature: [1/m]
        length: [m]
        share: Share of the arc with a wall along its outside.
    """
    bend = abs(curvature)
    if share > 0.0 and bend <= bends.touching:
        return True
    return bend <= bends.most and (bend >= bends.least or bend * length <= STRAIGHT)


@compiled(forceinline=True)
def arc_price(turn: float, share: float) -> float:
    """Return the price of an arc in actuators: 0 if it is straight, 1 if it is curved, less along a wall.

    It does not decrease with the angle, and does not increase with the wall.

    Args:
        turn: Angle of the arc [rad].
        share: Share of the arc with a wall along its outside.
    """
    turn = abs(turn)
    if turn <= STRAIGHT:
        return 0.0
    price = 0.0
    for k in range(len(TURNS)):
        if turn > TURNS[k]:
            price = PRICES[k]
    return 1.0 - share * (1.0 - price)
