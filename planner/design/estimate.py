"""Success rates from trials, with their confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

UNTRIED = "not tried under errors: run `vinewright robustness ENV DESIGN`"
"""Text for a design without trials."""


NONE_STANDS_OUT = "no single error stands out"
"""Text for a design of which some trials fail, by chance or by several errors together."""
SHOWN_ERRORS = 5
"""Number of errors in a list, at most."""


@dataclass(frozen=True, slots=True)
class Influence:
    """An error on which success in trials depends."""

    words: str
    """Error and its size in missed trials, for example `heading, 8.8 degrees clockwise or anticlockwise`."""
    share: float
    """Share of the variance of success that it explains alone [-]."""
    interval: tuple[float, float]
    """95 % confidence interval of the share [-]."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        low, high = self.interval
        return {"error": self.words, "share": round(self.share, 4), "interval_95": [round(low, 4), round(high, 4)]}

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.words}: {100 * self.share:.0f} % ({100 * low:.0f} ... {100 * high:.0f})"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A success rate from trials."""

    reached: int
    """Number of trials that reached the goal."""
    trials: int
    """Number of all trials."""
    influences: tuple[Influence, ...] | None = None
    """Errors on which success depends, the largest share first; None if they were not looked for."""

    @property
    def rate(self) -> float:
        """Share of the trials that reached the goal [-]."""
        return self.reached / self.trials

    @property
    def weakest(self) -> str | None:
        """The error with the largest share, or `NONE_STANDS_OUT`; None if they were not looked for, or no trial or every one failed."""
        if self.influences is None or self.reached in (0, self.trials):
            return None
        return self.influences[0].words if self.influences else NONE_STANDS_OUT

    @property
    def influence_lines(self) -> list[str]:
        """Lines with the errors on which success depends, for a terminal or Markdown; none where there are none."""
        few = (self.influences or ())[:SHOWN_ERRORS]
        more = len(self.influences or ()) - len(few)
        lines = [
            "Errors that decide, each with the share of the variance of success that it explains alone (95 % interval):"
        ]
        lines += [f"{k}. {one}" for k, one in enumerate(few, 1)] + [f"... and {more} more"] * (more > 0)
        return lines if few else []

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
    """The error on which success depends most, in words, or `NONE_STANDS_OUT`; None if it is not known."""

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
        named = "" if self.weakest == NONE_STANDS_OUT else "weakest: "
        weakest = f"; {named}{' '.join(self.weakest.split())}" if self.weakest else ""
        return (
            f"reaches the goal in {rate} % ({math.floor(100 * low)}-{math.ceil(100 * high)}) of {trials} trials under "
            f"{' '.join(self.errors.split())} errors{weakest}"
        )
