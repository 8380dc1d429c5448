"""Effects over pairs: exact and sampled permutation tests, and intervals within groups."""

import numpy as np
import pytest

from vinewright.sweeps.report.paired import EXACT, PairedEffect


def test_an_effect_counts_every_combination_of_signs() -> None:
    """Four of 16 sums of +-1, +-2, +-3 and +-0.5 are as far from 0 as 5.5; the sign of the mean does not matter."""
    effect = PairedEffect.of([1.0, 2.0, 3.0, -0.5], ["a"] * 4)
    assert effect.mean == pytest.approx(1.375)
    assert effect.p == 4 / 16
    assert PairedEffect.of([-1.0, -2.0, -3.0, 0.5], ["a"] * 4).p == effect.p
    assert PairedEffect.of([1.0] * 5, ["a"] * 5).p == 2 / 2**5
    assert PairedEffect.of([1.0, -1.0], ["a"] * 2).p == 1.0


def test_of_many_pairs_a_sample_of_the_signs_is_enough() -> None:
    """Without an effect p is uniform, so of 200 studies of 20 pairs about a tenth have p < 0.1; with a clear one it is tiny."""
    rng, count = np.random.default_rng(2), EXACT + 8
    p = [PairedEffect.of(rng.normal(size=count).tolist(), ["a"] * count).p for _ in range(200)]
    assert 0.04 < np.mean(np.array(p) < 0.1) < 0.17
    assert 0 < PairedEffect.of([1.0] * count, ["a"] * count).p < 1e-3


def test_the_interval_is_of_pairs_within_groups() -> None:
    """Equal differences in each group leave no doubt, though the groups differ; a mean of n has an interval of +-1.96 s / sqrt(n)."""
    assert PairedEffect.of([1.0, 1.0, 3.0, 3.0], ["a", "a", "b", "b"]).interval == pytest.approx((2.0, 2.0))
    values = np.random.default_rng(3).normal(1.0, 2.0, 400)
    half = 1.96 * values.std() / 20
    assert PairedEffect.of(values.tolist(), ["a"] * 400).interval == pytest.approx(
        (values.mean() - half, values.mean() + half), abs=0.03
    )
