"""Robots and constant inputs with other numbers, by the keys of files."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.euler_lagrange.control import Controller
from dynamics.euler_lagrange.errors import InvalidTimeTable
from dynamics.euler_lagrange.input_table import InputTable
from dynamics.euler_lagrange.model import LinearActuator, Robot
from dynamics.euler_lagrange.robot_file import ControlledRobot, InvalidRobot, change_robot, load_robot, number_keys
from dynamics.euler_lagrange.time_table import change_constant

AWKWARD = ControlledRobot(
    Robot(mass=1 / 3, diameter=0.1 / 3, planes=(0.1, 2.2, -2.0), actuator=LinearActuator(1e-3 / 7, 0.1 + 0.2)),
    Controller(growth_gain=1e3 / 7, most_tension=200 / 3),
)
"""Numbers that a file would round."""


def test_only_the_given_numbers_change() -> None:
    """The others stay to the bit, and units are those of files; nothing given is the same robot."""
    assert change_robot(AWKWARD, {}) == AWKWARD
    changed = change_robot(
        AWKWARD, {"diameter_mm": 60.0, "actuator.area_mm2": 1500.0, "controller.bend_gain_n_m_per_rad": 7.0}
    )
    actuator = replace(AWKWARD.robot.actuator, area=1500e-6)
    assert changed.robot == replace(AWKWARD.robot, diameter=0.06, actuator=actuator)
    assert changed.controller == replace(AWKWARD.controller, bend_gain=7.0)


def test_every_number_of_a_file_can_be_changed() -> None:
    """Each key changes the robot or its controller."""
    made = load_robot("el-hussieny")
    assert len(number_keys()) == 15
    for key in number_keys():
        assert change_robot(made, {key: 1.0}) != made, key


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mass_g": 1.0}, r"unknown key mass_g \(did you mean mass_kg\?\)"),
        ({"controller.gain": 1.0}, "unknown key controller.gain"),
        ({"mass_kg": 0.0}, "mass_kg = 0.0 must be greater than or equal to"),
        ({"actuator.contraction": float("nan")}, "actuator.contraction = nan must be a finite number"),
    ],
)
def test_a_wrong_number_is_one_line(changes: dict[str, float], message: str) -> None:
    """It names key, value and range."""
    with pytest.raises(InvalidRobot, match=message):
        change_robot(AWKWARD, changes)


def test_constant_inputs_change_in_one_column() -> None:
    """In the unit of its name; the other inputs stay to the bit, and no table is changed itself."""
    given = InputTable.constant(1 / 3, (0.1, 0.2, 1 / 7))
    pulled = change_constant(given, "spam_2_n", 5.0)
    assert pulled.actuators.tolist() == [[0.1, 5.0, 1 / 7]]
    assert given.actuators.tolist() == [[0.1, 0.2, 1 / 7]]
    assert pulled.core.tolist() == [1 / 3]
    assert change_constant(given, "core_n", 2.0).core.tolist() == [2.0]
    blown = change_constant(InputTable.constant(), "spam_3_kpa", 7.0)
    assert (blown.actuators.tolist(), blown.pressurised) == ([[0.0, 0.0, 7e3]], True)
    q = np.array([1.0, 0.0, 0.0])
    pushed = change_constant(InputTable.constant(0.0, (1.0, 0.0, 0.0)), "core_kpa", 2.0)
    np.testing.assert_allclose(pushed.forces(Robot(), 0.0, q), [2e3 * np.pi * 0.05**2 / 4, 1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("inputs", "column", "value", "message"),
    [
        (InputTable.constant(), "core_n", -1.0, "core_n = -1 must be from 0 to 1e\\+06"),
        (InputTable.constant(), "spam_1_kpa", float("nan"), "spam_1_kpa = nan must be from 0 to 10000"),
        (InputTable(np.array([0.0, 1.0]), np.zeros(2), np.zeros((2, 3))), "core_n", 1.0, "the inputs change over time"),
        (InputTable.constant(5.0), "core_kpa", 1.0, "core_kpa: the inputs have a force there; give one of them"),
        (InputTable.constant(0.0, (0, 1, 0), True), "spam_1_n", 1.0, "spam_1_n: the inputs have a pressure there"),
    ],
)
def test_a_wrong_input_is_one_line(inputs: InputTable, column: str, value: float, message: str) -> None:
    """Ranges are those of files; forces and pressures are not mixed."""
    with pytest.raises(InvalidTimeTable, match=message):
        change_constant(inputs, column, value)
