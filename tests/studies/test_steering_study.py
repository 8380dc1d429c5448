"""The study of steering: pairs of runs, counted."""

import math

import pytest

from planner.search.sst import Switches
from studies.planning_runs import RunCase, RunRecord, run_case
from studies.search_variants.report import actuator_count, seed_pairs, steering
from studies.search_variants.study import STEERING

CONSTANT, STEERED = (variant.switches for variant in STEERING.variants.values())


def record(seed: int, switches: Switches, cost: float, changes: int = 0) -> RunRecord:
    history = [(0.5, cost + 1), (2.0, cost)] if math.isfinite(cost) else []
    return RunRecord(RunCase("somewhere.toml", seed, 5.0, switches=switches), history, 10, 5.0, changes=changes)


RECORDS = [
    *(record(seed, CONSTANT, cost) for seed, cost in enumerate((3.02, 2.02, math.inf, 2.02))),
    *(record(0, STEERED, 2.11, 1), record(1, STEERED, 1.02), record(2, STEERED, 4.3, 2), record(3, STEERED, 3.07, 1)),
]


def test_every_seed_has_both_kinds() -> None:
    made = STEERING.cases(STEERING.runs(["plus", "maze"], 3), 7.0)
    assert len(made) == len({(one.environment, one.seed, str(one.switches)) for one in made}) == 12
    assert {one.time_budget for one in made} == {7.0}


def test_pairs_have_the_same_seed() -> None:
    """Sorted by seed, whatever the order of the records; costs count whole actuators."""
    both = seed_pairs(RECORDS[::-1], "somewhere")
    assert [(one.case.seed, other.case.seed) for one, other in both] == [(k, k) for k in range(4)]
    assert [actuator_count(one) for one, _ in both] == [3, 2, math.inf, 2]
    assert [actuator_count(other) for _, other in both] == [2, 1, 4, 3]


def test_the_report_counts_pairs_and_changes() -> None:
    """A run without a solution needs more than any; of three with fewer actuators two change a pressure; p of 3 to 1 is 0.62."""
    text = "\n".join(steering(STEERING, RECORDS))
    assert "| somewhere | 4 | 3 | 2 | 0 | 1 | 0.62 |" in text
    assert "| somewhere | constant | 3 of 4 | 2.5 (2 ... -) | 0 |" in text
    assert "| somewhere | up to 2 steered | 4 of 4 | 2.5 (1 ... 4) | 1 |" in text


@pytest.mark.slow
@pytest.mark.parametrize(("switches", "least"), [(CONSTANT, 0), (STEERED, 1)], ids=["constant", "steered"])
def test_a_run_counts_the_changes_of_its_best_design(switches: Switches, least: int) -> None:
    """Among the pegs one steered actuator reaches the goal, which needs a change, and no constant one."""
    done = run_case(RunCase("examples/steering/pegs.toml", 1, 8.0, switches=switches, first=False))
    assert (done.changes > 0) == (least > 0)
    assert actuator_count(done) == 2 - least
