"""Success rate over the size of deviations: the grid of paper 002, Fig. 9, and one source of error at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.stats import binomtest

from environments.environment import Environment
from planner.design import Design
from planner.robustness.trials import HANDMADE, Deviations, Outcome, Spread, grow_trials

BATCH = 100
"""Number of trials in a batch."""
EACH = 0.1
"""Level of a single source of error [-]."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A success rate from trials."""

    reached: int
    trials: int

    @property
    def rate(self) -> float:
        """Share of the trials that reached the goal."""
        return self.reached / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the rate (Wilson)."""
        low, high = binomtest(self.reached, self.trials).proportion_ci(0.95, "wilson")
        return float(low), float(high)

    def words(self, unit: str = "") -> str:
        """The rate in percent, optionally with a unit, and the interval in brackets."""
        low, high = self.interval
        return f"{100 * self.rate:.1f}{unit} ({100 * low:.1f} ... {100 * high:.1f})"

    def __str__(self) -> str:
        return self.words(" %")


def sources(start: float = 5e-3, heading: float = np.radians(1.0)) -> dict[str, Spread]:
    """Each source of error alone, by name.

    Args:
        start: Standard deviation of the base's position [m].
        heading: Standard deviation of the base's direction [rad].
    """
    return {
        f"obstacles {100 * EACH:g} %": Spread(obstacles=EACH),
        f"pressure {100 * EACH:g} %": Spread(pressure=EACH),
        f"cell length {100 * EACH:g} %": Spread(cell=EACH),
        f"start {1e3 * start:g} mm": Spread(start=start),
        f"heading {np.degrees(heading):g} deg": Spread(heading=heading),
        "made by hand": HANDMADE,
    }


@dataclass(slots=True)
class Survey:
    """The trials of a design and their results; iterate over `run` to grow them."""

    design: Design
    environment: Environment
    spreads: dict[str, Spread]
    """Spreads by name; `cell_name` gives the names of the grid's cells."""
    trials: int
    seed: int = 0
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    """Number of trials of each spread by result (`Outcome.counts`), including spreads in progress."""
    broken: list[str] = field(default_factory=list)
    """How the growth ended in every trial with non-finite values."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Computing time of each spread [s]."""

    @classmethod
    def of(
        cls,
        design: Design,
        environment: Environment,
        levels: Sequence[float],
        trials: int,
        seed: int = 0,
        alone: Mapping[str, Spread] | None = None,
        tolerances: Spread | None = None,
    ) -> Survey:
        """A survey of each source of error alone, followed by the grid of levels.

        Args:
            levels: Levels of both obstacles and bending [-].
            alone: Single sources of error, by name; by default all of `sources`.
            tolerances: Fabrication tolerances; their `length` and `turn` apply to every trial.
        """
        grid = {cell_name(one, other): Spread.of_levels(one, other) for one in levels for other in levels}
        spreads = dict(sources() if alone is None else alone) | grid
        if tolerances not in (None, Spread()):  # otherwise "made by hand" would be tried without its own tolerances
            kept = {"length": tolerances.length, "turn": tolerances.turn}
            spreads = {name: replace(spread, **kept) for name, spread in spreads.items()}
        return cls(design, environment, spreads, trials, seed)

    def run(self) -> Iterator[int]:
        """Grow all batches of trials; after each batch, yields its number of trials."""
        for name, rows in self.batches():
            start = time.perf_counter()
            outcome = self.outcome(self.spreads[name], rows)
            counts = outcome.counts()
            self.broken += outcome.broken.values()
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
            before = self.counts.get(name, {})
            self.counts[name] = {way: before.get(way, 0) + count for way, count in counts.items()}
            yield len(rows)

    def batches(self) -> list[tuple[str, range]]:
        """Batches of trials: the name of the spread, and the trial numbers."""
        firsts = range(0, self.trials, BATCH)
        return [(name, range(one, min(one + BATCH, self.trials))) for name in self.spreads for one in firsts]

    def outcome(self, spread: Spread, trials: Sequence[int]) -> Outcome:
        """Grow trials of a spread, given their numbers."""
        return grow_trials(
            self.design,
            self.environment,
            Deviations.drawn(self.design, self.environment, spread, trials, self.seed),
        )

    def estimate(self, name: str) -> Estimate | None:
        """Success rate of a spread, from the trials done so far; None without trials."""
        counts = self.counts.get(name)
        return Estimate(counts["reached"], sum(counts.values())) if counts else None

    def complete(self, name: str) -> bool:
        """Whether all trials of a spread are done."""
        return sum(self.counts.get(name, {}).values()) == self.trials

    @property
    def done(self) -> int:
        """Number of trials done, of all spreads."""
        return sum(sum(counts.values()) for counts in self.counts.values())

    @property
    def asked(self) -> int:
        """Number of trials of all spreads."""
        return self.trials * len(self.spreads)


def cell_name(obstacles: float, bending: float) -> str:
    """Name of a cell of the grid."""
    return f"{100 * obstacles:g} % / {100 * bending:g} %"
