"""The schedule of pressures: what is set when."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import Inertia
from planner.fabrication.build import Build
from planner.fabrication.schedule import growth_schedule, schedule_lengths

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
