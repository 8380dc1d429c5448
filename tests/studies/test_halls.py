"""The study of large random halls."""

from dataclasses import replace
from pathlib import Path

import pytest

from studies.halls.plots import save_halls
from studies.halls.report import report
from studies.halls.study import HALLS, HallCase, HallRecord, make_cases, run_case, run_cases
from studies.memory import largest_memory

CASE = HallCase("tracks", (9.0, 8.0), 500, 1, 1.0, fast=True)


def record(case: HallCase, first: float | None) -> HallRecord:
    solved = first is not None
    return HallRecord(case, 512, 3.5, first, 2 if solved else None, 4.0 if solved else None, None, 1.2, 0.9, 300.0)


def test_the_halls_are_of_every_kind_and_size() -> None:
    """Each map has its own seed, and every kind is there from small to large, with at least eight halls in all."""
    cases = make_cases(2, 20.0, False)
    assert len(cases) == 2 * len(HALLS) >= 16
    assert len({(case.name, case.seed) for case in cases}) == len(cases)
    assert {kind: len([one for one in HALLS if one[0] == kind]) for kind, _, _ in HALLS} == dict.fromkeys(
        ("corridors", "racks", "caves", "tracks"), 3
    )
    assert {case.time_budget for case in cases} == {20.0}
    for case in cases[:2]:
        corners = sum(map(len, case.environment().obstacles.polygons))
        assert corners == pytest.approx(case.corners, rel=1 / 3)


def test_a_plan_is_measured() -> None:
    """One short plan: what is recorded of it fits it."""
    found = run_case(CASE)
    assert found.corners == pytest.approx(500, rel=1 / 3)
    assert found.seconds >= 1.0
    assert 0.0 < found.start < 60.0
    assert 50.0 < found.memory <= largest_memory() + 0.1
    assert found.solved == (found.actuators is not None)
    assert found.success is None


@pytest.mark.slow
def test_each_plan_has_a_process_of_its_own() -> None:
    """The memory of one plan is not that of the one before, nor that of this process."""
    ballast = bytearray(600_000_000)
    ballast[::4096] = b"1" * len(ballast[::4096])
    one, other = run_cases([CASE, replace(CASE, seed=2)])
    assert max(one.memory, other.memory) < 600 < largest_memory()
    assert len(ballast) > 0


def test_the_report_counts_what_is_solved(tmp_path: Path) -> None:
    """Two of three plans solved: their share, the median of their times, and a row for each; the picture is drawn."""
    other = replace(CASE, kind="caves")
    records = [record(CASE, 1.0), record(replace(CASE, seed=2), 3.0), record(other, None)]
    made = report(records)
    assert "| tracks | 2 | 2 | 100.0 (34.2 ... 100.0) | 2.00 | 0.9 | 300 |" in made.text
    assert "| caves | 1 | 0 | 0.0 (0.0 ... 79.3) | - | 0.9 | 300 |" in made.text
    assert "| all | 3 | 2 | 66.7" in made.text
    assert "| caves 9 m x 8 m, seed 1 | 512 | 3.5 | - | - | - | - | 1 | 0.9 | 300 |" in made.text
    assert len(made.content["plans"]) == 3
    save_halls(tmp_path / "halls.png", records)
    assert (tmp_path / "halls.png").stat().st_size > 5000
