"""The study of dense clutter: its environments, and what its tables count."""

import math

import pytest
from scipy.stats import binomtest

from studies.planning_runs import RunCase, RunRecord, run_case
from studies.random_environments import find_environment, soak_kind
from studies.reliability.study import cases as soak_cases
from studies.search_variants.clutter_report import clutter
from studies.search_variants.study import (
    BEFORE,
    CLUTTER,
    DENSITIES,
    FIRST_SEED,
    NOW,
    SMALLER_BATCH,
    clutter_runs,
    group_by_density,
)

KINDS = [*CLUTTER.variants]

FIRSTS = {
    BEFORE: [1.0, 3.0, None, None, None, None, 1.9, 5.0, 2.1],
    SMALLER_BATCH: [1.0, 1.0, None, 9.0, 2.0, None, 1.0, 1.0, 1.0],
    NOW: [1.5, 1.0, 1.0, None, 2.0, None, 3.0, 2.0, 0.5],
}
"""Time to the first solution in each environment, in the order of their seeds."""


def record(case: RunCase, first: float | None) -> RunRecord:
    return RunRecord(case, [] if first is None else [(first, 3.0)], 10, 20.0)


@pytest.fixture
def records() -> list[RunRecord]:
    every = CLUTTER.cases(clutter_runs(3), 20.0)
    return [record(case, FIRSTS[KINDS[k % 3]][k // 3]) for k, case in enumerate(every)]


def rows(lines: list[str], title: str) -> list[list[str]]:
    start = next(k for k, line in enumerate(lines) if line.startswith(f"| obstacles | {title}"))
    table = lines[start + 2 :]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[: table.index("")]]


@pytest.mark.slow
def test_the_environments_are_those_of_the_soak_that_chose_nothing() -> None:
    """Each density has as many, each with its own seed, the same for every kind, and the same environment as the soak's."""
    every = CLUTTER.cases(clutter_runs(2), 20.0)
    assert len(every) == len(DENSITIES) * 2 * len(KINDS)
    assert all(case.first for case in every)
    seeds = [case.seed for case in every[:: len(KINDS)]]
    assert [seeds.count(seed) for seed in seeds] == [1] * len(seeds)
    assert min(seeds) >= FIRST_SEED
    assert [soak_kind(seed)[0] for seed in seeds].count(0.4) == 2
    theirs = soak_cases(FIRST_SEED + 20, 2.0)
    for number, case in enumerate(every):
        first = every[number - number % len(KINDS)]
        assert (case.environment, case.seed) == (first.environment, first.seed)
    for case in every[:: len(KINDS)]:
        assert find_environment(case.environment).sha256 == theirs[case.seed].environment().sha256


def test_densities_and_sizes_of_the_soak_do_not_move() -> None:
    """Stored results name environments by their seed only: densities change fastest, then sizes."""
    assert soak_kind(0) == (0.05, (1.5, 1.5))
    assert soak_kind(6) == (0.6, (1.5, 1.5))
    assert soak_kind(8) == (0.1, (2.5, 2.5))
    assert soak_kind(FIRST_SEED + 4 + 7 * 2) == (0.4, (4.0, 2.5))


def test_an_environment_that_any_search_solves_is_solvable(records: list[RunRecord]) -> None:
    """One of the nine was solved by none; the shares are of the other eight; a time of exactly two seconds is within them."""
    lines = clutter(CLUTTER, records)
    assert [row[:2] for row in rows(lines, "environments")] == [["40%", "3"], ["50%", "3"], ["60%", "3"], ["all", "9"]]
    assert [row[2].split(":")[0] for row in rows(lines, "environments")] == ["3", "3", "2", "8"]
    found = {(row[0], row[1]): row for row in rows(lines, "search")}
    assert found["all", BEFORE][2:4] == ["8", "2"]
    assert found["all", NOW][2:4] == ["8", "6"]
    assert found["all", NOW][4].startswith("75.0 (")
    assert [found["all", kind][5] for kind in KINDS] == ["5", "7", "7"]
    assert found["60%", NOW][2:4] == ["2", "2"]


def test_pairs_tell_gains_from_losses(records: list[RunRecord]) -> None:
    """One of the eight was solved soon by both, five only now, one only before: three times as many in all."""
    (*_, row) = rows(clutter(CLUTTER, records), "solvable | both")
    assert row == ["all", "8", "1", "5", "1", "3.00", f"{binomtest(5, 6).pvalue:.2g}"]


def test_an_interrupted_study_counts_what_every_search_has_tried(records: list[RunRecord]) -> None:
    """Without the last run its environment is left out of all kinds."""
    kept = group_by_density(records[:-1])
    assert [len(own) for kinds in kept.values() for own in kinds.values()] == [3] * 6 + [2] * 3
    assert group_by_density(records[:2]) == {}


def test_a_run_ends_at_its_first_solution() -> None:
    """In an environment without obstacles the first solution comes at once, and the budget is not used."""
    found = run_case(RunCase("soak-0", 0, 60.0, first=True))
    assert len(found.history) == 1
    assert math.isfinite(found.first)
    assert found.seconds < 30.0
