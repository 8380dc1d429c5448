"""Defaults of the search compared with what they were, and effects over pairs."""

import numpy as np
import pytest

from studies.planning_runs import RunRecord
from studies.search_variants.defaults_report import defaults
from studies.search_variants.report import make_report
from studies.search_variants.study import BEFORE, DEFAULTS
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


def test_every_kind_has_every_seed_in_every_environment() -> None:
    """Seeds are outermost: a study that is stopped has the kinds equally often."""
    every = DEFAULTS.cases(DEFAULTS.runs(["maze", "long"], 3), 5.0)
    assert len(every) == 3 * 2 * len(DEFAULTS.variants)
    assert [case.seed for case in every] == sorted(case.seed for case in every)
    assert len({(case.switches, case.keep) for case in every}) == len(DEFAULTS.variants)


def test_the_report_has_ratios_and_differences_of_pairs() -> None:
    """Twice as fast and an actuator less, in every pair of two seeds, is a ratio of 0.5 and a difference of -1; unsolved runs count."""

    def record(first: float | None, cost: float) -> RunRecord:
        case = next(each)
        return RunRecord(case, [] if first is None else [(first, cost)], 10, 5.0, kept=3)

    each = iter(DEFAULTS.cases(DEFAULTS.runs(["maze", "long"], 2), 5.0))
    outcomes = [(2.0, 3.02), (1.0, 2.02), *[(None, 0.0)] * (len(DEFAULTS.variants) - 2)]
    records = [record(first, cost) for _ in range(4) for first, cost in outcomes]
    assert {key[0] for key in DEFAULTS.runs_of(records, BEFORE)} == {"maze", "long"}
    rows = [
        line.split(" | ")
        for line in make_report(DEFAULTS, defaults, records).text.splitlines()
        if line.startswith("| ")
    ]
    everywhere = {row[1]: row for row in rows if row[0] == "| all"}
    kinds = list(DEFAULTS.variants)
    assert everywhere[kinds[1]][2:] == ["4", "0.50 (0.50 ... 0.50)", "0.125", "4", "-1.00 (-1.00 ... -1.00)", "0.125 |"]
    assert everywhere[kinds[2]][2:] == ["4", "2.50 (2.50 ... 2.50)", "0.125", "0", "-", "- |"]
    assert ["| maze", kinds[1], "2 of 2", "1.00 (1.00 ... 1.00)", "2.02 (2.02 ... 2.02)", "2.00", "3.0 |"] in rows
    assert ["| long", kinds[2], "0 of 2", "- (- ... -)", "- (- ... -)", "-", "3.0 |"] in rows
