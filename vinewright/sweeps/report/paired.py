"""The effect of a change over pairs of runs that differ in nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

EXACT = 12
"""Maximum number of pairs for which every combination of signs is counted; for more, a random sample is."""
SAMPLES = 20_000


@dataclass(frozen=True, slots=True)
class PairedEffect:
    """Mean difference over pairs of runs, with its interval and p-value."""

    mean: float
    interval: tuple[float, float]
    """Its 95 % interval by the bootstrap: pairs are drawn again within each group."""
    p: float
    """Share of the combinations of signs whose mean is at least as far from 0: a two-sided permutation test."""

    @classmethod
    def of(cls, differences: Sequence[float], groups: Sequence[str]) -> PairedEffect:
        """Compute the effect over at least one pair.

        Args:
            differences: After less before, one per pair.
            groups: Group of each pair, for example its environment.
        """
        values, rng = np.array(differences, float), np.random.default_rng(0)
        sums = np.zeros(SAMPLES)
        for group in dict.fromkeys(groups):
            own = values[[name == group for name in groups]]
            sums += rng.choice(own, (SAMPLES, len(own))).sum(axis=1)
        low, high = np.quantile(sums / len(values), [0.025, 0.975])
        if len(values) <= EXACT:
            signs = 1 - 2 * (np.arange(2 ** len(values))[:, None] >> np.arange(len(values)) & 1)
        else:
            signs = rng.choice([-1, 1], (SAMPLES, len(values)))
            signs[0] = 1  # the combination that was seen
        as_far = np.abs(signs @ values) >= np.abs(values.sum()) * (1 - 1e-9)
        return cls(float(values.mean()), (float(low), float(high)), float(as_far.mean()))


def sign_test(more: int, less: int) -> float:
    """Return the probability of such a difference or a larger difference if both signs are equally likely (two-sided, exact)."""
    return float(binomtest(more, more + less).pvalue) if more + less else 1.0
