"""Tempering, against posteriors in closed form."""

from collections.abc import Callable

import numpy as np
import pytest

from planner.built.tempering import temper
from surrogate.kernels.compiled import Floats


def linear(map_: Floats, seen: Floats, error: float) -> tuple[Floats, Floats]:
    """Mean and covariance of a standard normal vector of which `map_ x + error` was seen."""
    unknowns = map_.shape[1]
    covariance = np.linalg.inv(np.eye(unknowns) + map_.T @ map_ / error**2)
    return covariance @ map_.T @ seen / error**2, covariance


@pytest.mark.parametrize(("unknowns", "error"), [(2, 0.3), (6, 0.1), (60, 0.1), (250, 0.05)])
def test_linear_observations(unknowns: int, error: float) -> None:
    """Mean, deviations and correlation of a linear model, where two unknowns can only be told apart by their prior."""
    rng = np.random.default_rng(unknowns)
    map_ = np.zeros((2, unknowns))
    map_[0, :2], map_[1, -1] = (1.0, -0.8), 0.5
    seen = np.array([1.7, 0.9])
    mean, covariance = linear(map_, seen, error)

    def log_likelihood(normal: Floats) -> Floats:
        return np.asarray(-0.5 * (((normal @ map_.T - seen) / error) ** 2).sum(axis=1))

    found = [temper(log_likelihood, unknowns, 1000, rng) for _ in range(3)]
    samples = np.concatenate([one.normal for one in found])
    deviations = np.sqrt(np.diag(covariance))
    assert np.sqrt((((samples.mean(axis=0) - mean) / deviations) ** 2).mean()) < 0.06
    assert np.abs((samples.mean(axis=0) - mean) / deviations)[[0, 1, -1]].max() < 0.15
    assert samples.std(axis=0) == pytest.approx(deviations, rel=0.15)
    assert np.corrcoef(samples.T)[0, 1] == pytest.approx(covariance[0, 1] / (deviations[0] * deviations[1]), abs=0.06)
    assert min(one.different for one in found) > 900


def test_both_of_two_explanations_are_kept() -> None:
    """A likelihood with two peaks of equal weight leaves samples at both."""

    def log_likelihood(normal: Floats) -> Floats:
        return np.asarray(-0.5 * ((np.abs(normal[:, 0]) - 1.5) / 0.1) ** 2)

    found = temper(log_likelihood, 3, 1000, np.random.default_rng(1))
    assert 0.35 < (found.normal[:, 0] > 0).mean() < 0.65
    assert np.abs(found.normal[:, 0]) == pytest.approx(1.5, abs=0.5)


def test_observations_that_say_nothing_leave_the_prior() -> None:
    """A constant likelihood takes one step."""
    found = temper(lambda normal: np.full(len(normal), -3.0), 4, 2000, np.random.default_rng(2))
    assert found.steps == 1
    assert np.abs(found.normal.mean(axis=0)).max() < 0.1
    assert found.normal.std(axis=0) == pytest.approx(1.0, abs=0.08)


def test_impossible_observations_end() -> None:
    """A likelihood that falls without end away from one far corner still returns samples."""
    found = temper(lambda normal: -1e6 * np.abs(normal[:, 0] - 9.0), 2, 100, np.random.default_rng(3))
    assert np.isfinite(found.normal).all()


def test_unknowns_of_which_nothing_is_told_keep_the_prior() -> None:
    """Moves are short where many unknowns are told a little; yet the means of all others scatter as those of independent samples."""

    def log_likelihood(normal: Floats) -> Floats:
        return np.asarray(-0.5 * (((normal[:, :8] - 1.0) / 0.6) ** 2).sum(axis=1))

    found = [temper(log_likelihood, 40, 256, np.random.default_rng(seed)).normal for seed in range(6)]
    scatter = np.array([normal[:, 8:].mean(axis=0) for normal in found])
    assert np.sqrt((scatter**2).mean() * 256) < 1.5
    assert np.array([normal[:, 8:].std(axis=0) for normal in found]).mean() == pytest.approx(1.0, abs=0.03)
    assert np.array([normal[:, :8] for normal in found]).mean() == pytest.approx(1 / 1.36, abs=0.1)


def test_a_cheap_factor_is_asked_first() -> None:
    """A likelihood in two factors has the posterior of their product; what the cheap one rejects costs nothing."""
    rng = np.random.default_rng(5)
    map_ = np.zeros((3, 12))
    map_[0, :2], map_[1, 2:4], map_[2, 1:3] = (1.0, -0.8), (0.7, 0.9), (0.9, 0.6)
    seen, error = np.array([1.2, -0.9, 0.8]), 0.15
    mean, covariance = linear(map_, seen, error)
    computed = {"cheap first": 0, "at once": 0}

    def log_likelihood(normal: Floats, rows: slice) -> Floats:
        return np.asarray(-0.5 * (((normal @ map_[rows].T - seen[rows]) / error) ** 2).sum(axis=1))

    def count(name: str, rows: slice) -> Callable[[Floats], Floats]:
        def counted(normal: Floats) -> Floats:
            computed[name] += len(normal)
            return log_likelihood(normal, rows)

        return counted

    found = [
        temper(
            count("cheap first", slice(2, None)), 12, 500, rng, cheap=lambda normal: log_likelihood(normal, slice(2))
        )
        for _ in range(6)
    ]
    for _ in range(6):
        temper(count("at once", slice(None)), 12, 500, rng)
    samples, deviations = np.concatenate([one.normal for one in found]), np.sqrt(np.diag(covariance))
    assert np.abs((samples.mean(axis=0) - mean) / deviations).max() < 0.15
    assert samples.std(axis=0) == pytest.approx(deviations, rel=0.15)
    assert np.corrcoef(samples.T)[:4, :4] == pytest.approx(
        (covariance / np.outer(deviations, deviations))[:4, :4], abs=0.12
    )
    assert computed["cheap first"] < 0.6 * computed["at once"]
