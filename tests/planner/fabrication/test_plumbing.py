"""Plumbing and operation: the listed valves and regulators put every line at every set point of the schedule."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.design.schedule import Schedule
from planner.fabrication.assembly.build import Build
from planner.fabrication.plumbing.operation import MARK_APART, RAMP_EVERY, operation_of
from planner.fabrication.plumbing.plumbing import BODY, BODY_SHUT_OFF, SUPPLY_SHUT_OFF, Plumbing, Setting, plumbing_of
from planner.fabrication.plumbing.schedule import growth_schedule
from tests.planner.fabrication.operated import steered, with_pressures

MakeBuild = Callable[..., Build]


def rows_of(build: Build) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(growth_schedule(build))))


def check_follows(build: Build) -> None:
    """At each row of schedule.csv, the plumbing set by the events delivers the pressures of the row to every line."""
    operation, plumbing = operation_of(build), plumbing_of(build)
    rows = rows_of(build)
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        before_step = after is not None and row["grown_mm"] == after["grown_mm"]
        pressures = operation.pressures_at(1e-3 * float(row["grown_mm"]), held=not before_step)
        reached = plumbing.deliver(plumbing.setting(pressures))
        assert reached.keys() == {BODY, *(one.name for one in build.actuators)}
        for line, pressure in reached.items():
            assert pressure == pytest.approx(1e3 * float(row[f"{line}_kpa"]), abs=1.01), (row, line)


def test_every_set_point_is_delivered(operated: Build) -> None:
    """Regulators and valves, opened and set as the events say, put each line at its pressure in every row."""
    check_follows(operated)


@settings(deadline=None, max_examples=40)
@given(
    lengths=st.lists(st.integers(0, 1400), min_size=1, max_size=6),
    pressures=st.lists(st.tuples(st.integers(0, 35), st.integers(0, 35)), min_size=6, max_size=6),
)
def test_any_schedule_is_delivered(example: Build, lengths: list[int], pressures: list[tuple[int, int]]) -> None:
    """Random lengths, of which two may be equal, and random pressures."""
    kept = [length for k, length in enumerate(sorted(lengths)) if sorted(lengths)[max(k - 2, 0) : k].count(length) < 2]
    rows = 1e3 * np.array(pressures[: len(kept)], float)
    rows[0] = np.maximum(rows[0], 1e3)
    check_follows(Build(example.design.scheduled(Schedule(1e-3 * np.array(kept), rows))))


def feeds(plumbing: Plumbing) -> list[tuple[float, bool, list[tuple[str, tuple[str, ...]]]]]:
    """Pressure [kPa], kind and branches of each regulator."""
    return [
        (round(one.pressure / 1e3, 2), one.proportional, [(branch.valve, branch.lines) for branch in one.branches])
        for one in plumbing.regulators
    ]


def test_lines_of_equal_pressure_share_a_regulator(example: Build) -> None:
    """L1 and R2 at 35 kPa begin at other lengths: one regulator, two valves; at other pressures, one regulator for each."""
    body = (10.34, False, [("", (BODY,))])
    assert feeds(plumbing_of(example)) == [body, (35.0, False, [("V1", ("L1",)), ("V2", ("R2",))])]
    other = plumbing_of(with_pressures(example, 30e3, 20e3))
    assert feeds(other) == [body, (20.0, False, [("V2", ("R2",))]), (30.0, False, [("V1", ("L1",))])]


def test_lines_of_equal_pressure_and_timing_share_a_valve(example: Build) -> None:
    """Both are set to 35 kPa at 1200 mm by a schedule: one valve. At 20 and 35 kPa, or one of them later: two."""
    at_once = [[0, 0], [0, 0], [35, 35]]
    assert feeds(plumbing_of(steered(example, [0, 1.2, 1.2], at_once)))[1:] == [(35.0, False, [("V1", ("L1", "R2"))])]
    apart = plumbing_of(steered(example, [0, 1.2, 1.2], [[0, 0], [0, 0], [20, 35]]))
    assert [len(one.branches) for one in apart.regulators] == [1, 1, 1]
    later = steered(example, [0, 1.1, 1.1, 1.2, 1.2], [[0, 0], [0, 0], [35, 0], [35, 0], [35, 35]])
    assert feeds(plumbing_of(later))[1:] == [(35.0, False, [("V1", ("L1",)), ("V2", ("R2",))])]


def test_gradual_pressures_need_a_proportional_regulator(example: Build) -> None:
    """R2 rises from 20 to 35 kPa, or is stepped to another pressure; L1 is switched and keeps its valve."""
    for lengths in ([0.0, 0.9, 1.2], [0.0, 1.0, 1.0]):
        plumbing = plumbing_of(steered(example, lengths, [[35, 20], [35, 20], [35, 35]]))
        assert feeds(plumbing)[1:] == [(35.0, False, [("V1", ("L1",))]), (35.0, True, [("", ("R2",))])]


def test_a_line_that_is_off_has_a_valve_that_stays_closed(example: Build) -> None:
    """Regulator and valve of a line that is off are there for the other environment; two unused lines do not share a valve."""
    for stop, unused in ((None, ("L1",)), (0.25, ("L1", "R2"))):
        sections = [replace(one, on=one.side != "left") for one in example.design.sections]
        build = Build(replace(example.design, sections=tuple(sections), stop=stop))
        plumbing, operation = plumbing_of(build), operation_of(build)
        assert feeds(plumbing)[1:] == [(35.0, False, [("V1", ("L1",)), ("V2", ("R2",))])]
        for event in operation.events:
            pressures = operation.pressures_at(event.grown)
            opened = plumbing.setting(pressures).open
            assert not opened & {branch.valve for _, branch in plumbing.valves if branch.lines[0] in unused}


def test_shut_valves_pass_nothing(example: Build) -> None:
    """A closed 3/2-way valve vents its line; the shut-off valves cut off everything, or the body alone."""
    plumbing = plumbing_of(example)
    growth = round(example.design.params.growth_pressure)
    assert plumbing.deliver(Setting(frozenset({"V2"}), {})) == {BODY: growth, "L1": 0.0, "R2": 35e3}
    assert set(plumbing.deliver(Setting(frozenset({"V1", "V2"}), {}), {SUPPLY_SHUT_OFF}).values()) == {0.0}
    assert plumbing.deliver(Setting(frozenset({"V1"}), {}), {BODY_SHUT_OFF}) == {BODY: 0.0, "L1": 35e3, "R2": 0.0}


def test_pressures_that_the_plumbing_cannot_deliver_are_refused(example: Build) -> None:
    """Another pressure than that of the regulator, and different ones behind one valve."""
    with pytest.raises(ValueError, match="P2 is set to 35000 Pa, not 20000 Pa"):
        plumbing_of(example).setting({"L1": 20e3, "R2": 0.0})
    shared = plumbing_of(steered(example, [0, 1.2, 1.2], [[0, 0], [0, 0], [35, 35]]))
    with pytest.raises(ValueError, match="L1 and R2 share a valve"):
        shared.setting({"L1": 35e3, "R2": 0.0})


def test_marks_are_where_something_is_switched(example: Build) -> None:
    """Sections begin at 300 and 800 mm; nothing else changes, so there are two marks and three events."""
    operation = operation_of(example)
    assert [(one.name, round(1e3 * one.at, 6)) for one in operation.marks] == [("S1", 300.0), ("S2", 800.0)]
    assert [(one.mark, one.pressures) for one in operation.events] == [
        ("", (0.0, 0.0)),
        ("S1", (35e3, 0.0)),
        ("S2", (35e3, 35e3)),
    ]


def test_near_events_are_counted_from_the_mark_before(example: Build) -> None:
    """8 mm after S1 there is no room for another mark, 20 mm after it there is; 5 mm from the base is counted from there."""
    assert MARK_APART == 15e-3
    switched = steered(example, [0, 0.308, 0.308, 0.32, 0.32], [[35, 35], [35, 35], [20, 35], [20, 35], [30, 35]])
    events = [(one.mark, round(1e3 * one.beyond, 6)) for one in operation_of(switched).events]
    assert events == [("", 0.0), ("S1", 0.0), ("S1", 8.0), ("S2", 0.0), ("S3", 0.0)]


def test_a_ramp_is_given_again_every_100_mm(make_build: MakeBuild) -> None:
    """From 0 to 35 kPa over 400 to 750 mm: at both ends and at three places between, on the straight line."""
    build = steered(make_build(("left", 10, 0.04), ("none", 0.6)), [0.0, 0.4, 0.75], [[10], [10], [35]])
    operation = operation_of(build)
    assert [round(1e3 * one.grown) for one in operation.events] == [0, 400, 500, 600, 700, 750]
    assert max(np.diff([one.grown for one in operation.events[1:]])) <= RAMP_EVERY + 1e-9
    assert [one.ramps for one in operation.events] == [(False,), *[(True,)] * 4, (False,)]
    for event in operation.events[1:]:
        assert event.pressures[0] == pytest.approx(10e3 + 25e3 * (event.grown - 0.4) / 0.35, abs=1)


def test_a_step_is_held(example: Build) -> None:
    """Growth stops where two rows have the same length, and nowhere else."""
    operation = operation_of(steered(example, [0, 0.91, 0.91], [[35, 35], [35, 35], [0, 35]]))
    assert [(round(1e3 * one.grown), one.hold) for one in operation.events] == [
        (0, False),
        (300, False),
        (800, False),
        (910, True),
    ]
    assert operation.pressures_at(0.91, held=False) == {"L1": 35e3, "R2": 35e3}
    assert operation.pressures_at(0.91) == {"L1": 0.0, "R2": 35e3}
