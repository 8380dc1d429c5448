"""Sweeps of a robot: each motion is that of its numbers alone, and follows closed forms; wrong keys and values are told."""

from pathlib import Path

import numpy as np
import pytest

import vinewright as vw
from dynamics.euler_lagrange.control import Controller, Tracking, track
from dynamics.euler_lagrange.input_table import InputTable, simulate
from dynamics.euler_lagrange.model import Robot
from dynamics.euler_lagrange.motion import RobotMotion
from dynamics.euler_lagrange.reference_table import ReferenceTable
from dynamics.euler_lagrange.robot_file import ControlledRobot, load_robot
from vinewright.euler_lagrange.sweep import (
    INPUTS,
    MOST_MOTIONS,
    NOT_INTEGRABLE,
    InvalidSweep,
    SweptMotion,
    list_cases,
    sweep,
)
from vinewright.euler_lagrange.sweep_pictures import MOST_POINTS, curve_of, save_sweep

MADE = ControlledRobot(Robot(), Controller())
PULLED = InputTable.constant(5.0, (30.0, 0.0, 10.0))
BENDS = ReferenceTable(np.array([0.0, 0.5, 1.0]), np.array([[1.0, 0.2, 0.0], [1.2, 0.5, 0.4], [1.5, 0.4, 1.0]]))


def moved(swept: SweptMotion) -> RobotMotion:
    assert isinstance(swept.motion, RobotMotion)
    return swept.motion


def test_a_motion_of_a_sweep_is_that_of_its_numbers() -> None:
    """To the bit, for numbers of the robot, the start and the inputs together; in the order of the keys."""
    vary = {"mass_kg": [0.1, 0.3], "theta_rad": [0.0, 0.2], "spam_3_n": [0.0, 25.0]}
    found = sweep(MADE, PULLED, vary, start=(1.0, 0.1, 0.5), seconds=0.3)
    assert [tuple(one.case.values.values()) for one in found] == [
        (mass, theta, pull) for mass in vary["mass_kg"] for theta in vary["theta_rad"] for pull in vary["spam_3_n"]
    ]
    for one in found:
        mass, theta, pull = one.case.values.values()
        alone = simulate(Robot(mass=mass), InputTable.constant(5.0, (30.0, 0.0, pull)), (1.0, theta, 0.5), 0.3)
        np.testing.assert_array_equal(moved(one).q, alone.q)
        np.testing.assert_array_equal(moved(one).rates, alone.rates)
        row = one.row()
        assert (row["mass_kg"], row["ended"], row["computed_s"]) == (mass, "complete", 0.3)
        assert row["greatest_bend_rad"] == alone.polar[:, 1].max()
        assert row["end_s_m"] == pytest.approx(alone.q[-1, 0], abs=1e-9)
        assert [row[f"end_{axis}_m"] for axis in "xyz"] == pytest.approx(alone.tips[-1].tolist(), abs=1e-9)
        assert row["greatest_tension_n"] == max(30.0, pull)


def test_a_motion_along_a_reference_is_that_of_its_numbers() -> None:
    """To the bit; it starts and lasts as the reference does."""
    (one,) = sweep(MADE, BENDS, {"controller.growth_gain_n_per_m": [500.0]})
    alone = track(Robot(), Controller(growth_gain=500.0), BENDS, BENDS.start, 1.0)
    assert isinstance(one.motion, Tracking)
    np.testing.assert_array_equal(one.motion.q, alone.q)
    row = one.row()
    assert row["greatest_tip_error_m"] == alone.tip_errors.max()
    assert [row[f"greatest_{name}"] for name in ("length_error_m", "bend_error_rad", "plane_error_rad")] == (
        alone.greatest_errors.tolist()
    )


def test_the_steady_growth_is_proportional_to_the_pressure() -> None:
    """Lengths at the end differ by (P A - Y_e + m g) / D_s in each second, without a bend."""
    pressures = [3.0, 5.0, 8.0]
    first, second = (sweep(MADE, InputTable.constant(), {"core_kpa": pressures}, seconds=t) for t in (5.0, 6.0))
    for pressure, before, after in zip(pressures, first, second, strict=True):
        force = 1e3 * pressure * np.pi * 0.05**2 / 4 - 4.0 + 0.1 * 9.81
        grown = moved(after).q[-1, 0] - moved(before).q[-1, 0]
        assert grown == pytest.approx(force / 1.5, rel=1e-6)


def test_errors_fall_as_gains_rise() -> None:
    """The greatest error of the bend along a reference, over three decades of the gain; of the length likewise."""
    for key, name in (
        ("controller.bend_gain_n_m_per_rad", "greatest_bend_error_rad"),
        ("controller.growth_gain_n_per_m", "greatest_length_error_m"),
    ):
        rows = [one.row() for one in sweep(MADE, BENDS, {key: [50.0, 500.0, 5e3, 5e4]})]
        errors = np.array([row[name] for row in rows], float)
        assert (np.diff(errors) < 0).all(), name
        assert errors[-1] < 0.1 * errors[0]


def test_a_motion_that_ends_early_has_a_row() -> None:
    """A full circle, and numbers that no integrator follows; the columns are those of the others."""
    hard = vw.euler_lagrange.load_robot("el-hussieny-long-arm")
    coiled, whole = sweep(hard, InputTable.constant(), {"spam_1_n": [5000.0, 5.0]}, seconds=0.5)
    assert (coiled.row()["ended"], whole.row()["ended"]) == ("coiled", "complete")
    assert 0 < float(str(coiled.row()["computed_s"])) < 0.1
    lost = SweptMotion(whole.case, None)
    assert lost.row()["ended"] == NOT_INTEGRABLE
    assert lost.row()["end_s_m"] is None
    assert [*lost.row()] == [*coiled.row()] == [*whole.row()]


def test_a_motion_that_cannot_be_integrated_does_not_end_the_others(tmp_path: Path) -> None:
    """The robot is that of the test of `simulate`, with a lever arm that is unusable and one that is not."""
    (tmp_path / "hard.toml").write_text(
        "schema = 1\nmass_kg = 1000\nstiffness_n_m_per_rad = 1e6\naxial_damping_n_s_per_m = 1e6\nbending_damping_n_m_s_per_rad = 0\n"
        "diameter_mm = 10000\ngravity_m_per_s2 = [-1000, -1000, -1000]\n[actuator]\narea_mm2 = 1000\ncontraction = 1e-4\n"
    )
    made, inputs = load_robot(tmp_path / "hard.toml"), InputTable.constant(0.0, (10.0, 1e7, 1e7), True)
    bad, good = sweep(made, inputs, {"arm_diameters": [100.0], "s_m": [0.001, 50.0]}, (1.0, 1.0, 1.0), 0.01)
    assert bad.row()["ended"] == NOT_INTEGRABLE
    assert good.row()["ended"] != NOT_INTEGRABLE


OVER_TIME = InputTable(np.array([0.0, 1.0]), np.zeros(2), np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("drive", "vary", "message"),
    [
        (PULLED, {}, "varies nothing; keys: mass_kg, "),
        (PULLED, {"mass_g": [1.0]}, r"unknown key mass_g \(did you mean mass_kg\?\); allowed: mass_kg, .*, core_n, "),
        (PULLED, {"mass_kg": []}, "mass_kg has no value"),
        (PULLED, {"mass_kg": [0.1, 0.2, 0.1]}, "mass_kg has the value 0.1 twice"),
        (PULLED, {"mass_kg": [0.1, -1.0]}, "mass_kg = -1.0 must be greater than or equal to"),
        (PULLED, {"s_m": [1.0, 0.0]}, "s = 0 m must be greater than 0"),
        (PULLED, {"s_m": [1e-300]}, "s_m = 1e-300 must be from 0.001 to 10000"),
        (PULLED, {"phi_rad": [1e308]}, r"phi_rad = 1e\+308 must be from -10000 to 10000"),
        (PULLED, {"theta_rad": [7.0]}, "theta = 7 rad must be at least 0"),
        (PULLED, {"core_n": [-1.0]}, r"core_n = -1 must be from 0 to 1e\+06"),
        (PULLED, {"core_kpa": [1.0]}, "core_kpa: the inputs have a force there"),
        (PULLED, {"core_n": [0.0], "core_kpa": [1.0]}, "core_n and core_kpa exclude each other"),
        (InputTable.constant(), {"spam_1_n": [0.0], "spam_2_kpa": [1.0]}, "spam_1_n and spam_2_kpa exclude each other"),
        (OVER_TIME, {"core_n": [1.0]}, "core_n: the inputs change over time"),
        (PULLED, {"controller.bend_gain_n_m_per_rad": [1.0]}, "has no effect under given inputs; give a reference"),
        (BENDS, {"core_n": [1.0]}, "core_n cannot be varied along a reference"),
        (PULLED, {"mass_kg": np.linspace(0.1, 1, 40).tolist(), "s_m": np.linspace(1, 2, 40).tolist()}, "has 1600 comb"),
    ],
)
def test_what_cannot_be_swept_is_one_line(
    drive: InputTable | ReferenceTable, vary: dict[str, list[float]], message: str
) -> None:
    """Key, value and what is allowed, before anything is computed."""
    with pytest.raises(InvalidSweep, match=message) as error:
        list_cases(MADE, drive, vary)
    assert "\n" not in str(error.value)


def test_as_many_motions_as_allowed() -> None:
    """The limit itself is allowed; every key of inputs can be varied."""
    assert len(list_cases(MADE, PULLED, {"mass_kg": np.linspace(0.1, 1, MOST_MOTIONS).tolist()})) == MOST_MOTIONS
    for key in INPUTS:
        assert len(list_cases(MADE, InputTable.constant(), {key: [0.0, 1.0]})) == 2


def test_pictures_keep_ends_and_few_points(tmp_path: Path) -> None:
    """A long motion is thinned, with its first and last record; more values than are named, one row, and none that can be drawn."""
    swept = sweep(MADE, PULLED, {"mass_kg": [0.1 * k for k in range(1, 11)], "s_m": [1.0, 2.0]}, seconds=20.0)
    curves = [curve_of(one) for one in swept]
    kept, motion = curves[0], moved(swept[0])
    assert len(kept.times) == MOST_POINTS < len(motion.times)
    assert kept.times[[0, -1]].tolist() == [0.0, 20.0]
    np.testing.assert_array_equal(kept.lines[-1], motion.polar[-1])
    lost = curve_of(SweptMotion(swept[0].case, None))
    for name, some in (("all", curves), ("one", curves[:1]), ("none", [lost])):
        save_sweep(tmp_path / f"{name}.png", ["mass_kg", "s_m"], some, False, "Motions")
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
