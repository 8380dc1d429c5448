"""Success rates from trials, with their confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

UNTRIED = "not tried under errors: run `vinewright robustness ENV DESIGN`"
"""Text for a design without trials."""


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
        """95 % confidence interval of the rate [-] (Wilson)."""
        from scipy.stats import binomtest  # takes longer to import than many commands

        low, high = binomtest(self.reached, self.trials).proportion_ci(0.95, "wilson")
        return float(low), float(high)

    def words(self, unit: str = "") -> str:
        """Return the rate in percent, optionally with a unit, and the interval in brackets."""
        low, high = self.interval
        return f"{100 * self.rate:.1f}{unit} ({100 * low:.1f} ... {100 * high:.1f})"

    def __str__(self) -> str:
        return self.words(" %")


@dataclass(frozen=True, slots=True)
class Success:
    """Success rate of a design in trials with errors."""

    errors: str
    """Name of the errors."""
    reached: int
    """Number of trials that reached the goal."""
    trials: int
    """Number of all trials."""
    weakest: str | None = None
    """The error that the design tolerates least, in words; None if it is not known."""

    @property
    def rate(self) -> float:
        """Share of the trials that reached the goal [-]."""
        return self.reached / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the rate [-] (Wilson)."""
        return Estimate(self.reached, self.trials).interval

    @property
    def words(self) -> str:
        """Rate and interval in whole percent, rounded against the design, and the weakest point, as text."""
        low, high = self.interval
        rate = 100 * self.reached // self.trials
        trials = f"{self.trials:,}".replace(",", " ")
        weakest = f"; weakest: {' '.join(self.weakest.split())}" if self.weakest else ""
        return (
            f"reaches the goal in {rate} % ({math.floor(100 * low)}-{math.ceil(100 * high)}) of {trials} trials under "
            f"{' '.join(self.errors.split())} errors{weakest}"
        )
