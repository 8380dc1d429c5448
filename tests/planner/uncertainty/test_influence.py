"""Influence of causes on success: the rate of false names, the power either way, and the share with its interval."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom, norm

from planner.uncertainty.influence import LEVEL, compute_chances, estimate_share


def draw(rng: np.random.Generator, single: int, pairs: int, trials: int) -> list[np.ndarray]:
    """Causes of one and of two components, standard normal."""
    return [*rng.standard_normal((single, 1, trials)), *rng.standard_normal((pairs, 2, trials))]


@pytest.mark.parametrize("rate", [0.97, 0.36])
def test_of_a_hundred_causes_without_effect_few_are_named(rate: float) -> None:
    """In 5 % of all cases any is named: of 200 cases at most those that occur once in a thousand times at that rate, and some."""
    rng = np.random.default_rng(7)
    cases = [compute_chances(draw(rng, 60, 40, 120), rng.random(120) < rate).min() <= LEVEL for _ in range(200)]
    low, high = binom.ppf([0.001, 0.999], 200, LEVEL)
    assert low <= sum(cases) <= high


@pytest.mark.parametrize(
    "misses",
    [
        lambda one, _: abs(one[0]) > 1.0,
        lambda one, _: one[0] > 1.0,
        lambda one, _: one[0] < -1.5,
        lambda one, _: abs(one[0]) < 0.3,
        lambda _, pair: abs(pair @ [0.6, 0.8]) > 1.0,
        lambda _, pair: np.hypot(*pair.T) > 1.8,
        lambda _, pair: pair.prod(axis=1) > 1.0,
    ],
)
def test_a_cause_is_named_among_a_hundred(misses: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
    """One that decides is named, and no other: on one side, on both, near its mean, and in a direction between two components."""
    causes = draw(np.random.default_rng(5), 60, 40, 300)
    reached = ~misses(causes[17], causes[77].T)
    named = np.flatnonzero(compute_chances(causes, reached) <= LEVEL)
    assert named.tolist() in ([17], [77])
    assert estimate_share(causes[named[0]], reached)[0] > 0.3


@pytest.mark.parametrize("slope", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("direction", [(1.0,), (0.6, 0.8)])
def test_the_share_is_the_index_of_sobol(slope: float, direction: tuple[float, ...]) -> None:
    """Where P(success) is Phi(slope x + 0.7), the variance of that over that of success; 95 % of all intervals hold it."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights /= math.sqrt(2 * math.pi)
    chance = norm.cdf(slope * nodes + 0.7)
    mean = weights @ chance
    truth = (weights @ (chance - mean) ** 2) / (mean * (1 - mean))
    rng, held, shares = np.random.default_rng(3), 0, []
    for _ in range(60):
        values = rng.standard_normal((len(direction), 300))
        share, (low, high) = estimate_share(values, rng.random(300) < norm.cdf(slope * (direction @ values) + 0.7))
        held += low <= truth + 1e-12 and high >= truth
        shares.append(share)
    # At 95 %, fewer than 51 of 60 occur once in a thousand times.
    assert held >= 51
    assert np.mean(shares) == pytest.approx(truth, abs=0.025)


@pytest.mark.parametrize("seed", range(6))
def test_a_bound_that_decides_alone_explains_nearly_all(seed: int) -> None:
    """Either way, in one component and between two; another cause explains nothing."""
    one, *two = np.random.default_rng(seed).standard_normal((3, 2, 300))
    reached = abs(one[0]) < 0.47
    between = np.array([[0.6, -0.8], [0.8, 0.6]]) @ one
    for values in (one[:1], one, between):
        share, (low, high) = estimate_share(values, reached)
        assert 0.65 < low < share <= high <= 1
    for other in two:
        share, (low, high) = estimate_share(other, reached)
        assert low == 0
        assert share < 0.1
        assert high < 0.25


@pytest.mark.parametrize("trials", [2, 3, 5, 12])
def test_few_trials_name_nothing(trials: int) -> None:
    """Too few to tell anything: no chance is small, no number is not finite, and an interval says so."""
    values = np.random.default_rng(1).standard_normal((2, 1, trials))
    reached = np.arange(trials) > 0
    chances = compute_chances([*values], reached)
    assert (chances > LEVEL).all()
    share, (low, high) = estimate_share(values[0], reached)
    assert 0 <= low <= share <= high <= 1
