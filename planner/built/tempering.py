"""Samples of a posterior under a standard normal prior, by tempering (sequential Monte Carlo).

The likelihood is taken to a power that rises from 0 to 1 in steps which keep half of the samples effective. After each step samples are
drawn again by their weights and moved by Metropolis steps that keep the prior (preconditioned Crank-Nicolson: Cotter, Roberts, Stuart and
White 2013), so that the number of unknowns costs nothing where trials say nothing about them. Samplers of libraries (`particles`,
`blackjax`, `pocomc`) have no such step for a likelihood that simulates all samples at once, or need JAX or PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surrogate.kernels.compiled import Floats

LogLikelihood = Callable[[Floats], Floats]
"""Logarithm of the likelihood of each row of standard normal numbers, shape (samples, unknowns); returns shape (samples,)."""
EFFECTIVE = 0.5
"""Share of the samples that stay effective in a step [-]."""
MOVES, LAST_MOVES = 3, 6
"""Metropolis moves after each step, and after the last one."""
ACCEPTED = 0.25
"""Share of moves to be accepted [-]: the length of moves follows it."""
REFRESHED = 4
"""Moves after all others that draw half of the unknowns anew of which the samples tell little."""
LITTLE = 1.0
"""Shift of the mean plus change of the standard deviation below which samples tell little of an unknown [-]."""
TESTED = 5
"""Number of samples for each unknown among which directions are looked for: the unknowns that moved most."""
NARROW = 0.2
"""Variance below which a direction counts as one of which trials say something, relative to the smallest one by chance [-]: samples that
were drawn several times vary less than as many independent ones."""
LEAST_SPREAD = 0.01
"""Smallest standard deviation of moves along such a direction [-]."""
MOST_STEPS = 40
"""Number of steps after which the power is set to 1 whatever is left: an observation that no sample explains."""


@dataclass(frozen=True, slots=True, eq=False)
class Tempered:
    """Samples of a posterior, all of the same weight."""

    normal: Floats
    """Standard normal numbers of the prior, shape (samples, unknowns)."""
    different: int
    """Number of samples that differ: copies that no move has parted count once."""
    steps: int
    """Number of steps of the power."""


def effective_size(weights: Floats) -> float:
    """Return the effective number of samples of weights that need not be normalised (Kong 1992)."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def temper(
    log_likelihood: LogLikelihood,
    unknowns: int,
    samples: int,
    rng: np.random.Generator,
    watch: Callable[[float], None] = lambda _: None,
) -> Tempered:
    """Draw samples of the posterior.

    Args:
        unknowns: Number of unknowns, at least 1.
        samples: Number of samples; the likelihood of each is computed some `MOVES` times a step.
        watch: Called with the power reached, after each step.
    """
    normal = rng.standard_normal((samples, unknowns))
    likelihood = log_likelihood(normal)
    power, length, steps = 0.0, 0.5, 0
    while power < 1.0:
        step = _next_step(likelihood, power) if steps < MOST_STEPS else 1.0 - power
        chosen = _resample(np.exp(step * (likelihood - likelihood.max())), rng)
        normal, likelihood = normal[chosen], likelihood[chosen]
        power, steps = power + step, steps + 1
        for _ in range(MOVES if power < 1.0 else LAST_MOVES):
            normal, likelihood, accepted = _move(log_likelihood, normal, likelihood, power, length, rng)
            length = float(np.clip(length * np.exp(accepted - ACCEPTED), 0.02, 1.0))
        watch(power)
    for _ in range(REFRESHED):
        normal, likelihood = _refresh(log_likelihood, normal, likelihood, rng)
    return Tempered(normal, len(np.unique(normal, axis=0)), steps)


def _next_step(likelihood: Floats, power: float) -> float:
    """Return the largest step of the power that keeps `EFFECTIVE` of the samples, by bisection; at most to 1."""
    low, high = 0.0, 1.0 - power
    centred = likelihood - likelihood.max()

    def enough(step: float) -> bool:
        return effective_size(np.exp(step * centred)) >= EFFECTIVE * len(likelihood)

    if enough(high):
        return high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return max(low, 1e-9)


def _resample(weights: Floats, rng: np.random.Generator) -> np.ndarray:
    """Draw as many samples as there are weights, systematically."""
    ends = np.cumsum(weights / weights.sum())
    at = (rng.random() + np.arange(len(weights))) / len(weights)
    return np.minimum(np.searchsorted(ends, at), len(weights) - 1)


def _move(
    log_likelihood: LogLikelihood,
    normal: Floats,
    likelihood: Floats,
    power: float,
    length: float,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, float]:
    """Move the samples once; return samples, likelihoods and the share of moves accepted.

    Args:
        length: Length of the move [-]: 1 draws samples anew.
    """
    told, middle, spread = _find_told(normal)
    fresh, along = rng.standard_normal(normal.shape), normal @ told
    kept = np.sqrt(1 - length**2)
    moved = kept * normal + length * fresh
    moved += (middle + kept * (along - middle) + length * spread * (fresh @ told) - moved @ told) @ told.T
    there = log_likelihood(moved)

    def log_ratio(rows: Floats) -> Floats:
        """Logarithm of the prior over the distribution that moves keep."""
        part = rows @ told
        return np.asarray(0.5 * (((part - middle) / spread) ** 2 - part**2).sum(axis=1))

    change = power * (there - likelihood) + log_ratio(moved) - log_ratio(normal)
    accepted = np.log(rng.random(len(normal))) < change
    normal, likelihood = np.where(accepted[:, None], moved, normal), np.where(accepted, there, likelihood)
    return normal, likelihood, float(accepted.mean())


def _refresh(
    log_likelihood: LogLikelihood, normal: Floats, likelihood: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw unknowns anew of which the samples tell little, another half of them for each sample; return samples and likelihoods.

    Samples that were drawn several times are still alike in these, since moves along all unknowns are short: their means would seem told.
    """
    little = np.abs(normal.mean(axis=0)) + np.abs(1 - normal.std(axis=0)) < LITTLE
    anew = little & (rng.random(normal.shape) < 0.5)
    moved = np.where(anew, rng.standard_normal(normal.shape), normal)
    there = log_likelihood(moved)
    accepted = np.log(rng.random(len(normal))) < there - likelihood
    return np.where(accepted[:, None], moved, normal), np.where(accepted, there, likelihood)


def _find_told(normal: Floats) -> tuple[Floats, Floats, Floats]:
    """Find the directions of which the likelihood says more than chance: those in which samples are narrower than the prior.

    Moves keep the spread of the samples there, and the prior in all other directions (Cui, Law and Marzouk 2016). The smallest variance of
    standard normal samples by chance is that of Marchenko and Pastur (1967).

    Returns:
        Orthonormal directions, shape (unknowns, k), and the mean and standard deviation along each, shape (k,).
    """
    samples, unknowns = normal.shape
    moved = np.abs(normal.mean(axis=0)) + np.maximum(1 - normal.std(axis=0), 0.0)
    chosen = np.sort(np.argsort(-moved)[: max(samples // TESTED, 1)])
    variance, directions = np.linalg.eigh(np.cov(normal[:, chosen].T).reshape(len(chosen), len(chosen)))
    narrow = variance < NARROW * (1 - np.sqrt(len(chosen) / samples)) ** 2
    told = np.zeros((unknowns, int(narrow.sum())))
    told[chosen] = directions[:, narrow]
    along = normal @ told
    return told, along.mean(axis=0), np.maximum(along.std(axis=0), LEAST_SPREAD)
