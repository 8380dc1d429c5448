"""The check of actuators over their pressure, and what the guide says about those that fail."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.moment import joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design, Section
from planner.design.replay import grow_designs
from planner.fabrication.assembly.acceptance import bends
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.pressure_check import SHARES, pressure_steps, remedies
from planner.fabrication.assembly.tolerance import Placement, grow_switched
from planner.fabrication.guide.tolerance_page import failure_texts
from planner.uncertainty.bend_ranges import BendRange
from planner.uncertainty.sensitivity import Margin

MakeBuild = Callable[..., Build]
Table = dict[str, np.ndarray]


def reference_bend(table: Table, kpa: float) -> float:
    """Bend of 10 cells of 42 mm in free space, from the reference table [rad]."""
    row = np.isclose(table["l0_mm"], 42) & np.isclose(table["pressure_kpa"], kpa)
    return 0.42 * float(table["curvature_per_m"][row][0])


def bend_at(make_build: MakeBuild, cells: int, l_0: float, pressure: float) -> float:
    """Bend of the acceptance test of an actuator [rad]."""
    design = make_build(("left", cells, l_0), ("none", 0.2)).design
    sections = (replace(design.sections[0], pressure=pressure), design.sections[1])
    return bends(Build(replace(design, sections=sections)), [None])[0].angle


def test_steps_follow_the_reference_table(make_build: MakeBuild, reference: Callable[[str], Table]) -> None:
    """At 10 kPa, the range is that of actuators which need 20 kPa to bend as planned ones do at 10 or 30 kPa: 5 and 15 kPa there."""
    table = reference("free_space_curvature_reference")
    made = make_build(("left", 10, 0.042), ("none", 0.2)).design
    build = Build(replace(made, sections=(replace(made.sections[0], pressure=20e3), made.sections[1])))
    low, high = reference_bend(table, 10), bend_at(make_build, 10, 0.042, 30e3)
    (steps,) = pressure_steps(build, [BendRange(low, high)])
    planned = bend_at(make_build, 10, 0.042, 20e3)
    assert [step.pressure for step in steps] == [0.0, 10e3, 20e3]
    assert [step.angle for step in steps] == pytest.approx(
        [0.0, reference_bend(table, 10), planned], rel=2e-3, abs=1e-9
    )
    assert steps[2].accepted == (low, high)
    assert steps[0].accepted == pytest.approx((low - planned, high - planned))
    assert steps[1].accepted == pytest.approx([reference_bend(table, kpa) for kpa in (5, 15)], rel=5e-3)


def test_steps_without_a_range_have_none(make_build: MakeBuild) -> None:
    """Bends are there, ranges are not; bends rise with the pressure, and with a range its ends rise too and hold the bend."""
    build = make_build(("left", 10, 0.042), ("none", 0.2), ("right", 8, 0.03))
    angles = [one.angle for one in bends(build, [None, None])]
    first, second = pressure_steps(build, [None, BendRange(0.9 * angles[1], 1.1 * angles[1])])
    assert all(step.accepted is None for step in first)
    assert [step.angle for step in first] == sorted(step.angle for step in first)
    ends = np.array([step.accepted for step in second])
    assert ends.shape == (len(SHARES), 2)
    assert (np.diff(ends, axis=0) > 0).all()
    assert all(low < step.angle < high for (low, high), step in zip(ends, second, strict=True))


def test_remedies_are_those_of_other_actuators(make_build: MakeBuild) -> None:
    """One cell fewer, cells a millimetre longer, and the limit: the same bends as of actuators that are built so."""
    (found,) = remedies(make_build(("left", 10, 0.042), ("none", 0.2)), [40e3])
    planned = bend_at(make_build, 10, 0.042, 35e3)
    assert (found.name, found.limit) == ("L1", 40e3)
    assert found.most == pytest.approx(bend_at(make_build, 10, 0.042, 40e3))
    assert planned - found.cell == pytest.approx(bend_at(make_build, 9, 0.042, 35e3))
    assert planned + found.longer == pytest.approx(bend_at(make_build, 10, 0.043, 35e3))
    (limited,) = remedies(make_build(("left", 10, 0.042), ("none", 0.2)), [35e3])
    assert limited.most is None


def test_the_longest_cells_have_an_effect_too(make_build: MakeBuild) -> None:
    """At the end of the table of cell lengths, the effect is that of shorter ones, the other way."""
    longest = float(joint_moments(VineParams()).tables.longest[0])
    (found,) = remedies(make_build(("left", 5, longest), ("none", 0.2)), [40e3])
    planned, shorter = (bend_at(make_build, 5, cell, 35e3) for cell in (longest, longest - 1e-3))
    assert found.longer == pytest.approx(planned - shorter)


@pytest.fixture(scope="module")
def bent() -> tuple[Design, Environment]:
    """A tube that turns left by its first actuator alone; the second bends its last 60 mm, which changes little."""
    parts = (
        Section(0.0, 0.3, "left", 1.5, 0.03, 20e3),
        Section(0.3, 0.9, "none", 0, 0, 0),
        Section(0.9, 0.96, "right", 1.5, 0.03, 10e3),
    )
    room = Environment(
        "room", "", np.full(4, [-2.0, -2.0, 2.0, 2.0]), np.zeros(3), np.array([1.0, 0.0, 0.1]), Obstacles()
    )
    design = Design("room", "", VineParams(), parts, np.zeros(3), np.zeros((1, 2)))
    tip = grow_designs([design], room, QuasiStatic(room, design.params))[0].design.tip
    return design, replace(room, goal=np.array([*tip[:2], 0.1]))


def test_a_failed_actuator_is_simulated(bent: tuple[Design, Environment]) -> None:
    """Without the first actuator the tube goes straight and misses; without the second it still ends in the goal."""
    design, room = bent
    assert grow_switched(design, room) == [False, True]
    assert grow_switched(replace(design, sections=(design.sections[1],)), room) == []


def test_an_idle_actuator_is_switched_on(bent: tuple[Design, Environment]) -> None:
    """The first is off in this environment: at its set point by mistake, the straight tube misses a goal ahead of it."""
    design, room = bent
    sections = (replace(design.sections[0], on=False), *design.sections[1:])
    ahead = replace(room, goal=np.array([0.9, 0.0, 0.1]))
    assert grow_switched(replace(design, sections=sections), ahead) == [False, True]


def test_failures_are_said_in_words(make_build: MakeBuild) -> None:
    """Names of failed actuators by what they lead to, and of idle ones by themselves."""
    build = make_build(("left", 7, 0.042), ("right", 5, 0.03), ("left", 5, 0.03), ("right", 5, 0.03))
    nowhere = Margin("", "mm", 0.0, 0.0)
    spot = Placement([nowhere] * 4, nowhere, nowhere, switched=(False, True, False, False))
    (dead,) = failure_texts(build, spot)
    assert "without R2 the tube still reaches the goal; without L1, L3 or R4 the tube misses the goal" in dead
    sections = tuple(replace(one, on=k != 3) for k, one in enumerate(build.design.sections))
    dead, idle = failure_texts(Build(replace(build.design, sections=sections)), spot)
    assert "without L1 or L3 the tube misses the goal" in dead
    assert idle.startswith("R4: without pressure in this environment")
    assert "with R4 at its set point the tube misses the goal" in idle
