"""Success rates from trials, with their confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from scipy.special import ndtri

CONFIDENCE = 0.95
"""Probability with which the interval of a rate contains it [-]."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A success rate from trials."""

    reached: int
    """Number of trials that reached the goal."""
    trials: int
    """Number of all trials."""

    @property
    def rate(self) -> float:
        """Share of the trials that reached the goal [-]."""
        return self.reached / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the rate [-] (Wilson 1927).

        `scipy.stats` has it too, but to import that takes 19 MB and half a second at the start of every command.
        """
        rate, n, z = self.rate, self.trials, float(ndtri(0.5 + 0.5 * CONFIDENCE))
        whole = 2 * (n + z**2)
        middle, half = (2 * n * rate + z**2) / whole, z / whole * sqrt(4 * n * rate * (1 - rate) + z**2)
        return 0.0 if self.reached == 0 else middle - half, 1.0 if self.reached == n else middle + half

    def words(self, unit: str = "") -> str:
        """The rate in percent, optionally with a unit, and the interval in brackets."""
        low, high = self.interval
        return f"{100 * self.rate:.1f}{unit} ({100 * low:.1f} ... {100 * high:.1f})"

    def __str__(self) -> str:
        return self.words(" %")
