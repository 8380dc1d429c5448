"""Statistics of a sweep's table: means over what varies, differences between pairs of cases, and what goes with success.

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
from vinewright.sweeps.report.paired import Effect

Mask = NDArray[np.bool_]
Interval = tuple[float, float]
RESAMPLES = 2000
REPEATS = {"seed", "environment_seed", "first_trial"}
"""Factors whose values are repeats of the same, and no quantity of interest."""
OF_RANDOM = {"density", "passage_mm"}
"""Factors of random environments alone."""
NAMES = {"environment", "tube", "design"}
FEW = 12
"""Maximum number of environments that are a factor by themselves."""
LEAST = 5
"""Number of designs from which on a correlation is given, and of environments from which on an interval is."""
FEATURES = "actuators", "length_mm", "contact_share", "greatest_contact_force_n", "drive_margin"
"""Properties of a design as planned that may go with its success."""
COMPARED = {"success": "%", "actuators": "", "length_mm": "mm", "contact_share": ""}
"""What pairs of cases are compared by, with units."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over cases, with its 95 % bootstrap interval."""

    value: float
    interval: Interval
    count: int


@dataclass(frozen=True, slots=True)
class Cell:
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
class Data:
    """The table of a sweep, by columns."""

    rows: Sequence[Row]
    factors: Sequence[str]
    """Names of the columns that distinguish cases."""

    @cached_property
    def varied(self) -> list[str]:
        """Factors of interest with several values."""
        several = [name for name in self.factors if len(self.values(name)) > 1 and name not in REPEATS]
        # Those of random environments, which the others do not have: one number and none is no choice.
        several = [name for name in several if name not in OF_RANDOM or len(self.quantities(name)) > 1]
        if None not in self.values("density"):
            several = [name for name in several if name != "environment"]
        return [name for name in several if name not in NAMES or len(self.values(name)) <= FEW]

    @cached_property
    def numeric(self) -> list[str]:
        """Those that are quantities."""
        return [name for name in self.varied if all(_is_number(one) for one in self.values(name) if one is not None)]

    @cached_property
    def everything(self) -> Mask:
        """All cases."""
        return np.ones(len(self.rows), bool)

    def quantities(self, name: str) -> list[float]:
        """Distinct numbers of a column, in ascending order."""
        values = self.column(name)
        return sorted({float(one) for one in values[np.isfinite(values)]})

    @cached_property
    def groups(self) -> dict[str, Mask]:
        """Cases by the combination of factors that are no quantities, such as options; all cases if there are none."""
        names = [name for name in self.varied if name not in self.numeric and name not in NAMES]
        keys = [", ".join(f"{name} = {shown(row.get(name))}" for name in names) for row in self.rows]
        return {key or "all": np.array([one == key for one in keys]) for key in dict.fromkeys(keys)}

    def values(self, name: str) -> list[Value]:
        """Distinct values of a column, in the order of the cases."""
        return list(dict.fromkeys(row.get(name) for row in self.rows))

    def column(self, name: str) -> Floats:
        """A column of numbers, NaN where there is none."""
        if name == "success":
            return 100 * self.column("reached") / self.column("trials")
        return np.array([float(row.get(name)) if _is_number(row.get(name)) else np.nan for row in self.rows])  # type: ignore[arg-type]

    @cached_property
    def environments(self) -> NDArray[np.int64]:
        """The environment of each case, as a number; one for all with the same start and goal."""
        random = [row.get("density") is not None for row in self.rows]
        names = [
            f"{row['passage_mm']} {row['environment_seed']}" if drawn else f"{row['environment']}"
            for row, drawn in zip(self.rows, random, strict=True)
        ]
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def tried(self) -> bool:
        """Whether designs were grown with errors."""
        return bool(np.isfinite(self.column("success")).any())

    # ---- means ----

    def cells(self, factor: str, where: Mask) -> list[Cell]:
        """Means for each value of a factor, over some of the cases."""
        values = self.quantities(factor) if factor in self.numeric else self.values(factor)
        return [self.cell(value, where & self.equal(factor, value)) for value in values]

    def equal(self, factor: str, value: Value) -> Mask:
        """The cases with a value of a factor."""
        return np.array([row.get(factor) == value for row in self.rows])

    def cell(self, value: Value, which: Mask) -> Cell:
        """Means over some cases."""
        found = which & np.isfinite(self.column("actuators"))
        return Cell(
            value, int(which.sum()), int(found.sum()), self.mean("success", found), self.mean("actuators", found)
        )

    def mean(self, name: str, which: Mask) -> Mean | None:
        """The mean of a column over some cases; None where it is known of none."""
        values = self.column(name)
        known = which & np.isfinite(values)
        if not known.any():
            return None
        interval = self.interval(known, lambda rows: float(values[rows].mean()))
        return Mean(float(values[known].mean()), interval, int(known.sum()))

    def interval(self, which: Mask, statistic: Callable[[NDArray[np.int64]], float]) -> Interval:
        """95 % interval of a statistic of some cases, by the bootstrap over their environments; NaN where there are few."""
        rng, rows = np.random.default_rng(0), np.flatnonzero(which)
        own = [rows[self.environments[rows] == one] for one in np.unique(self.environments[rows])]
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
        """Spearman's rank correlation of a column with success; None where one of them does not vary, or of few designs."""
        values, success = self.column(name), self.column("success")
        known = which & np.isfinite(values) & np.isfinite(success)

        def statistic(rows: NDArray[np.int64]) -> float:
            one, other = rankdata(values[rows]), rankdata(success[rows])
            spread = one.std() * other.std()
            return float(((one - one.mean()) * (other - other.mean())).mean() / spread) if spread else np.nan

        value = statistic(np.flatnonzero(known)) if known.sum() >= LEAST else np.nan
        return Mean(value, self.interval(known, statistic), int(known.sum())) if np.isfinite(value) else None

    def slopes(self, which: Mask) -> dict[str, Mean]:
        """Change of the number of actuators per unit of each numeric factor, from one linear fit to the cases that have all of them."""
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
        """Change of the number of actuators per unit of a quantity within the same environment; None where it does not vary there.

        A linear fit with a constant of its own for each environment: those that are hard for all cases do not count.
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

    def paired(self, one: Mask, other: Mask) -> dict[str, tuple[Effect, int]]:
        """Differences, the second group less the first, over the pairs of cases that differ in nothing but the group.

        Differences are averaged within each environment first, since its cases are not independent.

        Returns:
            The effect on each of `COMPARED` for which both cases have a value, and the number of pairs.
        """
        names = [name for name in self.factors if name in {*self.numeric, *NAMES, *REPEATS}]
        keys = [tuple(row.get(name) for name in names) for row in self.rows]
        first = {keys[k]: k for k in np.flatnonzero(one).tolist()}
        pairs = [(first[keys[k]], k) for k in np.flatnonzero(other).tolist() if keys[k] in first]
        found = {}
        for name in COMPARED:
            values = self.column(name)
            both = [(a, b) for a, b in pairs if np.isfinite(values[a]) and np.isfinite(values[b])]
            if both:
                differences = np.array([values[b] - values[a] for a, b in both])
                own = self.environments[[a for a, _ in both]]
                means = [float(differences[own == one].mean()) for one in np.unique(own)]
                found[name] = Effect.of(means, [""] * len(means)), len(both)
        return found

    @cached_property
    def pairs_of_groups(self) -> list[tuple[str, str]]:
        """Pairs of groups, by name; none if there are many."""
        return list(combinations(self.groups, 2)) if len(self.groups) <= 4 else []


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(value: Value) -> str:
    """A value in words of a study file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
