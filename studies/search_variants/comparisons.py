"""Comparisons of runs of two variants: sizes of the effects, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import mannwhitneyu

from studies.planning_runs import RunRecord
from surrogate.kernels.compiled import Floats
from vinewright.sweeps.report.paired import sign_test

RESAMPLES = 2000
LARGEST = 1e9
"""Time and cost of a run without a solution."""
EQUAL = 1e-9
"""Costs that differ by no more than this are equal."""


@dataclass(frozen=True, slots=True)
class UnpairedComparison:
    """Runs of two variants in one environment; smaller values are better."""

    better: float
    """Probability that a run of the first variant is better than one of the second, plus half of that of a tie."""
    interval: tuple[float, float]
    """95 % bootstrap interval of it."""
    ratio: float
    """Median of the first variant over that of the second; NaN or infinite without solutions."""
    ratio_interval: tuple[float, float]
    p: float
    """Mann-Whitney, two-sided."""


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Runs of two variants in the same random environments; smaller values are better."""

    count: int
    """Environments that at least one of them solved."""
    better: int
    worse: int
    ratio: float
    """Median ratio over the environments that both solved; NaN if there are none."""
    interval: tuple[float, float]
    """95 % bootstrap interval of it."""
    p: float
    """Sign test over the environments in which they differ."""


def compare_unpaired(values: Sequence[float], reference: Sequence[float]) -> UnpairedComparison:
    """Compare the times or costs of runs, infinite for those without a solution, with those of other runs."""
    first, second = (np.minimum(np.asarray(costs, float), LARGEST) for costs in (values, reference))
    rng = np.random.default_rng(0)
    firsts, seconds = (rng.choice(costs, (RESAMPLES, len(costs))) for costs in (first, second))
    shares = [_better(a, b) for a, b in zip(firsts, seconds, strict=True)]
    return UnpairedComparison(
        _better(first, second),
        _interval(np.array(shares)),
        float(_median_ratio(first[None], second[None])[0]),
        _interval(_median_ratio(firsts, seconds)),
        float(mannwhitneyu(first, second).pvalue),
    )


def compare_paired(runs: Sequence[RunRecord], reference: Sequence[RunRecord], quantity: str) -> PairedComparison:
    """Compare the times ("first") or costs ("cost") of runs with those of other runs in the same environments."""
    values = [{run.case.environment: getattr(run, quantity) for run in several} for several in (runs, reference)]
    names = sorted(values[0].keys() & values[1].keys())
    pairs = np.array([[costs[name] for costs in values] for name in names]).reshape(-1, 2)
    pairs = pairs[np.isfinite(pairs).any(axis=1)]
    first, second = np.minimum(pairs, LARGEST).T
    better, worse = int((first < second - EQUAL).sum()), int((first > second + EQUAL).sum())
    both = np.isfinite(pairs).all(axis=1)
    logs = np.log(pairs[both, 0] / pairs[both, 1])
    if len(logs) == 0:
        ratio, interval = float("nan"), (float("nan"), float("nan"))
    else:
        drawn = np.random.default_rng(0).choice(logs, (RESAMPLES, len(logs)))
        ratio, interval = float(np.exp(np.median(logs))), _interval(np.exp(np.median(drawn, axis=1)))
    return PairedComparison(len(pairs), better, worse, ratio, interval, sign_test(better, worse))


def _better(first: Floats, second: Floats) -> float:
    less, more = (first[:, None] < second - EQUAL), (first[:, None] > second + EQUAL)
    return float(0.5 + 0.5 * (less.mean() - more.mean()))


def _median_ratio(first: Floats, second: Floats) -> Floats:
    """Ratios of the medians of rows; NaN where either is that of runs without a solution."""
    middle, reference = (np.median(costs, axis=1) for costs in (first, second))
    solved = (middle < LARGEST / 4) & (reference < LARGEST / 4)
    return np.where(solved, middle / reference, np.nan)


def _interval(values: Floats) -> tuple[float, float]:
    """95 % interval of resamples; NaN if a resample has no value."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
