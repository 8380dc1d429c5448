"""Steps in a body's heading or in its rotation, and the bends that they make, in values at equal distances along the body."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from dynamics.vine import Integers
from planner.mapping.sensing.found import CONFIDENCE
from surrogate.kernels.compiled import Floats

PRICE = 2.0
"""Fitted numbers of a step: its place and its size. Each costs log(n), as in BIC."""


class Bend(NamedTuple):
    """A part of a body over which its heading increases."""

    first: int
    """Number of the first value beyond its first step."""
    last: int
    """Number of the first value beyond its last step; equal to `first` if there is one step."""
    before: float
    """Mean value of the straight part before it [rad]."""
    after: float
    """Mean value of the straight part beyond it [rad]."""


class LikelyStep(NamedTuple):
    """The places where values may have a step, each as the number of the first value beyond it."""

    best: int
    places: Integers
    """Places that profile likelihood does not exclude with the confidence of the intervals, ascending, shape (places,)."""


def roughness(values: Floats) -> float:
    """Return the standard deviation of one value [same unit], from the median difference of neighbours, so that few steps do not
    matter; values has shape (n,), n at least 2."""
    return float(np.median(abs(np.diff(values)))) / 0.6745 / np.sqrt(2)


def find_step(values: Floats, noise: float) -> LikelyStep | None:
    """Find the one step by which values increase; None if it is not significant.

    Two levels explain the values if the body before a hinge moves as one, and so does all of the body beyond it.

    Args:
        values: Changes of the heading along a body [rad], shape (n,), n at least 2.
        noise: Standard deviation of one value [rad].
    """
    scaled, count = values / noise, len(values)
    places = np.arange(1, count)
    parts = [np.split(scaled, [place]) for place in places]
    up = np.array([after.mean() > before.mean() for before, after in parts])
    costs = np.array([sum(len(part) * float(part.var()) for part in both) for both in parts])
    costs = np.where(up, costs, np.inf)
    if not count * float(scaled.var()) - costs.min() > PRICE * np.log(count):
        return None
    likely = costs <= costs.min() + float(chi2.ppf(CONFIDENCE, 1))
    return LikelyStep(int(places[costs.argmin()]), places[likely])


def find_bends(headings: Floats, noise: float, reach: int) -> list[Bend]:
    """Return the parts of a body over which its heading increases, in their order.

    Args:
        headings: Headings along the body [rad], shape (n,).
        noise: Standard deviation of one heading [rad].
        reach: Number of values over which one bend may be spread; successive steps at most this far apart make one bend.
    """
    cuts = [0, *_steps(headings, noise), len(headings)]
    levels = [float(headings[a:b].mean()) for a, b in pairwise(cuts)]
    found = list[Bend]()
    for k in range(1, len(levels)):
        if levels[k] <= levels[k - 1]:
            continue
        step = Bend(cuts[k], cuts[k], levels[k - 1], levels[k])
        near = found and found[-1].last == cuts[k - 1] and step.first - found[-1].last <= reach
        if near:
            step = found.pop()._replace(last=step.last, after=step.after)
        found.append(step)
    return found


def _steps(values: Floats, noise: float) -> list[int]:
    """Find indices at which the mean of values changes, by optimal partitioning as in `straight_pieces`."""
    count = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    best, previous = np.full(count + 1, np.inf), np.zeros(count + 1, np.int64)
    best[0] = 0.0
    for after in range(1, count + 1):
        first = np.arange(after)
        costs = squares[after] - squares[first] - (sums[after] - sums[first]) ** 2 / (after - first)
        totals = best[:after] + np.maximum(costs, 0.0) / noise**2 + PRICE * np.log(count)
        previous[after] = totals.argmin()
        best[after] = totals[previous[after]]
    return _cuts(previous)


def _cuts(previous: Integers) -> list[int]:
    """Return the inner cuts of the best partition, ascending."""
    cuts = [int(previous[-1])]
    while cuts[-1] > 0:
        cuts.append(int(previous[cuts[-1]]))
    return cuts[-2::-1] if len(cuts) > 1 else []
