"""Robot files: the shipped robots, reading and writing, and wrong files."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from dynamics.euler_lagrange.control import Controller
from dynamics.euler_lagrange.model import LinearActuator, Robot
from dynamics.euler_lagrange.robot_file import (
    DEFAULT_ROBOT,
    ControlledRobot,
    InvalidRobot,
    known_robots,
    load_robot,
    robot_content,
    robot_text,
)
from dynamics.euler_lagrange.robot_keys import ACTUATOR, CONTROLLER, ROBOT

TURNED = ControlledRobot(
    Robot(
        mass=0.23,
        stiffness=3.3,
        yield_force=0.0,
        diameter=0.0333,
        levers=0.7,
        gravity=(1.0, -2.0, -9.0),
        actuator=LinearActuator(1.2e-3, 0.3),
        planes=(math.radians(10.0), math.radians(130.0), math.radians(-110.0)),
    ),
    Controller(100.0, 20.0, 200.0, 30.0, most_core=40.0, most_tension=55.5),
)


def test_the_default_is_the_robot_of_the_paper() -> None:
    """Its shipped file has the values of Table 1, and those of the model where the paper gives none."""
    robot, controller = load_robot(DEFAULT_ROBOT)
    assert (robot.mass, robot.stiffness, robot.axial_damping, robot.bending_damping) == (0.1, 20.0, 1.5, 1.1)
    assert (robot.yield_force, robot.diameter, robot.gravity) == (4.0, 0.05, (0.0, 0.0, 9.81))
    assert (robot, controller) == (Robot(), Controller())
    assert load_robot("el-hussieny-long-arm").robot == Robot(levers=2.0)
    assert known_robots() == [DEFAULT_ROBOT, "el-hussieny-long-arm"]


def test_missing_keys_have_the_values_of_the_paper(tmp_path: Path) -> None:
    """Also those inside tables."""
    (tmp_path / "mine.toml").write_text("schema = 1\nmass_kg = 2\n[controller]\nmost_core_n = 9\n")
    assert load_robot(tmp_path / "mine.toml") == (Robot(mass=2.0), Controller(most_core=9.0))


@pytest.mark.parametrize("made", [TURNED, ControlledRobot(Robot(), Controller())])
def test_what_is_written_reads_back_exactly(tmp_path: Path, made: ControlledRobot) -> None:
    """All keys are in the text, those without a value as comments."""
    text = robot_text(made)
    (tmp_path / "mine.toml").write_text(text)
    assert load_robot(tmp_path / "mine.toml") == made
    for key in (*ROBOT.values(), *ACTUATOR.values(), *CONTROLLER.values()):
        assert f"{key.name} = " in text


def test_numbers_of_a_file_are_converted() -> None:
    """Millimetres and degrees to metres and radians."""
    content = robot_content(TURNED)
    assert content["diameter_mm"] == 33.3
    assert content["actuator"]["area_mm2"] == 1200.0
    assert content["actuator_planes_deg"] == [10.0, 130.0, -110.0]
    assert "most_core_n" not in robot_content(TURNED._replace(controller=Controller()))["controller"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "missing key schema"),
        ("schema = 2", "schema = 2 must be less than or equal to 1"),
        ("schema = 1\nmass_g = 3", r"unknown key mass_g \(did you mean mass_kg\?\)"),
        ("schema = 1\nmass_kg = 0", "mass_kg = 0 must be greater than or equal to"),
        ("schema = 1\nmass_kg = nan", "mass_kg = nan must be a finite number"),
        ("schema = 1\nmass_kg = '1'", "mass_kg = '1' must be a valid number"),
        ("schema = 1\ngravity_m_per_s2 = [0, 0]", r"gravity_m_per_s2 = \[0, 0\] must have at least 3 items"),
        ("schema = 1\ngravity_m_per_s2 = [0, 0, 1e9]", r"gravity_m_per_s2\[2\] = 1000000000.0 must be less than"),
        ("schema = 1\nactuator_planes_deg = [0, 90, 180]", "no gap between neighbours may be 180 deg or more"),
        ("schema = 1\nactuator = 3", "actuator = 3 must be a table"),
        ("schema = 1\n[actuator]\ncontraction = 1.5", "actuator.contraction = 1.5 must be less than or equal to 1"),
        ("schema = 1\n[controller]\ngain = 1", "unknown key controller.gain"),
        ("schema = 1\n[controller]\nmost_core_n = inf", "controller.most_core_n = inf must be a finite number"),
        ("schema = ", "is not TOML"),
        ("schema = 1\nname = '\x1b'", "is not TOML"),
    ],
)
def test_a_wrong_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    """It names file, key, value and range."""
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(InvalidRobot, match=message) as error:
        load_robot(tmp_path / "bad.toml")
    assert str(error.value).startswith("bad.toml: ")
    assert "\n" not in str(error.value)


def test_a_missing_robot_is_told_its_neighbour() -> None:
    """The shipped ones are named."""
    with pytest.raises(
        InvalidRobot, match=r"el-husseiny: not found \(did you mean el-hussieny\?\); shipped robots: el-hussieny, "
    ):
        load_robot("el-husseiny")


def test_a_robot_with_a_new_field_must_have_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A field without one is noticed when a file is written."""
    without = {field: key for field, key in ROBOT.items() if field != "mass"}
    monkeypatch.setattr("dynamics.euler_lagrange.robot_file.ROBOT", without)
    with pytest.raises(TypeError, match="robot files have no key for mass"):
        robot_text(TURNED._replace(robot=replace(TURNED.robot, mass=1.0)))
