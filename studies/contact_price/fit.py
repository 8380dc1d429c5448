"""The price of arcs along walls, fitted to pairs of vines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from dynamics.tube import VineParams
from planner.search.reverse.arc_price import STRAIGHT, TURNS
from surrogate.kernels.compiled import Floats

USUAL = 0.95
"""Share of the pairs along walls whose curvature is within the limit."""
DIGITS = 3
"""Decimals of what is fitted."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The price, see `planner.search.reverse.arc_price`."""

    prices: tuple[float, ...]
    """Price of an arc along a wall, for each of `TURNS`, in those of an arc without."""
    bend: float
    """Maximum curvature along a wall times the radius of the tube."""
    actuators: float
    """Mean number of actuators of a curved arc without a wall: less than 1, as two arcs may be one actuator."""


def fit(rows: Floats) -> Fit:
    """Least squares for the number of actuators of pairs, the sum over their arcs.

    A curved arc costs c (1 - s + s p), where s is its share along a wall, and p the price of its angle. The steps of p from each of
    `TURNS` to the next are not negative, so p does not decrease; it is at most 1.

    Args:
        rows: Pairs, shape (pairs, 7), see `COLUMNS` of the study.
    """
    turn, share = rows[:, [0, 2]], rows[:, [1, 3]]
    curved = turn > STRAIGHT
    without = (curved * (1 - share)).sum(axis=1)
    along = [(share * (curved & (turn > least))).sum(axis=1) for least in TURNS]
    (actuators, *steps), _ = nnls(np.column_stack([without, *along]), rows[:, 5])
    prices = np.minimum(np.cumsum(steps) / actuators, 1.0)
    walled = (curved & (share > 0)).any(axis=1)
    bend = float(np.quantile(rows[walled, 4], USUAL)) * VineParams().radius
    return Fit(tuple(np.round(prices, DIGITS).tolist()), round(bend, DIGITS), round(float(actuators), DIGITS))


def intervals(groups: list[Floats], resamples: int = 500, seed: int = 0) -> tuple[Floats, Floats]:
    """95 % bootstrap intervals of the prices and of the bend, over environments.

    Args:
        groups: The pairs of each environment.
    Returns:
        Lower and upper ends of the prices, then of the bend, each of shape (len(TURNS) + 1,).
    """
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples):
        one = fit(np.vstack([groups[k] for k in rng.integers(len(groups), size=len(groups))]))
        drawn.append([*one.prices, one.bend])
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return low, high
