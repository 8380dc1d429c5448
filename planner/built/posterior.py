"""Posterior: the errors of a built tube after its trials, and the success that they leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from planner.built.likelihood import Likelihood, ReadPath
from planner.built.predicting import BuiltTube, Setting
from planner.built.tempering import temper
from planner.built.trial import Trials
from planner.uncertainty.causes import Cause
from surrogate.kernels.compiled import Floats

SAMPLES = 256
"""Number of samples of the posterior: tubes with errors that fit the trials."""
GROWTHS = 4
"""Number of growths of each sample, from which its success is estimated."""
LEVEL = 0.9
"""Probability of the intervals [-]."""
LEARNT = 4.0
"""Standard errors of the mean of the different samples by which the mean of an error must have moved, or its standard deviation fallen, to
count as learnt [-]. Samples that were drawn several times are alike: errors of which trials say nothing move by up to three."""
TRADED = 0.5
"""Correlation from which two learnt errors are named as a pair that only trials of another kind can tell apart [-]."""
FEW = 50
"""Number of different samples below which some are replaced by tubes as before the trials, so that nothing looks certain."""
DOUBTED = 0.5
"""Probability from which a measurement is named as one that the model cannot explain [-]."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """One error before and after the trials, in the unit of its `Cause`."""

    cause: Cause
    middle: float
    """Mean before the trials."""
    before: float
    """Standard deviation before them."""
    mean: float
    """Mean after them."""
    deviation: float
    """Standard deviation after them."""


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """Errors of a built tube after its trials, as samples of the same weight."""

    tube: BuiltTube
    normal: Floats
    """Standard normal numbers of the errors, shape (samples, unknowns), see `BuiltTube.unknowns`."""
    different: int
    """Number of samples that differ, see `FEW`."""
    strange: dict[str, float]
    """Probability that each measurement is one that no model predicts [-], by its name."""
    growths: int
    """Number of growths that were simulated."""

    def values(self) -> Floats:
        """Return the errors in SI units, shape (samples, unknowns); friction as it is."""
        return np.stack(
            [cause.value(column) for cause, column in zip(self.tube.unknowns, self.normal.T, strict=True)], axis=1
        )

    def learnt(self) -> list[Learnt]:
        """Return the errors of which the trials say something, those of which they say most first."""
        moved = np.abs(self.normal.mean(axis=0))
        told = np.maximum(moved, 1 - self.normal.std(axis=0))
        values, found = self.values(), []
        for k in np.argsort(-told, kind="stable").tolist():
            cause = self.tube.unknowns[k]
            if told[k] * np.sqrt(self.different) >= LEARNT:
                numbers = cause.middle, cause.spread, float(values[:, k].mean()), float(values[:, k].std())
                found.append(Learnt(cause, *map(cause.shown, numbers)))
        return found

    def traded(self) -> list[tuple[str, str, float]]:
        """Return the pairs of learnt errors of which mainly the sum or the difference is known, and their correlation [-]."""
        names = [one.cause.key for one in self.learnt()]
        columns = {cause.key: column for cause, column in zip(self.tube.unknowns, self.normal.T, strict=True)}
        found = []
        for k, first in enumerate(names):
            for second in names[k + 1 :]:
                correlation = float(np.corrcoef(columns[first], columns[second])[0, 1])
                if abs(correlation) >= TRADED:
                    found.append((first, second, correlation))
        return sorted(found, key=lambda pair: -abs(pair[2]))

    def doubted(self) -> list[str]:
        """Return the measurements that the model cannot explain along with the others."""
        return [name for name, chance in self.strange.items() if chance >= DOUBTED]


@dataclass(frozen=True, slots=True, eq=False)
class SuccessRange:
    """Success of a tube whose errors are known to some extent."""

    each: Floats
    """Share of the growths of each sample that reach the goal [-], shape (samples,)."""
    growths: int = GROWTHS
    """Number of growths of each sample."""

    @property
    def mean(self) -> float:
        """Probability that the next growth reaches the goal [-]."""
        return float(self.each.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the success of this tube, of probability `LEVEL` [-].

        The success of tubes is taken to have a beta distribution: that of which shares of so few growths have the mean and the variance.
        """
        every = self.each.size * self.growths
        mean = (self.each.sum() * self.growths + 0.5) / (every + 1)
        # Of tubes that succeed equally often, shares vary by chance; more growths of one tube tell how much tubes differ.
        chance = mean * (1 - mean) / self.growths
        alike = (self.each.var() / chance - 1) / max(self.growths - 1, 1)
        size = 1 / np.clip(alike, 1 / every, 0.99) - 1
        low, high = beta.ppf([(1 - LEVEL) / 2, (1 + LEVEL) / 2], size * mean, size * (1 - mean))
        return min(float(low), self.mean), max(float(high), self.mean)


def infer(
    tube: BuiltTube,
    trials: Trials,
    read: ReadPath | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    watch: Callable[[float], None] = lambda _: None,
) -> Posterior:
    """Infer the errors of a built tube from its trials, by simulation (some 3000 growths).

    Args:
        read: Reads recordings; needed where growths have some.
        samples: Number of samples.
        watch: Called with the share of the work that is done [-].
    """
    rng = np.random.default_rng([seed, 8])
    if trials.empty:
        return Posterior(tube, rng.standard_normal((samples, len(tube.unknowns))), samples, {}, 0)
    likelihood = Likelihood(tube, trials, read, seed)
    found = temper(likelihood, len(tube.unknowns), samples, rng, watch)
    strange = {name: float(fit.strange.mean()) for name, fit in likelihood.fit(found.normal).items()}
    return Posterior(tube, _widened(found.normal, found.different, rng), found.different, strange, likelihood.grown)


def _widened(normal: Floats, different: int, rng: np.random.Generator) -> Floats:
    """Replace some samples by those of the prior where few differ: as many as are lacking of `FEW`, in proportion."""
    count = round(len(normal) * max(1 - different / min(FEW, len(normal)), 0.0))
    rows = rng.permutation(len(normal))[:count]
    found = normal.copy()
    found[rows] = rng.standard_normal((count, normal.shape[1]))
    return found


def predict_success(
    posterior: Posterior,
    setting: Setting | None = None,
    growths: int = GROWTHS,
    seed: int = 0,
) -> SuccessRange:
    """Predict the success of the built tube, also as it is set anew.

    Args:
        setting: See `BuiltTube.grow`; None for the design as it is.
        growths: Number of growths of each sample.
    """
    # Each growth has numbers of its own: with common ones, the shares of samples would say too little of how chance alone varies them.
    every = np.repeat(posterior.normal, growths, axis=0)
    passing = np.random.default_rng([seed, 9]).standard_normal(every.shape)
    predicted = posterior.tube.grow(posterior.tube.pair(every, passing), setting)
    reached = (predicted.nearest <= 0.0).reshape(len(posterior.normal), growths)
    return SuccessRange(reached.mean(axis=1), growths)
