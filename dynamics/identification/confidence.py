"""How well data identify what was fitted: noise, covariances and likelihood profiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import bmat, diags
from scipy.sparse.linalg import splu

from dynamics.identification.model import LENGTH
from dynamics.identification.problem import BOUNDS, CALM, Problem, Solution
from dynamics.identification.result import CHI_SQUARE, Profile
from surrogate.compiled import Floats

FARTHEST = np.log(100.0)
"""A profile goes no further from the optimum than this factor, as a logarithm."""
MOST_CORRELATED = 0.95
LEAST_NOISE = 1e-6
"""[m]"""
OnPoint = Callable[[int], None]
"""Called with how many points of a profile are done."""


def noise_variance(problem: Problem, joints: Floats) -> float:
    """Variance of one independent measurement, from the distances of points sideways of the fitted tube [m2].

    Sideways only, as a fraction of length already follows a point's error along the tube. The errors of neighbouring
    points and of following frames are seldom independent: with their correlation r each counts for (1 - r) / (1 + r)
    measurements. At least as many as there are parameters are left.

    Args:
        joints: Of the fitted tube in every frame [m], shape (frames, links + 1, 2).
    """
    sideways = []
    for frame, fractions, points in zip(joints, problem.observed.fractions, problem.observed.points, strict=True):
        links = len(frame) - 1
        moves = np.diff(frame, axis=0)[np.minimum((fractions * links).astype(int), links - 1)]
        normal = np.stack([-moves[:, 1], moves[:, 0]], -1) / np.hypot(*moves.T)[:, None]
        apart = np.stack([np.interp(fractions * links, np.arange(links + 1), side) for side in frame.T], -1) - points
        sideways.append((apart * normal).sum(axis=1)[fractions > 0])
    errors = np.concatenate(sideways)
    along = [(one[:-1], one[1:]) for one in sideways]
    later = [
        (one, np.interp(np.linspace(0, 1, len(one)), np.linspace(0, 1, len(two)), two))
        for one, two in pairwise(sideways)
    ]
    inflation = np.prod([(1 + r) / (1 - r) for r in map(_correlation, (along, later))])
    return float(max((errors**2).mean(), LEAST_NOISE**2) * min(inflation, max(len(errors) / 4, 1.0)))


def length_deviations(problem: Problem, solution: Solution) -> Floats:
    """Standard deviations of the first length [m] and the growth rate [m/s], shape (2,), by regression of the frames' lengths.

    Points lie at fractions of a frame's own length, so that every frame says only once how long the tube is.
    """
    observed = problem.observed
    moments = observed.times[observed.frames]
    errors = observed.lengths - np.stack([np.ones_like(moments), moments], -1) @ problem.parameters(solution.x)[LENGTH:]
    # A polyline through noisy points is a little too long, always by as much.
    errors = errors - errors.mean()
    follow = _correlation([(errors[:-1], errors[1:])])
    variance = (errors**2).sum() / max(len(errors) - 2, 1) * (1 + follow) / (1 - follow)
    apart = ((moments - moments.mean()) ** 2).sum()
    return np.sqrt(variance * np.array([1 / len(errors) + moments.mean() ** 2 / apart, 1 / apart]))


def _correlation(pairs: list[tuple[Floats, Floats]]) -> float:
    one, other = (np.concatenate(side) for side in zip(*pairs, strict=True))
    power = np.sqrt((one**2).sum() * (other**2).sum())
    return float(np.clip((one * other).sum() / power, 0.0, MOST_CORRELATED)) if power > 0 else 0.0


def covariance(problem: Problem, solution: Solution, variance: float) -> Floats:
    """Covariance of the parameters: twice the noise's variance times the inverse reduced Hessian of the cost.

    That inverse is the parameters' block of the inverse of the optimality (KKT) matrix; variables at a bound are held
    by the bound's multiplier over the distance to it, as in an interior point method.

    Returns:
        In the parameters' units (logarithms of K and C), shape (4, 4); NaN where the matrix is singular.
    """
    hessian, jacobian = problem.derivatives(solution)
    held = np.abs(solution.bound_multipliers) / np.maximum(problem.room(solution.x), 1e-12)
    matrix = bmat([[hessian + diags(held), jacobian.T], [jacobian, None]], format="csc")
    # Parameters meet every other row: without their dense columns the rest is banded, and quickly factorised.
    own = np.zeros(matrix.shape[0], bool)
    own[problem.slices["parameters"]] = True
    rest, border = matrix[~own][:, ~own], matrix[~own][:, own].toarray()
    try:
        inverse = np.linalg.inv(matrix[own][:, own].toarray() - border.T @ splu(rest.tocsc()).solve(border))
    except (RuntimeError, np.linalg.LinAlgError):
        return np.full((4, 4), np.nan)
    # Costs inside the problem are in mm2.
    return 2 * 1e6 * variance * (inverse + inverse.T) / 2


@dataclass(frozen=True, slots=True, eq=False)
class ProfileFinder:
    """Holds K or C at values ever further from the optimum, and fits everything else again."""

    problem: Problem
    best: Solution
    others: list[Solution]
    """Other minima of the same programme."""
    parameter: int
    """Which: `STIFFNESS` or `DAMPING`."""
    variance: float
    """Of the noise [m2]."""

    def find(self, name: str, unit: str, deviation: float, on_point: OnPoint) -> tuple[Profile, Solution]:
        """Step to either side, in the logarithm, until the cost has risen by `CHI_SQUARE` variances.

        Steps double, from half of where a parabola would reach that to 1/100 and 100 times the optimum, or the bounds.

        Args:
            deviation: Standard deviation of the logarithm by the covariance; NaN where unknown.
        Returns:
            The profile, and the cheapest solution met.
        """
        middle = self.best.x[self.problem.slices["parameters"]][self.parameter]
        known = CHI_SQUARE**0.5 * deviation if np.isfinite(deviation) else FARTHEST
        first = float(np.clip(known / 2, 1e-4, FARTHEST / 4))
        found, complete, cheapest = [(float(middle), self.best.cost)], True, self.best
        try:
            for side, bound in zip((-1, 1), np.log(BOUNDS[self.parameter]), strict=True):
                last, farthest = self.best, min(FARTHEST, side * (bound - middle))
                doubled = first * 2.0 ** np.arange(40)
                for reach in [*doubled[doubled < farthest], farthest] if farthest > 1e-3 else []:
                    held = self._held(last, float(middle + side * reach))
                    if held is None:
                        complete = False
                        break
                    found.append((float(middle + side * reach), held.cost))
                    cheapest = min(cheapest, held, key=lambda one: one.cost)
                    on_point(len(found) - 1)
                    if self._rise(held) > CHI_SQUARE:
                        break
                    last = held
        except KeyboardInterrupt:
            self.problem.interrupt()
            complete = False
        values, costs = np.array(sorted(found)).T
        return Profile(name, unit, np.exp(values), (costs - cheapest.cost) / self.variance, complete), cheapest

    def _held(self, last: Solution, value: float) -> Solution | None:
        """The cheapest fit with the parameter held, from the last point's; where that has risen, from the other minima too."""
        cheapest: Solution | None = None
        for begin in (last, *self.others):
            if self.problem.interrupted:
                return None
            held = self.problem.solve(begin.x, {self.parameter: value}, CALM)
            if held.converged and (cheapest is None or held.cost < cheapest.cost):
                cheapest = held
            if cheapest and self._rise(cheapest) <= CHI_SQUARE:
                break
        return None if self.problem.interrupted else cheapest

    def _rise(self, held: Solution) -> float:
        return (held.cost - self.best.cost) / self.variance
