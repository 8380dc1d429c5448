"""The acceptance test and the placement tolerances of the guide."""

from collections.abc import Callable

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design, Section
from planner.fabrication.acceptance import bends, kept_pressures
from planner.fabrication.build import Build
from planner.fabrication.tolerance import compute_placement
from planner.uncertainty.bend_ranges import BendRange

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
