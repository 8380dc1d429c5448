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
"""Moves after all others that draw half of the unknowns of which the samples tell little again."""
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
    cheap: LogLikelihood | None = None,
) -> Tempered:
    """Draw samples of the posterior.

    Args:
        unknowns: Number of unknowns, at least 1.
        samples: Number of samples; the likelihood of each is computed at most `MOVES` times a step.
        watch: Called with the power reached, after each step.
        cheap: Another factor of the likelihood, which takes no time: its posterior is sampled first, and moves that it rejects are not
            tried with the other factor (delayed acceptance: Christen and Fox 2005).
    """
    normal, steps = rng.standard_normal((samples, unknowns)), 0
    if cheap is not None:
        walk = _Walk(normal, cheap, None, rng)
        walk.rise(lambda _: None)
        normal, steps = walk.normal, walk.steps
    walk = _Walk(normal, log_likelihood, cheap, rng)
    walk.rise(watch)
    return Tempered(walk.normal, len(np.unique(walk.normal, axis=0)), steps + walk.steps)


class _Walk:
    """Samples on their way from one distribution to its product with a likelihood."""

    def __init__(
        self, normal: Floats, costly: LogLikelihood, cheap: LogLikelihood | None, rng: np.random.Generator
    ) -> None:
        """Compute the likelihoods of samples of the first distribution: the prior, or the prior times a cheap likelihood."""
        self.normal, self.rng = normal, rng
        self.costly, self.cheap = costly, cheap
        self.value = costly(normal)
        self.length, self.steps = 0.5, 0

    def rise(self, watch: Callable[[float], None]) -> None:
        """Take the power of the costly likelihood from 0 to 1."""
        power = 0.0
        while power < 1.0:
            step = _next_step(self.value, power) if self.steps < MOST_STEPS else 1.0 - power
            rows = resample(np.exp(step * (self.value - self.value.max())), self.rng)
            self.normal, self.value = self.normal[rows], self.value[rows]
            power, self.steps = power + step, self.steps + 1
            for _ in range(MOVES if power < 1.0 else LAST_MOVES):
                self._move(power)
            watch(power)
        for _ in range(REFRESHED):
            self._refresh()

    def _move(self, power: float) -> None:
        """Move the samples once, and adapt the length of moves to the share that is accepted."""
        normal, length = self.normal, self.length
        told, middle, spread = _find_told(normal)
        fresh, along = self.rng.standard_normal(normal.shape), normal @ told
        kept = np.sqrt(1 - length**2)
        moved = kept * normal + length * fresh
        moved += (middle + kept * (along - middle) + length * spread * (fresh @ told) - moved @ told) @ told.T

        def log_ratio(rows: Floats) -> Floats:
            """Logarithm of the prior over the distribution that moves keep."""
            part = rows @ told
            return np.asarray(0.5 * (((part - middle) / spread) ** 2 - part**2).sum(axis=1))

        accepted = self._accept(moved, log_ratio(moved) - log_ratio(normal), power)
        self.length = float(np.clip(length * np.exp(accepted - ACCEPTED), 0.02, 1.0))

    def _refresh(self) -> None:
        """Draw unknowns of which the samples tell little again, another half of them for each sample.

        Samples that were drawn several times are still alike in these, since moves along all unknowns are short: their means would seem
        told.
        """
        little = np.abs(self.normal.mean(axis=0)) + np.abs(1 - self.normal.std(axis=0)) < LITTLE
        anew = little & (self.rng.random(self.normal.shape) < 0.5)
        self._accept(np.where(anew, self.rng.standard_normal(self.normal.shape), self.normal), 0.0, 1.0)

    def _accept(self, moved: Floats, log_ratio: Floats | float, power: float) -> float:
        """Accept moves by the cheap likelihood, and those that it accepts by the costly one; return the share accepted of all.

        Args:
            log_ratio: Logarithm of the ratio of the prior, corrected for the moves.
            power: Of the costly likelihood.
        """
        left, change = np.arange(len(moved)), np.broadcast_to(log_ratio, len(moved))
        if self.cheap is not None:
            first = self.cheap(moved) - self.cheap(self.normal) + change
            left = np.flatnonzero(np.log(self.rng.random(len(moved))) < first)
            change = np.zeros(len(moved))
        if not left.size:
            return 0.0
        value = self.costly(moved[left])
        better = np.log(self.rng.random(len(left))) < power * (value - self.value[left]) + change[left]
        rows = left[better]
        self.normal[rows], self.value[rows] = moved[rows], value[better]
        return len(rows) / len(moved)


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


def resample(weights: Floats, rng: np.random.Generator, count: int | None = None) -> np.ndarray:
    """Draw indices by weights, systematically: as many as there are weights, or `count`."""
    count = count or len(weights)
    ends = np.cumsum(weights / weights.sum())
    at = (rng.random() + np.arange(count)) / count
    return np.minimum(np.searchsorted(ends, at), len(weights) - 1)


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
