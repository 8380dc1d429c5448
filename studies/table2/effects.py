"""Sizes of the effects of a kind of reverse tree, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import mannwhitneyu

from studies.planning_runs import Record
from studies.table2.study import RANDOM, of_kind
from surrogate.kernels.compiled import Floats
from vinewright.sweeps.report.paired import sign_test

RESAMPLES = 2000
LARGEST = 1e9
"""What a run without a solution counts as."""
EQUAL = 1e-9
"""Costs that differ by no more than this are equal."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Runs of one kind beside others; smaller values are better."""

    better: float
    """Probability that a run of the first kind is better than one of the second, plus half of that of a tie."""
    interval: tuple[float, float]
    """95 % bootstrap interval of it."""
    ratio: float
    """Median of the first kind over that of the second; NaN or infinite without solutions."""
    ratio_interval: tuple[float, float]
    p: float
    """Mann-Whitney, two-sided."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Runs of two kinds in the same random environments; smaller values are better."""

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


def effect(one: Sequence[float], other: Sequence[float]) -> Effect:
    """Compare the times or costs of runs, infinite for those without a solution."""
    first, second = (np.minimum(np.asarray(some, float), LARGEST) for some in (one, other))
    rng = np.random.default_rng(0)
    firsts, seconds = (rng.choice(some, (RESAMPLES, len(some))) for some in (first, second))
    shares = [_better(a, b) for a, b in zip(firsts, seconds, strict=True)]
    return Effect(
        _better(first, second),
        _interval(np.array(shares)),
        float(_median_ratio(first[None], second[None])[0]),
        _interval(_median_ratio(firsts, seconds)),
        float(mannwhitneyu(first, second).pvalue),
    )


def paired(records: Sequence[Record], kind: str, other: str, part: str) -> Paired:
    """Compare the times ("first") or costs ("cost") of two kinds in the random environments."""
    values = [
        {record.case.environment: getattr(record, part) for record in of_kind(records, RANDOM, one)}
        for one in (kind, other)
    ]
    names = sorted(values[0].keys() & values[1].keys())
    pairs = np.array([[some[name] for some in values] for name in names]).reshape(-1, 2)
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
    return Paired(len(pairs), better, worse, ratio, interval, sign_test(better, worse))


def _better(first: Floats, second: Floats) -> float:
    less, more = (first[:, None] < second - EQUAL), (first[:, None] > second + EQUAL)
    return float(0.5 + 0.5 * (less.mean() - more.mean()))


def _median_ratio(first: Floats, second: Floats) -> Floats:
    """Ratios of the medians of rows; NaN where either is that of runs without a solution."""
    one, other = (np.median(some, axis=1) for some in (first, second))
    solved = (one < LARGEST / 4) & (other < LARGEST / 4)
    return np.where(solved, one / other, np.nan)


def _interval(values: Floats) -> tuple[float, float]:
    """95 % interval of resamples; NaN if some have no value."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
