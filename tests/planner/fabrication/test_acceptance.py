"""The acceptance test and the placement tolerances of the guide."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design, Section
from planner.design.replay import grow_designs
from planner.fabrication.assembly.acceptance import acceptance_text, bends, kept_pressures
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.tolerance import compute_placement
from planner.fabrication.guide.guide import guide_pages
from planner.fabrication.pack import Pack
from planner.uncertainty.bend_ranges import Acceptance, BendRange

Table = dict[str, np.ndarray]


def curvature(table: Table, l_0: float, kpa: float) -> float:
    """Curvature in free space of the reference table [1/m]."""
    row = np.isclose(table["l0_mm"], l_0) & np.isclose(table["pressure_kpa"], kpa)
    return float(table["curvature_per_m"][row][0])


def test_bends_are_those_of_free_space(make_build: Callable[..., Build], reference: Callable[[str], Table]) -> None:
    """Angle = film's curvature times length, radius = 1 / curvature - R, end aside = (1 - cos) radius; the pressure at which the bend
    is the least accepted one undoes it."""
    table = reference("free_space_curvature_reference")
    build = make_build(("left", 10, 0.042), ("none", 0.2))
    kappa, least = curvature(table, 42, 35), curvature(table, 42, 25)
    accepted = BendRange(0.42 * least, 10.0)
    (bend,) = bends(build, [accepted])
    assert (bend.name, bend.side, bend.pressure) == ("L1", "left", 35e3)
    assert bend.angle == pytest.approx(0.42 * kappa, rel=2e-3)
    radius = 1 / kappa - build.design.params.radius
    assert bend.radius == pytest.approx(radius, rel=2e-3)
    assert bend.aside == pytest.approx((1 - np.cos(0.42 * kappa)) * radius, rel=4e-3)
    assert bend.accepted is accepted
    (kept,) = kept_pressures(build, [accepted])
    assert kept == (pytest.approx(25e3, rel=2e-2), np.inf)
    assert kept_pressures(build, [None]) == [None]


def test_tolerances_of_a_straight_tube() -> None:
    """1 m of bare tube into a goal of 30 mm: 30 mm aside, and a turn by 2 asin(15 mm / 1 m), within the steps of the simulation."""
    goal = np.array([1.0, 0.0, 30.2e-3])
    room = Environment("room", "", np.array([-2.0, -2.0, 2.0, 2.0]), np.zeros(3), goal, Obstacles())
    design = Design("room", "", VineParams(), (Section(0.0, 1.0, "none", 0, 0, 0),), np.zeros(3), np.zeros((1, 2)))
    found = compute_placement(design, room)
    assert found.actuators == []
    assert (found.aside.less, found.aside.more) == pytest.approx((30.0, 30.0))  # steps of 1.25 mm
    turn = np.degrees(2 * np.arcsin(15.1e-3))
    for side in (found.heading.less, found.heading.more):
        assert turn - 0.25 < side <= turn


def test_the_text_says_what_the_ranges_mean() -> None:
    """Errors, costs and counts are in words; the cost of all together is named only where there is more than one range."""
    one = BendRange(0.5, 0.6)
    several = acceptance_text(Acceptance((one, None), (one,), 400, 380, 300, 297), "lasercut")
    assert (
        "at most 1 tube in 100 more misses than without the test; with all bends anywhere in their ranges, at most 5."
        in several
    )
    assert (
        "Of 400 tubes simulated with lasercut errors, 380 reach the goal and 300 pass; 297 of those that pass reach it."
        in several
    )
    alone = acceptance_text(Acceptance((one,), (), 400, 380, 0, 0), "workshop")
    assert "all bends" not in alone
    assert "those that pass" not in alone


def test_goal_kept_and_accepted_are_one_statement() -> None:
    """An actuator at either end of its range of pressure bends as far as is accepted, or less where the limit is lower."""
    parts = (
        Section(0.0, 0.4, "none", 0, 0, 0),
        Section(0.4, 0.64, "left", 1.5, 0.03, 20e3),
        Section(0.64, 1.0, "none", 0, 0, 0),
    )
    room = Environment(
        "room", "", np.array([-0.5, -0.5, 1.5, 1.5]), np.zeros(3), np.array([1.0, 0.0, 0.1]), Obstacles()
    )
    design = Design("room", "", VineParams(), parts, np.zeros(3), np.zeros((1, 2)))
    tip = grow_designs([design], room, QuasiStatic(room, design.params))[0].design.tip
    place = replace(room, goal=np.array([*tip[:2], 0.05]))
    pack = Pack.of(design, place, QuasiStatic(place, design.params), trials=20)
    (accepted,), (_, line) = pack.ranges, pack.pressures["lines"]
    assert accepted is not None
    ends = [1e3 * line["goal_kept_from_kpa"], 1e3 * line["goal_kept_to_kpa"]]
    low, high = free_curvature(joint_moments(design.params), ends, 0.03) * 0.24
    assert low == pytest.approx(accepted.low, rel=1e-3)
    assert high == pytest.approx(accepted.high, rel=1e-3)
    assert pack.pressures["acceptance"] | {"passed": 0, "passed_and_reached": 0, "reached": 0} == {
        "errors": "workshop", "trials": 20, "reached": 0, "passed": 0, "passed_and_reached": 0,
    }  # fmt: skip
    text = " ".join(one.get_text() for page in guide_pages(pack.guide, "a4") for one in page.figure.texts)
    first, last = (f"{end:.0f}{'*' * free}" for end, free in zip(degrees(accepted), accepted.open, strict=True))
    assert f" {first} {last} " in text
    assert "Of 20 tubes simulated with workshop errors" in text


def degrees(accepted: BendRange) -> tuple[float, float]:
    """Both ends in whole degrees, inwards."""
    return float(np.ceil(np.degrees(accepted.low))), float(np.floor(np.degrees(accepted.high)))
