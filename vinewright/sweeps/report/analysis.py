"""Statistics of a sweep's table: means per value of a factor, differences between pairs of cases, and correlations with success.

Cases in the same environment are not independent: intervals come from the bootstrap over environments. Random environments with
the same passage and seed have the same start and goal, and count as one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from surrogate.kernels.compiled import Floats
from vinewright.sweeps.case import Row, Value
from vinewright.sweeps.report.paired import PairedEffect

Mask = NDArray[np.bool_]
Interval = tuple[float, float]
RESAMPLES = 2000
REPEATS = {"seed", "environment_seed", "first_trial"}
"""Factors whose values only repeat a case, and are of no interest themselves."""
OF_RANDOM = {"density", "passage_mm"}
"""Factors that only random environments have."""
NAMES = {"environment", "tube", "design"}
"""Factors whose values are names."""
FEW = 12
"""Maximum number of names that are reported as values of a factor."""
LEAST = 5
"""Minimum number of designs for a correlation, and of environments for an interval."""
FEATURES = "actuators", "length_mm", "contact_share", "greatest_contact_force_n", "drive_margin"
"""Properties of a design as planned whose correlation with success is reported."""
COMPARED = {"success": "%", "actuators": "", "length_mm": "mm", "contact_share": ""}
"""Quantities by which pairs of cases are compared, with units."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over cases, with its 95 % bootstrap interval."""

    value: float
    interval: Interval
    count: int


@dataclass(frozen=True, slots=True)
class FactorCell:
    """Cases with the same value of a factor."""

    value: Value
    cases: int
    found: int
    """Number of cases with a design."""
    success: Mean | None
    """Share of trials that reached the goal, over the designs [%]; None without trials."""
    actuators: Mean | None
    """None without a design."""


@dataclass(frozen=True)
class SweepTable:
    """The table of a sweep, by columns."""

    rows: Sequence[Row]
    factors: Sequence[str]
    """Names of the columns that distinguish cases."""

    @cached_property
    def varied(self) -> list[str]:
        """Factors of interest with several values."""
        several = [name for name in self.factors if len(self.values(name)) > 1 and name not in REPEATS]
        # Other environments lack the factors of random environments: a number and its absence are no variation.
        several = [name for name in several if name not in OF_RANDOM or len(self.quantities(name)) > 1]
        if None not in self.values("density"):
            several = [name for name in several if name != "environment"]
        return [name for name in several if name not in NAMES or len(self.values(name)) <= FEW]

    @cached_property
    def numeric(self) -> list[str]:
        """Varied factors that are quantities."""
        return [
            name for name in self.varied if all(_is_number(value) for value in self.values(name) if value is not None)
        ]

    @cached_property
    def everything(self) -> Mask:
        """Mask that selects all cases."""
        return np.ones(len(self.rows), bool)

    def quantities(self, name: str) -> list[float]:
        """Return the distinct numbers of a column, in ascending order."""
        values = self.column(name)
        return sorted({float(value) for value in values[np.isfinite(values)]})

    @cached_property
    def groups(self) -> dict[str, Mask]:
        """Masks of the cases by the combination of factors that are no quantities, such as options; all cases without such a factor."""
        names = [name for name in self.varied if name not in self.numeric and name not in NAMES]
        keys = [", ".join(f"{name} = {value_text(row.get(name))}" for name in names) for row in self.rows]
        return {key or "all": np.array([own == key for own in keys]) for key in dict.fromkeys(keys)}

    def values(self, name: str) -> list[Value]:
        """Return the distinct values of a column, in the order of the cases."""
        return list(dict.fromkeys(row.get(name) for row in self.rows))

    def column(self, name: str) -> Floats:
        """Return a column of numbers, with NaN for a missing number."""
        if name == "success":
            return 100 * self.column("reached") / self.column("trials")
        return np.array([float(row.get(name)) if _is_number(row.get(name)) else np.nan for row in self.rows])  # type: ignore[arg-type]

    @cached_property
    def environments(self) -> NDArray[np.int64]:
        """Number of each case's environment; environments with the same start and goal share a number."""
        random = [row.get("density") is not None for row in self.rows]
        names = [
            f"{row['passage_mm']} {row['environment_seed']}" if drawn else f"{row['environment']}"
            for row, drawn in zip(self.rows, random, strict=True)
        ]
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def has_trials(self) -> bool:
        """Whether designs were grown with errors."""
        return bool(np.isfinite(self.column("success")).any())

    # ---- means ----

    def cells(self, factor: str, where: Mask) -> list[FactorCell]:
        """Return the means over the selected cases for each value of a factor."""
        values = self.quantities(factor) if factor in self.numeric else self.values(factor)
        return [self.cell(value, where & self.equal(factor, value)) for value in values]

    def equal(self, factor: str, value: Value) -> Mask:
        """Return the mask of the cases with a value of a factor."""
        return np.array([row.get(factor) == value for row in self.rows])

    def cell(self, value: Value, which: Mask) -> FactorCell:
        """Return the means over the selected cases."""
        found = which & np.isfinite(self.column("actuators"))
        return FactorCell(
            value, int(which.sum()), int(found.sum()), self.mean("success", found), self.mean("actuators", found)
        )

    def mean(self, name: str, which: Mask) -> Mean | None:
        """Return the mean of a column over the selected cases; None if the column is empty there."""
        values = self.column(name)
        known = which & np.isfinite(values)
        if not known.any():
            return None
        interval = self.interval(known, lambda rows: float(values[rows].mean()))
        return Mean(float(values[known].mean()), interval, int(known.sum()))

    def interval(self, which: Mask, statistic: Callable[[NDArray[np.int64]], float]) -> Interval:
        """Return the 95 % interval of a statistic of the selected cases, by the bootstrap over environments; NaN for few environments."""
        rng, rows = np.random.default_rng(0), np.flatnonzero(which)
        own = [rows[self.environments[rows] == number] for number in np.unique(self.environments[rows])]
        found: list[float] = []
        for _ in range(RESAMPLES if len(own) >= LEAST else 0):
            drawn = np.concatenate([own[k] for k in rng.integers(len(own), size=len(own))])
            found.append(statistic(drawn))
        if not np.isfinite(found).any():
            return np.nan, np.nan
        low, high = np.nanquantile(found, [0.025, 0.975])
        return float(low), float(high)

    # ---- relations ----

    def correlation(self, name: str, which: Mask) -> Mean | None:
        """Return Spearman's rank correlation of a column with success; None if either does not vary, or for few designs."""
        values, success = self.column(name), self.column("success")
        known = which & np.isfinite(values) & np.isfinite(success)

        def statistic(rows: NDArray[np.int64]) -> float:
            x, y = rankdata(values[rows]), rankdata(success[rows])
            spread = x.std() * y.std()
            return float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread else np.nan

        value = statistic(np.flatnonzero(known)) if known.sum() >= LEAST else np.nan
        return Mean(value, self.interval(known, statistic), int(known.sum())) if np.isfinite(value) else None

    def slopes(self, which: Mask) -> dict[str, Mean]:
        """Return the change of the number of actuators per unit of each numeric factor, from a linear fit to the cases with all factors."""
        columns = np.array([np.ones(len(self.rows)), *(self.column(name) for name in self.numeric)])
        actuators = self.column("actuators")
        known = which & np.isfinite(actuators) & np.isfinite(columns).all(axis=0)
        if known.sum() <= len(columns) + 1:
            return {}

        def fit(rows: NDArray[np.int64]) -> Floats:
            return np.asarray(np.linalg.lstsq(columns[:, rows].T, actuators[rows], rcond=None)[0])

        best = fit(np.flatnonzero(known))
        return {
            name: Mean(float(best[k]), self.interval(known, lambda rows, k=k: float(fit(rows)[k])), int(known.sum()))  # type: ignore[misc]
            for k, name in enumerate(self.numeric, start=1)
        }

    def slope_within(self, name: str, which: Mask) -> Mean | None:
        """Return the change of the number of actuators per unit of a quantity within environments; None if it does not vary within them.

        The linear fit has a separate constant for each environment, so that environments that are hard for all cases do not count.
        """
        values, actuators = self.column(name), self.column("actuators")
        known = which & np.isfinite(values) & np.isfinite(actuators)
        layouts = np.unique([str(row["environment"]) for row in self.rows], return_inverse=True)[1]
        x, y = np.zeros(len(values)), np.zeros(len(values))
        for layout in np.unique(layouts[known]):
            own = known & (layouts == layout)
            if np.ptp(values[own]):
                x[own], y[own] = values[own] - values[own].mean(), actuators[own] - actuators[own].mean()
        if not x.any():
            return None

        def statistic(rows: NDArray[np.int64]) -> float:
            spread = float(x[rows] @ x[rows])
            return float(x[rows] @ y[rows]) / spread if spread else np.nan

        return Mean(statistic(np.flatnonzero(known)), self.interval(known, statistic), int(known.sum()))

    def paired_effects(self, first_group: Mask, second_group: Mask) -> dict[str, tuple[PairedEffect, int]]:
        """Return the effects of a change of group: second less first, over the pairs of cases that differ only in the group.

        Differences are averaged within each environment first, since its cases are not independent.

        Returns:
            The effect on each of `COMPARED` for which both cases have a value, and the number of pairs.
        """
        names = [name for name in self.factors if name in {*self.numeric, *NAMES, *REPEATS}]
        keys = [tuple(row.get(name) for name in names) for row in self.rows]
        first = {keys[k]: k for k in np.flatnonzero(first_group).tolist()}
        pairs = [(first[keys[k]], k) for k in np.flatnonzero(second_group).tolist() if keys[k] in first]
        effects = {}
        for name in COMPARED:
            values = self.column(name)
            both = [(a, b) for a, b in pairs if np.isfinite(values[a]) and np.isfinite(values[b])]
            if both:
                differences = np.array([values[b] - values[a] for a, b in both])
                own = self.environments[[a for a, _ in both]]
                means = [float(differences[own == number].mean()) for number in np.unique(own)]
                effects[name] = PairedEffect.of(means, [""] * len(means)), len(both)
        return effects

    @cached_property
    def pairs_of_groups(self) -> list[tuple[str, str]]:
        """Pairs of groups, by name; empty if there are many groups."""
        return list(combinations(self.groups, 2)) if len(self.groups) <= 4 else []


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def value_text(value: Value) -> str:
    """Return a value as it is written in a study file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
