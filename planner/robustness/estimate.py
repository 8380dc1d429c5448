"""Success rates from trials, with their confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import binomtest


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
        low, high = binomtest(self.reached, self.trials).proportion_ci(0.95, "wilson")
        return float(low), float(high)

    def words(self, unit: str = "") -> str:
        """The rate in percent, optionally with a unit, and the interval in brackets."""
        low, high = self.interval
        return f"{100 * self.rate:.1f}{unit} ({100 * low:.1f} ... {100 * high:.1f})"

    def __str__(self) -> str:
        return self.words(" %")
