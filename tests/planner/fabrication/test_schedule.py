"""The schedule of pressures: what is set when."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import Inertia
from planner.design.schedule import Schedule
from planner.design.schedule_file import read_schedule
from planner.fabrication.assembly.build import Build
from planner.fabrication.plumbing.schedule import growth_schedule, schedule_lengths

pytestmark = pytest.mark.usefixtures("small_pictures")

COLUMNS = ["grown_mm", "time_s", "body_kpa", "L1_kpa", "R2_kpa", "everted"]


def rows_of(build: Build) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(growth_schedule(build))))


def test_an_actuator_is_set_when_its_section_begins_to_come_out(example: Build) -> None:
    """Its column is 0 before, its set point from then on; it counts as everted once the end of its section is out."""
    rows = rows_of(example)
    assert list(rows[0]) == COLUMNS
    for row in rows:
        grown = float(row["grown_mm"])
        assert float(row["L1_kpa"]) == (35.0 if grown >= 300 else 0.0)
        assert float(row["R2_kpa"]) == (35.0 if grown >= 800 else 0.0)
        assert row["everted"] == " ".join(name for name, end in (("L1", 594), ("R2", 1160)) if grown >= end)
        assert float(row["body_kpa"]) == pytest.approx(example.design.params.growth_pressure / 1e3, abs=5e-4)


def test_there_is_a_row_wherever_something_changes(example: Build) -> None:
    """At every segment, at both ends of every section, at 0 and at the end, each once and in order."""
    lengths = 1e3 * schedule_lengths(example)
    wanted = {*np.arange(0.0, 1301.0, 25.0), 300.0, 594.0, 800.0, 1160.0}
    assert lengths == pytest.approx(sorted(wanted), abs=1e-6)
    assert [float(row["grown_mm"]) for row in rows_of(example)] == pytest.approx(lengths, abs=5e-4)


def test_time_is_that_of_the_growth_rate(example: Build) -> None:
    """Length over rate: at 20 mm/s, 1300 mm take 65 s; at the default of 100 mm/s, 13 s."""
    slow = replace(example.design.params, inertia=Inertia(growth_rate=0.02))
    for build, seconds in ((example, 13.0), (Build(replace(example.design, params=slow)), 65.0)):
        rows = rows_of(build)
        assert (float(rows[0]["time_s"]), float(rows[-1]["time_s"])) == (0.0, pytest.approx(seconds))


def test_a_stopped_tube_ends_early_and_what_is_off_stays_off(example: Build) -> None:
    """The last row is the length at which growth stops; an actuator without pressure here is 0 in every row."""
    sections = [replace(one, on=one.side != "left") for one in example.design.sections]
    build = Build(replace(example.design, sections=tuple(sections), stop=0.91))
    rows = rows_of(build)
    assert float(rows[-1]["grown_mm"]) == 910.0
    assert {row["L1_kpa"] for row in rows} == {"0.0"}
    assert rows[-1]["R2_kpa"] == "35.0"
    assert rows[-1]["everted"] == "L1"


def test_a_steered_design_has_its_own_pressures(example: Build) -> None:
    """They change linearly between rows and in two rows at a step, from when the section comes out; read again, they are the same."""
    pressures = np.array([[35, 35], [35, 35], [0, 20], [0, 35]]) * 1e3
    schedule = Schedule([0.0, 0.91, 0.91, 1.2], pressures)
    steered = replace(example, design=replace(example.design, schedule=schedule))
    rows = rows_of(steered)
    for column, start, k in (("L1_kpa", 300, 0), ("R2_kpa", 800, 1)):
        for row, after in zip(rows, [*rows[1:], rows[-1]], strict=True):
            grown, before_step = float(row["grown_mm"]), row["grown_mm"] == after["grown_mm"] and row is not after
            wanted = schedule.pressures[1] if before_step else schedule.at(grown / 1e3)
            assert float(row[column]) == pytest.approx(wanted[k] / 1e3 if grown >= start else 0.0, abs=1e-3)
    assert [float(row["grown_mm"]) for row in rows].count(910.0) == 2


def test_the_table_can_be_followed_again(example: Build, tmp_path: Path) -> None:
    """`read_schedule` gives the pressures of every actuator that has come out."""
    schedule = Schedule([0.0, 0.91, 0.91], np.array([[35, 35], [35, 35], [10, 35]]) * 1e3)
    steered = replace(example.design, schedule=schedule)
    (tmp_path / "schedule.csv").write_text(growth_schedule(replace(example, design=steered)))
    again = read_schedule(tmp_path / "schedule.csv", steered)
    for length in (0.31, 0.5, 0.85, 0.909, 0.911, 1.3):
        out = [section.start < length for section in steered.actuated]
        assert again.at(length)[out] == pytest.approx(schedule.at(length)[out])
    np.testing.assert_allclose(again.steps, [0.91])
