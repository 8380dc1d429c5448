"""Posterior: the errors of a built tube after its trials, and the success that they leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln, logsumexp
from scipy.stats import beta

from planner.built.likelihood import STRANGE, Likelihood, ReadPath, has_measures, with_pressures
from planner.built.predicting import BuiltTube, Setting
from planner.built.tempering import resample, temper
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
SLOWLY = 0.25
"""Exponent of the power of the likelihood that makes progress rise evenly [-]: the power rises slowly at first."""
CANDIDATES = 4
"""Number of samples from which each is chosen where nothing but results is known of growths."""
LEAST_DIFFERENCE = 0.05
"""Least correlation of the results of growths of one tube [-], since how much they differ is assumed: samples that all succeed in half of
their growths leave the tube a success of 32 to 68 %."""
WRONG, UNKNOWN = 0.1, 0.5
"""Probability before any trial that the success of a tube is none that the model predicts with any errors, and parameters of the beta
distribution of that success [-] (Jeffreys 1946)."""
PARTS = 400
"""Number of parts of equal probability of a beta distribution over which is averaged."""
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
    unexplained: float = 0.0
    """Probability that the success of the tube is none that the model predicts with any errors [-], by how often it reached the goal."""
    results: tuple[int, int] = (0, 0)
    """Growths of the design as it is that reached the goal, and those that missed it."""

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
    """Success of a tube whose errors are known to some extent.

    With the probability `unexplained` the model says nothing of the success of the tube: then it is known from results alone.
    """

    each: Floats
    """Share of the growths of each sample that reach the goal [-], shape (samples,)."""
    growths: int = GROWTHS
    """Number of growths of each sample."""
    unexplained: float = 0.0
    """See `Posterior` [-]."""
    results: tuple[int, int] = (0, 0)
    """Measured growths that reached the goal, and those that missed it."""

    @property
    def mean(self) -> float:
        """Probability that the next growth reaches the goal [-]."""
        reached, missed = (count + UNKNOWN for count in self.results)
        return float((1 - self.unexplained) * self.each.mean() + self.unexplained * reached / (reached + missed))

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the success of this tube, of probability `LEVEL` [-]."""
        parameters = beta_of_tubes(self.each, self.growths)
        measured = tuple(count + UNKNOWN for count in self.results)

        def below(success: float) -> float:
            return float(
                (1 - self.unexplained) * beta.cdf(success, *parameters)
                + self.unexplained * beta.cdf(success, *measured)
            )

        low, high = (
            float(brentq(lambda success, end=end: below(success) - end, 0.0, 1.0))
            for end in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
        )
        return min(low, self.mean), max(high, self.mean)


def beta_of_tubes(each: Floats, growths: int) -> tuple[float, float]:
    """Return the parameters of the beta distribution of the success of tubes, by the mean and the variance of shares of few growths.

    Args:
        each: Share of the growths of each tube that reach the goal [-].
        growths: Number of growths of each.
    """
    every = each.size * growths
    mean = (each.sum() * growths + 0.5) / (every + 1)
    # Of tubes that succeed equally often, shares vary by chance; more growths of one tube tell how much tubes differ.
    chance = mean * (1 - mean) / growths
    alike = (each.var() / chance - 1) / max(growths - 1, 1)
    size = 1 / np.clip(alike, LEAST_DIFFERENCE, 0.99) - 1
    return float(size * mean), float(size * (1 - mean))


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
    cheap = likelihood.of_parts if trials.bends or trials.points else None
    some = any(has_measures(growth) for growth in trials.growths)
    count = samples if some else CANDIDATES * samples
    found = temper(likelihood.of_growths, len(tube.unknowns), count, rng, lambda power: watch(power**SLOWLY), cheap)
    weights, unexplained = _compare_results(likelihood, found.normal, seed)
    rows = resample(weights, rng, samples)
    fits = likelihood.fit_growths(found.normal) | likelihood.fit_parts(found.normal)
    # A result alone is as strange as all results together.
    strange = {f"growth {number}": unexplained for number in range(1, len(trials.growths) + 1)}
    strange |= {name: float(fit.strange[rows].mean()) for name, fit in fits.items()}
    normal = found.normal[rows]
    different = len(np.unique(normal, axis=0))
    return Posterior(
        tube,
        _widened(normal, different, rng),
        different,
        strange,
        likelihood.grown,
        unexplained,
        _results(trials, None),
    )


def _compare_results(likelihood: Likelihood, normal: Floats, seed: int) -> tuple[Floats, float]:
    """Weigh samples by how often they reach the goal, against how often the tube did: each grows several times.

    Returns:
        Weights of the samples, and the probability that no sample tells the success of the tube.
    """
    trials, tube = likelihood.trials, likelihood.tube
    fit, alone = np.zeros(len(normal)), 0.0
    for pressures in dict.fromkeys(growth.pressures for growth in trials.growths):
        reached, missed = _results(trials, pressures)
        if reached + missed:
            reaching = _grow_each(tube, normal, Setting(with_pressures(tube.design, pressures)), GROWTHS, seed + 1)
            fit = fit + _log_chance(reaching, reached, missed)
            alone += float(betaln(reached + UNKNOWN, missed + UNKNOWN) - betaln(UNKNOWN, UNKNOWN))
            likelihood.grown += reaching.size * GROWTHS
    if not any(growth.reached is not None for growth in trials.growths):
        return np.ones(len(normal)), 0.0
    wrong, right = np.log(WRONG) + alone, np.log(1 - WRONG) + logsumexp(fit) - np.log(len(fit))
    return np.exp(fit - fit.max()), float(np.exp(wrong - np.logaddexp(wrong, right)))


def _log_chance(reaching: Floats, reached: int, missed: int) -> Floats:
    """Return the logarithm of the probability of results for each sample, shape (samples,).

    Of a few growths the success of a sample is known badly: its prior is the beta distribution of that of all samples. Any growth is
    strange with the probability `STRANGE`, and then reaches the goal or does not.

    Args:
        reaching: Share of `GROWTHS` growths of each sample that reach the goal [-].
    """
    first, second = beta_of_tubes(reaching, GROWTHS)
    hits = np.arange(GROWTHS + 1)
    middles = (np.arange(PARTS) + 0.5) / PARTS
    success = beta.ppf(middles[:, None], first + hits, second + GROWTHS - hits)
    chance = (1 - STRANGE) * success + STRANGE / 2
    logarithm = logsumexp(reached * np.log(chance) + missed * np.log1p(-chance), axis=0) - np.log(PARTS)
    return np.asarray(logarithm[np.rint(reaching * GROWTHS).astype(int)])


def _results(trials: Trials, pressures: tuple[float, ...] | None) -> tuple[int, int]:
    """Return how many growths with some pressures reached the goal, and how many missed it."""
    known = [
        growth.reached for growth in trials.growths if growth.pressures == pressures and growth.reached is not None
    ]
    return sum(known), len(known) - sum(known)


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
    """Predict the success of the built tube, also with other settings.

    Args:
        setting: See `BuiltTube.grow`; None for the design as it is, for which measured results count.
        growths: Number of growths of each sample.
    """
    each = _grow_each(posterior.tube, posterior.normal, setting, growths, seed)
    return SuccessRange(each, growths, posterior.unexplained, (0, 0) if setting else posterior.results)


def _grow_each(tube: BuiltTube, normal: Floats, setting: Setting | None, growths: int, seed: int) -> Floats:
    """Return the share of several growths of each sample that reach the goal [-], shape (samples,)."""
    # Each growth has numbers of its own: with common ones, the shares of samples would say too little of how chance alone varies them.
    every = np.repeat(normal, growths, axis=0)
    passing = np.random.default_rng([seed, 9]).standard_normal(every.shape)
    predicted = tube.grow(tube.pair(every, passing), setting)
    return np.asarray((predicted.nearest <= 0.0).reshape(len(normal), growths).mean(axis=1))
