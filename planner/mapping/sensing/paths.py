"""Straight pieces of a noisy path: where a path of points changes its direction, and the line of each piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from surrogate.kernels.compiled import Floats

LEAST = 4
"""Minimum number of points of a piece: two more than a line needs."""
PRICE = 4.0
"""Price of a piece, in log(n) [-]: as in BIC for position and direction of its line, and twice for where it begins, because any
place is possible."""

UNSURE = float(chi2.ppf(0.95, 1))
"""Rise of the cost, in units of the noise's variance, up to which a cut may be elsewhere."""


@dataclass(frozen=True, slots=True, eq=False)
class PathPiece:
    """A straight piece of a path."""

    first: int
    """First point that surely belongs to it."""
    after: int
    """The point after the last one of these."""
    begin: int
    """First point, if the path changes its direction where that is most likely."""
    earliest: int
    """First point that may belong to it."""
    middle: Floats
    """Mean of its points [m], shape (2,)."""
    heading: float
    """Direction of its line, in which the points follow one another [rad]."""
    along: Floats
    """Positions of the points along the line, from the middle [m], shape (points,)."""
    aside: Floats
    """Distances of the points from the line, to the left [m], shape (points,)."""

    @classmethod
    def of(cls, points: Floats, first: int, after: int, begin: int = 0, earliest: int = 0) -> PathPiece:
        """Fit the line through the points of a path from `first` to before `after`; points has shape (n, 2).

        Its direction is that of the points' regression on their numbers. Total least squares would be biased where the errors
        along and across the path are correlated, as those of a tip are that heads obliquely into a wall.
        """
        some = points[first:after]
        middle = some.mean(axis=0)
        way = _order(len(some)) @ some
        way = way / max(float(np.hypot(*way)), 1e-300)
        aside = (some - middle) @ np.array([-way[1], way[0]])
        return cls(
            first, after, begin, earliest, middle, float(np.arctan2(way[1], way[0])), (some - middle) @ way, aside
        )

    @property
    def count(self) -> int:
        """Number of points."""
        return self.after - self.first

    @property
    def variance(self) -> float:
        """Variance of the points about the line [m^2]."""
        return float((self.aside**2).sum() / (self.count - 2))

    @property
    def spread(self) -> float:
        """Variance about the line divided by that of its direction [m^2]."""
        order = _order(self.count)
        return float((order @ self.along) ** 2 / (order @ order))

    def point(self, along: float) -> Floats:
        """Return the point of the line at a distance from its middle [m], shape (2,)."""
        return self.middle + along * np.array([np.cos(self.heading), np.sin(self.heading)])


def straight_pieces(points: Floats, noise: float) -> list[PathPiece]:
    """Divide a path into straight pieces, so that the sum of squared distances and the price of the pieces is least.

    Points near a cut that may as well belong to the next piece are left out of both.

    The optimum over all divisions is found by dynamic programming (optimal partitioning, Jackson et al. 2005).

    Args:
        points: The path [m], shape (n, 2).
        noise: Standard deviation of a point across the path [m]; distances are divided by it.
    Raises:
        ValueError: The path has too few points, or the noise is not greater than 0.
    """
    count = len(points)
    if count < LEAST or not noise > 0:
        raise ValueError(f"{count} points must be at least {LEAST}, and noise = {noise} m greater than 0")
    costs = _costs(points - points.mean(axis=0)) / noise**2
    price = PRICE * np.log(count)
    best, previous = np.full(count + 1, np.inf), np.zeros(count + 1, int)
    best[0] = 0.0
    for after in range(LEAST, count + 1):
        totals = best[: after - LEAST + 1] + costs[: after - LEAST + 1, after] + price
        previous[after] = totals.argmin()
        best[after] = totals[previous[after]]
    cuts = [count]
    while cuts[-1] > 0:
        cuts.append(int(previous[cuts[-1]]))
    cuts.reverse()
    return [PathPiece.of(points, *limits) for limits in _limits(costs, cuts)]


def _limits(costs: Floats, cuts: list[int]) -> Iterator[tuple[int, int, int, int]]:
    """Return `first`, `after`, `begin` and `earliest` of each piece: its points are those that may not belong to a neighbour.

    A cut may be anywhere where the cost rises by less than a chi-squared quantile (profile likelihood). A piece that would be too
    short keeps its points.
    """
    low, high = list(cuts), list(cuts)
    for k in range(1, len(cuts) - 1):
        others = np.arange(cuts[k - 1] + LEAST, cuts[k + 1] - LEAST + 1)
        totals = costs[cuts[k - 1], others] + costs[others, cuts[k + 1]]
        likely = others[totals <= costs[cuts[k - 1], cuts[k]] + costs[cuts[k], cuts[k + 1]] + UNSURE]
        low[k], high[k] = int(likely[0]), int(likely[-1])
    for k in range(len(cuts) - 1):
        first, after = high[k], low[k + 1]
        sure = (first, after) if after - first >= LEAST else (cuts[k], cuts[k + 1])
        yield *sure, cuts[k], low[k]


def _costs(points: Floats) -> Floats:
    """Return sums of squared distances of the points i to j - 1 from their line, for all i < j [m^2], shape (n + 1, n + 1)."""
    x, y = points.T
    sums = np.vstack([np.zeros(5), np.cumsum(np.column_stack([x, y, x * x, y * y, x * y]), axis=0)])
    each = sums[None, :] - sums[:, None]
    count = np.maximum(np.arange(len(sums))[None, :] - np.arange(len(sums))[:, None], 1)
    xx = each[..., 2] - each[..., 0] ** 2 / count
    yy = each[..., 3] - each[..., 1] ** 2 / count
    xy = each[..., 4] - each[..., 0] * each[..., 1] / count
    # The smaller eigenvalue of the scatter matrix.
    return np.asarray(np.maximum((xx + yy) / 2 - np.hypot((xx - yy) / 2, xy), 0.0))


def _order(count: int) -> Floats:
    """Return numbers of points, from their mean, shape (count,)."""
    return np.arange(float(count)) - (count - 1) / 2
