"""Uncertainty of fitted parameters: noise, covariances and likelihood profiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import bmat, diags
from scipy.sparse.linalg import splu

from planner.recordings.identification.model import LENGTH
from planner.recordings.identification.problem import PRIOR_WEIGHT, FitProblem, FitSolution
from planner.recordings.identification.result import CHI_SQUARE, Profile
from planner.recordings.identification.unknowns import Unknowns
from surrogate.kernels.compiled import Floats

FARTHEST = np.log(100.0)
"""Maximum distance of a profile's points from the optimum, as the logarithm of a factor."""
MOST_CORRELATED = 0.95
MOST_HELD = 60
"""Maximum number of iterations for a point of a profile."""
LEAST_NOISE = 1e-6
"""Minimum standard deviation of the noise [m]."""
OnPoint = Callable[[int], None]
"""Called with the number of completed points of a profile."""


def noise_variance(problem: FitProblem, joints: Floats) -> float:
    """Variance of one independent measurement, from the lateral distances of points from the fitted tube [m2].

    Only lateral errors are used, because a point's fraction of length already follows its error along the tube. Errors of
    neighbouring points and of successive frames are usually correlated: with correlation r each counts as
    (1 - r) / (1 + r) measurements, but in total at least as many as there are parameters.

    Args:
        joints: Joints of the fitted tube in every frame [m], shape (frames, links + 1, 2).
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


def length_deviations(unknowns: Unknowns, x: Floats) -> Floats:
    """Standard deviations of the first length [m] and the growth rate [m/s], shape (2,), by regression of the frames' lengths.

    Points are at fractions of the length in their frame, so every frame gives one independent value of the length.
    """
    observed = unknowns.observed
    times = observed.times[observed.frames]
    errors = observed.lengths - np.stack([np.ones_like(times), times], -1) @ unknowns.parameters(x)[LENGTH:]
    # A polyline through noisy points is slightly too long, by a constant amount.
    errors = errors - errors.mean()
    follow = _correlation([(errors[:-1], errors[1:])])
    variance = (errors**2).sum() / max(len(errors) - 2, 1) * (1 + follow) / (1 - follow)
    apart = ((times - times.mean()) ** 2).sum()
    return np.sqrt(variance * np.array([1 / len(errors) + times.mean() ** 2 / apart, 1 / apart]))


def _correlation(pairs: list[tuple[Floats, Floats]]) -> float:
    one, other = (np.concatenate(side) for side in zip(*pairs, strict=True))
    power = np.sqrt((one**2).sum() * (other**2).sum())
    return float(np.clip((one * other).sum() / power, 0.0, MOST_CORRELATED)) if power > 0 else 0.0


def covariance(problem: FitProblem, solution: FitSolution, variance: float) -> Floats:
    """Covariance of the parameters: twice the noise's variance times the inverse reduced Hessian of the cost.

    The inverse is the parameters' block of the inverse of the optimality (KKT) matrix. Variables at a bound get the bound's
    multiplier divided by the distance to it as stiffness, as in an interior-point method.

    Returns:
        Covariance in the parameters' units (logarithms of K and C), shape (parameters, parameters); NaN if the matrix is singular.
    """
    hessian, jacobian = problem.derivatives(solution)
    held = np.abs(solution.bound_multipliers) / np.maximum(problem.unknowns.room(solution.x), 1e-12)
    matrix = bmat([[hessian + diags(held), jacobian.T], [jacobian, None]], format="csc")
    # The parameters' columns are dense. Without them the matrix is banded and fast to factorise.
    own = np.zeros(matrix.shape[0], bool)
    own[problem.unknowns.slices["parameters"]] = True
    rest, border = matrix[~own][:, ~own], matrix[~own][:, own].toarray()
    try:
        inverse = np.linalg.inv(matrix[own][:, own].toarray() - border.T @ splu(rest.tocsc()).solve(border))
    except (RuntimeError, np.linalg.LinAlgError):
        return np.full(2 * [int(own.sum())], np.nan)
    # Costs in the problem are in mm2.
    return 2 * 1e6 * variance * (inverse + inverse.T) / 2


@dataclass(frozen=True, slots=True, eq=False)
class ProfileFinder:
    """Computes profiles: holds K or C at values increasingly far from the optimum and fits all other variables again."""

    problem: FitProblem
    best: FitSolution
    others: list[FitSolution]
    """Other minima of the same problem."""
    parameter: int
    """`STIFFNESS` or `DAMPING`."""
    variance: float
    """Variance of the noise [m2]."""

    def find(self, name: str, unit: str, deviation: float, on_point: OnPoint) -> tuple[Profile, FitSolution]:
        """Step to both sides, in the logarithm, until the cost has risen by `CHI_SQUARE` variances.

        Steps double, starting from half the distance at which a parabola would reach that, and end at 1/100 and 100 times
        the optimum, or at the bounds.

        Args:
            deviation: Standard deviation of the logarithm from the covariance; NaN if unknown.
        Returns:
            The profile, and the lowest-cost solution found.
        """
        middle = self.best.x[self.problem.unknowns.slices["parameters"]][self.parameter]
        known = CHI_SQUARE**0.5 * deviation if np.isfinite(deviation) else FARTHEST
        first = float(np.clip(known / 2, 1e-4, FARTHEST / 4))
        found, complete, lowest = [(float(middle), self.best.cost)], True, self.best
        for side, bound in zip((-1, 1), self.problem.unknowns.bounds[self.parameter], strict=True):
            last, farthest = self.best, min(FARTHEST, side * (bound - middle))
            doubled = first * 2.0 ** np.arange(40)
            for reach in [*doubled[doubled < farthest], farthest] if farthest > 1e-3 else []:
                held = self._held(last, float(middle + side * reach))
                if held is None:
                    complete = False
                    break
                found.append((float(middle + side * reach), held.cost))
                lowest = min(lowest, held, key=lambda one: one.cost)
                on_point(len(found) - 1)
                if self._rise(held) > CHI_SQUARE:
                    break
                last = held
        values, costs = np.array(sorted(found)).T
        return Profile(name, unit, np.exp(values), (costs - lowest.cost) / self.variance, complete), lowest

    def _held(self, last: FitSolution, value: float) -> FitSolution | None:
        """The lowest-cost fit with the parameter held, from the last point; if its cost has risen, also from the other minima."""
        lowest: FitSolution | None = None
        for begin in (last, *self.others):
            held = self.problem.solve(begin.x, {self.parameter: value}, PRIOR_WEIGHT, MOST_HELD)
            if held.converged and (lowest is None or held.cost < lowest.cost):
                lowest = held
            if lowest and self._rise(lowest) <= CHI_SQUARE:
                break
        return lowest

    def _rise(self, held: FitSolution) -> float:
        return (held.cost - self.best.cost) / self.variance
